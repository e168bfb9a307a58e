"""Faults on demand: by call number, or by probability.

Chance depends on the seed and on the request, never on when it comes. What is wrong with an answer stays
the same however often the same request is sent; what happens on the way is drawn anew for each attempt.
So a run that was killed and one that was not meet the same answers.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tests.server.outages import FAILURES, OUTAGES, failure
from tests.server.reply import Answer, Drop, Hang, Malformed, Reply, Script
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.spoil import SPOILS, spoil
from tests.server.step import read_task

NAMES = (*SPOILS, *OUTAGES)


@dataclass(frozen=True)
class Faulty:
    """A script with faults. `rates` are between 0 and 1 by name; `at` names one for the nth arrival, from 1."""

    script: Script = scribe
    rates: Mapping[str, float] = field(default_factory=dict)
    at: Mapping[int, str] = field(default_factory=dict)
    seed: int = 0
    slow_seconds: float = 2.0

    def __post_init__(self) -> None:
        unknown = {*self.rates, *self.at.values()} - {*NAMES}
        if unknown:
            raise ValueError(
                f"unknown faults: {', '.join(sorted(unknown))}; known are {', '.join(NAMES)}"
            )

    def __call__(self, request: Request) -> Reply:
        """What the script answers, unless a fault is due."""
        named = self.at.get(request.number)
        if named is not None:
            return self._with(named, request)
        outage = self._drawn(OUTAGES, f"{request.key} {request.attempt}")
        if outage is not None:
            return self._with(outage, request)
        step = read_task(request).step
        spoilt = self._drawn(
            (name for name, (_, steps) in SPOILS.items() if step in steps), request.key
        )
        return self.script(request) if spoilt is None else self._with(spoilt, request)

    def _with(self, name: str, request: Request) -> Reply:
        if name in FAILURES:
            return failure(name, request.dialect)
        if name == "hang":
            return Hang()
        if name == "malformed":
            return Malformed()
        reply = self.script(request)
        if not isinstance(reply, Answer):
            return reply
        if name == "drop":
            return Drop(reply)
        if name == "slow":
            return replace(reply, seconds=self.slow_seconds)
        return spoil(name, reply, request)

    def _drawn(self, names: Iterable[str], of: str) -> str | None:
        """One of the names by its rate, or none."""
        digest = hashlib.sha256(f"{self.seed} {of}".encode()).digest()
        left = int.from_bytes(digest[:8]) / 2**64
        for name in names:
            left -= self.rates.get(name, 0.0)
            if left < 0:
                return name
        return None
