"""Whether memories are worth making: with what stands around them, they must take less than what they replace."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.conversation.memory import is_enough_for_a_model, most_tokens

LEAST_FOR_A_MODEL = 500
"""The smallest `chunk.tokens` whose chunks are large enough for what a model writes, as they differ in size."""
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


def why_not_worth(chunks: Sequence[int], around: Around, *, has_memories: bool) -> str:
    """Why no memories should be made of chunks of so many tokens, as a sentence for the person; empty if they should.

    Nothing is paid then for what would be thrown away, or would make the chat longer.
    """
    replaced = sum(chunks)
    if not replaced:
        return ""
    if around.by_model and not is_enough_for_a_model(replaced // len(chunks)):
        return (
            f"Its chunks of about {replaced // len(chunks):,} tokens are too small for what a model writes about them. "
            "They wait until there is more to cut, or until chunk.tokens in memproc.toml is larger, "
            f"{LEAST_FOR_A_MODEL} or more."
        )
    canned = 0 if has_memories else around.canned
    layers = replaced // _GROWS_BY if around.has_layers else 0
    needed = sum(map(most_tokens, chunks)) + canned + layers
    if needed <= replaced:
        return ""
    return (
        f"Nothing would be saved: {replaced:,} tokens could become memories, which may take {needed:,} with their "
        "opening. They wait until there is more."
    )
