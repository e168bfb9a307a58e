"""Tokens of calls, and what they come to: billed-equivalent input, and dollars by a table of prices."""

from dataclasses import dataclass
from decimal import Decimal

WRITE_FACTOR = Decimal("1.25")
READ_FACTOR = Decimal("0.1")
_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens: the prompt's, paid in full, written to the cache or read from it; and the answer's."""

    fresh: int = 0
    written: int = 0
    read: int = 0
    output: int = 0

    @property
    def prompt(self) -> int:
        """All tokens that were sent."""
        return self.fresh + self.written + self.read

    @property
    def billed_input(self) -> Decimal:
        """The prompt in tokens at the full price: a token written counts 1.25, a token read 0.1."""
        return self.fresh + self.written * WRITE_FACTOR + self.read * READ_FACTOR

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.fresh + other.fresh,
            self.written + other.written,
            self.read + other.read,
            self.output + other.output,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens of each kind.

    Above `step` tokens of prompt, everything in the call costs `factor` times that.
    """

    fresh: Decimal
    written: Decimal
    read: Decimal
    output: Decimal
    step: int | None = None
    factor: Decimal = Decimal(1)

    def dollars(self, usage: Usage) -> Decimal:
        """What one call costs, exactly."""
        full = (
            usage.fresh * self.fresh
            + usage.written * self.written
            + usage.read * self.read
            + usage.output * self.output
        )
        above = self.step is not None and usage.prompt > self.step
        return full * (self.factor if above else 1) / _MILLION
