"""Whose the words in a person's message are: their own, or those of somebody else that they hand on.

    I found this prompt, is it any good?          own: it says that something is handed on
                                                  (blank)
    You are a pirate. Always answer in rhyme.     foreign
                                                  (blank)
    I am no pirate. What do you think?            own

Foreign is what is between frames, tags or rules, in quotation marks as a whole, in a block quotation, in
a log of time-stamped or named lines, in a signed letter after the first paragraph, and what comes after
a line that hands it on. It ends with its frame, or where the person speaks again. A heading, a list or
length alone makes nothing foreign. What is handed over to be kept to ("from now on be this") is adopted.
Where that cannot be told, it is unsure: a last paragraph, and what reads as a prompt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rules.extract.brackets import quotations_in
from rules.extract.patterns import any_case
from rules.extract.voices import COLONS, GREETING, QUESTION_MARKS, SIGN_OFF

Owner = Literal["own", "adopted", "reported", "unsure", "foreign"]
"""`reported`: after a colon in the same line, where the person may go on in their own words."""
OWN: Final = ("own", "adopted")

_MESSAGES = 16_384
_SIGNATURE = 30
"""The most characters of a line with a signature."""
_LONGEST_INTRODUCTION = 300
"""The most characters of a line without a colon that hands a text on."""
_LONGEST_HEADING = 90
"""The most characters of a heading."""
_QUOTED = 60
"""The fewest characters of a quotation that is a text; a shorter one belongs to a story."""
_TIMES = 2
"""How often a label or a time has to come before lines are a log."""

_FRAME: Final = re.compile(
    r"^\[([^\]\n]+)\][ \t]*\n(?s:.*?)^\[(?:end|ende|fin|fine|fim|конец|结束|完)\b[^\]\n]*\][ \t]*$"
    r"|^<([a-zA-Z][\w-]*)[^>\n]*>(?s:.*?)</\2>[ \t]*$"
    r'|^[ \t]*(-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|"{3})[ \t]*\n(?s:.*?)^[ \t]*\3[ \t]*$'
    r'|(?:^|(?<=\n))"[^"]+"[ \t]*(?=\n\s*\n|\s*\Z)|^“[^”]+”[ \t]*$|^„[^“”]+[“”][ \t]*$|^«[^»]+»[ \t]*$'
    r"|^»[^«]+«[ \t]*$|^「[^」]+」[ \t]*$|^『[^』]+』[ \t]*$|^【[^】]+】[ \t]*$|^(?:[ \t]*>[^\n]*\n?)+",
    re.MULTILINE,
)
"""A text that is set apart as a whole."""
_SENTENCE_ENDS = re.compile(r"[.!?。！？] ?(?=[^\W\d_])")
_PARAGRAPH = re.compile(r"[^\n]+(?:\n(?![ \t]*\n)[^\n]+)*")
_LOGGED = re.compile(
    r"[ \t]*(?P<time>\[?(?:\d{1,4}[^\]\n:]{0,16}[, ])?\d{1,2}[:.]\d\d(?::\d\d)?(?: ?[ap]m)?\]?)?[ \t,–-]*"
    r"(?:(?P<name>[^\W\d_][^:：\n]{0,24})[:：][ \t])?",
    re.IGNORECASE,
)
_COLON_WITHIN = re.compile(r"[:：](?=\s*[^\s:：])")
_ATTRIBUTION = re.compile(r"^\s*(?:—|–|--)\s*[^\W\d_][^\n.!?:]{1,40}$")
_INFORMAL: Final = any_case(r"""
    ^\W*(?:hi|hey|hello|hallo|salut|coucou|bonjour|hola|olá|oi|ciao|привет|здравствуй)\b[^.!?\n]{0,24},$""")
"""A line that greets somebody as friends do."""
_ADOPTING: Final = any_case(r"""
    \b(?:be this|this is (?:who|how) you|your (?:new )?(?:rules|instructions|role|persona)\b|(?:use|follow
    |stick to|keep to|adopt)(?: all)? (?:this|these|the following)|from (?:now
    |here) on,? (?:you(?:'re| are)?|be|act|keep|follow)|how (?:i'd like|i want|i would like) us|(?:sei
    |so) (?:ab jetzt|bitte) (?:das|so)|ab (?:jetzt|sofort|heute) (?:bist|sei|sollst|halt)
    |halt\w* dich .*(?:daran|an)|à partir de maintenant,? (?:sois|tu es)|désormais,? (?:sois|tu es)
    |sois (?:ceci|ça)|suis ces|(?:desde ahora|a partir de ahora),? (?:sé|eres|serás)|sé esto|quiero que seas así
    |ты вот кто|будь вот каким|t'es ça|sigue est[ao]s
    |d'ora in poi (?:sei|sii)|a partir de agora (?:seja|és|você é)|(?:отныне|теперь|с этого дня) (?:будь
    |ты)|будь (?:вот )?(?:этим|таким))\b|从现在(?:起|开始)你|你(?:就|以后)(?:是|按|照)这|これからは?(?:これ
    |この)""")
"""Hands a text over to be kept to."""
_OUR_OWN: Final = any_case(r"""
    \b(?:my (?:rules|instructions|manual|wishes|preferences|house rules)|how we\b|us to\b
    |how to (?:handle|talk to|treat) me|between (?:us|me)\b|what i want from you|for you\b|mine,\s|preferences
    |für dich|со мной|pour toi|tú y yo|notes? (?:for
    |to) your?\b|our (?:rules|manual)|(?:meine?|unsere?) (?:gebrauchsanweisung|regeln|wünsche|bitten
    |hausregeln)|wie wir|(?:mon|notre|mes|nos) (?:mode d'emploi|règles?|souhaits)|(?:mis|nuestras|mi
    |reglas de est[ea]) (?:reglas|instrucciones|manual|casa|chat)|(?:minhas|nossas) regras|(?:le )?(?:mie
    |nostre) regole|как нам|(?:мои|наши) (?:правила|пожелания))\b|咱(?:俩|们)的|我们(?:的|俩).{0,6}(?:规矩
    |约定|规则)|私たちの""")
"""Names what is the person's own, though it is called as a foreign text is."""
_TEXT: Final = any_case(r"""
    \b(?:prompts?|lyrics|songs?|verses?|letters?|e-?mails?|mails?|messages?|texts?|notes?|manuals?|instructions
    |leases?|contracts?|recipes?|diary|diaries|journal|poems?|articles?|ads?|adverts?|profiles?|posts?
    |reviews?|comments?|postcards?|posters?|signs?|notices?|leaflets?|files?|speech|story|chapter
    |transcripts?|chats?|threads?|readme|guidelines|terms|excerpts?|quotes?|captions?|scripts?|lied|lieder
    |songtexte?|brief|briefe|nachrichte?n?|sms|zettel|aushang|hausordnung|anleitung\w*|handbuch
    |bedienungsanleitung|mietvertrag\w*|verträge?|vertrags?|rezepte?|tagebuch\w*|gedichte?|artikel
    |anzeigen?|beitrag|kommentare?|bewertung\w*|\w*hefte?s?|schild|notiz\w*|postkarten?|rundmails?
    |protokolle?|\w*-?prompts?|chanson|paroles|lettres?|courriels?|mots?|notice|manuel|bail|contrats?
    |recettes?|poèmes?|textes?|annonces?|profils?|affiches?|règlement|extraits?|commentaires?|consignes?
    |canción|letra|cartas?|correos?|mensajes?|notas?|instrucciones|contratos?|recetas?|diario|poemas?
    |textos?|artículos?|anuncios?|perfil|cartel|postal|canção|mensagem|mensagens|receitas?|manuale?|canzone
    |lettera|messaggi[oi]?|ricett[ae]|poesi[ae]|testo|articolo|annunci[oi]?|промпт\w*|заготовк\w*|песн\w*
    |текст\w*|письм\w*|сообщени\w*|записк\w*|инструкци\w*|договор\w*|рецепт\w*|дневник\w*|стих\w*|стать\w*
    |объявлени\w*|анкет\w*|пост\w{0,2}|открытк\w*)\b|提示词|歌词|这首歌|一?封信|来信|邮件|短信|消息|明信片
    |说明书|合同|租约|菜谱|日记|这首诗|文章|帖子|通知|公告|留言|プロンプト|歌詞|手紙|メール|説明書|契約書?
    |レシピ|日記|この詩|記事|投稿|貼り紙""")
