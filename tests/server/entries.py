"""A provider's prompt cache: prefixes by their digest, each alive until it has not been used for so long."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

LIFE_SECONDS = 300.0

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a request finds in the cache, in tokens of its prompt, and the entries that it will leave there."""

    fresh: int
    written: int = 0
    read: int = 0
    entries: tuple[str, ...] = ()


class Entries:
    """The entries that are alive. A new one counts from the moment when its answer has begun."""

    def __init__(self, clock: Clock, life: float = LIFE_SECONDS) -> None:
        self._clock = clock
        self._life = life
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def alive(self, digest: str) -> bool:
        """Whether this prefix was used within the life of an entry."""
        used = self._used.get(digest)
        return used is not None and self._clock() - used < self._life

    def use(self, digests: Iterable[str]) -> None:
        """Note that these prefixes are being used: written, or read, which renews them."""
        now = self._clock()
        with self._lock:
            self._used.update(dict.fromkeys(digests, now))
