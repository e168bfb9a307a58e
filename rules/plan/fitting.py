"""Sizes of memproc.toml with which every request fits a small window."""

from dataclasses import dataclass

_QUESTIONS = 600
"""Tokens of the questions and of the room for the last answer."""
_LARGEST_CHUNK = 1.5
"""Turns are never split, so that a chunk may be larger than the mean."""
_MEMORY = 0.4
_LEAST_CHUNK, _MOST_CHUNK = 400, 4000
_ROUND = 100
_LEAST_BUDGET = 500


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of tail, step, chunk, memory section and quotes, in tokens as we count them."""

    tail: int
    step: int
    chunk: int
    budget: int
    quotes: int

    @property
    def settings(self) -> dict[tuple[str, str], int]:
        """Return the sizes by table and key of memproc.toml."""
        return {
            ("tail", "tokens"): self.tail,
            ("tail", "step"): self.step,
            ("chunk", "tokens"): self.chunk,
            ("fold", "budget"): self.budget,
            ("fold", "quotes"): self.quotes,
        }

    def __str__(self) -> str:
        return ", ".join(f"{'.'.join(key)} = {value}" for key, value in self.settings.items())


@dataclass(frozen=True, slots=True)
class _Shape:
    """Sizes as multiples of a chunk."""

    tail: float
    step: float
    budget: float
    quotes: float
    least_chunk: int

    @property
    def request(self) -> float:
        """Return how many chunks the longest request holds."""
        parts = (self.tail, self.step / 2, self.budget, self.quotes, _LARGEST_CHUNK, _MEMORY)
        return sum(parts)


_SHAPES = (
    _Shape(tail=7.5, step=6, budget=4, quotes=2, least_chunk=2000),
    _Shape(tail=5, step=2, budget=3, quotes=1.5, least_chunk=1000),
    _Shape(tail=4, step=0, budget=2, quotes=1, least_chunk=_LEAST_CHUNK),
)
"""Like the defaults, and closer and closer: the smallest tail holds four chunks."""


def sizes_within(most: int, fixed: int, factor: float) -> Sizes | None:
    """Return the largest sizes whose requests have at most `most` of the model's tokens.

    `fixed` are ours of system message and primer, `factor` what the model makes of one of ours.
    None where even the smallest do not fit.
    """
    room = most / factor - fixed - _QUESTIONS
    for shape in _SHAPES:
        chunk = min(_MOST_CHUNK, int(room / shape.request) // _ROUND * _ROUND)
        if chunk >= shape.least_chunk:
            return Sizes(
                int(chunk * shape.tail),
                int(chunk * shape.step),
                chunk,
                max(_LEAST_BUDGET, int(chunk * shape.budget)),
                int(chunk * shape.quotes),
            )
    return None