"""Names a text that people hand on."""
_HANDING: Final = any_case(r"""
    \b(?:(?<!\bi )(?<!\bi've )(?:wrote|written|writes)|sent|sends|texted|e-?mailed|posted|forwarded|left (?:me
    |us|this|a)|says?|reads|goes like|handed (?:me|us|out)|put up|got (?:this|it|that|an?)\b|found
    |came across|copied|copying|pasting|pasted|quoting|translate|proofread|typed (?:up|out)
    |asked me to (?:\W?fix|check|read|look|correct|translate)|(?:stuck in|out of) my head|page \d+
    |let me read|is sitting in|obeys|overheard|wants to know if|schrieb|schreibt|hat\b.*\bgeschrieben
    |geschickt|schickte?|gefunden|stand|steht|hing|hängt|gepostet|weitergeleitet|hinterlassen|tipp\w*
    |kopier\w*|übersetz\w*|gereimt|gedichtet|bekommen|gekriegt|aus (?:dem|der|einem|einer)|a (?:écrit
    |envoyé|laissé|posté|mis|transmis)|m'a (?:\w+ )?(?:écrit|envoyé|laissé|donné)|(?:il|elle) écrit|envoyé
    |trouvé|recopie|copie|colle|tombée? sur|traduis\w*|escribió|ha escrito|mandó|mandado|envió|dejó
    |encontré|encontrado|pone|dice|traigo|copio|pego|publicó|traduce\w*|escreveu|mandou|enviou|deixou
    |encontrei|diz|achei|ha scritto|mandato|lasciato|trovato|dice|scrive|traduci|прислал\w*|написал[аи]?
    |пишет|оставил\w*|нашёл|нашла|нашел|висит|переслал\w*|скинул\w*|опубликовал\w*|перевед\w*|копирую
    |вычитал\w*)\b|寄了?|写(?:得|着|给|道|了(?!一下))|分享|看到|找到|收到|留了|贴着|抄给|抄一|翻译|网上
    |论坛|見つけ|送って|書いて(?:あ|き|く)|届い|もらっ|訳して""")
