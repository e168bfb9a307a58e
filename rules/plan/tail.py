"""The tail of a chunk: the raw chunks just before it, which its prompt shows word for word.

The tail moves in steps, so that the prompts between two moves begin with the same bytes and
the provider reads its cache instead of writing it. With chunks of 4, keep 16 and step 8:

    chunk     0   1   2   3   4   5   6   7   8
    tail of 5 |------------------|                20 tokens: not above 16 + 4, it stays
    tail of 6             |----------|            24 would be above: back to 16 - 4 or just under
    tail of 7             |--------------|        16: it stays
    tail of 8             |------------------|    20: it stays

A move writes all that is kept into the cache anew. So the tail moves far at a time, as much below `keep` as above it.
"""

from collections.abc import Sequence


def tails(chunk_tokens: Sequence[int], keep: int, step: int) -> tuple[int, ...]:
    """Say for each chunk with which chunk its tail begins; the tail ends where the chunk begins.

    `chunk_tokens` holds the tokens of all chunks of the history in order, `keep` (N) and `step` are
    tokens too. The tail begins at chunk 0. When it would exceed `keep` by more than half a step, its beginning
    moves on to the first chunk from which at most `keep` less half a step is left, but never past the one chunk
    right before: a chunk has something raw before it, however large that is. Chunk 0 has an empty tail.

    It depends on the chunks alone, so many small runs and one large run give the same prompts.
    """
    half = step // 2
    begins: list[int] = []
    begin = held = 0
    for chunk, tokens in enumerate(chunk_tokens):
        if held > keep + half:
            while held > keep - half and begin < chunk - 1:
                held -= chunk_tokens[begin]
                begin += 1
        begins.append(begin)
        held += tokens
    return tuple(begins)
