"""Match promises, and statements that something is done, by a language's number in `TONGUES`."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from rules.extract.patterns import any_case

_PROMISED: Final[Mapping[int, str]] = {
    0: r"""(?:^|[,:;] )(?:and |so |then |but |yes[,.]? |ok[,.]? |okay[,.]? |of course[,.]? )*(?:i promise(?: you)?
        (?:,| that)?\s)?(?:i(?:'ll| will| shall| promise(?: you)?(?: to)?)\s
        (?:also |always |gladly |just |still |happily |then |be sure to |make sure to |keep |certainly |definitely )*
        (?:ask you|ask (?:about|after|how|whether|if|again|every|on)|remind you|remember (?:to|that|it|this)
        |hold (?:both|that|it|this|on to|the|you to)|keep (?:the list|that|this|it (?:between|to|safe|secret)
        |quiet|your|both|count|track|an eye|asking|reminding|a list)|say nothing|never (?!forget)\w
        |not (?:to )?(?:tell|mention|say|ask|bring|forget|call)|stop (?:you|calling|asking|saying)
        |check (?:in|back|on)|bring (?:it|this|that) up|tell you (?:the|every|when|if|each)|tell (?:nobody|no one)
        |call you|note (?:it|that|down)|wait for|be (?:here|there|quiet)|start with|speak|leave (?:that|it|your))
        |i (?:won't|will not) (?:ever |say |let )?(?:tell(?! you (?:it|that)\b)|mention|say|bring|ask|call|breathe
        |use|a word|you forget|joke|push)\b)""",
    1: r"""(?:^|[,:;] )(?:und |also |dann |gut[,.] |ja[,.] )*(?:ich (?:verspreche|werde (?:dich|dir|daran|es|das
        |nicht|niemand\w*|nie)|(?:frag|erinner|behalt|halt|merk|sag|verrat|schweig|warte|nenn
        |schimpf)\w* (?:dich|dir|mir|das (?!für)|es|niemand\w*|nicht|nichts|beide|nie|am|jeden))|(?:frage?
        |erinnere?|behalte|merke|halte|sage|denke|nenne) ich (?:dich|dir|mir|das|es|niemand\w*|daran|beide
        |nichts|nie))""",
    2: r"""(?:^|[,:;] )(?:et |alors |bon,? |oui,? )*je (?:ne )?(?:te |vous |m'|l'|le |la |n'en |t'
        |t'en |lui )*(?:demanderai|rappellerai|promets|garderai|dirai|penserai|noterai|tiendrai|attendrai
        |reparlerai|souviendrai|parlerai|poserai|appellerai|préviendrai|mentionnerai|oublierai)\b""",
    3: r"""(?:^|[,:;] )(?:y |pues |vale,? |sí,? )*(?:yo )?(?:no )?(?:te |se |lo |me |le )*(?:preguntaré|recordaré
        |prometo|guardaré|diré|avisaré|tendré en cuenta|apunto|anotaré|mencionaré|acordaré|esperaré|contaré
        |llamaré|olvidaré)\b""",
    4: r"""(?:^|[,:;] )(?:e )*(?:eu )?(?:não )?(?:vou (?:te )?(?:perguntar|lembrar|guardar|avisar|contar|dizer)|prometo
        |(?:te )?(?:perguntarei|lembrarei|guardarei|direi|avisarei))\b""",
    5: r"""(?:^|[,:;] )(?:e )*(?:io )?(?:non )?(?:te |ti |me |lo |gli |le )*(?:chiederò|ricorderò|prometto|terrò|dirò
        |avviserò|conserverò|menzionerò|aspetterò|dimenticherò)\b""",
    6: r"""(?:^|[,:;]\s)(?:и |хорошо[,.] |да[,.] )*(?:я )?
        (?:больше |никому |тебя |тебе |об этом |сам[аи]? |обязательно )*(?:спрошу|напомню|обещаю|запомню|сохраню
        |не (?:скажу|расскажу|забуду|упомяну|спрошу|заикнусь|буду (?:спрашивать|говорить|шутить|напоминать))
        |буду (?:спрашивать|напоминать|помнить|молчать|ждать|звать|говорить)|подожду|запишу|промолчу)\b""",
    12: r"""(?:^|[，,。])(?:好|嗯|行|那|放心)?[，,]?(?:我(?:会|一定|保证|答应|记下|记住|记着|不会)(?:每|在|到|帮你
        |替你|好好|一直)*.{0,6}(?:问|提醒|记|保密|等|说|提|告诉|叫|陪|守)|我(?:保证|答应))""",
    13: r"""(?:^|、)(?:.{0,30}(?:聞き|尋ね|覚えておき|覚えてい|忘れ(?:ません|ない)|黙ってい|思い出させ|待ってい
        |呼び|言いません|約束し).{0,3}(?:ます|ません|よ|ね|。)|約束)""",
}
"""Promises of the persona, at the beginning of a clause."""
_DONE: Final[Mapping[int, str]] = {
    0: r"""(?:\b(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:finally |just |already |actually |now )?(?:booked|called
        |rang|rung|sent|handed|paid|told|asked|signed|finished|submitted|posted|bought|picked up|cancelled
        |renewed|ordered|moved|returned|did it|done|fixed|filed|collected)\b|\b(?:is|are|it's|that's
        |all) (?:finally |now )?(?:done|sorted|booked|paid|signed|finished|settled|over|sent|ordered)\b|^done\b)""",
    1: r"""(?:\b(?:erledigt|geschafft|abgehakt)\b|\b(?:hab|habe|haben|ist|sind)\b.*\b(?:abgegeben|eingereicht
        |bezahlt|gebucht|angerufen|abgeschickt|geschickt|gesagt|erzählt|unterschrieben|fertig|bestellt|abgeholt
        |gekündigt|verlängert|gemacht)\b)""",
    2: r"""(?:\b(?:c'est|voilà|ça y est,?) (?:fait|réglé|envoyé|payé|signé|réservé|fini)\b
        |\bj'ai (?:enfin |déjà |bien )?(?:appelé|envoyé|payé|réservé|rendu|signé|dit|posté|acheté|fini|commandé
        |annulé)\b)""",
    3: r"""(?:\b(?:ya está|hecho|listo|resuelto|terminado)\b|\b(?:ya )?(?:he|hemos) (?:\w+ )?(?:llamado|pagado
        |reservado|mandado|enviado|entregado|firmado|dicho|comprado|terminado|hecho|cancelado)\b|\bya (?:llamé
        |pagué|reservé|mandé|envié|entregué|firmé|dije|compré|terminé)\b)""",
    4: r"""\b(?:pronto|feito|resolvido|já (?:paguei|liguei|mandei|enviei|reservei|entreguei|assinei|comprei))\b""",
    5: r"""\b(?:fatto|sistemato|risolto|(?:ho|abbiamo) (?:\w+ )?(?:chiamato|pagato|prenotato|mandato|inviato|consegnato
        |firmato|detto|comprato|finito))\b""",
    6: r"""(?:\b(?:готово|сделано|сделал[аи]?|оплатил[аи]?|заказал[аи]?|забронировал[аи]?|позвонил[аи]?
        |отправил[аи]?|сдал[аи]?|подписал[аи]?|купил[аи]?|отменил[аи]?|продлил[аи]?|сказал[аи]? (?:ей|ему|им
        |маме|папе))\b)""",
    12: r"""(?:(?:办|弄|搞|交|寄|发|买|订|打|签|付|取|做|说|问)(?:好|完|过|了).{0,4}(?:了|啦)|搞定|已经.{0,12}了)""",
    13: r"""(?:(?:終わ|済|片づ|予約し|送っ|払っ|電話し|出し|買っ|伝え)
        (?:りました|った|みました|ました|んだ|た)(?:よ|。|！|$))""",
}
_NEVER: Final = "(?!)"
"""A pattern that matches nothing, for languages without rules."""


@cache
def promised(number: int) -> re.Pattern[str]:
    """Return the pattern that matches a promise in a language."""
    return any_case(_PROMISED.get(number, _NEVER))


@cache
def done(number: int) -> re.Pattern[str]:
    """Return the pattern that matches a statement that something is done, in a language."""
    return any_case(_DONE.get(number, _NEVER))
