"""The transport by batch: all requests that wait go together to Anthropic, at half the price, within a day.

What is asked is written down before a batch is created, and its name after; so after a kill at any point it is found
at the provider, by the requests' own keys, before anything is asked again.

succeeded           its answer is in the journal, and settled at half the price
errored             nothing is billed. What a direct call would raise is raised, unless it may go better another time
expired, canceled   nothing is billed; it is asked by itself
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from daemon.archive.journal import (
    LONGEST_SECONDS,
    BatchItem,
    OpenBatch,
    Reply,
    batch_age,
    batch_names,
    begin_batch,
    close_batch,
    is_under_way,
    name_batch,
    open_batches,
    recall,
    record,
)
from daemon.config.settings import WhenToBatch
from daemon.events import BatchSent, Note
from daemon.models import batch_client as client
from daemon.models.ask import Asking, Outcome, Reservation, release, reply_to, reserve, settle, time_for_batches
from daemon.models.batch_client import Batch, NoBatches, Result, Route, Sent, answer_of, refusal_of, route_of, sent_for
from daemon.models.completion import Completion
from daemon.models.direct import ATTEMPTS, persistently
from daemon.models.prices import known_price
from primer.models import takes_batches
from primer.reply import Model, Request
from rules.errors import MemprocError, NotNow, OutOfReach, OverBudget

SETTLED_SECONDS = 60.0
"""A batch that the provider does not list so long after it was sent was never created."""
FIRST_SECONDS = 1.0
_GROWTH = 1.5
_LONGEST_SECONDS = 60.0
_MOST_REQUESTS = 1_000
_MOST_CHARACTERS = 60_000_000
"""The provider takes 100,000 requests and 256 MB, and so much more is of no use to one chat."""

T = TypeVar("T")
Outcomes = Iterator[tuple[str, Outcome]]


def pauses() -> Iterator[float]:
    """Seconds between two looks at a batch, growing, without an end."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(_LONGEST_SECONDS, seconds * _GROWTH)


