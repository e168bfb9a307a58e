"""Find the phrases of closed classes in a sentence: at each place, the longest counts.

A class is written as phrases with commas between them; a word that ends in `*` is the beginning of words. In scripts
without spaces, each character is a word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

_CROWDED = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_POINTS = "\u0610-\u061a\u064b-\u0670\u0900-\u0963"
_WORD: Final = re.compile(rf"[{_CROWDED}]|(?:[^\W\d_{_CROWDED}]|[{_POINTS}])+['*]?|\d+|[^\w\s-]")
"""A word with its apostrophe ("n'", "don'"), a number or a mark."""
_SHORTEST_STEM, _LONGEST_STEM = 2, 16


@dataclass(frozen=True, slots=True)
class Word:
    """A word or mark of a sentence, or a known phrase."""

    text: str
    start: int
    kinds: frozenset[str] = frozenset()
    """The classes that it is of."""
    is_name: bool = False
    """It is unknown, and begins with a capital letter."""


@dataclass(slots=True)
class Branch:
    """What may follow the words so far, and the classes of the phrase that they are."""

    words: "dict[str, Branch]" = field(default_factory=dict)
    stems: "dict[str, Branch]" = field(default_factory=dict)
    kinds: frozenset[str] = frozenset()


def tree_of(classes: Mapping[str, str]) -> Branch:
    """Return the phrases of classes by their words."""
    root = Branch()
    for kind, phrases in classes.items():
        for phrase in phrases.split(","):
            branch = root
            for word in _WORD.findall(phrase):
                branches = branch.stems if word.endswith("*") else branch.words
                branch = branches.setdefault(word.removesuffix("*"), Branch())
            branch.kinds |= {kind}
    root.kinds = frozenset()
    return root


def read(tree: Branch, sentence: str) -> Iterator[Word]:
    """Yield the known phrases of a sentence, and the words between them."""
    found = [(match.group().lower(), match.start()) for match in _WORD.finditer(sentence)]
    at = 0
    while at < len(found):
        kinds, size = max(
            _phrases(tree, found, at), key=lambda phrase: phrase[1], default=(frozenset[str](), 1)
        )
        start = found[at][1]
        is_name = (
            not kinds and sentence[start].isupper() and sentence[start + 1 : start + 2].islower()
        )
        yield Word(" ".join(word for word, _ in found[at : at + size]), start, kinds, is_name)
        at += size


def _phrases(
    tree: Branch, found: Sequence[tuple[str, int]], start: int
) -> Iterator[tuple[frozenset[str], int]]:
    """Yield the classes of the known phrases that begin at a word, and how many words they take."""
    branches = [tree]
    for at in range(start, len(found)):
        word = found[at][0]
        branches = [nearer for branch in branches for nearer in _next(branch, word)]
        if not branches:
            return
        yield from ((branch.kinds, at + 1 - start) for branch in branches if branch.kinds)


def _next(branch: Branch, word: str) -> Iterator[Branch]:
    """Yield what a word leads to, as a whole or by its beginning."""
    if word in branch.words:
        yield branch.words[word]
    if branch.stems:
        for size in range(_SHORTEST_STEM, min(len(word), _LONGEST_STEM) + 1):
            if word[:size] in branch.stems:
                yield branch.stems[word[:size]]
