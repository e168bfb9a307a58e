"""Which texts say the same in other words, by the vectors that an embedding model gives them."""

from collections.abc import Sequence
from math import hypot
from operator import mul

SAME = 0.92
"""From this cosine on two texts count as the same, unless they are opposed."""
_DIGITS = 4

Rows = Sequence[Sequence[float]]
"""The cosines of each text with all that stand behind it: the upper part of a matrix."""


def cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """The rows for these vectors, rounded to four digits; 0 with a vector of length 0."""
    lengths = [hypot(*vector) for vector in vectors]
    return [
        [_cosine(one, other, lengths[at] * lengths[behind]) for behind, other in enumerate(vectors[at + 1 :], at + 1)]
        for at, one in enumerate(vectors)
    ]


def alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Each text that says the same as others, with these, nearest first; of equals the one that stands first."""
    near: dict[str, list[tuple[float, int]]] = {text: [] for text in texts}
    for at, row in enumerate(rows):
        for behind, cosine in enumerate(row, at + 1):
            if cosine >= SAME:
                near[texts[at]].append((-cosine, behind))
                near[texts[behind]].append((-cosine, at))
    return {text: tuple(texts[at] for _, at in sorted(found)) for text, found in near.items() if found}


def _cosine(one: Sequence[float], other: Sequence[float], lengths: float) -> float:
    return round(sum(map(mul, one, other)) / lengths, _DIGITS) if lengths else 0.0
