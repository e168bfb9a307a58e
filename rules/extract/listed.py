"""Lists of words: whole ones, beginnings of words, and exceptions."""

from dataclasses import dataclass


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


def listed(entries: str) -> Listed:
    """Read a list of words from `entries`, parted by white space: "word", "begin*", and "-exception"."""
    words = entries.split()
    return Listed(
        frozenset(word for word in words if not word.endswith("*") and not word.startswith("-")),
        tuple(word.removesuffix("*") for word in words if word.endswith("*")),
        frozenset(word.removeprefix("-") for word in words if word.startswith("-")),
    )
