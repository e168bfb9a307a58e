"""The server's own account: every request by its key, how often it was seen and answered, and what it cost."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.server.usage import Price, Usage


@dataclass(frozen=True, slots=True)
class Bill:
    """One answer that was paid for; `heard` unless the connection was lost before its last byte."""

    number: int
    key: str
    model: str
    usage: Usage
    heard: bool
    batched: bool = False
    """It came by a batch, and cost half."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """What was asked for vectors: an account of its own, since a token of it costs next to nothing."""

    calls: int = 0
    texts: int = 0
    tokens: int = 0

    def __add__(self, other: "Embeddings") -> "Embeddings":
        return Embeddings(
            self.calls + other.calls, self.texts + other.texts, self.tokens + other.tokens
        )


class Meter:
    """Sums up the server's events, as they happen or out of its log."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.bills: dict[int, Bill] = {}
        """By the request's number."""
        self.finished_and_seen_again: list[str] = []
        """Keys of requests that arrived although they had been answered in full before."""
        self.failures: Counter[str] = Counter()
        """Calls without an answer, by HTTP status, or as `hang` and `malformed`."""
        self.batches = 0
        """How many were created."""
        self.embeddings = Embeddings()
        self._asked: dict[int, tuple[str, str]] = {}

    def note(self, event: Mapping[str, Any]) -> None:
        """Take one event into account."""
        kind, number = event["event"], event.get("number", 0)
        if kind == "arrived":
            key = event["key"]
            self._asked[number] = key, event["model"]
            self.seen[key] += 1
            if self.answered[key]:
                self.finished_and_seen_again.append(key)
        elif kind in ("answered", "lost"):
            key, model = self._asked[number]
            before = self.bills.get(number)
            # An answer is noted before its bytes leave; where they cannot, it turns out to be lost.
            self.answered[key] += (kind == "answered") - (before is not None and before.heard)
            batched = event.get("batched", False)
            self.bills[number] = Bill(
                number, key, model, Usage(**event["usage"]), kind == "answered", batched
            )
        elif kind == "batch":
            self.batches += 1
        elif kind == "embedded":
            self.embeddings += Embeddings(1, event["texts"], event["tokens"])
        else:
            self.failures[event["fault"]] += 1

    @property
    def calls(self) -> int:
        """Requests that arrived."""
        return self.seen.total()

    @property
    def usage(self) -> Usage:
        """All tokens that were billed, lost answers included."""
        return sum((bill.usage for bill in self.bills.values()), Usage())

    @property
    def heard(self) -> Usage:
        """The tokens of answers that were sent to their last byte: what a client can know of."""
        return sum((bill.usage for bill in self.bills.values() if bill.heard), Usage())

    def dollars(self, prices: Mapping[str, Price], *, heard_only: bool = False) -> Decimal:
        """What all answers cost; KeyError for a model without a price."""
        bills = (bill for bill in self.bills.values() if bill.heard or not heard_only)
        return sum(
            (prices[bill.model].dollars(bill.usage) / (2 if bill.batched else 1) for bill in bills),
            Decimal(0),
        )

    @property
    def billed_input(self) -> Decimal:
        """All prompts, in tokens at the full price; in a batch half of that."""
        return sum(
            (bill.usage.billed_input / (2 if bill.batched else 1) for bill in self.bills.values()),
            Decimal(0),
        )