"""Says that a text came from somebody, or is passed on."""
_THIS_TEXT: Final = any_case(r"""
    \b(?:(?:translate|proofread|correct|sanity check) (?:this|that|it|these|the)\b
    |\bput (?:this|it|these) into\b|(?:came|comes) with this
    |korrigier\w*\b.{0,24}\bist von|ins (?-i:[A-ZÄÖÜ])\w+ (?:bringen|übersetzen)|(?:das|dies|mal) .{0,40}übersetzen
    |tu me (?:traduis|corriges|relis)|traduis-moi|traduces? est[oa]|помоги (?:разобрать|перевести)|перевед\w+
    |(?:this|these|the following|dies\w*|folgend\w*|cette?s?|ces|est[eao]s?|est[ae]s?|quest[oaei]|эт(?:от|у
    |а|и)|так(?:ую|ой))(?: [\w'’-]+){0,2} \W?(?:prompts?|lyrics|songs?|letters?|e-?mails?|mails?|messages?
    |texts?|notes?|manuals?|leases?|contracts?|recipes?|diary|poems?|articles?|ads?|profiles?|posts?
    |reviews?|comments?|postcards?|signs?|notices?|files?|song|lied|brief|text|nachricht|zettel|gedicht
    |artikel|rezept|chanson|lettre|mail|texte|poème|consigne|recette|canción|carta|correo|mensaje|texto
    |poema|receta|consigna|canzone|lettera|песн\w*|текст\w*|письм\w*|сообщени\w*|заготовк\w*|стих\w*)\b
    |(?:wrote|sent|texted|gave|left|showed|found|got|got sent)(?: \w+){0,2} (?:this|these)\b|(?:his|her
    |their) (?:\w+ ){0,2}(?:profile|letter|e-?mail|poem|speech|essay|text)\b(?=.*\?)|asked me to .*\b(?:his
    |her|their)\b|(?:geschrieben|geschickt|gefunden|schrieb|schickte)(?: \w+){0,2} (?:das hier|dies\w*
    |folgend\w*)|m'a (?:écrit|envoyé|laissé) (?:ça|ceci)|me (?:escribió|mandó|envió|dejó) esto|(?:прислал
    |написал|оставил)\w*(?: \w+)? (?:это|вот)|page \d+ of|(?:says?|reads|schreibt|sagt|steht|dit|écrit|dice
    |pone|diz|пишет|гласит)\W*$)|(?:song|lyrics|tune)\b.*\bhead\b|翻成|翻译|润色|帮我(?:看看|改改|把)这|这(?:段|篇|首|封|条|份)|写给我|发给我的?
    |この(?:文|詩|歌|手紙)""")
