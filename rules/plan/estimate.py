"""How much a planned chunk will send and receive, in tokens of the o200k encoding, before anything is sent."""

from dataclasses import dataclass

from rules.memory.fold import expected_fold_tokens
from rules.memory.memory import expected_tokens


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens of all requests and of all answers of a plan. Caching is not taken into account."""

    agent_in: int
    context_manager_in: int
    out: int

    def plus(self, other: "Estimate") -> "Estimate":
        """Both together."""
        return Estimate(
            self.agent_in + other.agent_in,
            self.context_manager_in + other.context_manager_in,
            self.out + other.out,
        )


def estimate(fixed: int, memories: int, tail: int, chunk: int) -> Estimate:
    """The four calls of one chunk: three on the agent's whole context, one on the chunk alone.

    `fixed` is system message and primer, `memories` are those before the tail. The dialogue
    grows by half a memory until the last question.
    """
    memory = expected_tokens(chunk)
    context = fixed + memories + tail + chunk
    return Estimate(agent_in=3 * context + memory, context_manager_in=chunk, out=memory)


def estimate_hindsight(before: int, chunk: int, after: int) -> Estimate:
    """The two calls of a hindsight edition, on the whole context `before` the chunk and what came `after` it."""
    memory = expected_tokens(chunk)
    return Estimate(agent_in=2 * (before + chunk + after) + memory, context_manager_in=0, out=memory * 2 // 3)


def estimate_fold(fixed: int, members: int) -> Estimate:
    """The three calls of a fold whose members have so many tokens."""
    fold = expected_fold_tokens(members)
    return Estimate(agent_in=2 * (fixed + members) + fold // 2, context_manager_in=members, out=fold)
