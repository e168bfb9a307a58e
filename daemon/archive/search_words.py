"""Words as the full-text index knows them, in any script, and their places in a text.

Most scripts put spaces between words. Chinese, Japanese, Korean, Thai and their kin put none, or
join so much to a word that it would not be found; of these the index has every two neighbouring
characters as a word:

    text    memproc は日本語      indexed   memproc は日 日本 本語 語
    query   日本語                found by  日本 followed by 本語
        query   日                    found by  a word that begins with 日
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_SHORTEST_BEGINNING = 4
"""A word of fewer letters is found as a whole only: "for" is not the beginning of "form"."""
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a text; `is_marked` where it is one of the words that were searched."""

    text: str
    is_marked: bool


def indexed(text: str) -> str:
    """Return the text as it is indexed: unspaced scripts in pairs of characters, else words."""
    return _UNSPACED.sub(
        lambda run: f" {' '.join(_pairs(run[0]))} ", unicodedata.normalize("NFKC", text)
    )


def match_expression(query: str, *, any_word: bool = False) -> str:
    """Return the query in the language of SQLite's full-text search; empty without a word.

    Words of four letters and more match by their beginning, double quotes match literally. All of
    them have to be there, or with `any_word` one of them.
    """
    phrases = [_phrase(phrase) for phrase in _QUOTED.findall(query)]
    words = [term for word in _words(_QUOTED.sub(" ", query)) if (term := _term(word))]
    return (" OR " if any_word else " AND ").join(filter(None, (*phrases, *words)))


def stretches(text: str, query: str) -> tuple[Stretch, ...]:
    """Return the text, cut so that each word of the query is a stretch by itself."""
    cut: list[Stretch] = []
    end = 0
    for start, stop in _places(text, query):
        if start > end:
            cut.append(Stretch(text[end:start], is_marked=False))
        cut.append(Stretch(text[max(start, end) : stop], is_marked=True))
        end = stop
    return (*cut, Stretch(text[end:], is_marked=False)) if end < len(text) else tuple(cut)


def excerpt(text: str, query: str, characters: int) -> str:
    """Return about `characters` of the text around most of the query's words, without breaks."""
    plain = " ".join(text.split())
    if len(plain) <= characters:
        return plain
    begin = _best_beginning(plain, query, characters)
    end = begin + characters
    if end < len(plain):
        end = plain.rfind(" ", end - 30, end) + 1 or end
    before, after = "... " if begin else "", " ..." if end < len(plain) else ""
    return f"{before}{plain[begin:end].strip()}{after}"


def _best_beginning(plain: str, query: str, characters: int) -> int:
    """Return where the excerpt that holds most of the query's words begins, at a word if near."""
    starts = [start for start, _ in _places(plain, query)] or [0]
    best = max(
        starts, key=lambda start: sum(start <= other < start + characters for other in starts)
    )
    begin = min(max(0, best - characters // 4), len(plain) - characters)
    return (plain.find(" ", begin, begin + 30) + 1 or begin) if begin else 0


def _places(text: str, query: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the query's words, in order, without regard to case and diacritics."""
    words = sorted(
        {_plain(word) for word in _words(query.replace('"', " "))}, key=len, reverse=True
    )
    if not words:
        return
    for match in re.finditer("|".join(map(_pattern, words)), _plain(text)):
        yield match.span()


def _pattern(word: str) -> str:
    if _UNSPACED.match(word):
        return re.escape(word)
    rest = r"[^\W_]*" if len(word) >= _SHORTEST_BEGINNING else ""
    return rf"\b{re.escape(word)}{rest}\b"


def _plain(text: str) -> str:
    """Return the text in lower case without diacritics, of the same length."""
    return "".join(unicodedata.normalize("NFKD", character)[0].lower()[:1] for character in text)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a query: runs of an unspaced script, and words of the others."""
    normal = unicodedata.normalize("NFKC", text)
    yield from _WORD.findall(_UNSPACED.sub(lambda run: f" {run[0]} ", normal))


def _pairs(run: str) -> Sequence[str]:
    return [run[at : at + 2] for at in range(len(run))]


def _term(word: str) -> str:
    if not _UNSPACED.match(word):
        return f'"{word}"*' if len(word) >= _SHORTEST_BEGINNING else f'"{word}"'
    pairs = _pairs(word)
    return f'"{" ".join(pairs[:-1])}"' if len(pairs) > 1 else f'"{word}"*'


def _phrase(text: str) -> str:
    """Return a phrase; a single character at the end of an unspaced run is left out."""
    words: list[str] = []
    for word in _words(text):
        words += _pairs(word)[:-1] or [word] if _UNSPACED.match(word) else [word]
    return f'"{" ".join(words)}"' if words else ""
