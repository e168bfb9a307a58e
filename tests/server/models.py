"""The models that the server knows, with what matters here about each. As of 2026-11-21."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Model:
    """`window` is how many tokens a prompt may have; from `cache_minimum` tokens on, a prefix can be cached."""

    window: int = 200_000
    cache_minimum: int = 1024


KNOWN: Mapping[str, Model] = MappingProxyType(
    {
        "claude-haiku-4-5": Model(200_000, 4096),
        "claude-haiku-5-5": Model(1_000_000, 512),
        "claude-sonnet-4-6": Model(1_000_000, 1024),
        "claude-sonnet-5-5": Model(1_000_000, 512),
        "claude-opus-5-5": Model(1_000_000, 512),
        "gpt-4o": Model(128_000, 1024),
        "gpt-4o-mini": Model(128_000, 1024),
        "gpt-4.1-mini": Model(1_000_000, 1024),
        "local-model": Model(128_000, 1024),
        "local-8k": Model(8192, 1024),
    }
)


def is_of_today(name: str) -> bool:
    """Whether this is a model that takes no temperature and no prefill."""
    return fnmatch(name, "*5-5*")
