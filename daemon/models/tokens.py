"""Count tokens with tiktoken, offline: LiteLLM's package brings the tables.

Chunks and tails are measured in tokens of the o200k encoding for all models, so that a bound
depends on the messages alone. What a model's own tokenizer makes of them is `primer.models`'
factor.
"""

import hashlib
import os
import re
from binascii import a2b_base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.archive.archive import Archive
from daemon.archive.memo import keep_counts, known_counts
from rules.errors import ModelError

if TYPE_CHECKING:
    from tiktoken import Encoding

TABLE = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
"""The address of the encoding's table."""
ENCODING = "o200k_base"
_REMEMBERED_TEXTS = 512
_LONGEST_RUN = 900_000
"""tiktoken's pattern panics on about a million characters of white space in a row."""
_WHITE_SPACE = re.compile(r"\s++")


def count(text: str) -> int:
    """Return the tokens of a text. The tokenizer's own tags, as `<|endoftext|>`, are plain text."""
    return sum(len(_encoding().encode_ordinary(piece)) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Yield the text, cut only within runs of white space too long for tiktoken."""
    begin = 0
    for run in _WHITE_SPACE.finditer(text) if len(text) > _LONGEST_RUN else ():
        for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


@lru_cache(_REMEMBERED_TEXTS)
def count_of(text: str) -> int:
    """Count a turn of a request, with a memory: the calls of a chunk begin alike."""
    return count(text)


@dataclass(frozen=True, slots=True)
class Counts:
    """The tokens of texts by digest: of all asked about, and of those just counted."""

    all: Mapping[str, int]
    new: Mapping[str, int]


def count_once(archive: Archive, texts: Mapping[str, str]) -> Counts:
    """Count each text, by its digest, unless the archive knows its tokens."""
    known = known_counts(archive, ENCODING, list(texts))
    new = {digest: count(text) for digest, text in texts.items() if digest not in known}
    return Counts(known | new, new)


def keep(archive: Archive, counts: Counts) -> None:
    """Store what was just counted, unless the archive is open for reading alone."""
    if counts.new and not archive.is_read_only:
        keep_counts(archive, ENCODING, counts.new)


def digest_of(text: str) -> str:
    """Return the digest under which the tokens of a text that is no message are kept."""
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _encoding() -> "Encoding":
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(tables()))
    import tiktoken
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    openai_public.load_tiktoken_bpe = _ranks
    encoding = tiktoken.get_encoding(ENCODING)
    encoding._mergeable_ranks.clear()  # tiktoken's Rust half has its own copy; nothing is decoded
    return encoding


def _ranks(url: str, expected_hash: str) -> dict[bytes, int]:
    """Return each token's rank in an encoding's table; tiktoken's own reader takes 15 MB more.

    Raises ModelError where the table is missing or damaged.
    """
    with open_table(Path(os.environ["TIKTOKEN_CACHE_DIR"]), url) as table:
        if hashlib.file_digest(table, "sha256").hexdigest() != expected_hash:
            raise OSError
        table.seek(0)
        return {a2b_base64(token): int(rank) for token, rank in map(bytes.split, table)}


@contextmanager
def open_table(folder: Path, url: str) -> Iterator[BufferedReader]:
    """Open an encoding's table, a copy named after its address. Raises ModelError if missing."""
    try:
        name = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
        with (folder / name).open("rb") as table:
            yield table
    except OSError as fault:
        raise ModelError(
            "The tokenizer's table is missing or damaged.",
            "Install memproc again, with the version of LiteLLM that its requirements name.",
        ) from fault


def tables() -> Path:
    """Return LiteLLM's folder of tokenizer tables, without importing it."""
    spec = find_spec("litellm")
    places: Sequence[str] = (spec.submodule_search_locations if spec else None) or []
    return Path(*places[:1]) / "litellm_core_utils" / "tokenizers"
