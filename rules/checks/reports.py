"""Match what models report to a program, instead of an answer or along with one.

    status    Memory saved successfully.
    meta      As requested, I have kept the summary within the word limit.

Both patterns are for text in small letters with straight apostrophes.
"""

import re

from rules.extract.patterns import join_alternatives

_SAVED = (
    (
        "memory|memories|notes?|entry|record|summary|context|reflection|update",
        "has|have|been|was|is|are|now|successfully|and|entry|note|bank|log|file|also",
        "saved|stored|updated|recorded|created|logged|added|written|committed|completed?|archived"
        "|retained|filed",
    ),
    (
        "erinnerung|notiz|eintrag|zusammenfassung|analyse",
        "wurde|ist|erfolgreich|jetzt|nun",
        "gespeichert|aktualisiert|abgelegt|erstellt|gesichert|abgeschlossen|hinterlegt",
    ),
    (
        "souvenir|mémoire|note|résumé|analyse",
        "a|été|est|bien",
        "enregistrée?|sauvegardée?|mise? à jour|conservée?|créée?|terminée?",
    ),
    (
        "recuerdo|memoria|nota|resumen|análisis",
        "ha|sido|se|fue|está|correctamente",
        "guardad[oa]|almacenad[oa]|actualizad[oa]|registrad[oa]|completad[oa]|terminad[oa]",
    ),
    (
        "memória|lembrança|nota|resumo|análise",
        "foi|está|com|sucesso",
        "salv[oa]|guardad[oa]|atualizad[oa]|registrad[oa]|armazenad[oa]|concluíd[oa]",
    ),
    (
        "memoria|ricordo|nota|riassunto|analisi",
        "è|stato|stata",
        "salvat[oa]|aggiornat[oa]|registrat[oa]|archiviat[oa]|completat[oa]",
    ),
    (
        "воспоминание|память|запись|заметка|резюме|анализ",
        "успешно|было|была|теперь",
        "сохран[её]н\\w*|обновл[её]н\\w*|записан\\w*|создан\\w*|заверш[её]н\\w*",
    ),
    (
        "спогад|пам'ять|запис|нотатка|підсумок",
        "успішно|було",
        "збережен\\w*|оновлен\\w*|записан\\w*|створен\\w*",
    ),
    (
        "wspomnienie|pamięć|notatka|zapis|podsumowanie",
        "zostało|została|jest|pomyślnie",
        "zapisan\\w*|zaktualizowan\\w*|utworzon\\w*",
    ),
    ("anı|hatıra|bellek|not|özet", "başarıyla", "kaydedildi|güncellendi|oluşturuldu|saklandı"),
)
"""For each language: what is saved, words that may be between, and what was done with it."""
_SUBJECT = r"(?:\w+ ){0,2}?"
_OF_SAVED = join_alternatives(
    *(
        rf"{_SUBJECT}(?:{what})(?: (?:{between}|#?\d+))* (?:{done})(?: [\w-]+){{0,5}}"
        for what, between, done in _SAVED
    )
)
STATUS = re.compile(
    rf"\W*(?:{_OF_SAVED}|"
    + join_alternatives(
        r"""
        (?:successfully |now )?(?:saved|stored|recorded|logged|saving|storing|updating|added|archived)\
            (?: (?:to|in|into|the|my|your|this|as|a|new|long-term|core))* (?:memory|memories|archive|log)(?: \w+){0,4}
        i(?:'ve| have| will|'ll)(?: now)? (?:saved?|stored?|recorded?|logged?|updated?|added|commit(?:ted)?)\
            (?: (?:this|that|it|the|my|a|as|to|in|into|new|all|of))* (?:memory|memories|archive|log)(?: \w+){0,3}
        (?:status|memory (?:status|id)|confidence|importance)\s?[:：=][^\n.]{1,60}\.?
        done|saved|stored|task completed?|ok|fertig|gespeichert|terminé|guardado|готово
        (?:记忆|回忆|总结|笔记|分析)已?(?:成功)?(?:保存|存储|更新|记录|完成)(?:完毕|成功|完成)?
        (?:記憶|思い出|メモ|要約|分析)(?:を|が|は)?(?:保存|更新|記録|完了)(?:しました|されました|完了)?
        """
    )
    + r")(?:\W*\Z|\s*[:：–—]\s)"
)
"""A line or sentence that reports what became of the memory; matched at its start."""

