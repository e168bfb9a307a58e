"""How a model's answer is read: a text that may become part of a memory, or the reason why it may not (D8)."""

from dataclasses import dataclass

_ENDED = "stop"


@dataclass(frozen=True, slots=True)
class Answered:
    """A complete answer, without the white space around it."""

    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that never becomes part of a memory, and why."""

    reason: str


def read_reply(text: str, finish: str) -> Answered | Refused:
    """Only a reply that ended by itself counts, and only if it says something."""
    if finish != _ENDED:
        return Refused(f"the model did not end its answer by itself ({finish or 'no reason given'})")
    if not text.strip():
        return Refused("the model's answer is empty")
    return Answered(text.strip())
