"""Whether memories are worth making: with what stands around them, they must take less than what they replace."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.conversation.memory import SHIPPED_QUESTIONS, is_enough_for_a_model, least_for_a_model, most_tokens
from rules.conversation.quote import can_be_quoted

_GROWS_BY = 20
"""Core memory and facts grow by about one token for so many of a chunk."""


@dataclass(frozen=True, slots=True)
class Around:
    """What comes to a chat beside its memories, and who writes them."""

    canned: int = 0
    """Tokens of the opening and the closing."""
    has_layers: bool = False
    """Core memory or facts are added to the opening."""
    by_model: bool = False
    """A model is asked, and not the built-in engine."""
    questions: int = SHIPPED_QUESTIONS
    """Tokens of the questions in each memory."""


def asks_agent(chunk: Sequence[Entry], tokens: int, questions: int, *, by_model: bool) -> bool:
    """Whether the agent is asked for the memory of a chunk of so many tokens; otherwise the engine says what was there.

    Something must have been said in words. A model (`by_model`) is asked only where there is enough of it for what a
    model writes: its answers would be paid for and refused.
    """
    return can_be_quoted(chunk) and (not by_model or is_enough_for_a_model(tokens, questions))


def why_not_worth(chunks: Sequence[int], around: Around, *, has_memories: bool) -> str:
    """Why no memories should be made of chunks of so many tokens, as a sentence for the person; empty if they should.

    Nothing is paid then for what would be thrown away, or would make the chat longer.
    """
    replaced = sum(chunks)
    if not replaced:
        return ""
    if around.by_model and not is_enough_for_a_model(replaced // len(chunks), around.questions):
        return (
            f"Its chunks of about {replaced // len(chunks):,} tokens are too small for what a model writes about them. "
            "They wait until there is more to cut, or until chunk.tokens in memproc.toml is larger, "
            f"{least_for_a_model(around.questions)} or more."
        )
    canned = 0 if has_memories else around.canned
    layers = replaced // _GROWS_BY if around.has_layers else 0
    needed = sum(most_tokens(chunk, around.questions) for chunk in chunks) + canned + layers
    if needed <= replaced:
        return ""
    return (
        f"Nothing would be saved: {replaced:,} tokens could become memories, which may take {needed:,} with their "
        "opening. They wait until there is more."
    )
