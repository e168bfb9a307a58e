"""Learn the weights of rules/extract/wish_model.py from the labelled sentences in the folder wishes: `make wishes`.

A file holds what persons say in one language, a sentence a line with its label, and a blank line between two messages.
Each kind is told from all others by a logistic regression of its own, fitted by descent along one sentence's coordinate
at a time of its dual problem, and once more without the features that had small weights. It takes the same steps in the
same order each time, so that it writes the same bytes.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from rules.extract import wish_model
from rules.extract.wish_model import KINDS, SCALE, Asked, read_features

SENTENCES = Path(__file__).parent / "wishes"
WEIGHTS = Path(wish_model.__file__).with_name("wish_weights.txt")

_COST = 0.3
"""What an error costs, where the squares of the weights cost a half; twice that once small ones are left out."""
_ROUNDS = 30
_HALVINGS = 30
"""Halvings by which the optimum of one coordinate is found."""
_LEAST_SEEN = 2
"""Sentences that a feature must be in."""
_LEAST_WEIGHT, _LEAST_OTHER = 0.1, 0.15
"""The part of a kind's largest weight below which one is left out: of wishes, and of all else."""
_SEED = 28


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence of a person's with its label: a kind, `done`, or `-`."""

    label: str
    text: str


def messages(folder: Path = SENTENCES) -> Iterator[list[Labelled]]:
    """Yield the labelled sentences of each message, in the order of their files."""
    for path in sorted(folder.glob("*.txt")):
        for message in path.read_text(encoding="utf-8").strip().split("\n\n"):
            lines = (line.partition(" ") for line in message.splitlines())
            yield [Labelled(label, text) for label, _, text in lines]


def digest(folder: Path = SENTENCES) -> str:
    """Return a digest of the labelled sentences, which the file of weights names."""
    said = repr(list(messages(folder))).encode()
    return hashlib.sha256(said).hexdigest()[:16]


def is_of(sentence: Labelled, kind: Asked) -> bool:
    """Return whether a sentence is one of this kind; what ends a wish is a wish, too."""
    return sentence.label == kind or (kind == "wish" and sentence.label == "end")


def fitted(
    rows: Sequence[Sequence[int]], is_right: Sequence[bool], size: int, cost: float
) -> tuple[list[float], float]:
    """Return the weights of features, by their numbers below `size`, and the bias."""
    weights, bias = [0.0] * size, 0.0
    duals = [0.0] * len(rows)
    order = list(range(len(rows)))
    shuffle = random.Random(_SEED).shuffle
    for _ in range(_ROUNDS):
        shuffle(order)
        for at in order:
            row, sign = rows[at], 1 if is_right[at] else -1
            margin = sign * (bias + sum(map(weights.__getitem__, row)))
            best = _best_dual(margin, duals[at], len(row) + 1, cost)
            step = (best - duals[at]) * sign
            duals[at] = best
            bias += step
            for feature in row:
                weights[feature] += step
    return weights, bias


def _best_dual(margin: float, dual: float, square: int, cost: float) -> float:
    """Return the best value of a row's dual variable, given its present one, its margin and its squared length."""
    low, high = 0.0, cost
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if log(middle / (cost - middle)) + margin + square * (middle - dual) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def learn(sentences: Iterable[Labelled]) -> str:
    """Return the table of weights that these sentences give, without its first line."""
    said = list(sentences)
    found = [sorted(read_features(sentence.text)) for sentence in said]
    seen = Counter(feature for each in found for feature in each)
    names = sorted(feature for feature, times in seen.items() if times >= _LEAST_SEEN)
    number = {name: at for at, name in enumerate(names)}
    rows = [[number[feature] for feature in each if feature in number] for each in found]
    columns: list[list[int]] = []
    biases: list[int] = []
    for kind in KINDS:
        is_right = [is_of(sentence, kind) for sentence in said]
        least = _LEAST_WEIGHT if kind == "wish" else _LEAST_OTHER
        weights, bias = sparse(rows, is_right, len(names), least)
        columns.append([round(SCALE * weight) for weight in weights])
        biases.append(round(SCALE * bias))
    table = ["\t".join(["", *map(str, biases)])]
    for name, *row in zip(names, *columns, strict=True):
        if any(row):
            table.append("\t".join([name, *(str(weight or "") for weight in row)]).rstrip("\t"))
    return "\n".join(table) + "\n"


def sparse(
    rows: Sequence[Sequence[int]], is_right: Sequence[bool], size: int, share: float
) -> tuple[list[float], float]:
    """Return weights and the bias, fitted again without the features below this share of the largest weight."""
    first, _ = fitted(rows, is_right, size, _COST)
    least = share * max(map(abs, first))
    kept = [[feature for feature in row if abs(first[feature]) >= least] for row in rows]
    return fitted(kept, is_right, size, 2 * _COST)


def main() -> None:
    """Write the weights."""
    table = learn(sentence for message in messages() for sentence in message)
    heading = "\t".join([f"# {digest()}", *KINDS])
    WEIGHTS.write_text(f"{heading}\n{table}", encoding="utf-8")


if __name__ == "__main__":
    main()
