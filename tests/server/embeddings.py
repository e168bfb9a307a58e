"""OpenAI's embeddings: vectors made of the words of a text, so that texts which share words lie near each other."""

import base64
import hashlib
import math
import re
from array import array
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tests.server import fields
from tests.server.log import Log
from tests.server.reply import invalid
from tests.server.tokens import count

DIMENSIONS = 1536
_WORD = re.compile(r"\w+")


def embeddings(body: Mapping[str, Any], log: Log) -> dict[str, Any]:
    """The answer to a request, which is noted. Refused where it gives no texts: arrays of tokens are not read."""
    model, texts = fields.need(body, "model", str), body.get("input")
    if isinstance(texts, str):
        texts = [texts]
    if (
        not isinstance(texts, list)
        or not texts
        or not all(isinstance(text, str) and text for text in texts)
    ):
        raise invalid("input: a text or a list of texts is required, none of them empty")
    size = fields.take(body, "dimensions", int) or DIMENSIONS
    packed = fields.take(body, "encoding_format", str) == "base64"
    found = [_sent(vector(text, size), packed) for text in texts]
    tokens = sum(count(text) for text in texts)
    log.note("embedded", texts=len(texts), tokens=tokens)
    return {
        "object": "list",
        "model": model,
        "data": [
            {"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(found)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def vector(text: str, size: int = DIMENSIONS) -> "array[float]":
    """A vector of length 1: each word adds to one place of it, or takes away."""
    sums = array("f", bytes(4 * size))
    for word in _WORD.findall(text.lower()) or [text]:
        drawn = _drawn(word)
        sums[drawn // 2 % size] += 1 if drawn % 2 else -1
    length = math.hypot(*sums)
    if not length:  # its words took away what they had added
        sums[0] = length = 1.0
    return array("f", (value / length for value in sums))


@lru_cache(maxsize=50_000)
def _drawn(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())


def _sent(values: "array[float]", packed: bool) -> str | list[float]:
    return base64.b64encode(values.tobytes()).decode() if packed else values.tolist()
