"""Check whether a plan's prompts fit the models' windows, and find settings with which they do."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from rules.plan.fold_budget import PART_OF_WINDOW
from rules.plan.work import QUESTIONS, PlannedChunk

_SPARE, _SPARE_WHEN_SURE, _SPARE_IN_HINDSIGHT = 5, 2, 15
"""The percentage of a limit to keep free: a model makes more tokens of some texts than others."""

_LARGEST_CHUNK = 1.5
"""The largest chunk as a multiple of the usual one: turns are not split, so chunks vary."""
_MEMORY = 0.4
"""A memory with its questions as a multiple of a chunk."""
_LEAST_CHUNK, _MOST_CHUNK = 400, 4000
_CHUNK_STEP = 100
_WINDOW_STEP = 1024
_LEAST_BUDGET = 500


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a model's requests, in the model's own tokens."""

    tokens: int
    is_price: bool = False
    """Whether all of a longer prompt costs more.

    If not, it is the window, which also holds the answer.
    """
    sure: bool = False
    """Whether replies have shown how many of its tokens the model makes of ours."""

    @property
    def most(self) -> int:
        """Return the most tokens of a planned request."""
        return self.tokens * (100 - (_SPARE_WHEN_SURE if self.sure else _SPARE)) // 100

    @property
    def most_on_any_day(self) -> int:
        """Return the same for plans that must not change once replies show how the model counts."""
        return self.tokens * (100 - _SPARE) // 100

    @property
    def most_in_hindsight(self) -> int:
        """Return the most tokens of a hindsight request.

        It can be cut to size, and replies do not change it.
        """
        return self.tokens * (100 - _SPARE_IN_HINDSIGHT) // 100


@dataclass(frozen=True, slots=True)
class NoRoom:
    """A chunk does not fit: why, by how much, and what to change."""

    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of tail, step, chunk and memory section, in tokens as we count them."""

    tail: int
    step: int
    chunk: int
    budget: int | Literal["auto"]
    """The memory section's; "auto" where the window has room for the most that "auto" may give."""

    @property
    def settings(self) -> dict[tuple[str, ...], int | str]:
        """Return the sizes by table and key of memproc.toml."""
        return {
            ("tail", "tokens"): self.tail,
            ("tail", "step"): self.step,
            ("chunk", "tokens"): self.chunk,
            ("fold", "budget"): self.budget,
        }

    def __str__(self) -> str:
        return ", ".join(
            f"{'.'.join(key)} = {json.dumps(value)}" for key, value in self.settings.items()
        )


@dataclass(frozen=True, slots=True)
class _Shape:
    """Sizes as multiples of a chunk, and the fewest tokens of a chunk for which they are used."""

    tail: float
    step: float
    budget: float
    quotes: float
    least_chunk: int

    @property
    def request(self) -> float:
        """Return the size of the longest request."""
        parts = (self.tail, self.step / 2, self.budget, self.quotes, _LARGEST_CHUNK, _MEMORY)
        return sum(parts)


_SHAPES = (
    _Shape(tail=7.5, step=6, budget=4, quotes=2, least_chunk=2000),
    _Shape(tail=5, step=2, budget=3, quotes=1.5, least_chunk=1000),
    _Shape(tail=4, step=0, budget=2, quotes=1, least_chunk=_LEAST_CHUNK),
)
"""The shape of the defaults, then tighter ones; the smallest tail holds four chunks."""


def parts_of(chunk: PlannedChunk, fixed: int, factor: float) -> dict[str, int]:
    """Return the parts of a chunk's last and longest request, in the model's tokens.

    These are tokens as the model is expected to count them. `fixed` are the tokens of system
    message and primer; `factor` is how many tokens the model makes of one of ours.
    """
    parts = {
        "system message and primer": fixed,
        "memories": chunk.memories_tokens,
        "the tail": chunk.tail_tokens,
        "the chunk": chunk.tokens,
        "questions and answers": chunk.memory_tokens + QUESTIONS,
    }
    return {part: round(tokens * factor) for part, tokens in parts.items()}


def largest_part(parts: Mapping[str, int]) -> str:
    """Return a sentence naming the largest part, with the sizes of all."""
    largest = max(parts, key=lambda part: parts[part])
    listed = ", ".join(f"{part} {tokens:,}" for part, tokens in parts.items() if tokens)
    return f"The largest part is {largest} ({listed})."


def nearest_limit(window: int | None, step: int | None, *, sure: bool) -> Limit | None:
    """Return a model's window or, if that is smaller, the length above which its price rises.

    None without either.
    """
    if step is not None and (window is None or step <= window):
        return Limit(step, is_price=True, sure=sure)
    return None if window is None else Limit(window, sure=sure)


def find_too_large(
    chunk: PlannedChunk, fixed: int, factor: float, limit: Limit | None
) -> NoRoom | None:
    """Return why the chunk's request does not fit even with a shortened tail; None where it fits.

    Where the window is too small, the caller says what to do.
    """
    parts = parts_of(chunk, fixed, factor)
    needed = sum(parts.values())
    if limit is None or needed <= limit.most:
        return None
    over, next_step = needed - limit.most, ""
    why = f"the model's window of {limit.tokens:,} holds, with room to spare,"
    if limit.is_price:
        shrinks = over < parts["the chunk"] + parts["memories"]
        lower = "Lower chunk.tokens or fold.budget in memproc.toml; or " if shrinks else ""
        other = "allow the higher price with budget.above_step = true, or choose another model."
        next_step = lower + other if lower else other.capitalize()
        why = f"above {limit.tokens:,} the model costs more; with room to spare that leaves"
    reason = (
        f"Chunk {chunk.number} needs about {needed:,} tokens of context, "
        f"and {why} {limit.most:,}: {over:,} too many. "
        f"{largest_part(parts)}"
    )
    return NoRoom(reason, next_step)


def least_window(chunks: Iterable[PlannedChunk], fixed: int, factor: float) -> int:
    """Return the smallest window that holds the requests about all chunks without their tails.

    It is a multiple of 1,024.
    """
    most = max(
        sum(parts_of(chunk, fixed, factor).values()) - round(chunk.tail_tokens * factor)
        for chunk in chunks
    )
    return ceil(most * 100 / (100 - _SPARE) / _WINDOW_STEP) * _WINDOW_STEP


def room_left(chunk: PlannedChunk, fixed: int, factor: float, limit: Limit) -> int:
    """Return how many of our tokens the chunk's last hindsight request has room for.

    It is 0 or less where it has none. `factor` must be what is known about the model beforehand: a
    request must stay the same on any day, or it is paid twice.
    """
    return int((limit.most_in_hindsight - sum(parts_of(chunk, fixed, factor).values())) / factor)


def fit_sizes(most: int, fixed: int, factor: float) -> Sizes | None:
    """Return the largest sizes whose requests have at most `most` of the model's tokens.

    None where none fit. `fixed` are our tokens of system message and primer; `factor` is how many
    tokens the model makes of one of ours.
    """
    room = most / factor - fixed - QUESTIONS
    for shape in _SHAPES:
        chunk = min(_MOST_CHUNK, int(room / shape.request) // _CHUNK_STEP * _CHUNK_STEP)
        if chunk >= shape.least_chunk:
            without_budget = chunk * (shape.request - shape.budget)
            largest_budget = most / factor / PART_OF_WINDOW
            grows = chunk == _MOST_CHUNK and without_budget + largest_budget <= room
            return Sizes(
                int(chunk * shape.tail),
                int(chunk * shape.step),
                chunk,
                "auto" if grows else max(_LEAST_BUDGET, int(chunk * shape.budget)),
            )
    return None
