"""Signs that a text was written for somebody else to say or send, in the languages that the engine knows.

They are looked for in the persona's messages alone, in any language.
"""

from typing import Final

from rules.extract.patterns import any_case

DRAFT: Final = any_case(r"""
    \b(?:drafts?|drafted|templates?|samples?|examples?|e-?mails?|letters?|essays?|statements?
    |bios?|biograph\w+|poems?|stor(?:y|ies)|tales?|scripts?|speech(?:es)?|scenes?|dialogues?
    |monologues?|paragraphs?|rewrit\w+|rewritten|rephras\w+|reword\w+|revised|revisions?
    |versions?|phrasing|wording|captions?|toasts?|pitch(?:es)?|testimonials?|resum[eé]s?
    |résumés?|reply|replies|announcements?|you (?:can|could|might) (?:say|write|send|use)
    |excerpts?|something like|along (?:the|these) lines|would (?:put|say|phrase|word
    |write) (?:it|this|that)|entw[uü]rfe?|vorlagen?|muster\w*|beispiele?|briefe?|aufsatz
    |aufsätze|gedichte?|geschichten?|reden?|absatz|absätze|umformulier\w*|überarbeitet\w*
    |fassung|formulierung|nachricht|anschreiben|lebenslauf|brouillons?|modèles?|exemples?
    |lettres?|courriels?|rédactions?|poèmes?|histoires?|récits?|discours|paragraphes?
    |reformul\w+|réécri\w+|messages?|borrador(?:es)?|plantillas?|ejemplos?|cartas?|correos?
    |ensayos?|poemas?|historias?|cuentos?|discursos?|párrafos?|versi(?:ón|ones)|mensajes?
    |reescri\w+|rascunhos?|modelos?|exemplos?|ensaios?|redaç(?:ão|ões)|contos?|parágrafos?
    |vers(?:ão|ões)|mensage(?:m|ns)|bozz[ae]|modell[oi]|esemp[io]+|letter[ae]|sagg[io]+
    |poesi[ae]|stori[ae]|raccont[io]|discors[io]|paragraf[io]|riformul\w+|versione|messagg[io]+
    |черновик\w*|шаблон\w*|образ(?:ец|цы)|пример\w*|письм\w+|эссе|стих\w*|рассказ\w*|истори[яию]
    |реч[ьи]|абзац\w*|вариант\w*|сообщени[еяй]|чернетк\w*|зраз(?:ок|ки)|приклад\w*|лист[аи]?
    |вірш\w*|розповід\w*|оповіданн\w+|істор\w+|промов\w*|повідомленн\w+|szkic\w*|szablon\w*
    |wz[oó]r\w*|przykład\w*|list[uy]?|esej\w*|wiersz\w*|opowiadani\w+|histori\w+|przemówieni\w+
    |akapit\w*|wiadomoś\w+|wersj\w+|taslak\w*|şablon\w*|örne[kğ]\w*|mektu[pb]\w*|deneme\w*
    |şiir\w*|hikâye\w*|hikaye\w*|konuşma\w*|paragraf\w*|mesaj\w*|e-?posta\w*)\b|मसौद|नमून|उदाहरण
    |पत्र|निबंध|कविता|कहानी|भाषण|संदेश|ईमेल|टेम्पलेट|مسودة|نموذج|مثال|أمثلة|رسالة|مقال|قصيدة|قصة
    |خطاب|فقرة|بريد|草稿|草拟|模板|范文|样本|示例|例子|例如|信件|邮件|这封信|作文|文章|诗|故事
    |演讲|段落|版本|短信|改写|下書き|草案|テンプレート|見本|サンプル|例文|例：|手紙|メール|作文
    |詩|物語|スピーチ|段落|文面|返信|書き直""")
"""A line that ends with a colon, a heading or a label with one of these announces a draft."""

NO_DRAFT: Final = any_case(r"""
    \b(?:steps|tips|strategies|ways|methods|techniques|considerations|factors|approaches|practices
    |benefits|reasons|guidelines|questions|resources|tools|apps|areas|aspects|schritte|tipps
    |strategien|wege|methoden|möglichkeiten|gründe|étapes|conseils|stratégies|façons|méthodes
    |raisons|pasos|consejos|estrategias|formas|métodos|razones|passos|dicas|estratégias|maneiras
    |passi|passaggi|consigli|strategie|modi|metodi|шаг(?:и|ов)|совет(?:ы|ов)|способ(?:ы|ов)|крок(?:и|ів)
    |порад[иа]?|kroki|wskazówki|sposoby|adımlar\w*|ipuçları|yöntemler\w*)\b
    (?:(?!\b(?:and|with|plus|including|und|mit|et|avec|y|con|e|com|и|с|i|z|ve|ile)\b
    |\b(?:say|phras|rephras|word|reword|rewrit)\w*)
    [^,:;：])*
    |\b(?:examples?|samples?|revised|beispiel\w*|exemples? d[eu'’]|ejemplos? de|exemplos? de|esempi?o? di
    |пример\w*|приклад\w*|przykład\w*|örnek)\b(?: of)?(?: (?!to\b|for\b|that\b)[\w'’-]+){0,3}?
    [ -]?(?:plan|schedule|routine|workflow|timeline|itinerary|agenda|checklist|budget|calculation|breakdown|problem
    |menu|recipe|inventory|usage|zeitplan|ablauf|budget|emploi du temps|horario|rutina|presupuesto|orçamento|rotina
    |orario|bilancio|график\w*|расписани\w*|бюджет\w*|розклад\w*|harmonogram\w*|budżet\w*|program)s?\b""")
