"""What a system cost on a conversation, as the server's meter has it."""

from dataclasses import dataclass
from decimal import Decimal

from tests.bench.environment import NotMeasured
from tests.server.meter import Embeddings, Meter
from tests.server.usage import READ_FACTOR, WRITE_FACTOR, Usage


@dataclass(frozen=True, slots=True)
class Measured:
    """`kept` is how many memories there were in the end; `wall` is in seconds, from the process's start to its end."""

    calls: int
    usage: Usage
    embeddings: Embeddings
    kept: int
    wall: float
    batched: bool = False
    """Whether all of it came by batches, at half the price."""

    @property
    def billed(self) -> Decimal:
        """Billed-equivalent input."""
        return self.usage.billed_input / (2 if self.batched else 1)

    @property
    def if_written(self) -> Decimal:
        """The same where all that was not read from a cache had to be written to it: an upper bound."""
        every = (self.usage.prompt - self.usage.read) * WRITE_FACTOR + self.usage.read * READ_FACTOR
        return every / (2 if self.batched else 1)

    def figures(self, conversation: int) -> dict[str, float]:
        """Everything for other programs; `conversation` is its length in tokens."""
        usage = self.usage
        return {
            "calls": self.calls, "prompt": usage.prompt, "fresh": usage.fresh, "written": usage.written,
            "read": usage.read, "output": usage.output, "billed": float(self.billed),
            "times_conversation": float(self.billed / conversation),
            "times_conversation_if_written": float(self.if_written / conversation),
            "embedding_calls": self.embeddings.calls, "embedding_tokens": self.embeddings.tokens,
            "kept": self.kept, "wall": self.wall,
        }  # fmt: skip


def measured(name: str, meter: Meter, kept: int, wall: float) -> Measured | NotMeasured:
    """The account of one run. None of its calls may have failed: the figures would be of something else."""
    if meter.failures:
        return NotMeasured(f"{meter.failures.total()} of {name}'s calls failed")
    batched = bool(meter.bills) and all(bill.batched for bill in meter.bills.values())
    return Measured(meter.calls, meter.usage, meter.embeddings, kept, wall, batched)