"""Points to a text that follows, without a colon."""
_LOOKS_SET: Final = any_case(r"""
    ^\W*(?:(?:dear|to whoever|to whom|whereas|from|von|de|betreff|subject|sehr geehrt\w+|liebe[rs]?|chère?|estimad\w+
    |querid\w+|уважаем\w+|дорог\w+)\b|\^)|^'[^\n]{10,},\n|^[^\n.?!]*(?-i:[A-Z]{4,})[^\n.?!]*\n|^[^\n]{8,60},\n[^\n]{8,60},?\n""")
"""How a paragraph begins that is a text by itself: a letter, a notice, a verse."""
_REFERS_BACK: Final = any_case(r"""
    (?:^|\n)\W*\^|\b(?:who|what) (?:wrote|would you have)\b|\bthis was\b|\bthat's the\b|\bshould i (?:apply|answer|reply|sign)
    |\bcopied\b|\bprinted\b|\b(?:found|encontr\w+|gefunden|trouvé\w*|нашл\w+|washed up)\b|\bgemeint\b|\bit too\b
    |\b(?:sounds?|klingt|suena|похоже|ça sonne)\b.{0,40}[?？]|\bпел\w*\b|发给我|写给我""")
"""Says after a text that it is somebody else's."""
_SPEAKS_AGAIN: Final = any_case(r"""
    ^\W*(?:(?:anyway|so|but|well|also|and by the way|by the way|btw|that's|what|how|should|would|do|is|i'd
    |i think|she|he|they|we|my|our|also|aber|jedenfalls|und|naja|na ja|ich|wir|sie|er|der|die|das ist|soll
    |mir|bon|bref|moi|en tout cas|mais|par contre|il|elle|je|on|pero|bueno|total|yo|en fin|me|mas|eu|ma|io
    |но|а|в общем|мне|я|он|она|мы|короче)\b|我|不过|但|总之|反正|她|他|でも|私|それで)""")
"""How a paragraph begins with which the person speaks again."""
_ROLE: Final = any_case(r"""
    ^\W*(?:you are|you're|act as|du bist|tu es|vous êtes|eres|usted es|você é|sei un|ты\b\s*[—–-]
    |你是(?:一[位个名])?|あなたは)\b""")
"""How a prompt begins."""


@dataclass(frozen=True, slots=True)
class OwnedPart:
    """The characters [start, stop) of a message that one owner has said."""

    start: int
    stop: int
    owner: Owner

    def holds(self, at: int) -> bool:
        """Return whether the character at this place is in it."""
        return self.start <= at < self.stop


def owner_at(text: str, at: int) -> Owner:
    """Return whose the character at this place of a person's message is."""
    return next((part.owner for part in owned_parts(text) if part.holds(at)), "own")


@lru_cache(_MESSAGES)
def owned_parts(text: str) -> tuple[OwnedPart, ...]:
    """Return the parts of a person's message that are not simply their own, in order."""
    apart = [*_framed(text), *_quoted(text), *_logged(text)]
    return tuple(sorted([*apart, *_handed(text, apart)], key=lambda part: part.start))


def _framed(text: str) -> Iterator[OwnedPart]:
    """Yield what is framed or quoted as a whole: adopted where the line before it hands it over so."""
    for frame in _FRAME.finditer(text):
        before = text[max(0, frame.start() - _LONGEST_INTRODUCTION) : frame.start()].rstrip()
        if not _OUR_OWN.search(frame.group().partition("\n")[0]):
            is_adopted = _ADOPTING.search(before.rpartition("\n")[2])
            yield OwnedPart(*frame.span(), "adopted" if is_adopted else "foreign")


def _quoted(text: str) -> Iterator[OwnedPart]:
    """Yield quotations of several sentences."""
    for start, stop in quotations_in(text):
        before = text[max(0, start - _LONGEST_INTRODUCTION) : start].rstrip().rpartition("\n")[2]
        is_text = stop - start >= _QUOTED and _SENTENCE_ENDS.search(text, start, stop - 1)
        if is_text and not _ADOPTING.search(before):
            yield OwnedPart(start, stop, "foreign")


def _logged(text: str) -> Iterator[OwnedPart]:
    """Yield the lines of a conversation from elsewhere: times or names come again before them."""
    lines = [line.span() for line in re.finditer(r"[^\n]+", text)]
    heads = [_LOGGED.match(text, *line) for line in lines]
    names = Counter(head["name"] for head in heads if head and head["name"])
    again = {name for name, times in names.items() if times >= _TIMES and len(names) > 1}
    is_timed = sum(bool(head and head["time"] and head["name"]) for head in heads) >= _TIMES
    logged = [
        line
        for line, head in zip(lines, heads, strict=True)
        if head and (head["name"] in again or (is_timed and head["time"]))
    ]
    if logged:
        yield OwnedPart(logged[0][0], logged[-1][1], "foreign")


