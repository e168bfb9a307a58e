"""Bound the tokens of a text from above, without the tokenizer.

That takes 1 MB of memory instead of the 40 that counting takes. A word that is a token by itself
counts one; of the rest each character weighs what it takes in the worst text of its kind: letters
at random, base64, digits one by one. Plain English has about a third fewer tokens.
"""

import hashlib
import re
from binascii import a2b_base64
from collections import Counter
from functools import cache, lru_cache

from daemon.models.tokens import TABLE, open_table, tables

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
"""The ends of blocks of characters, and the tokens of each character in random order."""


def tokens_at_most(text: str) -> int:
    """Return a number that the text's tokens do not exceed. Raises ModelError without a table."""
    words = _WORD.findall(text)
    tokens = [word for word in words if _is_token(word)]
    rest = Counter(text)
    rest.subtract(Counter("".join(tokens)))
    weight = sum(_weight(character) * times for character, times in rest.items())
    return len(tokens) + int(weight) + 1


@lru_cache(8_192)
def _is_token(word: str) -> bool:
    known = _tokens()
    places = _places(word.encode(errors="replace"))
    return all(known[place >> 3] >> (place & 7) & 1 for place in places)


def _places(token: bytes) -> tuple[int, int, int]:
    """Return the three bits of a token."""
    name = int.from_bytes(hashlib.blake2b(token, digest_size=9).digest())
    return name & _LAST_BIT, name >> 24 & _LAST_BIT, name >> 48 & _LAST_BIT


@cache
def _tokens() -> bytearray:
    """Return three bits set for each token; one other word in 3,000 has only bits of tokens."""
    known = bytearray((_LAST_BIT + 1) >> 3)
    with open_table(tables(), TABLE) as table:
        for line in table:
            for place in _places(a2b_base64(line[: line.index(b" ")])):
                known[place >> 3] |= 1 << (place & 7)
    return known


@cache
def _weight(character: str) -> float:
    for characters, weight in _WEIGHTS.items():
        if character in characters:
            return weight
    number = ord(character)
    return next(weight for end, weight in _BLOCKS if number < end)
