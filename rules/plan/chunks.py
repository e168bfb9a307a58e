"""The Splitter: turns and their tokens in, the bounds of chunks out, and the live tail that stays word for word.

    begin                                                        newest message
      |--- chunk ---|-- chunk --|--- chunk ---|.. waits ..|------ live tail ------|

The tail of a chunk moves far at a time, as much below `keep` as above it, since each move writes
all of it to the provider's cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.plan.splitters import Splitter, by_topics, first_tokens
from rules.plan.turns import Chunk, Spoken, tokens_of, units_from


@dataclass(frozen=True, slots=True)
class Chunking:
    """The chunks that can be formed now, and what stays raw after them."""

    chunks: tuple[Chunk, ...]
    waiting_tokens: int
    """The tokens from the last chunk to the live tail: too little for a chunk as yet."""
    live_tokens: int
    reason: str
    """Why there is no further chunk, as a sentence for the person."""


def chunks(
    spoken: Sequence[Spoken], begin: int, size: int, tail: int, split: Splitter = by_topics
) -> Chunking:
    """Form chunk after chunk of about `size` tokens, as long as `tail` tokens stay after the last one.

    `spoken` is the whole history, `begin` the index where the last frozen chunk ended (0 for none).
    A frozen bound holds even where a turn was not cut then or would not be cut now (other sizes, an edited
    message). The live tail is the newest whole turns that hold at least `tail` tokens.
    """
    offered = split(spoken, begin, size, _last_end(spoken, begin, tail))
    left = tokens_of(spoken[begin:])
    formed: list[Chunk] = []
    start, coming = begin, 0
    for stop in offered.bounds:
        coming = tokens_of(spoken[start:stop])
        if left - coming < tail:
            break
        formed.append(Chunk(start, stop, coming))
        start, left, coming = stop, left - coming, 0
    live = tokens_of(first_tokens(units_from(spoken, start, size)[::-1], 0, tail))
    waiting = left - live
    if not waiting:
        also = "else " if formed else ""
        reason = f"Nothing {also}waits: the rest is the live tail, which stays word for word."
    elif coming:
        reason = f"The next memory takes {coming:,} tokens, of which {waiting:,} have left the live tail so far."
    else:
        reason = offered.reason
    return Chunking(tuple(formed), waiting, live, reason)


def _last_end(spoken: Sequence[Spoken], begin: int, tail: int) -> int:
    """Return the last index from `begin` on where a chunk may end, `tail` tokens after it; below `begin` for none."""
    behind, at = 0, len(spoken)
    while at >= begin and behind < tail:
        at -= 1
        behind += spoken[at].tokens if at >= begin else 0
    return at


def tails(chunk_tokens: Sequence[int], keep: int, step: int) -> tuple[int, ...]:
    """Say for each chunk with which chunk its tail begins; the tail ends where the chunk begins.

    `chunk_tokens` holds the tokens of all chunks of the history in order, `keep` (N) and `step` are
    tokens too. The tail begins at chunk 0. When it would exceed `keep` by more than half a step, its beginning
    moves on to the first chunk from which at most `keep` less half a step is left, but never past the one chunk
    right before: a chunk has something raw before it, however large that is. Chunk 0 has an empty tail.

    It depends on the chunks alone, so that many small runs and one large run give the same prompts.
    """
    half = step // 2
    begins: list[int] = []
    begin = tail_tokens = 0
    for chunk, tokens in enumerate(chunk_tokens):
        if tail_tokens > keep + half:
            while tail_tokens > keep - half and begin < chunk - 1:
                tail_tokens -= chunk_tokens[begin]
                begin += 1
        begins.append(begin)
        tail_tokens += tokens
    return tuple(begins)
