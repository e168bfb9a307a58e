"""Count tokens with tiktoken, offline, or bound them from above; LiteLLM brings the tables.

Chunks and tails are measured in tokens of the o200k encoding for all models, so that the bounds of
chunks depend on the messages alone. What a model's own tokenizer makes of them is the factor in
`primer.models`.

The bound takes 1 MB of memory instead of the 40 MB of counting. A word that is a token by itself
counts one; every other character weighs what it takes in the worst text of its kind: letters at
random, base64, digits one by one. Plain English has about a third fewer tokens than its bound.
"""

import hashlib
import os
import re
from binascii import a2b_base64
from collections import Counter
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
_LAST_BIT = (1 << 23) - 1
_WORD = re.compile(r" ?(?:[A-Z]*[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+)")
_WEIGHTS = {
    " \n": 1.0, "etaoinsrhldcu": 0.3, "mpgfbywkv": 0.6, "qxzj": 1.0,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ": 0.8, "0123456789": 1.1,
}  # fmt: skip
_BLOCKS = (
    (0x80, 0.7), (0x250, 1.7), (0x370, 2.0), (0x400, 1.7), (0x460, 1.1), (0x5D0, 2.0), (0x5EB, 0.8),
    (0x600, 2.0), (0x700, 1.5), (0x900, 3.0), (0x980, 1.5), (0xE00, 3.0), (0xE5C, 1.3),
    (0x3040, 3.0), (0x3100, 1.25), (0x4E00, 3.0), (0xA000, 2.0), (0xAC00, 3.0), (0xD7A4, 2.3),
    (0x10000, 3.0), (0x110000, 4.1),
)  # fmt: skip
"""The ends of Unicode blocks, each with the tokens of one of its characters in random text."""


def count(text: str) -> int:
    """Return the tokens of a text.

    The tokenizer's own tags, such as `<|endoftext|>`, count as text.
    """
    return sum(len(_encoding().encode_ordinary(piece)) for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in pieces, cut only within white space that is too long for tiktoken."""
    begin = 0
    for run in _WHITE_SPACE.finditer(text) if len(text) > _LONGEST_RUN else ():
        for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


@lru_cache(_REMEMBERED_TEXTS)
def count_of(text: str) -> int:
    """Return the tokens of a turn, cached, since all calls about a chunk begin alike."""
    return count(text)


@dataclass(frozen=True, slots=True)
class Counts:
    """The tokens of texts by digest: of all that were asked about, and of those just counted."""

    all: Mapping[str, int]
    new: Mapping[str, int]


def count_once(archive: Archive, texts: Mapping[str, str]) -> Counts:
    """Return the tokens of each text, by digest, counting those that the archive does not have."""
    known = known_counts(archive, ENCODING, list(texts))
    new = {digest: count(text) for digest, text in texts.items() if digest not in known}
    return Counts(known | new, new)


def keep(archive: Archive, counts: Counts) -> None:
    """Store what was just counted, unless the archive is read-only."""
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
    """Return each token's rank in an encoding's table. tiktoken's own reader would take 15 MB more.

    Raises ModelError where the table is missing or damaged.
    """
    with open_table(Path(os.environ["TIKTOKEN_CACHE_DIR"]), url) as table:
        if hashlib.file_digest(table, "sha256").hexdigest() != expected_hash:
            raise OSError
        table.seek(0)
        return {a2b_base64(token): int(rank) for token, rank in map(bytes.split, table)}


@contextmanager
def open_table(folder: Path, url: str) -> Iterator[BufferedReader]:
    """Open LiteLLM's copy of an encoding's table, named after its address.

    Raises ModelError if missing.
    """
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
    package_folders: Sequence[str] = (spec.submodule_search_locations if spec else None) or []
    return Path(*package_folders[:1]) / "litellm_core_utils" / "tokenizers"


def tokens_at_most(text: str) -> int:
    """Return a number that the text's tokens do not exceed. Raises ModelError without a table."""
    words = _WORD.findall(text)
    tokens = [word for word in words if _is_token(word)]
    characters = Counter(text)
    characters.subtract(Counter("".join(tokens)))
    weight = sum(_weight(character) * times for character, times in characters.items())
    return len(tokens) + int(weight) + 1


@lru_cache(8_192)
def _is_token(word: str) -> bool:
    bits = _token_bits()
    places = _places(word.encode(errors="replace"))
    return all(bits[place >> 3] >> (place & 7) & 1 for place in places)


def _places(token: bytes) -> tuple[int, int, int]:
    """Return the places of a token's three bits."""
    name = int.from_bytes(hashlib.blake2b(token, digest_size=9).digest())
    return name & _LAST_BIT, name >> 24 & _LAST_BIT, name >> 48 & _LAST_BIT


@cache
def _token_bits() -> bytearray:
    """Return a Bloom filter of all tokens, three bits each; one other word in 3,000 passes it."""
    bits = bytearray((_LAST_BIT + 1) >> 3)
    with open_table(tables(), TABLE) as table:
        for line in table:
            for place in _places(a2b_base64(line[: line.index(b" ")])):
                bits[place >> 3] |= 1 << (place & 7)
    return bits


@cache
def _weight(character: str) -> float:
    for characters, weight in _WEIGHTS.items():
        if character in characters:
            return weight
    number = ord(character)
    return next(weight for end, weight in _BLOCKS if number < end)
