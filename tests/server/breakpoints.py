"""Anthropic's rules of prompt caching: what a request reads from the cache, and what it writes.

A request marks blocks. An entry is the exact prompt up to a marked block. From each mark the server looks
back over at most twenty blocks, the marked one included, for the longest entry that is alive.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tests.server.entries import Entries, Sight

MOST_MARKS = 4
LOOK_BACK_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a prompt: all that makes it what it is, its tokens, and whether it is a breakpoint."""

    content: str
    tokens: int
    marked: bool = False


def look(entries: Entries, model: str, blocks: Sequence[Block], minimum: int) -> Sight:
    """What this request reads, writes and pays in full. What it reads is renewed.

    A prefix of fewer than `minimum` tokens is not cached, and nobody is told.
    """
    digests = _digests(model, blocks)
    length = list(accumulate(block.tokens for block in blocks))
    total = length[-1] if length else 0
    marks = [at for at, block in enumerate(blocks) if block.marked and length[at] >= minimum]
    if not marks:
        return Sight(fresh=total)
    hit = max(
        (at for mark in marks for at in _behind(mark) if entries.alive(digests[at])), default=None
    )
    read = 0 if hit is None else length[hit]
    if hit is not None:
        read_marks = [
            digests[mark] for mark in marks if mark < hit and entries.alive(digests[mark])
        ]
        entries.use([*read_marks, digests[hit]])
    kept = length[marks[-1]]
    return Sight(total - kept, kept - read, read, tuple(digests[mark] for mark in marks))


def _behind(mark: int) -> range:
    return range(max(0, mark - LOOK_BACK_BLOCKS + 1), mark + 1)


def _digests(model: str, blocks: Sequence[Block]) -> list[str]:
    """A digest of the whole prompt up to each block."""
    running = hashlib.sha256(model.encode())
    digests = []
    for block in blocks:
        running.update(hashlib.sha256(block.content.encode()).digest())
        digests.append(running.hexdigest())
    return digests
