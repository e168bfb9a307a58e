"""How patterns and lists of words are spelled over several lines of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GOES_ON = re.compile(r"\\\n\s*")
_BRACKETS_AND_STROKES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")
"""The marks that group a pattern; also what escapes or lists characters, and so hides marks."""
_CROWDED = "⺀"
"""The first character of the scripts without spaces, whose words are found within others."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Whole words, beginnings of words, and exceptions; `word in listed` asks all."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]
    exceptions: frozenset[str]

    def __contains__(self, word: str) -> bool:
        return word in self.whole or (
            word.startswith(self.beginnings) and word not in self.exceptions
        )


def join_lines(pattern: str) -> str:
    """Return a pattern in one line, without the white space around its lines."""
    return "".join(map(str.strip, pattern.splitlines()))


def any_case(pattern: str) -> re.Pattern[str]:
    """Return a pattern that is spelled over several lines, to be searched in any case."""
    return re.compile(join_lines(pattern), re.IGNORECASE)


def alternatives(*patterns: str) -> str:
    """Return the lines of patterns as alternatives; one that ends in a backslash goes on."""
    lines = (
        line.strip()
        for pattern in patterns
        for line in _GOES_ON.sub("", pattern.strip()).splitlines()
    )
    return "|".join(lines)


def at_start(patterns: str) -> re.Pattern[str]:
    """Return a pattern that is matched at the start of a text, after marks of quotations and lists."""
    return re.compile(rf"[\s*_#>\"'-]*(?:{patterns})")


def parted(texts: str) -> Iterator[str]:
    """Yield the texts between upright strokes."""
    return map(str.strip, texts.split("|"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases in any case, as alternatives of one pattern.

    A pattern that ignores case takes three times as long as one for small letters, which are all
    that a lowered ASCII text has. What begins with other characters is left out of that one.
    """

    any_case: re.Pattern[str]
    small: re.Pattern[str]

    def are_in(self, text: str) -> bool:
        """Return whether one of them is in the text."""
        if text.isascii():
            return self.small.search(text.lower()) is not None
        return self.any_case.search(text) is not None


def any_phrase(pattern: str) -> Phrases:
    """Compile alternatives. Those that begin with `\\b` or `^` share it, so that it is tried once.

    Where case is ignored, a Turkish dotless i is an i.
    """
    joined = join_lines(pattern)
    dotted = joined.replace("ı", "i")
    alternatives: list[str] = []  # what is between its strokes outside of brackets
    start = depth = 0
    for mark in _BRACKETS_AND_STROKES.finditer(dotted):
        depth += {"(": 1, ")": -1}.get(mark.group(), 0)
        if mark.group() == "|" and not depth:
            alternatives.append(dotted[start : mark.start()])
            start = mark.end()
    small = "|".join(filter(_may_be_ascii, [*alternatives, dotted[start:]]))
    return Phrases(re.compile(joined, re.IGNORECASE), re.compile(small))


def _may_be_ascii(alternative: str) -> bool:
    """Return whether an ASCII text may match: it does not have to begin with another character."""
    return alternative[:1].isascii() or alternative[1:2] in ("?", "*", "{")


def listed(entries: str) -> Listed:
    """Read a list of words from `entries`, parted by white space: "word", "begin*", and "-exception"."""
    words = entries.split()
    return Listed(
        frozenset(word for word in words if not word.endswith("*") and not word.startswith("-")),
        tuple(word.removesuffix("*") for word in words if word.endswith("*")),
        frozenset(word.removeprefix("-") for word in words if word.startswith("-")),
    )


def any_word(words: str, *others: Listed) -> re.Pattern[str]:
    """Return a pattern of words and beginnings, in small letters with one space between them.

    In `words`, `begin*` is a beginning, and `two_words` follow each other; `others` are added to them.
    """
    entries = words.split()
    for other in others:
        entries += [*other.whole, *(f"{beginning}*" for beginning in other.beginnings)]
    spaced = [entry.replace("*", r"\w*").replace("_", " ") for entry in entries if entry < _CROWDED]
    crowded = [entry.rstrip("*") for entry in entries if entry >= _CROWDED]
    return re.compile("|".join([rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)", *crowded]))
