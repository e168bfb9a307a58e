"""How many tokens stay, move on and become a memory, and whether these numbers agree."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field

from daemon.config.tables import Clash, Table

_LEAST_TAIL = 800
_LEAST_CHUNK = 400
_LOOK_AHEAD = 4  # the live tail is at least this many chunks long, because bounds look that far ahead
MOST_TOKENS = 10_000_000
"""More than any model's window; beyond it a number is a slip of the hand."""


def _large_enough(tokens: int) -> int:
    if tokens < _LEAST_CHUNK:
        raise ValueError(
            f"must be at least {_LEAST_CHUNK}, since about 200 tokens of each memory are the questions in it"
        )
    return tokens


class TailSettings(Table):
    """`[tail]`: tokens that stay word for word, and tokens between two moves."""

    tokens: int = Field(default=30_000, ge=_LEAST_TAIL, le=MOST_TOKENS)
    step: int = Field(default=24_000, ge=0, le=MOST_TOKENS)


class ChunkSettings(Table):
    """`[chunk]`: about how many tokens become one memory."""

    tokens: Annotated[int, AfterValidator(_large_enough)] = Field(default=4_000, le=MOST_TOKENS)


def token_clashes(tail: TailSettings, chunk: ChunkSettings) -> Iterator[Clash]:
    """Everything in which the numbers of tokens do not agree."""
    if tail.tokens < _LOOK_AHEAD * chunk.tokens:
        yield Clash(
            (("tail", "tokens"), ("chunk", "tokens")),
            f"must be at least {_LOOK_AHEAD * chunk.tokens}, {_LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > 2 * tail.tokens:
        yield Clash(
            (("tail", "step"), ("tail", "tokens")),
            f"must be at most {2 * tail.tokens}, twice tail.tokens (is {tail.step})",
        )
