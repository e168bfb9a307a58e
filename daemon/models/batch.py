"""The transport by batch: requests go to Anthropic together, at half the price, within a day.

The requests are recorded before a batch is created, and the batch's name after. So after a kill at
any point it is found at the provider, by the requests' keys, before anything is asked again.

succeeded           the answer goes into the journal, settled at half the price
errored             not billed; a known, lasting fault is raised as by a direct call, else it is
                    asked directly
expired, canceled   not billed; it is asked directly
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from daemon.archive.journal import (
    LONGEST_SECONDS,
    OpenBatch,
    SentRequest,
    batch_age,
    batch_names,
    begin_batch,
    close_batch,
    find_reply,
    is_under_way,
    name_batch,
    open_batches,
)
from daemon.config.model_tables import WhenToBatch
from daemon.events import BatchSent, Note
from daemon.models import batch_client as client
from daemon.models.ask import CallEnding, keep_reply, release_call, reserve_call
from daemon.models.batch_client import (
    Batch,
    BatchResult,
    NoBatches,
    Route,
    answer_of,
    refusal_of,
    route_of,
)
from daemon.models.context import Context
from daemon.models.direct import ATTEMPTS, await_next, persistently
from daemon.models.prices import time_for_batches
from daemon.models.resolve import known_model
from primer.models import takes_batches
from primer.reply import Request
from rules.errors import Forbidden, MemprocError, NotNow, OutOfReach, OverBudget, Unexplained

SETTLED_SECONDS = 60.0
"""A batch that the provider does not list this long after it was sent was never created."""
FIRST_SECONDS = 1.0
_GROWTH = 1.5
_LONGEST_SECONDS = 60.0
_MOST_REQUESTS = 1_000
_MOST_CHARACTERS = 60_000_000
"""Far below the provider's limits of 100,000 requests and 256 MB, and more than one chat needs."""

T = TypeVar("T")
CallEndings = Iterator[tuple[str, CallEnding]]


