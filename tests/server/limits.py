"""Rate limits as providers keep them: buckets that refill steadily, are told in headers, and end in a 429."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

from tests.server.reply import Failure, Rejected


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be asked in `seconds`, for all models together; what is None has no limit.

    An answer counts with all the room that it has, and stays counted.
    """

    requests: int | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 60.0

    @property
    def sizes(self) -> Mapping[str, int]:
        """The limits that there are, by their names in headers."""
        named = {
            "requests": self.requests,
            "tokens": self.tokens,
            "input-tokens": self.input_tokens,
            "output-tokens": self.output_tokens,
        }
        return {name: size for name, size in named.items() if size is not None}


class Gate:
    """Lets requests in as far as the limits go."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._left: dict[str, float] = dict(limits.sizes)
        self._at = clock()
        self._lock = threading.Lock()

    def enter(self, prompt: int, room: int) -> None:
        """Count a request. Rejected, and not counted, where it goes beyond a limit."""
        need = {
            "requests": 1,
            "tokens": prompt + room,
            "input-tokens": prompt,
            "output-tokens": room,
        }
        with self._lock:
            self._refill()
            short = [name for name, left in self._left.items() if need[name] > left]
            if short:
                wait = max(self._full_in(name) for name in short)
                raise Rejected(Failure(429, "rate_limit_error", "Too many of these.", ceil(wait)))
            for name in self._left:
                self._left[name] -= need[name]

    def headers(self, dialect: str) -> Mapping[str, str]:
        """What is left now, as the dialect tells it."""
        with self._lock:
            self._refill()
            told = {}
            for name, size in self._limits.sizes.items():
                facts = {"limit": str(size), "remaining": str(int(self._left[name]))}
                facts["reset"] = (
                    _date(self._full_in(name))
                    if dialect == "anthropic"
                    else _span(self._full_in(name))
                )
                for fact, value in facts.items():
                    anthropic, openai = (
                        f"anthropic-ratelimit-{name}-{fact}",
                        f"x-ratelimit-{fact}-{name}",
                    )
                    told[anthropic if dialect == "anthropic" else openai] = value
            return told

    def _refill(self) -> None:
        now = self._clock()
        for name, size in self._limits.sizes.items():
            self._left[name] = min(
                size, self._left[name] + size * (now - self._at) / self._limits.seconds
            )
        self._at = now

    def _full_in(self, name: str) -> float:
        size = self._limits.sizes[name]
        return (size - self._left[name]) / size * self._limits.seconds


def _date(seconds: float) -> str:
    return (
        (datetime.now(UTC) + timedelta(seconds=seconds))
        .isoformat(timespec="microseconds")
        .replace("+00:00", "Z")
    )


def _span(seconds: float) -> str:
    """As OpenAI writes it, rounded up."""
    milliseconds = ceil(seconds * 1000)
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes}m{rest / 1000:g}s" if minutes else f"{rest / 1000:g}s"