class Batches:
    """Sends all requests that wait as one batch, when `when` says so; and goes on with those of earlier runs."""

    def __init__(self, asking: Asking, chat_id: str, when: WhenToBatch) -> None:
        self._asking = asking
        self._chat_id = chat_id
        self._when = when
        self._waiting: dict[str, Request] = {}
        self._alone: set[str] = set()
        self._is_refused = False

    @property
    def room(self) -> int:
        """A batch has room for all."""
        return _MOST_REQUESTS if self._is_time else 0

    @property
    def under_way(self) -> Collection[str]:
        """The keys of the requests that wait for the next batch, or are in one."""
        return self._waiting.keys()

    def takes(self, request: Request, key: str) -> bool:
        """Whether a request is in a batch already, or goes with the next."""
        fits = self._is_time and takes_batches(request.model.name) and key not in self._alone
        return fits or is_under_way(self._asking.archive, key)

    def send(self, request: Request, key: str) -> bool:
        """Let a request wait for the next batch."""
        self._waiting[key] = request
        return True

    def receive(self) -> Outcomes:
        """Send all that waits, or wait for the batch that some of it is in, and take what comes of it.

        What has no outcome afterwards is still to be asked. Raises OverBudget and UnknownPrice where not even the first
        request may leave, OutOfReach, ProviderRefuses or ModelError where no batch can be created or read.
        """
        waiting, self._waiting = self._waiting, {}
        try:
            yield from self._carried_out(waiting)
        except NoBatches as refused:
            self._is_refused = True
            text = f"The provider takes no batch of these requests ({refused}): they are asked directly, at full price."
            self._asking.tell(Note(text))

    @property
    def _is_time(self) -> bool:
        if self._when == "never" or self._is_refused:
            return False
        return time_for_batches(self._when, self._asking.night, self._asking.clock())

    def _carried_out(self, waiting: Mapping[str, Request]) -> Outcomes:
        """What comes of the open batches that some of these are in; where there is none, of a new one."""
        create, resumed = self._is_time, False
        for sent in open_batches(self._asking.archive):
            request = next((waiting[item.request] for item in sent.items if item.request in waiting), None)
            if request is not None:
                yield from self._resumed(route_of(request, sent_for(request)), sent, cancel=self._when == "never")
                resumed = True
        if resumed or not create:
            return
        route, together = _together(list(waiting.values()))
        for sent in open_batches(self._asking.archive):
            if batch_age(sent, self._asking.clock()) > LONGEST_SECONDS:  # nobody asks for it any more
                yield from self._resumed(route, sent, cancel=False)
        yield from self._awaited(route, self._sent(route, together), cancel=False)

    def _sent(self, route: Route, together: Sequence[tuple[Request, Sent]]) -> OpenBatch:
        """A new batch of as many of these as fit into one, and under the caps, in this order."""
        before = self._persistently(lambda: client.newest(route))
        fitting = list(_fitting(together))
        number = self._written_down([request for request, _ in fitting], before)
        archive = self._asking.archive
        batch = next(batch for batch in open_batches(archive) if batch.number == number)
        inside = {item.request for item in batch.items}
        bodies = {request.key: sent.body for request, sent in fitting if request.key in inside}
        name = self._created(route, batch, bodies).name
        name_batch(archive, number, name)
        return replace(batch, name=name)

    def _written_down(self, requests: Sequence[Request], before: Batch | None) -> int:
        """Reserve what the requests may cost, and note that they are about to be sent; the batch's number."""
        now = self._asking.clock()
        items: list[BatchItem] = []
        with self._asking.archive.transaction():
            for request in requests:
                try:
                    reserved = reserve(self._asking.budget, request, self._chat_id, now, batched=True)
                except OverBudget:
                    if not items:
                        raise
                    break  # those that do fit go first
                about = (request.key, self._chat_id, reserved.model, request.step, request.parameters)
                items.append(BatchItem(*about, reserved.tokens, reserved.number))
            return begin_batch(self._asking.archive, items, before.created_at if before else "", now)

    def _created(self, route: Route, sent: OpenBatch, bodies: Mapping[str, Mapping[str, object]]) -> Batch:
        """The batch; where an answer got lost it is looked for, before it is sent once more."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return client.create(route, bodies)
            except NotNow as fault:
                batch = self._found(route, sent)
                if batch is not None:
                    return batch
                if attempt == ATTEMPTS:
                    self._give_up(sent)
                    raise OutOfReach(f"{fault.message} A batch was sent {attempt} times.", fault.next_step) from fault
            except (MemprocError, NoBatches):
                self._give_up(sent)
                raise
        raise AssertionError("the last attempt creates or raises")

    def _found(self, route: Route, sent: OpenBatch) -> Batch | None:
        """The batch that was sent and whose name got lost, once it has ended; None where there is none."""
        others = set(batch_names(self._asking.archive))
        waited = 0.0
        for pause in pauses():
            undecided = False
            for batch in self._persistently(lambda: _alike(route, sent)):
                if batch.name in others:
                    continue
                if not batch.ended:
                    undecided = True
                elif self._is_of(route, batch, sent):
                    return batch
                else:
                    others.add(batch.name)
            if not undecided and max(waited, batch_age(sent, self._asking.clock())) >= SETTLED_SECONDS:
                break
            self._asking.pause(pause)
            waited += pause
        return None

    def _is_of(self, route: Route, batch: Batch, sent: OpenBatch) -> bool:
        """Whether an ended batch holds the very requests that were sent; not where its results are no longer kept."""
        if not batch.results_url:
            return False
        keys = self._persistently(lambda: {result.key for result in client.results(route, batch)})
        return keys == {item.request for item in sent.items}

    def _resumed(self, route: Route, sent: OpenBatch, *, cancel: bool) -> Outcomes:
        """What comes of a batch of another run, if it was sent at all."""
        if sent.name:
            yield from self._awaited(route, sent, cancel=cancel)
            return
        try:
            batch = self._found(route, sent)
        except NoBatches:
            yield from self._taken(route, sent, None)  # nobody can say any more whether it was paid for
            return
        if batch is None:
            self._give_up(sent)
            return
        name_batch(self._asking.archive, sent.number, batch.name)
        yield from self._taken(route, sent, batch)

    def _awaited(self, route: Route, sent: OpenBatch, *, cancel: bool) -> Outcomes:
        """What comes of a batch whose name is known, when it has ended; `cancel`: have it end soon."""
        is_told = False
        for pause in pauses():
            try:
                batch = self._persistently(lambda: client.look(route, sent.name))
            except NoBatches:
                break  # another key, or another account
            if batch.ended:
                yield from self._taken(route, sent, batch)
                return
            if batch_age(sent, self._asking.clock()) > LONGEST_SECONDS:
                break
            if not is_told:
                self._asking.tell(BatchSent(len(sent.items), sent.began_at))
                if cancel:
                    self._persistently(lambda: client.cancel(route, sent.name))
                is_told = True
            self._asking.pause(pause)
        yield from self._taken(route, sent, None)

    def _taken(self, route: Route, sent: OpenBatch, ended: Batch | None) -> Outcomes:
        """What came of a batch that has ended. None: it cannot be seen any more, and what it cost stays reserved."""
        left = {item.request: item for item in sent.items}
        outcomes: list[tuple[str, Outcome]] = []

        def take_all(batch: Batch) -> None:
            for result in client.results(route, batch):
                item = left.get(result.key)
                if item is None:
                    continue
                if recall(self._asking.archive, item.request) is None:  # else it was taken before a kill
                    outcomes.append((item.request, self._outcome(route.sample, sent, batch, item, result)))
                del left[result.key]

        if ended is not None and ended.results_url:
            with suppress(NoBatches):  # it was seen, and is not shown any more
                self._persistently(lambda: take_all(ended))
        close_batch(self._asking.archive, sent.number, self._asking.clock())
        outcomes += [(key, None) for key in left]
        self._alone.update(key for key, outcome in outcomes if outcome is None)
        yield from outcomes

    def _outcome(self, sample: Request, sent: OpenBatch, batch: Batch, item: BatchItem, result: Result) -> Outcome:
        """What came of one request; None where it is to be asked by itself."""
        if result.kind in ("expired", "canceled"):
            self._release(item)
            return None
        billed = result.kind == "succeeded"
        request = replace(sample, model=Model(item.model, sample.model.options))
        try:
            answer = (answer_of if billed else refusal_of)(request, result.body)
        except MemprocError as fault:
            if not billed:
                self._release(item)
            return None if billed or isinstance(fault, NotNow) else fault
        return self._kept(request.model, sent, batch, item, answer, billed=billed)

    def _kept(
        self, model: Model, sent: OpenBatch, batch: Batch, item: BatchItem, answer: Completion, *, billed: bool
    ) -> Reply:
        """The reply, once the journal has it, with its money settled. Raises ArchiveError where it cannot be kept."""
        asking = self._asking
        price = known_price(model, asking.budget.settings)
        reserved = Reservation(item.model, price.batched if price else None, item.spending, item.tokens)
        with asking.archive.transaction():
            usd: float | None = 0.0
            if billed:
                usd = settle(asking.budget, reserved, answer)
            else:
                release(asking.budget, reserved)
            reply = reply_to(
                answer, usd, key=item.request, model=item.model, step=item.step, asked_at=sent.began_at,
                now=asking.clock(), batch=batch.name,
            )  # fmt: skip
            return record(asking.archive, reply, item.chat_id, item.parameters)

    def _give_up(self, sent: OpenBatch) -> None:
        """Close a batch that was never created: nothing of it was asked, so it costs nothing."""
        with self._asking.archive.transaction():
            for item in sent.items:
                self._release(item)
            close_batch(self._asking.archive, sent.number, self._asking.clock())

    def _release(self, item: BatchItem) -> None:
        release(self._asking.budget, Reservation(item.model, None, item.spending, item.tokens))

    def _persistently(self, ask: Callable[[], T]) -> T:
        return persistently(ask, self._asking.pause)


def _together(requests: Sequence[Request]) -> tuple[Route, Sequence[tuple[Request, Sent]]]:
    """The first request's route, and all that go the same way: to one address, with one key."""
    all_sent = [(request, sent_for(request)) for request in requests]
    route = route_of(*all_sent[0])
    return route, [(request, sent) for request, sent in all_sent if route_of(request, sent).goes_as(route)]


def _fitting(together: Sequence[tuple[Request, Sent]]) -> Iterator[tuple[Request, Sent]]:
    """As many as fit into one batch; at least one."""
    left = _MOST_CHARACTERS
    for index, (request, sent) in enumerate(together[:_MOST_REQUESTS]):
        left -= sum(len(turn.content) for turn in request.turns)
        if left < 0 and index:
            return
        yield request, sent


def _alike(route: Route, sent: OpenBatch) -> list[Batch]:
    """The provider's batches since one was sent that have as many requests as it."""
    return [batch for batch in client.since(route, sent.since) if batch.requests == len(sent.items)]