def pauses() -> Iterator[float]:
    """Yield the seconds between two looks at a batch: growing, without an end."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(_LONGEST_SECONDS, seconds * _GROWTH)


class Batches:
    """Send waiting requests as one batch, when `when` allows it; resume batches of earlier runs."""

    def __init__(self, context: Context, chat_id: str, when: WhenToBatch) -> None:
        self._context = context
        self._archive = context.archive
        self._chat_id = chat_id
        self._when = when
        self._waiting: dict[str, Request] = {}
        self._alone: set[str] = set()
        self._is_refused = False

    @property
    def room(self) -> int:
        """Return how many dialogues may go on at once: as many as a batch takes."""
        return _MOST_REQUESTS if self._is_time else 0

    @property
    def under_way(self) -> Collection[str]:
        """Return the keys of the requests that wait for the next batch, or are in one."""
        return self._waiting.keys()

    def takes(self, request: Request) -> bool:
        """Return whether a request is in a batch already, or goes into the next one."""
        fits = self._is_time and takes_batches(request.model.name)
        return (fits and request.key not in self._alone) or is_under_way(self._archive, request.key)

    def send(self, request: Request, key: str) -> bool:
        """Queue a request for the next batch."""
        self._waiting[key] = request
        return True

    def receive(self) -> CallEndings:
        """Send all queued requests, or wait for the batches that some are in. Yield the endings.

        A request without an ending is still to be asked. Raises OverBudget or UnknownPrice where
        not even the first request may leave, OutOfReach, ProviderRefuses or ModelError where no
        batch can be created or read.
        """
        waiting, self._waiting = self._waiting, {}
        create, resumed = self._is_time, False
        try:
            for sent in open_batches(self._archive):
                request = next(
                    (waiting[item.request] for item in sent.items if item.request in waiting), None
                )
                if request is not None:
                    yield from self._resumed(route_of(request), sent, cancel=self._when == "never")
                    resumed = True
            if create and not resumed:
                yield from self._carried_out(waiting)
        except NoBatches as refused:
            self._is_refused = True
            text = (
                f"The provider takes no batch of these requests ({refused}): they are asked "
                "directly, at full price."
            )
            self._context.tell(Note(text))

    @property
    def _is_time(self) -> bool:
        night, now = self._context.config.schedule.night, self._context.clock()
        return not self._is_refused and time_for_batches(self._when, night, now)

    def _carried_out(self, waiting: Mapping[str, Request]) -> CallEndings:
        """Yield the endings of a new batch: of all requests that share the first one's route.

        Batches that are too old to come back are ended first.
        """
        routes = {key: route_of(request) for key, request in waiting.items()}
        route, *_ = routes.values()
        together = {key: other for key, other in routes.items() if other.goes_as(route)}
        for sent in open_batches(self._archive):
            if self._age(sent) > LONGEST_SECONDS:
                yield from self._resumed(route, sent, cancel=False)
        before = self._persistently(lambda: client.newest(route))
        number = self._written_down(together, before)
        sent = next(batch for batch in open_batches(self._archive) if batch.number == number)
        bodies = {item.request: together[item.request].body for item in sent.items}
        name = self._created(route, sent, bodies).id
        name_batch(self._archive, number, name)
        yield from self._awaited(route, replace(sent, name=name), cancel=False)

    def _written_down(self, together: Mapping[str, Route], before: Batch | None) -> int:
        """Reserve the costs of as many requests as fit, record them; return the batch's number."""
        now, characters_left = self._context.clock(), _MOST_CHARACTERS
        items: list[SentRequest] = []
        with self._archive.transaction():
            for key, route in together.items():
                characters_left -= sum(len(turn.content) for turn in route.sample.turns)
                if items and (characters_left < 0 or len(items) == _MOST_REQUESTS):
                    break
                try:
                    items.append(
                        reserve_call(
                            self._context, route.sample, key, self._chat_id, now, batched=True
                        )
                    )
                except OverBudget:
                    if not items:
                        raise
                    break  # those that do fit go first
            return begin_batch(self._archive, items, before.created_at if before else "", now)

    def _created(
        self, route: Route, sent: OpenBatch, bodies: Mapping[str, Mapping[str, object]]
    ) -> Batch:
        """Create the batch; if the answer gets lost, look for the batch before sending it again.

        The pauses are those of `persistently`, which does not fit here: costs may be released only
        when it is known that there is no batch. Raises OutOfReach as it does.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return client.create(route, bodies)
            except NotNow as fault:
                batch = self._found(route, sent)
                if batch is not None:
                    return batch
                try:
                    await_next(attempt, fault, self._context.pause, self._context.tell)
                except OutOfReach:
                    self._give_up(sent)
                    raise
            except (MemprocError, NoBatches):
                self._give_up(sent)
                raise
        raise AssertionError("the last attempt creates or raises")

    def _found(self, route: Route, sent: OpenBatch) -> Batch | None:
        """Find a batch that was sent but whose name got lost, once it has ended.

        It is recognized by its requests. Return None where there is none, or its results are gone.
        """
        others = set(batch_names(self._archive))
        keys = {item.request for item in sent.items}
        waited = 0.0
        for pause in pauses():
            is_undecided = False
            for batch in self._persistently(lambda: list(client.since(route, sent.since))):
                if batch.requests != len(keys) or batch.id in others:
                    continue
                if not batch.ended:
                    is_undecided = True
                elif self._holds(route, batch, keys):
                    return batch
                else:
                    others.add(batch.id)
            if not is_undecided and max(waited, self._age(sent)) >= SETTLED_SECONDS:
                break
            self._context.pause(pause)
            waited += pause
        return None

    def _holds(self, route: Route, batch: Batch, keys: Collection[str]) -> bool:
        if not batch.results_url:
            return False
        results = self._persistently(lambda: list(client.fetch_results(route, batch)))
        return {result.custom_id for result in results} == keys

    def _resumed(self, route: Route, sent: OpenBatch, *, cancel: bool) -> CallEndings:
        """Yield the endings of a batch of another run, if it was sent at all."""
        if sent.name:
            yield from self._awaited(route, sent, cancel=cancel)
            return
        try:
            batch = self._found(route, sent)
        except NoBatches:
            # Whether it was billed cannot be found out any more.
            yield from self._taken(route, sent, None)
            return
        if batch is None:
            self._give_up(sent)
            return
        name_batch(self._archive, sent.number, batch.id)
        yield from self._taken(route, sent, batch)

    def _awaited(self, route: Route, sent: OpenBatch, *, cancel: bool) -> CallEndings:
        """Yield the endings of a named batch once it has ended; with `cancel`, cancel it first."""
        is_told = False
        for pause in pauses():
            try:
                batch = self._persistently(lambda: client.look_at_batch(route, sent.name))
            except NoBatches:
                break  # another key, or another account
            if batch.ended:
                yield from self._taken(route, sent, batch)
                return
            if self._age(sent) > LONGEST_SECONDS:
                break
            if not is_told:
                self._context.tell(BatchSent(len(sent.items), sent.began_at))
                if cancel:
                    self._persistently(lambda: client.cancel(route, sent.name))
                is_told = True
            self._context.pause(pause)
        yield from self._taken(route, sent, None)

    def _taken(self, route: Route, sent: OpenBatch, ended: Batch | None) -> CallEndings:
        """Yield the endings of a batch that has ended.

        `ended` is None where the provider no longer shows it; its costs then stay reserved.
        """
        pending = {item.request: item for item in sent.items}
        endings: list[tuple[str, CallEnding]] = []

        def take_all(batch: Batch) -> None:
            for result in client.fetch_results(route, batch):
                item = pending.get(result.custom_id)
                if item is None:
                    continue
                if find_reply(self._archive, item.request) is None:  # not stored before a kill
                    ending = self._ending(route.sample, sent, batch.id, item, result)
                    endings.append((item.request, ending))
                del pending[item.request]

        if ended is not None and ended.results_url:
            with suppress(NoBatches):  # the provider no longer shows it
                self._persistently(lambda: take_all(ended))
        close_batch(self._archive, sent.number, self._context.clock())
        endings += [(key, None) for key in pending]
        self._alone.update(key for key, ending in endings if ending is None)
        yield from endings

    def _ending(
        self, sample: Request, sent: OpenBatch, name: str, item: SentRequest, result: BatchResult
    ) -> CallEnding:
        """Return the ending of one request; None where it is to be asked directly.

        Only a request that succeeded is billed.
        """
        model = known_model(item.model, sample.model.options, self._context.config)
        request = replace(sample, model=model)
        ended = result.result
        billed = ended.type == "succeeded"
        with self._archive.transaction():
            if not billed:
                release_call(self._archive, item)
                item = replace(item, spending=None)
            if ended.type in ("expired", "canceled"):
                return None
            try:
                answer = (
                    answer_of(request, ended.message)
                    if billed
                    else refusal_of(request, ended.error)
                )
            except MemprocError as fault:
                is_open = isinstance(fault, NotNow | Unexplained | Forbidden)
                return None if billed or is_open else fault
            return keep_reply(self._context, item, model, answer, sent.began_at, name)

    def _give_up(self, sent: OpenBatch) -> None:
        """Close a batch that was never created, and release its costs: nothing was asked."""
        with self._archive.transaction():
            for item in sent.items:
                release_call(self._archive, item)
            close_batch(self._archive, sent.number, self._context.clock())

    def _persistently(self, ask: Callable[[], T]) -> T:
        return persistently(ask, self._context.pause, self._context.tell)

    def _age(self, sent: OpenBatch) -> float:
        return batch_age(sent, self._context.clock())
