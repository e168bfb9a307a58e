"""How many tokens a text has at most, for 1 MB of memory instead of the 40 that counting them takes.

A word that is a token by itself counts one; of the rest each character weighs what it takes of the o200k encoding in
the worst text of its kind: letters at random, base64, digits one by one. Plain English has about a third fewer tokens.
"""

import re
from binascii import a2b_base64
from collections import Counter
from functools import cache, lru_cache
from hashlib import blake2b, sha1

from daemon.models.tokens import tables
from rules.errors import ModelError

TABLE = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
"""The address of the encoding's table, by which LiteLLM's copy is named."""
_LAST_BIT = (1 << 23) - 1
_WORD = re.compile(r" ?(?:[A-Z]*[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+)")
_WEIGHTS = {
    " \n": 1.0, "etaoinsrhldcu": 0.3, "mpgfbywkv": 0.6, "qxzj": 1.0, "ABCDEFGHIJKLMNOPQRSTUVWXYZ": 0.8,
    "0123456789": 1.1,
}  # fmt: skip
_BLOCKS = (
    (0x80, 0.7), (0x250, 1.7), (0x370, 2.0), (0x400, 1.7), (0x460, 1.1), (0x5D0, 2.0), (0x5EB, 0.8), (0x600, 2.0),
    (0x700, 1.5), (0x900, 3.0), (0x980, 1.5), (0xE00, 3.0), (0xE5C, 1.3), (0x3040, 3.0), (0x3100, 1.25), (0x4E00, 3.0),
    (0xA000, 2.0), (0xAC00, 3.0), (0xD7A4, 2.3), (0x10000, 3.0), (0x110000, 4.1),
)  # fmt: skip
"""Where a block of characters ends, and how many tokens each of them takes where they stand at random."""


def tokens_at_most(text: str) -> int:
    """A number that the text's tokens do not exceed. Raises ModelError where the encoding's table is missing."""
    words = _WORD.findall(text)
    tokens = [word for word in words if _is_token(word)]
    rest = Counter(text)
    rest.subtract(Counter("".join(tokens)))
    return len(tokens) + int(sum(_weight(character) * times for character, times in rest.items())) + 1


@lru_cache(8_192)
def _is_token(word: str) -> bool:
    known = _tokens()
    return all(known[place >> 3] >> (place & 7) & 1 for place in _places(word.encode(errors="replace")))


def _places(token: bytes) -> tuple[int, int, int]:
    """Which bits the token has."""
    name = int.from_bytes(blake2b(token, digest_size=9).digest())
    return name & _LAST_BIT, name >> 24 & _LAST_BIT, name >> 48 & _LAST_BIT


@cache
def _tokens() -> bytearray:
    """Three bits for each token, by its hash; one other word in three thousand has only bits of tokens too."""
    known = bytearray((_LAST_BIT + 1) >> 3)
    try:
        with (tables() / sha1(TABLE.encode(), usedforsecurity=False).hexdigest()).open("rb") as table:
            for line in table:
                for place in _places(a2b_base64(line[: line.index(b" ")])):
                    known[place >> 3] |= 1 << (place & 7)
    except OSError as fault:
        raise ModelError(
            "The tokenizer's table is missing.",
            "Install memproc again, with the version of LiteLLM that its requirements name.",
        ) from fault
    return known


@cache
def _weight(character: str) -> float:
    for characters, weight in _WEIGHTS.items():
        if character in characters:
            return weight
    return next(weight for end, weight in _BLOCKS if ord(character) < end)
