"""Score what a sentence of the person's asks for, by weights learned from labelled sentences.

    Nenn mich bitte nie wieder Robert.

has the features "robert", "^ nenn mich", "mich bitte nie" and so on: its words, and each run of up
to three stems, with `^` and `$` for its ends; and two features of its shape: its length, and
whether it names the speaker, names the other, and asks. The first stems of a short sentence are
features of their own, as "# ^ nenn mich", and so are those of each clause, as "@ nenn mich". The
score is the sum of the features' weights. `make wishes` learns the weights, one row for each
feature, from tests/rules/extract/wishes: to add a language, add sentences there.
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
"""The columns of the weights. A sentence that takes back a wish also scores as a wish."""
SCALE: Final = 25
"""A weight is the logarithm of the odds times this, rounded to a whole number."""

_LONGEST_RUN = 3
"""The most stems in a row that make one feature."""
_STEM = 5
"""Letters that are kept of a longer word in a run, since words inflect."""
_LENGTH_STEP, _LAST_STEP = 5, 5
"""A sentence's length is a feature in steps of five words; the last step holds all longer ones."""
_MOST_WORDS_OF_SHORT = 7
"""A sentence of at most seven words mostly says by its first two or three what it is."""
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
"""Replaces typographic apostrophes by plain ones, and traditional Chinese by simplified."""


def read_features(sentence: str) -> Collection[str]:
    """Return a sentence's features, each once; of a quotation only the quotation marks are read."""
    words = _WORD.findall(QUOTED.sub('""', sentence).translate(_PLAIN).lower())
    names_me, names_you = not _ME.isdisjoint(words), not _YOU.isdisjoint(words)
    is_asked = bool(words) and words[-1] in QUESTION_MARKS
    found = {
        *words,
        f"#fives={min(len(words) // _LENGTH_STEP, _LAST_STEP)}",
        f"#me={names_me:d} you={names_you:d} asks={is_asked:d}",
    }
    stems = (f"{word[:_STEM]}*" if len(word) > _STEM else word for word in words)
    row = ["^", *stems, "$"]
    for number in range(1, _LONGEST_RUN + 1):
        found.update(map(" ".join, zip(*(row[at:] for at in range(number)), strict=False)))
    if len(words) <= _MOST_WORDS_OF_SHORT:
        found.update(f"# {' '.join(row[:number])}" for number in (2, 3))
    found.update(_clause_beginnings(row))
    return found


def _clause_beginnings(row: Sequence[str]) -> Iterator[str]:
    """Yield as features the first stem of each clause of a sentence, and its first two."""
    begins = True
    for at, word in enumerate(row[1:-1], 1):
        if begins and word[0].isalnum():
            yield from (f"@ {word}", f"@ {' '.join(row[at : at + 2])}")
        begins = word in _CLAUSE_ENDS or (begins and not word[0].isalnum())


def score_wishes(sentence: str) -> Mapping[Asked, float]:
    """Return for each kind the logarithm of the odds that a sentence is of that kind."""
    biases, weights = _read_weights()
    sums = list(biases)
    for feature in read_features(sentence):
        for column, weight in weights.get(feature, ()):
            sums[column] += weight
    return {kind: total / SCALE for kind, total in zip(KINDS, sums, strict=True)}


@cache
def _read_weights() -> tuple[Sequence[int], Mapping[str, Sequence[tuple[int, int]]]]:
    """Return the bias of each kind, and for each feature its columns and their weights."""
    _, first, *rows = (
        (files(__package__) / _WEIGHTS).read_text(encoding="utf-8").rstrip("\n").split("\n")
    )
    table = {
        feature: [(at, int(weight)) for at, weight in enumerate(row.split("\t")) if weight]
        for feature, _, row in (line.partition("\t") for line in rows)
    }
    return [int(bias) for bias in first.split("\t")[1:]], table
