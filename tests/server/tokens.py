"""Tokens of o200k, counted by this server on its own; texts that come again are not encoded again."""

import os
from array import array
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding


def count(text: str) -> int:
    """Tokens of a text."""
    return len(encoded(text))


@lru_cache(maxsize=50_000)
def encoded(text: str) -> "array[int]":
    """The tokens of a text, four bytes each. To be read only: the same array is given to everybody."""
    return array("I", _encoding().encode_ordinary(text))


def first(text: str, tokens: int) -> str:
    """The beginning of a text that is at most so many tokens long; half a character at its end is left out."""
    kept = encoded(text)[: max(tokens, 0)]
    return _encoding().decode_bytes(list(kept)).decode(errors="ignore")


@cache
def _encoding() -> "Encoding":
    spec = find_spec("litellm")
    places = (spec.submodule_search_locations if spec else None) or []
    os.environ.setdefault(
        "TIKTOKEN_CACHE_DIR", str(Path(*places[:1]) / "litellm_core_utils" / "tokenizers")
    )
    import tiktoken

    return tiktoken.get_encoding("o200k_base")
