"""Whether a plan's prompts fit the context windows of the models."""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.plan.work import PlannedChunk

QUOTE_WORDS = 60
"""About how long a quote may be."""
MOST_QUOTE_WORDS = 2 * QUOTE_WORDS
"""A longer one is cut to its best sentences."""
_QUESTIONS = 600
"""Tokens of the questions and of the room that the last answer has beyond its own length."""
_SPARE, _SPARE_WHEN_SURE, _SPARE_IN_HINDSIGHT = 5, 2, 15
"""Percent of a limit that stay free: against texts of which a model makes more tokens than of others."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a model's requests, in its own tokens."""

    tokens: int
    is_price: bool = False
    """Above it all of a prompt costs more; else it is the window, which holds the answer, too."""
    sure: bool = False
    """Replies have shown what the model makes of our tokens."""

    @property
    def most(self) -> int:
        """Return the most tokens of a planned request."""
        return self.tokens * (100 - (_SPARE_WHEN_SURE if self.sure else _SPARE)) // 100

    @property
    def most_in_hindsight(self) -> int:
        """Return the most tokens of one that can be cut to size: the same on any day, independent of replies."""
        return self.tokens * (100 - _SPARE_IN_HINDSIGHT) // 100


@dataclass(frozen=True, slots=True)
class TooLarge:
    """Why a chunk does not fit, by how much, and which settings to lower or which other model is needed."""

    reason: str
    next_step: str


def parts_of(chunk: PlannedChunk, fixed: int, factor: float) -> dict[str, int]:
    """Return the parts of a chunk's last and longest request, in tokens as the model is expected to count them.

    `fixed` are system message and primer; `factor` is what the model makes of one of our tokens.
    """
    parts = {
        "system message and primer": fixed,
        "memories": chunk.memories_tokens,
        "the tail": chunk.tail_tokens,
        "the chunk": chunk.tokens,
        "questions and answers": chunk.memory_tokens + _QUESTIONS,
    }
    return {part: round(tokens * factor) for part, tokens in parts.items()}


def largest_part(parts: Mapping[str, int]) -> str:
    """Return a sentence naming the largest part, with the sizes of all."""
    largest = max(parts, key=lambda part: parts[part])
    listed = ", ".join(f"{part} {tokens:,}" for part, tokens in parts.items() if tokens)
    return f"The largest part is {largest} ({listed})."


def nearest_limit(window: int | None, step: int | None, *, sure: bool) -> Limit | None:
    """Return the smaller of a model's window and the prompt above which its price rises; None if it has neither."""
    if step is not None and (window is None or step <= window):
        return Limit(step, is_price=True, sure=sure)
    return None if window is None else Limit(window, sure=sure)


def too_large(
    chunk: PlannedChunk, fixed: int, factor: float, limit: Limit | None
) -> TooLarge | None:
    """Return the request that does not fit; None if all do, or no limit is known."""
    parts = parts_of(chunk, fixed, factor)
    needed = sum(parts.values())
    if limit is None or needed <= limit.most:
        return None
    over = needed - limit.most
    shrinks = over < parts["the tail"] + parts["the chunk"] + parts["memories"]
    lower = "Lower tail.tokens, chunk.tokens or fold.budget in memproc.toml" if shrinks else ""
    if limit.is_price:
        why = f"above {limit.tokens:,} the model costs more; with room to spare that leaves"
        other = "allow the higher price with budget.above_step = true, or choose another model."
        next_step = f"{lower}; or {other}" if lower else other.capitalize()
    else:
        why = f"the model's window of {limit.tokens:,} holds, with room to spare,"
        other = "choose a model with a larger window"
        next_step = (
            f"{lower}, or {other}."
            if lower
            else f"{other.capitalize()}: the texts that stay alone fill this one."
        )
    reason = (
        f"Chunk {chunk.number} needs about {needed:,} tokens of context, and {why} {limit.most:,}: {over:,} too many. "
        f"{largest_part(parts)}"
    )
    return TooLarge(reason, next_step)


def room_left(chunk: PlannedChunk, fixed: int, factor: float, limit: Limit) -> int:
    """Return the room of the chunk's last request in hindsight, in tokens as we count them; 0 or less for none.

    `factor` is what is known of the model beforehand: a request must be the same on any day, or it is paid twice.
    """
    return int((limit.most_in_hindsight - sum(parts_of(chunk, fixed, factor).values())) / factor)
