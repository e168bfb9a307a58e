"""Split texts of any script into words, to compare the texts and to measure their length.

Most scripts put spaces between words. Han, kana, Thai, Lao, Khmer, Burmese and Tibetan do not:
their texts are compared by pairs of neighbouring characters, and measured in characters per word.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

CROWDED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0f0c\u0f18-\u0fff"  # Tibetan, without its stops
    "\u1000-\u1049\u104c-\u109f"  # Burmese, without its stops
    "\u1780-\u17d3\u17d7\u17dc-\u17ff"  # Khmer, without its stops
    "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U0003ffff"  # Han, kana
)
"""The inside of a character class: letters of the scripts that write without spaces."""
UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
"""Hangul fillers and the empty Braille pattern: letters and symbols by category, yet invisible."""
# Python's \w knows no combining marks, so the vowels of Indic scripts and points are named here.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
)
# An apostrophe separates words ("I'll", "j'ai"), except within Ukrainian ones; "i.e." is one word.
# The pattern's first line skips what is between most words in one step instead of trying each
# character. Its second line finds most words; the others find the rest. Without these two lines it
# takes twice as long.
_BETWEEN = r"\x00-&(-/:-@\[-^`{-\x7f"
_TERM = re.compile(
    rf"(?<![{_BETWEEN}])[{_BETWEEN}]*+("
    rf"[a-zA-Z0-9_]++(?![\w.'’ʼ{_MARKS}])"
    rf"|[{CROWDED}]+|(?<!\w)[^\W\d_](?:\.[^\W\d_])+(?!\w)"
    rf"|(?:[^\W{CROWDED}]++|[{_MARKS}]++|(?<=\w)['’ʼ](?=[яюєїЯЮЄЇ]))++)"
)
# The full stop comes first, so only stops are tried: else this takes a tenth of a plan's time.
_ABBREVIATION = re.compile(r"\.(?<=[a-z]\.)(?<![a-z0-9_][a-z]\.)[a-z](?![a-z0-9_])")
_TO_SPACES = {
    ord(mark): " " for mark in map(chr, range(128)) if not (mark.isalnum() or mark == "_")
}
_ASCII = bytes(range(128))
_SIGN = re.compile(rf"[^\x00-\x7f\w{_MARKS}{CROWDED}]")
"""A non-ASCII character that separates words: a curly quotation mark, a dash, an emoji."""
_IS_CROWDED = re.compile(rf"[{CROWDED}]")
_MEASURE = re.compile(rf"[\u0e00-\u109f\u1780-\u17ff]|[{CROWDED}]|[^\s{CROWDED}]+")
_HAN_A_WORD = 1.7
_THAI_A_WORD = 4.0
_LONG_WORD = 24
_CACHED_SIGNS = 4096
_CACHED_TERMS = 16_384
"""Terms that are cached: a long conversation repeats few words."""


def has_words(text: str) -> bool:
    """Return whether the text has a visible letter or digit."""
    return any(mark.isalnum() and mark not in UNSEEN for mark in text)


@lru_cache(_CACHED_TERMS)
def has_digit(term: str) -> bool:
    """Return whether a term has a digit of any script."""
    return any(map(str.isdecimal, term))


def split_terms(text: str) -> Sequence[str]:
    """Return the words of `text` in order, casefolded.

    For scripts without spaces, these are the pairs of neighbouring characters.
    """
    plain = _plain_terms(text)
    if plain is not None:
        return plain
    return [term for run in _TERM.findall(text) for term in _terms_of_run(run)]


def count_terms(texts: Iterable[str]) -> Counter[str]:
    """Count the terms of the texts."""
    counts = Counter[str]()
    for text in texts:
        plain = _plain_terms(text)
        if plain is not None:
            counts.update(plain)
            continue
        for run, times in Counter(_TERM.findall(text)).items():
            for term in _terms_of_run(run):
                counts[term] += times
    return counts


def _plain_terms(text: str) -> list[str] | None:
    """Return the terms of a text whose words are all ASCII; None for any other text.

    Non-ASCII signs become spaces, and the text is split at everything but letters, digits and
    underscores. This takes a third of the time of matching each word. Texts that the two ways could
    read differently ("i.e.") are left to matching.
    """
    if not text.isascii():
        others = text.encode(errors="surrogatepass").translate(None, _ASCII)
        marks = set(others.decode(errors="surrogatepass"))
        if not all(map(_is_sign, marks)):
            return None
        for mark in marks:
            text = text.replace(mark, " ")
    small = text.lower()
    return None if _ABBREVIATION.search(small) else small.translate(_TO_SPACES).split()


@lru_cache(_CACHED_SIGNS)
def _is_sign(mark: str) -> bool:
    return _SIGN.match(mark) is not None


def _terms_of_run(run: str) -> Sequence[str]:
    """Return the terms of a word, or of a run of characters without spaces."""
    if run.isascii():
        return (run.lower(),)
    if not _IS_CROWDED.match(run):
        return (run.casefold().replace("’", "'").replace("ʼ", "'"),)
    return [run[at : at + 2] for at in range(len(run) - 1)] or (run,)


def length(text: str) -> float:
    """Return the length of `text` in words.

    Of Han and kana, 1.7 characters count as a word, and 4 of Thai and the like. A long run without
    spaces (an address, encoded bytes) counts one word more for every 24 characters.
    """
    runs = text.split() if text.isascii() else _MEASURE.findall(text)
    return sum(map(_weigh, runs))


def shorten(text: str, words: float) -> str:
    """Cut `text` to at most `words` words, between words where possible."""
    spent = 0.0
    for match in _MEASURE.finditer(text):
        spent += _weigh(match.group())
        if spent > words:
            return (
                text[: match.start()].rstrip()
                or match.group()[: max(1, int(words * _LONG_WORD) - 1)]
            )
    return text.rstrip()


def _weigh(run: str) -> float:
    if not _IS_CROWDED.match(run):
        return 1 + len(run) // _LONG_WORD
    return 1 / (_THAI_A_WORD if run < "\u3000" else _HAN_A_WORD)


def listed_words(listed: str) -> frozenset[str]:
    """Return the words of a text, separated by white space, as a set."""
    return frozenset(listed.split())