def _handed(text: str, apart: Sequence[OwnedPart]) -> Iterator[OwnedPart]:
    """Yield what comes after lines that hand something on, up to where the person speaks again."""
    owner: Owner = "own"
    block: list[str] = []
    paragraphs = list(_PARAGRAPH.finditer(text))
    for paragraph in paragraphs:
        words, start, stop = paragraph.group(), *paragraph.span()
        is_last = paragraph is paragraphs[-1]
        if any(part.holds(start) for part in apart):
            owner = "own"
            continue
        if block and (owner == "adopted" or _is_signed(block[-1]) or _is_own_again(words, block)):
            owner = "own"
        if owner == "own":
            block = []
            at, owner = _handed_over(words, text[stop:], is_first=not start)
            if at < len(words):
                block.append(words[at:])
                yield OwnedPart(start + at, stop, owner)
            owner = "own" if owner in ("reported", "unsure") else owner
            continue
        is_open = bool(block) and is_last and not _is_signed(words)
        block.append(words)
        yield OwnedPart(start, stop, "unsure" if is_open else owner)


def _handed_over(words: str, after: str, *, is_first: bool) -> tuple[int, Owner]:
    """Return where a text begins in a paragraph of the person's, and whose it is.

    It is the end of the paragraph where the text comes after it.
    """
    if _is_set(words, after) if is_first else _greets(words):
        return 0, "foreign"
    if not is_first and _ROLE.match(words):
        return 0, "unsure"
    is_last = not after.strip()
    at = 0
    for line in words.splitlines(keepends=True):
        at += len(line)
        owner = _announced(line.strip()) if at < len(words) or not is_last else "own"
        if owner != "own":
            return at, owner
        within = _COLON_WITHIN.search(line)
        before = line[: within.start()] if within else ""
        if within and _HANDING.search(before) and not _OUR_OWN.search(before):
            return at - len(line) + within.end(), "reported"
    return len(words), "own"


def _is_set(words: str, after: str) -> bool:
    """Return whether the first paragraph is a text that what comes after it speaks of."""
    head = _LOGGED.match(words) if "\n" in words else None
    is_set = _LOOKS_SET.search(words) or _ROLE.match(words) or (head and head["time"])
    if not is_set or _OUR_OWN.search(words) or _OUR_OWN.search(after):
        return False
    return _REFERS_BACK.search(after) is not None


def is_own_heading(line: str) -> bool:
    """Return whether a line is over what the person asks for in their own name."""
    return len(line) <= _LONGEST_HEADING and bool(_OUR_OWN.search(line))


def _announced(line: str) -> Owner:
    """Return whose the text after a line is, by what the line says of it."""
    is_colon = line.endswith(COLONS)
    if _ADOPTING.search(line):
        return "adopted" if is_colon else "own"
    if _OUR_OWN.search(line):
        return "own"
    if is_colon:
        return "foreign" if _HANDING.search(line) or _TEXT.search(line) else "own"
    if len(line) > _LONGEST_INTRODUCTION:
        return "own"
    asks = line.endswith(QUESTION_MARKS) and _TEXT.search(line) and _HANDING.search(line)
    return "foreign" if asks or _THIS_TEXT.search(line) else "own"


def _greets(words: str) -> bool:
    """Return whether a paragraph begins as a letter does."""
    first = words.partition("\n")[0].strip()
    return bool(GREETING.search(first) or _INFORMAL.search(first))


def _is_signed(words: str) -> bool:
    """Return whether a paragraph ends with a greeting and a name, or says who wrote it."""
    last = words.splitlines()[-2:]
    return bool(_ATTRIBUTION.match(last[-1])) or any(
        SIGN_OFF.search(line) and len(line) <= _SIGNATURE for line in last
    )


def _is_own_again(words: str, block: Sequence[str]) -> bool:
    """Return whether the person speaks again in a paragraph after a block that is handed on."""
    is_letter = _greets(block[0]) and "\n" not in block[0].strip()
    if is_letter or "\n" in words.strip():
        return False
    asks = words.rstrip().endswith(QUESTION_MARKS)
    return asks or bool(_SPEAKS_AGAIN.search(words)) or "\n" in block[-1].strip()
