"""How patterns and lists of words are spelled over several lines of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GOES_ON = re.compile(r"\\\n\s*")


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
    """Return a pattern that is matched at the start of a text, behind marks of quotations and lists."""
    return re.compile(rf"[\s*_#>\"'-]*(?:{patterns})")


def parted(texts: str) -> Iterator[str]:
    """Yield the texts between upright strokes."""
    return map(str.strip, texts.split("|"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases in any case, as alternatives of one pattern.

    A pattern that ignores case takes three times as long as one for small letters, which are all
    that a lowered ASCII text has.
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
    return Phrases(re.compile(joined, re.IGNORECASE), re.compile(joined.replace("ı", "i")))


def listed(entries: str) -> Listed:
    """Read a list of words from `entries`, parted by white space: "word", "begin*", and "-exception"."""
    words = entries.split()
    return Listed(
        frozenset(word for word in words if not word.endswith("*") and not word.startswith("-")),
        tuple(word.removesuffix("*") for word in words if word.endswith("*")),
        frozenset(word.removeprefix("-") for word in words if word.startswith("-")),
    )
