"""What a run has asked and got: calls, tokens, money, and every answer that could not be used, counted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from daemon.archive.journal import Reply
from daemon.house import UserEdits
from primer.request import EXTRACTIVE


@dataclass(slots=True)
class Tally:
    """Counts for as long as a run goes on. Only calls that left the machine count."""

    calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Calls whose price nobody knows."""
    noted: Counter[str] = field(default_factory=Counter)
    user_edits: list[UserEdits] = field(default_factory=list)

    def hear(self, reply: Reply) -> None:
        """Count one fresh reply; the built-in engine's cost nothing and go nowhere."""
        if reply.model == EXTRACTIVE:
            return
        self.calls += 1
        self.tokens_in += reply.tokens_in
        self.tokens_cached += reply.tokens_cached
        self.tokens_cache_written += reply.tokens_cache_written
        self.tokens_out += reply.tokens_out
        self.usd += reply.usd or 0.0
        self.unpriced += reply.usd is None

    def as_json(self) -> dict[str, object]:
        """The counts under their names."""
        return {
            "calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_cached": self.tokens_cached,
            "tokens_cache_written": self.tokens_cache_written,
            "tokens_out": self.tokens_out,
            "usd": round(self.usd, 6),
            "unpriced_calls": self.unpriced,
            "noted": dict(self.noted),
            "user_edits": [asdict(edits) for edits in self.user_edits],
        }

    def so_far(self) -> str:
        """Calls, tokens of the cache and money, in a few words; empty before the first call."""
        if not self.calls:
            return ""
        return (
            f"{self.calls:,} calls, cache {self.tokens_cached:,} read and {self.tokens_cache_written:,} written, "
            f"{self.money()}"
        )

    def money(self) -> str:
        """Dollars so far, and how many calls have no known price."""
        return f"${self.usd:,.4f}" + (f" and {self.unpriced:,} calls of unknown price" if self.unpriced else "")

    def sentences(self) -> Iterator[str]:
        """The report at the end of a run."""
        if self.calls:
            yield (
                f"{self.calls:,} calls: {self.tokens_in:,} tokens sent ({self.tokens_cached:,} read from the cache, "
                f"{self.tokens_cache_written:,} written to it), {self.tokens_out:,} received, {self.money()}."
            )
        for edits in self.user_edits:
            yield f"{edits.title}, by your hand in TypingMind: {edits.text}"
        if self.noted:
            listed = ", ".join(f"{what} {times:,}" for what, times in sorted(self.noted.items()))
            yield f"Answers that could not be used at once, and what helped: {listed}."
