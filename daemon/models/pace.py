"""The pace of calls: none leaves of which the headers of the replies before it foretell that it would be refused.

Each call waits in its own thread. Who waits looks again a few times a second, since answers to others may have made
room, and since all may have been told to end.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from daemon.models.ask import Unsent
from daemon.models.completion import Completion
from daemon.models.tokens import count_of
from primer.models import provider_of, token_factor
from primer.request import ENGINE, Request
from rules.errors import NotNow
from rules.money.price import prompt_expected
from rules.rate_limits import Book, Departure, Limit, Need, end, leave, wait

_LOOK_SECONDS = 0.25

Way = tuple[object, ...]


class NothingMoreLeaves(Unsent):
    """The call was about to leave when all was told to end."""


class Pace:
    """Keeps the rate limits of every provider and key that it is asked about. Any thread may use it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """`clock` and `sleep` are in seconds; `sleep` may raise what ends the work."""
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._books: dict[Way, Book] = {}
        self._closed = False

    def keeping(self, complete: Callable[[Request], Completion]) -> Callable[[Request], Completion]:
        """`complete`, which now waits for its turn. It raises NothingMoreLeaves while the pace is closed."""

        def ask(request: Request) -> Completion:
            if request.model == ENGINE:
                return complete(request)
            way = _way(request)
            departure = self._depart(way, request)
            limits: Sequence[Limit] = ()
            pause = 0.0
            try:
                answer = complete(request)
            except NotNow as fault:
                limits, pause = fault.limits, fault.retry_after or 0.0
                raise
            else:
                limits = answer.limits
                return answer
            finally:
                with self._lock:
                    self._books[way] = end(self._books[way], departure, limits, pause, self._clock())

        return ask

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Nothing leaves meanwhile: neither who waits nor who comes."""
        self._closed = True
        try:
            yield
        finally:
            self._closed = False

    def _depart(self, way: Way, request: Request) -> Departure:
        need = _need(request)
        while True:
            with self._lock:
                if self._closed:
                    raise NothingMoreLeaves
                book, now = self._books.get(way, Book()), self._clock()
                seconds = wait(book, request.model.name, need, now)
                if not seconds:
                    self._books[way], departure = leave(book, request.model.name, need, now)
                    return departure
            self._sleep(min(seconds, _LOOK_SECONDS))


def _way(request: Request) -> Way:
    """Whose limits they are: the provider's, and there the key's."""
    return provider_of(request.model.name), *sorted((name, str(value)) for name, value in request.route.items())


def _need(request: Request) -> Need:
    room = request.parameters.get("max_tokens")
    counted = sum(map(count_of, request.texts))
    tokens = prompt_expected(counted, len(request.turns), token_factor(request.model.name))
    return Need(tokens, room if isinstance(room, int) else 0)