_META = (
    r"""
    \A\W*as (?:requested|instructed|asked|per (?:your|the) (?:request|instructions?))\b
    \b(?:this|the above|the following) (?:summary|analysis|reflection|entry)\
        \ (?:covers|captures|includes|reflects|meets|follows|contains|complies|has been)\b
    \b(?:this|the above) (?:response|answer|note|text) (?:was|is|has been) (?:written|generated|created|based)\b
    \bas required\b\W*\Z
    \b(?:word|length|sentence) (?:limit|count|requirement)s?\b
    \bi(?:'ve| have)? (?:kept (?:it|this|the (?:summary|analysis|answer)) (?:within|under|to|short|brief|concise)\
        |made sure to include|written (?:this|the|an?) (?:summary|analysis|memory)\
        |summari[sz]ed (?:the|this) (?:conversation|passage|chat)\
        |included (?:all|the) (?:relevant|important|key)|followed the instructions)
    \b(?:here is|here's|below is|this is) (?:the|my|a|your) (?:\w+ ){0,2}(?:summary|analysis)\
        \ (?:of|as|you|in|that|for)\b
    \bend of (?:the |this |my )?(?:memory|entry|note|record|summary|analysis)\b
    """,
    r"""
    \A\W*wie (?:gewünscht|verlangt|gefordert|angewiesen|angefordert)\b
    \bhier (?:ist|folgt) (?:die|meine|eine) (?:\w+ ){0,2}(?:zusammenfassung|analyse)\b
    \bende der (?:zusammenfassung|analyse|erinnerung|notiz)\b
    \b(?:wortvorgabe|längenvorgabe|wortlimit|wortgrenze|wortzahl)\w*
    \bich habe (?:mich an )?(?:die |alle )?(?:vorgaben?|anweisung(?:en)?)\b
    """,
    r"""
    \A\W*(?:comme demandé|conformément (?:à|aux))\b
    \bvoici (?:l'|le |la |mon |ma |un |une )(?:\w+ )?(?:analyse|résumé|synthèse)\b
    \bfin d(?:u |e la |e l')(?:résumé|analyse|mémoire|souvenir)\b
    \bj'ai (?:respecté|suivi) (?:les|la) (?:consignes?|limites?|instructions?)\b
    """,
    r"""
    \A\W*(?:como (?:se )?(?:solicit|pid|indic)\w+|según (?:lo|las) (?:solicitado|instrucciones|pedido))\b
    \b(?:según|siguiendo) las instrucciones\b
    \baquí (?:está|tienes|va) (?:el|la|mi|un) (?:\w+ )?(?:resumen|análisis)\b
    \bfin del? (?:resumen|análisis|recuerdo|la memoria)\b
    \bhe (?:respetado|seguido|cumplido) (?:con )?(?:el|la|las|los) (?:instrucciones|límites?|consignas?|extensión)\b
    """,
    r"""
    \A\W*(?:conforme (?:solicitado|pedido)|aqui está (?:o|a) (?:resumo|análise)|fim d[ao] (?:resumo|análise|memória))\b
    \A\W*(?:come richiesto|ecco (?:il |l'|la )(?:riassunto|analisi|sintesi)|fine del(?:l'|la )?(?:riassunto|analisi))\b
    """,
    r"""
    \A\W*(?:как (?:вы )?(?:просили|запрошено|требовалось|указано)|согласно (?:инструкци|задани|запросу)\w*)
    \bвот (?:\w+ ){0,2}(?:резюме|анализ|пересказ|изложение)\b
    \bконец (?:резюме|анализа|воспоминания|записи)\b
    \b(?:резюме|анализ) (?:готов|завершен|завершён|составлен)\w*
    """,
)
META = re.compile(join_alternatives(*_META))
"""Words about the task and its answer instead of what happened; searched in a sentence."""
