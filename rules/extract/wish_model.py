"""Score what a sentence of the person's asks for, by weights learned from labelled sentences.

    Nenn mich bitte nie wieder Robert.

has the features "robert", "^ nenn mich", "mich bitte nie" and so on: its words, and up to three beginnings of words in a
row, `^` and `$` being its ends; and two of its shape: how long it is, and whether it names oneself, the other, and
asks. A sentence of a few words has its first ones once more, as "# ^ nenn mich", a clause its own, as "@ nenn mich". A
score is the sum of the weights of its features. `make wishes` learns the weights, a row a feature, from
tests/rules/extract/wishes: to add a language is to add sentences there.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from rules.extract.languages import TONGUES
from rules.extract.voices import QUESTION_MARKS, QUOTED
from rules.extract.words import CROWDED

Asked = Literal["wish", "end", "task"]
KINDS: Final[tuple[Asked, ...]] = ("wish", "end", "task")
"""The columns of the weights. What takes a wish back is scored as a wish, too."""
SCALE: Final = 25
"""Weights are whole numbers, of this part of the logarithm of the odds."""

_MOST_WORDS = 3
"""Words in a row that are one feature."""
_BEGINNING = 5
"""Letters of a longer word that are read there, since words inflect."""
_FIVE, _LONGEST = 5, 5
"""Lengths of sentences are told by five words, up to the fifth five."""
_FEW = 7
"""Words of a short sentence, which says with the first two what it is."""
_CLAUSE_ENDS = frozenset(",;:，；：。—–-")
"""Marks after which a clause begins."""
_WEIGHTS = "wish_weights.txt"
_WORD = re.compile(rf"[{CROWDED}]|[^\W_{CROWDED}]+|[^\w\s]")
_ME = frozenset[str]().union(*(tongue.me.whole for tongue in TONGUES))
_YOU = frozenset[str]().union(*(tongue.you.whole for tongue in TONGUES))
_PLAIN = str.maketrans(
    "’後請說講話問別麼時個對給嗎會這裡語寫從開當陪聽應該習慣體讓許準總閉點條種長發簡單繁換",
    "'后请说讲话问别么时个对给吗会这里语写从开当陪听应该习惯体让许准总闭点条种长发简单繁换",
)
"""One apostrophe, and the simpler characters for those of traditional Chinese."""


def features(sentence: str) -> Collection[str]:
    """Return the features of a sentence, each once; of what it quotes, the marks alone."""
    words = _WORD.findall(QUOTED.sub('""', sentence).translate(_PLAIN).lower())
    names_me, names_you = not _ME.isdisjoint(words), not _YOU.isdisjoint(words)
    is_asked = bool(words) and words[-1] in QUESTION_MARKS
    found = {
        *words,
        f"#fives={min(len(words) // _FIVE, _LONGEST)}",
        f"#me={names_me:d} you={names_you:d} asks={is_asked:d}",
    }
    begun = (f"{word[:_BEGINNING]}*" if len(word) > _BEGINNING else word for word in words)
    row = ["^", *begun, "$"]
    for number in range(1, _MOST_WORDS + 1):
        found.update(map(" ".join, zip(*(row[at:] for at in range(number)), strict=False)))
    if len(words) <= _FEW:
        found.update(f"# {' '.join(row[:number])}" for number in (2, 3))
    found.update(_clause_beginnings(row))
    return found


def _clause_beginnings(row: Sequence[str]) -> Iterator[str]:
    """Yield the first word of each clause of a sentence, and the first two."""
    begins = True
    for at, word in enumerate(row[1:-1], 1):
        if begins and word[0].isalnum():
            yield from (f"@ {word}", f"@ {' '.join(row[at : at + 2])}")
        begins = word in _CLAUSE_ENDS or (begins and not word[0].isalnum())


def scores(sentence: str) -> Mapping[Asked, float]:
    """Return the logarithm of the odds that a sentence is of each kind."""
    biases, weights = _read_weights()
    sums = list(biases)
    for feature in features(sentence):
        for column, weight in weights.get(feature, ()):
            sums[column] += weight
    return {kind: total / SCALE for kind, total in zip(KINDS, sums, strict=True)}


@cache
def _read_weights() -> tuple[Sequence[int], Mapping[str, Sequence[tuple[int, int]]]]:
    """Return the bias of each kind, and by feature the columns and weights that it has."""
    _, first, *rows = (
        (files(__package__) / _WEIGHTS).read_text(encoding="utf-8").rstrip("\n").split("\n")
    )
    table = {
        feature: [(at, int(weight)) for at, weight in enumerate(row.split("\t")) if weight]
        for feature, _, row in (line.partition("\t") for line in rows)
    }
    return [int(bias) for bias in first.split("\t")[1:]], table
