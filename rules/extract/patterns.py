"""Compile patterns and word lists that are written over several lines of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CONTINUED = re.compile(r"\\\n\s*")
_BRACKETS_AND_BARS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")
"""Brackets and bars; and escapes and character classes, whose brackets and bars are passed over."""
_FIRST_UNSPACED = "⺀"
"""The first character of East Asian scripts without spaces: words are found inside longer runs."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A word list: whole words, beginnings of words, and exceptions from these.

    `word in listed` tests all three.
    """

    whole: frozenset[str]
    beginnings: tuple[str, ...]
    exceptions: frozenset[str]

    def __contains__(self, word: str) -> bool:
        return word in self.whole or (
            word.startswith(self.beginnings) and word not in self.exceptions
        )


def join_lines(pattern: str) -> str:
    """Return a pattern as one line, without the white space around its lines."""
    return "".join(map(str.strip, pattern.splitlines()))


def any_case(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that is written over several lines, ignoring case."""
    return re.compile(join_lines(pattern), re.IGNORECASE)


def join_alternatives(*patterns: str) -> str:
    """Join lines of patterns as alternatives; a backslash at its end joins a line to the next."""
    lines = (
        line.strip()
        for pattern in patterns
        for line in _CONTINUED.sub("", pattern.strip()).splitlines()
    )
    return "|".join(lines)


def at_start(patterns: str) -> re.Pattern[str]:
    """Compile alternatives to match at a text's start, after the marks of a quotation or a list."""
    return re.compile(rf"[\s*_#>\"'-]*(?:{patterns})")


def split_at_bars(texts: str) -> Iterator[str]:
    """Yield the texts between vertical bars, stripped."""
    return map(str.strip, texts.split("|"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases in any case, as alternatives of one pattern.

    A pattern that ignores case takes three times as long as one of small letters, so ASCII texts
    are lowered and searched for `small`. Alternatives that begin with other characters are left out
    of it.
    """

    any_case: re.Pattern[str]
    small: re.Pattern[str]

    def are_in(self, text: str) -> bool:
        """Return whether the text has at least one of the phrases."""
        if text.isascii():
            return self.small.search(text.lower()) is not None
        return self.any_case.search(text) is not None


def any_phrase(pattern: str) -> Phrases:
    """Compile alternatives. Those that begin with `\\b` or `^` share it, so that it is tried once.

    A Turkish dotless i matches an i where case is ignored, so the pattern for ASCII texts has an i
    in its place.
    """
    joined = join_lines(pattern)
    dotted = joined.replace("ı", "i")
    alternatives: list[str] = []  # the parts between bars outside of brackets
    start = depth = 0
    for mark in _BRACKETS_AND_BARS.finditer(dotted):
        depth += {"(": 1, ")": -1}.get(mark.group(), 0)
        if mark.group() == "|" and not depth:
            alternatives.append(dotted[start : mark.start()])
            start = mark.end()
    small = "|".join(filter(_may_be_ascii, [*alternatives, dotted[start:]]))
    return Phrases(re.compile(joined, re.IGNORECASE), re.compile(small))


def _may_be_ascii(alternative: str) -> bool:
    """Return whether an alternative may match ASCII text.

    Its first character must be ASCII, or optional.
    """
    return alternative[:1].isascii() or alternative[1:2] in ("?", "*", "{")


def listed(entries: str) -> Listed:
    """Read a word list from `entries` between white space: "word", "begin*" or "-exception"."""
    words = entries.split()
    return Listed(
        frozenset(word for word in words if not word.endswith("*") and not word.startswith("-")),
        tuple(word.removesuffix("*") for word in words if word.endswith("*")),
        frozenset(word.removeprefix("-") for word in words if word.startswith("-")),
    )


def any_word(words: str, *others: Listed) -> re.Pattern[str]:
    """Compile a pattern of words, for text in small letters with one space between words.

    In `words`, `begin*` is the beginning of a word, and `two_words` are two in a row. The words of
    `others` are added.
    """
    entries = words.split()
    for other in others:
        entries += [*other.whole, *(f"{beginning}*" for beginning in other.beginnings)]
    spaced = [entry for entry in entries if entry < _FIRST_UNSPACED]
    whole = "|".join(spaced).replace("*", r"\w*").replace("_", " ")
    unspaced = [entry.rstrip("*") for entry in entries if entry >= _FIRST_UNSPACED]
    return re.compile("|".join([rf"(?<!\w)(?:{whole})(?!\w)", *unspaced]))
