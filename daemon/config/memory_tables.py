"""The tables of memproc.toml on tails, chunks, memories and folds, and how they fit together."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import (
    Field,
)

from daemon.config.tables import ConfigProblem, Table, checked

_LEAST_TAIL = 800
_LARGE_ENOUGH = checked(
    lambda tokens: tokens >= 400,
    "must be at least 400, since about 40 tokens of each memory are the questions in it",
)
_LOOK_AHEAD = 4  # chunks: bounds look that far ahead, so the live tail is at least as long
MOST_TOKENS = 10_000_000
"""More than any model's window; beyond it a number is a slip of the hand."""
_LEAST_BUDGET = 500  # tokens; fewer hold no memory
_MOST_MEMORIES = 100


class TailSettings(Table):
    """`[tail]`: tokens that stay word for word, and tokens between two moves."""

    tokens: int = Field(default=30_000, ge=_LEAST_TAIL, le=MOST_TOKENS)
    step: int = Field(default=24_000, ge=0, le=MOST_TOKENS)


class ChunkSettings(Table):
    """`[chunk]`: about how many tokens become one memory, and where one ends."""

    tokens: Annotated[int, _LARGE_ENOUGH] = Field(default=4_000, le=MOST_TOKENS)
    bounds: Literal["topics", "embedding", "size"] = "topics"


def token_clashes(tail: TailSettings, chunk: ChunkSettings) -> Iterator[ConfigProblem]:
    """Yield everything in which the numbers of tokens do not agree."""
    if tail.tokens < _LOOK_AHEAD * chunk.tokens:
        yield ConfigProblem(
            (("tail", "tokens"), ("chunk", "tokens")),
            f"must be at least {_LOOK_AHEAD * chunk.tokens}, "
            f"{_LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > 2 * tail.tokens:
        yield ConfigProblem(
            (("tail", "step"), ("tail", "tokens")),
            f"must be at most {2 * tail.tokens}, twice tail.tokens (is {tail.step})",
        )


class MemorySettings(Table):
    """`[memory]`: how many memories get hindsight, of how many tokens, and what is shown."""

    hindsight: int = Field(default=2, ge=0, le=_MOST_MEMORIES)
    hindsight_tokens: int = Field(default=8_000, ge=100, le=MOST_TOKENS)
    editions: Literal["hindsight", "as-of"] = "hindsight"


class FoldSettings(Table):
    """`[fold]`: tokens of the memory section, memories in a fold, tokens of quotes and wishes."""

    budget: Annotated[int, Field(ge=_LEAST_BUDGET, le=MOST_TOKENS)] | Literal["auto"] = "auto"
    group: int = Field(default=6, ge=2, le=_MOST_MEMORIES)
    quotes: int = Field(default=8_000, ge=0, le=MOST_TOKENS)
    wishes: int = Field(default=1_500, ge=0, le=MOST_TOKENS)

    @property
    def says_budget(self) -> bool:
        """Return whether the budget is written in memproc.toml, and is not merely the default."""
        return "budget" in self.model_fields_set
