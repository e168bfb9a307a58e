"""Words as the full-text index has them, in any script, and their places in a text.

Most scripts put spaces between words. Chinese, Japanese, Korean, Thai and similar ones put none, or
join so much to a word that it would not be found. Of these the index has every pair of neighbouring
characters as a word:

    text    memproc は日本語      indexed   memproc は日 日本 本語 語
    query   日本語                found by  日本 followed by 本語
        query   日                    found by  a word that begins with 日

An emoji is a word by itself. The tokenizer drops emoji, so a private-use letter takes its place.
"ß" is indexed as "ss", which many write for it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_EMOJI = re.compile(
    "[\u231a\u231b\u23cf\u23e9-\u23f3\u23f8-\u23fa\u2600-\u27bf\u2934\u2935\u2b05-\u2b07"
    "\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff]"
)
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff]")
_HIGH_EMOJI = 0x1F000
_FOR_HIGH_EMOJI, _FOR_EMOJI = 0xE000, 0xEB00 - 0x2000
"""Offsets from an emoji's code to its private-use letter, in the high blocks and the others."""
SHORTEST_BEGINNING, SHORTEST_AT_ALL = 4, 2
"""The letters that a word needs to match as the beginning of a longer one; the second where nothing
is found otherwise. So "for" does not find "form" as long as there is a "for"."""
_WORD = re.compile("[^\\W_]+|[\ue000-\uf8ff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text; `is_marked` if it is one of the words that were searched."""

    text: str
    is_marked: bool


def index_text(text: str) -> str:
    """Return the text as it is indexed: unspaced scripts as pairs of characters, the rest as is."""
    return _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", _normal(text))


def match_expression(
    query: str, *, any_word: bool = False, shortest: int = SHORTEST_BEGINNING
) -> str:
    """Return the query in the language of SQLite's full-text search; empty without a word.

    Words of at least `shortest` letters match as beginnings; a phrase in double quotes matches
    literally. A text must have all of them, or with `any_word` one of them.
    """
    terms = [_phrase(phrase) for phrase in _QUOTED.findall(query)]
    for word in _words(_QUOTED.sub(" ", query)):
        is_beginning = len(word) == 1 if _UNSPACED.match(word) else len(word) >= shortest
        terms.append(f"{_phrase(word)}*" if is_beginning else _phrase(word))
    joint = " OR " if any_word else " AND "
    return joint.join(dict.fromkeys(filter(None, terms)))


def searched_words(query: str) -> tuple[str, ...]:
    """Return the query's words outside of quotes, in lower case and without diacritics."""
    return tuple(_plain(word) for word in _words(_QUOTED.sub(" ", query)))


def cut_stretches(text: str, query: str) -> tuple[Stretch, ...]:
    """Return the text, cut so that each word of the query is a stretch by itself."""
    cut: list[Stretch] = []
    end = 0
    for start, stop in _places(text, query):
        if start > end:
            cut.append(Stretch(text[end:start], is_marked=False))
        cut.append(Stretch(text[max(start, end) : stop], is_marked=True))
        end = stop
    if end < len(text):
        cut.append(Stretch(text[end:], is_marked=False))
    return tuple(cut)


def cut_excerpt(text: str, query: str, characters: int) -> str:
    """Return about `characters` of the text, where most of the query's words are, in one line."""
    plain = " ".join(text.split())
    if len(plain) <= characters:
        return plain
    # It begins a little before most of the words, at the start of a word if one is near.
    starts = [start for start, _ in _places(plain, query)] or [0]
    counts = [sum(start <= other < start + characters for other in starts) for start in starts]
    best = starts[counts.index(max(counts))]
    begin = max(0, min(best - characters // 4, len(plain) - characters))
    if begin:
        begin = plain.find(" ", begin, begin + 30) + 1 or begin
    end = begin + characters
    if end < len(plain):
        end = plain.rfind(" ", end - 30, end) + 1 or end
    before = "... " if begin else ""
    after = " ..." if end < len(plain) else ""
    return f"{before}{plain[begin:end].strip()}{after}"


def _places(text: str, query: str) -> list[tuple[int, int]]:
    """Return the places of the query's words, in order, ignoring case and diacritics.

    Where there are none, return those of longer words that begin with shorter ones of the query.
    """
    words = {_plain(word) for word in _words(query.replace('"', " "))}
    if not words:
        return []
    longest_first = sorted(words, key=len, reverse=True)
    plain = _plain(text)
    for shortest in (SHORTEST_BEGINNING, SHORTEST_AT_ALL):
        pattern = "|".join(_pattern(word, shortest) for word in longest_first)
        places = [match.span() for match in re.finditer(pattern, plain)]
        if places:
            return places
    return []


def _pattern(word: str, shortest: int) -> str:
    if _UNSPACED.match(word):
        return re.escape(word)
    if "\ue000" <= word <= "\uf8ff":  # a private-use letter, which stands for an emoji
        code = ord(word)
        added = _FOR_EMOJI if code >= _FOR_EMOJI + 0x2000 else _FOR_HIGH_EMOJI - _HIGH_EMOJI
        return re.escape(chr(code - added))
    rest = r"[^\W_]*" if len(word) >= shortest else ""
    return rf"\b{re.escape(word).replace('ss', '(?:ss|ß)')}{rest}\b"


def _plain(text: str) -> str:
    """Return the text in lower case without diacritics, of the same length."""
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(lambda character: _plain_character(character[0]), text).lower()


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character)[0].lower()[:1]
    return plain if len(plain.lower()) == 1 else character


def _normal(text: str) -> str:
    """Return the text with one form of each letter, and a private-use letter for each emoji."""
    normal = unicodedata.normalize("NFKC", text).replace("ß", "ss").replace("ẞ", "SS")
    return normal if normal.isascii() else _EMOJI.sub(_letter, _SKIN.sub("", normal))


def _letter(emoji: "re.Match[str]") -> str:
    """Return the private-use letter for an emoji, as a word by itself."""
    code = ord(emoji[0])
    if code >= _HIGH_EMOJI:
        return f" {chr(code - _HIGH_EMOJI + _FOR_HIGH_EMOJI)} "
    return f" {chr(code + _FOR_EMOJI)} "


def _words(text: str) -> Iterator[str]:
    """Yield the words of a query: runs of an unspaced script, and words of the others."""
    yield from _WORD.findall(_UNSPACED.sub(lambda run: f" {run[0]} ", _normal(text)))


def _pairs(run: str) -> Sequence[str]:
    return [run[at : at + 2] for at in range(len(run))]


def _phrase(text: str) -> str:
    """Return a query's quoted phrase, without the single character that ends an unspaced run."""
    words: list[str] = []
    for word in _words(text):
        if _UNSPACED.match(word) and len(word) > 1:
            words += _pairs(word)[:-1]
        else:
            words.append(word)
    return f'"{" ".join(words)}"' if words else ""
