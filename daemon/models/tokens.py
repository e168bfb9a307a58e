"""Count tokens with tiktoken, offline: LiteLLM's package brings the tables, so nothing is downloaded.

Chunks and tails are measured in tokens of the o200k encoding, whatever the model, so that a bound depends
on the messages alone. What a model's own tokenizer makes of them is `primer.models`' factor.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.ledger import keep_counts, known_counts

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "o200k_base"
_REMEMBERED_TEXTS = 512
_LONGEST_RUN = 900_000
"""tiktoken's pattern gives up, with a panic, on about a million characters of white space in a row."""
_WHITE_SPACE = re.compile(r"\s++")


def count(text: str) -> int:
    """Tokens of a text. Tags of the tokenizer's own, as `<|endoftext|>`, count as the text they are."""
    return sum(len(_encoding().encode_ordinary(piece)) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """The text, cut only within runs of white space that are too long for tiktoken."""
    begin = 0
    for run in _WHITE_SPACE.finditer(text) if len(text) > _LONGEST_RUN else ():
        for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


@lru_cache(_REMEMBERED_TEXTS)
def count_of(text: str) -> int:
    """The same for a turn of a request; the calls of a chunk begin alike, so most of them were counted just now."""
    return count(text)


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens of texts by their digests: of all that were asked about, and of those that were counted just now."""

    all: Mapping[str, int]
    new: Mapping[str, int]


def count_once(archive: Archive, texts: Mapping[str, str]) -> Counts:
    """Tokens of each text by its digest; those that the archive has counted before are not counted again."""
    known = known_counts(archive, ENCODING, list(texts))
    new = {digest: count(text) for digest, text in texts.items() if digest not in known}
    return Counts(known | new, new)


def keep(archive: Archive, counts: Counts) -> None:
    """Let the archive remember what was counted just now."""
    if counts.new:
        keep_counts(archive, ENCODING, counts.new)


@cache
def _encoding() -> "Encoding":
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(tables()))
    import tiktoken

    return tiktoken.get_encoding(ENCODING)


def tables() -> Path:
    """LiteLLM's folder of tokenizer tables, found without importing it."""
    spec = find_spec("litellm")
    places: Sequence[str] = (spec.submodule_search_locations if spec else None) or []
    return Path(*places[:1]) / "litellm_core_utils" / "tokenizers"
