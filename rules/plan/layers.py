"""What a plan does for the two further layers of memory, after each of its memories."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.memory.memory import expected_tokens
from rules.plan.estimate import Estimate
from rules.plan.planned import PlannedChunk

CORE_WORDS = 150
"""How long the agent's answer may be: a few short edits."""
FACT_WORDS = 400
"""How long the context manager's answer may be: a dozen facts, as JSON."""
_ANSWERED = 3
"""About the share of such an answer that is used: one in so many tokens."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The chunks after whose memories each layer is looked after, oldest first; one after the other."""

    core: tuple[PlannedChunk, ...] = ()
    """One call of the agent each, behind the very dialogue that made the memory."""
    facts: tuple[PlannedChunk, ...] = ()
    """One call of the context manager each."""
    core_tokens: int = 0
    """About how many tokens the question about the sections has, with the sections in it."""
    facts_tokens: int = 0
    """The same for the question about facts, with as many of them as are shown."""
    shown_tokens: int = 0
    """Of these, the facts themselves."""
    embeds: bool = False
    """One further call for each chunk tells which facts are the same in other words."""

    @property
    def calls(self) -> int:
        """Model calls when every answer is good at once."""
        return len(self.core) + len(self.facts) * (2 if self.embeds else 1)


NO_LAYERS = Layers()
"""Both are switched off, or nothing is due."""


def chosen(rows: Sequence[PlannedChunk], numbers: Collection[int]) -> tuple[PlannedChunk, ...]:
    """Those chunks, in the order of their numbers."""
    return tuple(sorted((chunk for chunk in rows if chunk.number in numbers), key=lambda chunk: chunk.number))


def estimate_layers(layers: Layers, fixed: int) -> Estimate:
    """Tokens of all these calls, without caching; `fixed` are those of system message and primer."""
    context = [
        fixed + one.memories_tokens + one.tail_tokens + one.tokens + expected_tokens(one.tokens) for one in layers.core
    ]
    return Estimate(
        agent_in=sum(context) + len(context) * layers.core_tokens,
        context_manager_in=sum(one.tokens + layers.facts_tokens for one in layers.facts),
        out=len(layers.core) * CORE_WORDS // _ANSWERED + len(layers.facts) * FACT_WORDS // _ANSWERED,
    )
