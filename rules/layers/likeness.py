"""How alike the texts of facts are, and which facts are nearest to a text."""

from collections.abc import Sequence
from math import hypot
from operator import mul

SAME = 0.92
"""The cosine from which on two texts count as the same, unless they are opposed."""
_DIGITS = 4
Rows = Sequence[Sequence[float]]
"""The cosines of each text with all after it: the upper part of a matrix."""


def cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the rows for these vectors, rounded to four digits; 0 with a vector of length 0."""
    lengths = [hypot(*vector) for vector in vectors]

    def cosine(one: int, other: int) -> float:
        length = lengths[one] * lengths[other]
        product = sum(map(mul, vectors[one], vectors[other]))
        return round(product / length, _DIGITS) if length else 0.0

    count = len(vectors)
    return [[cosine(at, after) for after in range(at + 1, count)] for at in range(count)]


def alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Return each text that says the same as others, with these, nearest first, else in order."""
    near: dict[str, list[tuple[float, int]]] = {text: [] for text in texts}
    for at, row in enumerate(rows):
        for after, cosine in enumerate(row, at + 1):
            if cosine >= SAME:
                near[texts[at]].append((-cosine, after))
                near[texts[after]].append((-cosine, at))
    return {
        text: tuple(texts[at] for _, at in sorted(others))
        for text, others in near.items()
        if others
    }
