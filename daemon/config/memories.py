"""Hindsight, which edition is shown, and how large the memory section may become."""

from typing import Literal

from pydantic import Field

from daemon.config.amounts import MOST_TOKENS
from daemon.config.tables import Table

_LEAST_BUDGET = 500  # tokens; fewer hold no memory
_MOST_MEMORIES = 100


class MemorySettings(Table):
    """`[memory]`: how many memories are written again with hindsight, in view of how much, and what is shown."""

    hindsight: int = Field(default=2, ge=0, le=_MOST_MEMORIES)
    hindsight_tokens: int = Field(default=8_000, ge=100, le=MOST_TOKENS)
    editions: Literal["hindsight", "as-of"] = "hindsight"


class FoldSettings(Table):
    """`[fold]`: tokens of the memory section, and how many memories become a fold."""

    budget: int = Field(default=16_000, ge=_LEAST_BUDGET, le=MOST_TOKENS)
    group: int = Field(default=6, ge=2, le=_MOST_MEMORIES)
