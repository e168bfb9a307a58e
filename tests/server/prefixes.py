"""OpenAI's rules of prompt caching: automatic, by the prompt's first tokens, from 1,024 on in steps of 128."""

import hashlib
from array import array

from tests.server.entries import Entries, Sight

STEP_TOKENS = 128


def look(entries: Entries, model: str, prompt: "array[int]", minimum: int) -> Sight:
    """What this request reads, and what it pays in full; writing costs nothing extra. What it reads is renewed."""
    digests = _digests(model, prompt, minimum)
    read = max((length for length, digest in digests.items() if entries.alive(digest)), default=0)
    entries.use(digest for length, digest in digests.items() if length <= read)
    return Sight(fresh=len(prompt) - read, read=read, entries=tuple(digests.values()))


def _digests(model: str, prompt: "array[int]", minimum: int) -> dict[int, str]:
    """A digest of the prompt up to each length, in tokens, at which it can be cached."""
    running = hashlib.sha256(model.encode())
    digests: dict[int, str] = {}
    done = 0
    for length in range(minimum, len(prompt) + 1, STEP_TOKENS):
        running.update(prompt[done:length].tobytes())
        digests[length] = running.hexdigest()
        done = length
    return digests
