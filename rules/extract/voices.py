"""Tell in whose voice a message's lines are: the speaker's own, drafted, quoted, or listed.

A draft begins at a line that announces one (it ends with a colon, or is a heading, and names a
draft), or with a greeting, a subject line, or a gap such as [Your Name]. Where it ends depends on
what it is:

    announced code, block quotation, list     at its own end
    text between two rules, or two marks      at the second
    a letter, any other text                  at a rule, or after its signature
    text after a colon that names no draft    at the end of its line

Where nothing ends it, it goes on to the end of the message: it is better to miss words of the
speaker's own than to take others for them. Only the persona's messages are searched for drafts,
with the words of all languages.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from rules.extract.patterns import any_case
from rules.extract.sentences import EMOJI, MARK, TextPiece, split_blocks
from rules.extract.words import length

Voice = Literal["own", "set", "item", "other"]
"""`own`: running text in the speaker's own voice. `set`: text between headings and lists. `item`:
of a list. `other`: drafted, quoted, code, a heading."""

AFTER_STOPS = "\"'”’»›“‘)]}】」』）》〉*_~` "
"""The characters that may follow the stop of a sentence."""
STOPS: Final = frozenset(".!?…。！？｡।॥؟۔။።፧፨។៕။༎།⸮‼⁇⁈⁉")
_END = re.compile(rf"[{''.join(sorted(STOPS))}{EMOJI}][{re.escape(AFTER_STOPS)}]*\Z")
COLONS: Final = (":", "：")
QUESTION_MARKS: Final = ("?", "？", "؟")
QUOTED: Final = re.compile(
    r'"[^"\n]*+"|“[^“”\n]*+”|„[^„“”\n]*+[“”]|«[^«»\n]*+»|»[^«»\n]*+«|「[^「」\n]*+」|『[^『』\n]*+』'
    r"|(?<!\w)['‘](?=\w)(?:[^'‘’\n]|(?<=\w)['’](?=\w))*+['’](?!\w)"
)
"""Matches a quotation within one line."""
UNCLOSED: Final = re.compile(r'(?<!\d)"|[“”„«»「」『』]')
"""A quotation mark, to be searched once all `QUOTED` are cut out; after a digit it means inches."""

_OPENS = ('"', "“", "„", "«", "»", "「", "『", "'", "‘")
_RULE = re.compile(r"[-*_=\s]{3,}")
_BOLD = re.compile(r"(?:\*\*|__)[^*_\n]+(?:\*\*|__)\W*")
_HEADING = re.compile(r"#{1,6}(?=\s)")
_FORMULA = re.compile(r"\\\[|\$\$|\\begin\b")
_LOWEST_RANK = 7
"""The rank below all headings, for bold lines and running text that announce a draft."""
_LABEL_BEFORE = re.compile(r"\W*([^:：\n]{1,60}[:：])")
_LONGEST_LABEL = 5.0
"""The most words of a label before a colon."""
_LONGEST_HEADING = 8.0
"""A line of at most so many words without a stop is a heading, a salutation or a signature."""

_Kind = Literal["text", "item", "heading", "quote", "code", "rule"]
_State = Literal[
    "", "announced", "code", "quote", "items", "one line", "ruled", "letter", "marks", "signed"
]
"""What the reading is in after a line: nothing, an announcement, or a draft of some kind."""

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
"""What such a line may name that is no draft: steps and tips towards one, examples of plans."""

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
"""A gap in a draft that the person is to fill in: "[Your Name]"."""

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


@dataclass(frozen=True, slots=True)
class VoicedLine:
    """The characters [start, stop) of a message: one line, one piece of code, or one table."""

    start: int
    stop: int
    voice: Voice


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    stop: int
    words: str
    """Its characters without the white space around them."""
    kind: _Kind
    is_indented: bool

    @property
    def announces(self) -> bool:
        return self.words.rstrip(AFTER_STOPS).endswith(COLONS)

    @property
    def rank(self) -> int:
        """Return the rank of a heading, 1 for the highest; 0 for any other line."""
        mark = _HEADING.match(self.words)
        return mark.end() if mark else 0


def is_finished(text: str) -> bool:
    """Return whether the text ends with a stop or an emoji, as headings and list items do not."""
    return _END.search(text) is not None


def voiced_lines(text: str, *, drafts: bool) -> list[VoicedLine]:
    """Return the lines of a message in order, without blank ones, each with its voice.

    Takes linear time. Without `drafts`, for the person's messages, everything but code and block
    quotations is the speaker's own, and a short line without a stop is no heading: many people
    write so.
    """
    lines = [_line(text, block, has_headings=drafts) for block in split_blocks(text)]
    draft = _Draft()
    drafted = [draft.holds(line) if drafts else line.kind == "quote" for line in lines]
    not_running = [
        at
        for at, line in enumerate(lines)
        if drafted[at] or line.kind != "text" or (drafts and line.announces)
    ]
    first, last = (not_running[0], not_running[-1]) if not_running else (len(lines), -1)
    last = len(lines) if draft.is_left_by_heading else last
    return [
        VoicedLine(line.start, line.stop, _voice(line, is_drafted, is_between=first <= at <= last))
        for at, (line, is_drafted) in enumerate(zip(lines, drafted, strict=True))
    ]


def _voice(line: _Line, is_drafted: bool, *, is_between: bool) -> Voice:
    if is_drafted or line.kind not in ("text", "item"):
        return "other"
    if line.kind == "item":
        return "item"
    return "set" if is_between or is_labelled(line.words) else "own"


def is_labelled(words: str) -> bool:
    """Return whether the words begin with a short label and a colon, as the lines of a list do."""
    label = _LABEL_BEFORE.match(words)
    return label is not None and length(label[1]) <= _LONGEST_LABEL and label.end() < len(words)


def _line(text: str, block: TextPiece, *, has_headings: bool) -> _Line:
    words = text[block.start : block.stop].strip()
    is_indented = text[block.start].isspace()
    kind = _kind(words) if block.prose else "code"
    if not has_headings and kind == "heading" and not words.startswith("#"):
        kind = "text"
    return _Line(block.start, block.stop, words, kind, is_indented)


def _kind(words: str) -> _Kind:
    if _RULE.fullmatch(words):
        return "rule"
    if _FORMULA.match(words):
        return "code"
    if words.startswith(">"):
        return "quote"
    if words.startswith("#") or _BOLD.fullmatch(words):
        return "heading"
    mark = MARK.match(words)
    if mark is not None and mark.end():
        return "item"
    is_label = not is_finished(words) and length(words) <= _LONGEST_HEADING
    return "heading" if is_label and not words.rstrip(AFTER_STOPS).endswith(COLONS) else "text"


class _Draft:
    """The draft that is being read: a state machine that takes one line after another."""

    def __init__(self) -> None:
        self._within: _State = ""
        self._is_named = False
        self._rank = _LOWEST_RANK
        self.is_left_by_heading = False

    def holds(self, line: _Line) -> bool:
        """Take the next line, and return whether it is drafted or quoted."""
        if self._within and not self._ends_at(line) and self._goes_on(line):
            return True
        self._within = self._begun_by(line)
        if self._within == "announced":
            self._is_named = names_draft(line.words)
            self._rank = line.rank or _LOWEST_RANK
            return False
        # An example begins with a label that names a draft, or is in quotation marks.
        label, mark = _LABEL_BEFORE.match(line.words), MARK.match(line.words)
        words = line.words[mark.end() if mark else 0 :].lstrip("*_ ")
        is_example = bool(label and DRAFT.search(label[1])) or words.startswith(_OPENS)
        return bool(self._within) or line.kind == "quote" or is_example

    def _begun_by(self, line: _Line) -> _State:
        """Return what the line begins; "" for most lines."""
        if line.kind in ("code", "rule", "quote"):
            return ""
        if SUBJECT.search(line.words) or GREETING.search(line.words) or GAP.search(line.words):
            return "letter"
        if _is_left_open(line.words):
            return "marks"
        is_title = line.kind == "heading" or (line.kind == "item" and line.announces)
        if (line.kind == "text" and line.announces) or (is_title and names_draft(line.words)):
            return "announced"
        return ""

    def _ends_at(self, line: _Line) -> bool:
        """Return whether the line is a heading that ends what was announced.

        It ends what a heading of the same or a lower rank has announced.
        """
        has_text = self._within not in ("announced", "one line", "signed")
        ends = (
            has_text and 0 < line.rank <= self._rank < _LOWEST_RANK and not PART.search(line.words)
        )
        self.is_left_by_heading |= ends
        return ends

    def _goes_on(self, line: _Line) -> bool:
        """Return whether the line belongs to what has begun."""
        match self._within:
            case "announced":
                return self._settle(line)
            case "code" | "quote":
                return line.kind == self._within
            case "items":
                return line.is_indented or line.kind in ("item", "code")
            case "one line":
                return False
            case "signed":
                return line.kind == "heading" or GAP.search(line.words) is not None
        return self._continue_text(line)

    def _settle(self, line: _Line) -> bool:
        """Settle what was announced by the first line after it; return whether that is drafted.

        A list is drafted only where the announcement names a draft.
        """
        if line.kind == "rule":
            self._within = "ruled"
        elif line.kind in ("code", "quote"):
            self._within = line.kind
        elif line.kind == "item":
            self._within = "items"
            return self._is_named
        elif _is_left_open(line.words):
            self._within = "marks"
        elif QUOTED.fullmatch(line.words):
            self._within = "one line"
        elif line.kind == "heading" and NO_DRAFT.search(line.words) and not names_draft(line.words):
            self._within = ""
            return False
        elif not self._is_named and self._begun_by(line) == "announced":
            self._is_named = names_draft(line.words)
        else:
            self._within = "letter" if self._is_named or self._begun_by(line) else "one line"
        return True

    def _continue_text(self, line: _Line) -> bool:
        """Note if the line ends the text, and return True: the line that ends it belongs to it."""
        if self._within == "marks":
            is_end = _is_left_open(line.words)
        else:
            is_end = line.kind == "rule" or SIGN_OFF.search(line.words) is not None
        if is_end:
            self._within = "signed"
        return True


def names_draft(words: str) -> bool:
    """Return whether a line names a text for somebody; steps towards one and plans are none."""
    return DRAFT.search(NO_DRAFT.sub(" ", words)) is not None


def _is_left_open(words: str) -> bool:
    """Return whether the line opens or closes a quotation that it does not hold whole."""
    return UNCLOSED.search(QUOTED.sub("", words)) is not None
