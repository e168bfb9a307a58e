"""How alike the texts of facts are, and which facts are nearest to a text."""

from collections.abc import Sequence
from math import hypot
from operator import mul

SAME = 0.92
"""The cosine from which on two texts count as the same, unless they are opposed."""
_DIGITS = 4
Rows = Sequence[Sequence[float]]
"""The cosines of each text with all that stand behind it: the upper part of a matrix."""


def cosines(vectors: Sequence[Sequence[float]]) -> list[list[float]]:
    """The rows for these vectors, rounded to four digits; 0 with a vector of length 0."""
    lengths = [hypot(*vector) for vector in vectors]

    def cosine(at: int, behind: int) -> float:
        length = lengths[at] * lengths[behind]
        return (
            round(sum(map(mul, vectors[at], vectors[behind])) / length, _DIGITS) if length else 0.0
        )

    return [
        [cosine(at, behind) for behind in range(at + 1, len(vectors))] for at in range(len(vectors))
    ]


def alike(texts: Sequence[str], rows: Rows) -> dict[str, tuple[str, ...]]:
    """Each text that says the same as others, with these, nearest first; of equals the one that stands first."""
    near: dict[str, list[tuple[float, int]]] = {text: [] for text in texts}
    for at, row in enumerate(rows):
        for behind, cosine in enumerate(row, at + 1):
            if cosine >= SAME:
                near[texts[at]].append((-cosine, behind))
                near[texts[behind]].append((-cosine, at))
    return {
        text: tuple(texts[at] for _, at in sorted(others))
        for text, others in near.items()
        if others
    }
