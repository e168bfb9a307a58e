"""Whether a chunk's requests fit into what the model holds at its usual price, and which part is too large.

request    system message and primer | memories | tail | chunk | dialogue and answers
limit      the model's window, or where its price rises if that comes first; with room to spare
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.plan.work import PlannedChunk

_QUESTIONS = 600
"""Tokens of the questions and of the room that the last answer has beyond its own length."""


_SPARE, _SPARE_WHEN_SURE, _SPARE_IN_HINDSIGHT = 5, 2, 15
"""Percent of a limit that stay free: against texts of which a model makes more tokens than of others."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a model's requests are kept under, in its own tokens."""

    tokens: int
    is_price: bool = False
    """Above it all of a prompt costs more; else it is the window, which holds the answer, too."""
    sure: bool = False
    """Replies have shown what the model makes of our tokens."""

    @property
    def most(self) -> int:
        """How many tokens a planned request may have."""
        return self._without(_SPARE_WHEN_SURE if self.sure else _SPARE)

    @property
    def most_in_hindsight(self) -> int:
        """The same for one that can be cut to size. Whatever replies have shown, this is the same on any day."""
        return self._without(_SPARE_IN_HINDSIGHT)

    def _without(self, percent: int) -> int:
        return self.tokens * (100 - percent) // 100


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A chunk that does not fit. Sizes are tokens as the model is expected to count them."""

    number: int
    needed: int
    limit: Limit
    parts: Mapping[str, int]

    @property
    def over(self) -> int:
        """How many tokens too many there are."""
        return self.needed - self.limit.most

    @property
    def reason(self) -> str:
        """What does not fit, by how much, and which part is the largest."""
        limit = self.limit
        why = (
            f"above {limit.tokens:,} the model costs more; with room to spare that leaves"
            if limit.is_price
            else f"the model's window of {limit.tokens:,} holds, with room to spare,"
        )
        return (
            f"Chunk {self.number} needs about {self.needed:,} tokens of context, and {why} "
            f"{limit.most:,}: {self.over:,} too many. {largest_part(self.parts)}"
        )

    @property
    def next_step(self) -> str:
        """Which settings to lower, or that another model is needed."""
        shrinks = self.over < self.parts["the tail"] + self.parts["the chunk"] + self.parts["memories"]
        lower = "Lower tail.tokens, chunk.tokens or fold.budget in memproc.toml" if shrinks else ""
        if self.limit.is_price:
            allow = "allow the higher price with budget.above_step = true, or choose another model."
            return f"{lower}; or {allow}" if lower else allow.capitalize()
        other = "choose a model with a larger window"
        return f"{lower}, or {other}." if lower else f"{other.capitalize()}: the texts that stay alone fill this one."


def parts_of(chunk: PlannedChunk, fixed: int, factor: float) -> dict[str, int]:
    """The parts of a chunk's last and longest request, in tokens as the model is expected to count them.

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
    """Which part is the largest, with the sizes of all, as a sentence."""
    largest = max(parts, key=lambda part: parts[part])
    listed = ", ".join(f"{part} {tokens:,}" for part, tokens in parts.items() if tokens)
    return f"The largest part is {largest} ({listed})."


def nearest_limit(window: int | None, step: int | None, *, sure: bool) -> Limit | None:
    """The smaller of a model's window and the prompt above which its price rises; None where there is neither."""
    if step is not None and (window is None or step <= window):
        return Limit(step, is_price=True, sure=sure)
    return None if window is None else Limit(window, sure=sure)


def too_large(chunk: PlannedChunk, fixed: int, factor: float, limit: Limit | None) -> TooLarge | None:
    """What does not fit, or None where all does or nobody knows a limit."""
    parts = parts_of(chunk, fixed, factor)
    needed = sum(parts.values())
    return TooLarge(chunk.number, needed, limit, parts) if limit is not None and needed > limit.most else None


def room_left(chunk: PlannedChunk, fixed: int, factor: float, limit: Limit) -> int:
    """How many tokens more, as we count them, the chunk's last request in hindsight has room for; 0 or less for none.

    `factor` is what is known of the model beforehand: a request must be the same on any day, or it is paid twice.
    """
    return int((limit.most_in_hindsight - sum(parts_of(chunk, fixed, factor).values())) / factor)