"""What such a line may name besides: steps and tips for a text, and examples that are plans."""

PART: Final = any_case(r"""
    \b(?:introduction|body|conclusion|thesis|abstract|paragraphs?|stanzas?|verses?|chorus|chapters?|scenes?|einleitung
    |hauptteil|schluss|absatz|corps|développement|introducción|cuerpo|conclusión|introdução|conclusão
    |introduzione|conclusione|введение|вступ|заключение|вывод\w*|wstęp|zakończenie|giriş|sonuç)\b""")
"""A heading within a text."""

GREETING: Final = any_case(r"""
    ^\W*(?:(?:dear|to whom it may concern|sehr geehrte\w*|liebe[rs]?|chère?s?|madame|monsieur
    |estimad[oa]s?|querid[oa]s?|prezad[oa]s?|car[oaie]|gentil[ei]|egregi[oa]|spettabile
    |уважаем\w+|дорог(?:ой|ая|ие|[ийао])|шановн\w+|szanown\w+|drog[iao]|sayın
    |sevgili)\s(?:[^.!?]{1,60}[,:!]?|[^!?\n]{1,60}[,:])\W*$
    |(?:प्रिय|आदरणीय|عزيزي|عزيزتي)\s[^.!?।]{1,40}[,،:!]?\W*$
    |(?:尊敬|亲爱|敬爱)的[^。！？]{1,20}[，,：:！]?$|拝啓|[^。！？\s]{1,15}(?:様|さま
    |殿)[、,]?$)""")
"""A line that greets somebody as letters do."""

SUBJECT: Final = any_case(r"""
    ^\W*(?:subject|betreff|objet|asunto|assunto|oggetto|тема|temat|konu|विषय|الموضوع|主题|主題
    |件名)\W{0,4}[:：]""")
"""The line of a letter that says what it is about."""

GAP: Final = any_case(r"""
    [\[［](?:your|my|our|their|the|his|her|name|date|recipient\w*|company|insert|ihr\w*|dein\w*
    |mein\w*|datum|empfänger|votre|vos|ton|mon|nom|destinataire|tu|su|mi|nombre|fecha|seu|sua
    |nome|data|il tuo|la tua|ваш\w*|имя|дата|ім'я|twoj\w*|imię|nazwisko|adınız|isim|tarih|आपका
    |नाम|اسمك|اسم|التاريخ|你的|您的|姓名|名字|日期|お名前|氏名|日付
    |貴社)(?!\w)[^\]\n］]{0,60}[\]］]""")
"""A gap that the person is to fill in."""

SIGN_OFF: Final = any_case(r"""
    ^\W*(?:(?:best|kind|warm|warmest)(?: regards| wishes)?|regards|sincerely|yours(?: \w+)?
    |respectfully|with (?:love|gratitude|appreciation|best wishes)|love|cheers
    |thank you(?: for your \w+(?: and \w+)?)?|thanks|mit (?:freundlichen|herzlichen|lieben
    |besten) grüßen|(?:viele|liebe|beste|herzliche) grüße|hochachtungsvoll|dein[e]?|ihre?
    |cordialement|bien à (?:vous|toi)|sincères salutations|avec toute mon amitié|amicalement
    |je vous prie.*|atentamente|cordialmente|saludos(?: cordiales)?|un (?:abrazo|saludo)
    |con cariño|atenciosamente|com os melhores cumprimentos|abraços?|cumprimentos
    |cordiali saluti|distinti saluti|un abbraccio|con affetto|с уважением|с любовью
    |искренне ваш\w*|з повагою|з любов'ю|щиро ваш\w*|z poważaniem|z wyrazami szacunku|pozdrawiam
    |saygılarımla|sevgiler(?:imle)?|भवदीय|सादर|आपका|مع (?:خالص )?(?:التحية|تحياتي|التقدير)
    |المخلص|此致|敬上|谨上|祝好|敬具|かしこ|よろしくお願い(?:いた
    |致)?します)[^.!?。]{0,24}[,，.。!]?\W*$""")
"""The line before the signature of a letter."""
