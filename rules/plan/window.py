"""Whether a chunk's requests fit into the model's context window, and which part is too large (requirement 10).

request    system message and primer | memories | tail | chunk | dialogue and answers
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rules.memory.memory import expected_tokens
from rules.plan.planned import PlannedChunk

_QUESTIONS = 600
"""Tokens of the questions and of the room that the last answer has beyond its own length."""


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A chunk that does not fit. Sizes are tokens as the model is expected to count them."""

    number: int
    needed: int
    window: int
    parts: Mapping[str, int]

    @property
    def over(self) -> int:
        """How many tokens too many there are."""
        return self.needed - self.window

    @property
    def reason(self) -> str:
        """What does not fit, by how much, and which part is the largest."""
        return (
            f"Chunk {self.number} needs about {self.needed:,} tokens of context, and the model's window holds "
            f"{self.window:,}: {self.over:,} too many. {largest_part(self.parts)}"
        )

    @property
    def next_step(self) -> str:
        """Which settings to lower, or that another model is needed."""
        if self.over < self.parts["the tail"] + self.parts["the chunk"]:
            return "Lower tail.tokens and chunk.tokens in memproc.toml, or choose a model with a larger window."
        return "Choose a model with a larger window: memories and primer alone fill this one."


def parts_of(chunk: PlannedChunk, fixed: int, factor: float) -> dict[str, int]:
    """The parts of a chunk's last and longest request, in tokens as the model is expected to count them.

    `fixed` are system message and primer; `factor` is what the model makes of one of our tokens.
    """
    parts = {
        "system message and primer": fixed,
        "memories": chunk.memories_tokens,
        "the tail": chunk.tail_tokens,
        "the chunk": chunk.tokens,
        "questions and answers": expected_tokens(chunk.tokens) + _QUESTIONS,
    }
    return {part: round(tokens * factor) for part, tokens in parts.items()}


def largest_part(parts: Mapping[str, int]) -> str:
    """Which part is the largest, with the sizes of all, as a sentence."""
    largest = max(parts, key=lambda part: parts[part])
    listed = ", ".join(f"{part} {tokens:,}" for part, tokens in parts.items() if tokens)
    return f"The largest part is {largest} ({listed})."


def too_large(chunk: PlannedChunk, fixed: int, factor: float, window: int | None) -> TooLarge | None:
    """What does not fit, or None where all does or nobody knows the window."""
    parts = parts_of(chunk, fixed, factor)
    needed = sum(parts.values())
    return TooLarge(chunk.number, needed, window, parts) if window is not None and needed > window else None


def room_left(chunk: PlannedChunk, fixed: int, factor: float, window: int) -> int:
    """How many tokens more, as we count them, the chunk's last request has room for; 0 or less for none."""
    return int((window - sum(parts_of(chunk, fixed, factor).values())) / factor)
