"""Whether chunks end where the topic changes: on conversations that are spliced from pieces of others.

Two pieces in a row come from different conversations, each piece begins with a question, and none is used twice.
Nothing is said of when a message was written, so that a splitter has the words alone to go by.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from random import Random
from statistics import fmean, quantiles

from rules.extract.prose import Said
from rules.plan.chunks import Splitter, Spoken
from tests.server.tokens import count

SIZE = 4000
LENGTHS = ((8, 14), (8, 30))
"""Messages in a piece, at least and at most."""
_SPLICES = 5


@dataclass(frozen=True, slots=True)
class Splice:
    """A conversation of pieces; `changes` are the places of the first message of every piece but the first."""

    spoken: tuple[Spoken, ...]
    changes: frozenset[int]


@dataclass(frozen=True, slots=True)
class CutScore:
    """How well bounds fit the changes of topic.

    `on_change` is the share of bounds that are one, `by_chance` the share of all ends of turns that are, `p_k` how
    often two messages half a piece apart are wrongly held for one topic or for two (Beeferman, Berger and Lafferty
    1999). `small` and `large` are the 5th and the 95th percentile of the chunks' tokens.
    """

    on_change: float
    by_chance: float
    p_k: float
    small: float
    large: float
    chunks: int


def splices(talks: Sequence[Sequence[Said]], least: int, most: int) -> tuple[Splice, ...]:
    """Several conversations of pieces of so many messages, the same ones each time."""
    return tuple(_spliced(talks, least, most, Random(seed)) for seed in range(_SPLICES))


def _spliced(talks: Sequence[Sequence[Said]], least: int, most: int, chance: Random) -> Splice:
    left = [list(talk) for talk in talks]
    pieces: list[list[Said]] = []
    last = -1
    while places := [at for at, rest in enumerate(left) if at != last and len(rest) >= most + 1]:
        last = chance.choice(places)
        stop = _turn_end(left[last], chance.randint(least, most))
        pieces.append(left[last][:stop])
        left[last] = left[last][stop:]
    starts = list(accumulate(map(len, pieces)))[:-1]
    return Splice(tuple(_spoken(said) for piece in pieces for said in piece), frozenset(starts))


def _turn_end(messages: Sequence[Said], near: int) -> int:
    """The first end of a turn at or behind the place `near`."""
    ends = (
        at
        for at in range(near, len(messages))
        if messages[at].role == "user" != messages[at - 1].role
    )
    return next(ends, len(messages))


@lru_cache(10_000)
def _spoken(said: Said) -> Spoken:
    return Spoken(said.role, count(said.text), text=said.text)


def score(cases: Sequence[Splice], split: Splitter) -> CutScore:
    """One splitter on all of them; shares and Pk are means over the conversations."""
    bounds = [split(case.spoken, 0, SIZE, len(case.spoken)).bounds for case in cases]
    tokens = [
        size for case, found in zip(cases, bounds, strict=True) for size in _sizes(case, found)
    ]
    cuts = quantiles(tokens, n=20)
    return CutScore(
        on_change=fmean(
            len(case.changes & set(found)) / len(found)
            for case, found in zip(cases, bounds, strict=True)
        ),
        by_chance=fmean(len(case.changes) / len(_turns(case)) for case in cases),
        p_k=fmean(_p_k(case, found) for case, found in zip(cases, bounds, strict=True)),
        small=cuts[0],
        large=cuts[-1],
        chunks=len(tokens),
    )


def _turns(case: Splice) -> list[int]:
    roles = [spoken.role for spoken in case.spoken]
    return [
        at for at, (before, after) in enumerate(pairwise(roles), 1) if after == "user" != before
    ]


def _sizes(case: Splice, bounds: Sequence[int]) -> Iterator[int]:
    for start, stop in pairwise((0, *bounds)):
        yield sum(spoken.tokens for spoken in case.spoken[start:stop])


def _p_k(case: Splice, bounds: Sequence[int]) -> float:
    """Over what the bounds reach: the last look-ahead of a conversation has none."""
    changes, reach = sorted(case.changes), bounds[-1]
    apart = max(1, round(len(case.spoken) / (len(changes) + 1) / 2))
    wrong = [
        _parts(changes, at, at + apart) != _parts(bounds, at, at + apart)
        for at in range(reach - apart)
    ]
    return fmean(wrong)


def _parts(bounds: Sequence[int], one: int, other: int) -> bool:
    return bisect_right(bounds, one) != bisect_right(bounds, other)
