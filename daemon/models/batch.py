"""When requests go by batch: always, at night or never, as `models.batch` says."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from daemon.archive.batches import (
    LONGEST_SECONDS,
    BatchItem,
    OpenBatch,
    batch_age,
    batch_names,
    begin_batch,
    close_batch,
    name_batch,
    open_batches,
)
from daemon.archive.journal import Reply, recall, record
from daemon.archive.ledger import settle as settle_at
from daemon.config.providers import WhenToBatch
from daemon.context import House, Waiting
from daemon.files.clock import at
from daemon.models import batch_client as client
from daemon.models.ask import reply_of
from daemon.models.batch_client import (
    Batch,
    NoBatches,
    Result,
    Route,
    Sent,
    answer_of,
    refusal_of,
    route_of,
    sent_for,
)
from daemon.models.completion import Completion
from daemon.models.patience import ATTEMPTS, persistently
from daemon.models.prices import known_price
from daemon.models.purse import Booked, reserve, settle
from primer.request import Model, Request
from rules.errors import MemprocError, NotNow, OutOfReach, OverBudget
from rules.retention import in_window


def time_for_batches(when: WhenToBatch, night: str, now: str) -> bool:
    """Whether requests are sent in batches at this time (UTC); `night` is a window of local time."""
    return when == "always" or (when == "night" and in_window(night, at(now).astimezone().time()))


FIRST_SECONDS = 1.0
_GROWTH = 1.5
_LONGEST_SECONDS = 60.0


def pauses() -> Iterator[float]:
    """Seconds, growing, without an end."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(_LONGEST_SECONDS, seconds * _GROWTH)


SETTLED_SECONDS = 60.0
"""A batch that the provider does not list so long after it was sent was never created."""


def find(house: House, route: Route, sent: OpenBatch) -> Batch | None:
    """The batch that was sent, once it has ended; None where there is none. Raises as `client.look`, and OutOfReach."""
    others = set(batch_names(house.archive))
    waited = 0.0
    for pause in pauses():
        undecided = False
        for batch in persistently(lambda: _alike(route, sent), house.pause):
            if batch.name in others:
                continue
            if not batch.ended:
                undecided = True
            elif _is(house, route, batch, sent):
                return batch
            else:
                others.add(batch.name)
        if not undecided and max(waited, batch_age(sent, house.clock())) >= SETTLED_SECONDS:
            break
        house.pause(pause)
        waited += pause
    return None


def _alike(route: Route, sent: OpenBatch) -> list[Batch]:
    return [batch for batch in client.since(route, sent.since) if batch.requests == len(sent.items)]


def _is(house: House, route: Route, batch: Batch, sent: OpenBatch) -> bool:
    inside = persistently(lambda: set(_keys(route, batch)), house.pause)
    return inside == {item.request for item in sent.items}


def _keys(route: Route, batch: Batch) -> Iterator[str]:
    """None where its results are no longer kept: such a batch is older than any that is looked for."""
    return (result.key for result in client.results(route, batch)) if batch.results_url else iter(())


_MOST_REQUESTS = 1_000
_MOST_CHARACTERS = 60_000_000
"""The provider takes 100,000 requests and 256 MB, and so much more is of no use to one chat."""


def send(house: House, route: Route, chat_id: str, wanted: Sequence[tuple[Request, Sent]]) -> OpenBatch:
    """Create a batch of as many of these as fit into one, and under the caps; they go to `route`, in this order.

    Raises NoBatches where the provider takes none, OverBudget and UnknownPrice where not even the first may leave,
    OutOfReach, ProviderRefuses or ModelError where it could not be created.
    """
    before = persistently(lambda: client.newest(route), house.pause)
    fitting = list(_fitting(wanted))
    number = _written_down(house, chat_id, [request for request, _ in fitting], before)
    sent = next(one for one in open_batches(house.archive) if one.number == number)
    inside = {item.request for item in sent.items}
    batch = _created(house, route, sent, {request.key: one.body for request, one in fitting if request.key in inside})
    name_batch(house.archive, number, batch.name)
    return next(one for one in open_batches(house.archive) if one.number == number)


def _fitting(wanted: Sequence[tuple[Request, Sent]]) -> Iterator[tuple[Request, Sent]]:
    left = _MOST_CHARACTERS
    for index, (request, sent) in enumerate(wanted[:_MOST_REQUESTS]):
        left -= sum(len(turn.content) for turn in request.turns)
        if left < 0 and index:
            return
        yield request, sent


def _written_down(house: House, chat_id: str, requests: Sequence[Request], before: Batch | None) -> int:
    now = house.clock()
    items: list[BatchItem] = []
    with house.archive.transaction():
        for request in requests:
            try:
                booked = reserve(house.purse, request, chat_id, now, batched=True)
            except OverBudget:
                if not items:
                    raise
                break  # those that do fit go first
            parameters = request.parameters
            items.append(
                BatchItem(request.key, chat_id, booked.model, request.step, parameters, booked.tokens, booked.number)
            )
        return begin_batch(house.archive, items, before.created_at if before else "", now)


def _created(house: House, route: Route, sent: OpenBatch, bodies: Mapping[str, Mapping[str, object]]) -> Batch:
    """The batch; where an answer got lost it is looked for, before it is sent once more."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return client.create(route, bodies)
        except NotNow as fault:
            found = find(house, route, sent)
            if found is not None:
                return found
            if attempt == ATTEMPTS:
                give_up(house, sent)
                told = f"{fault.message} A batch was sent {attempt} times."
                raise OutOfReach(told, fault.next_step) from fault
        except (MemprocError, NoBatches):
            give_up(house, sent)
            raise
    raise AssertionError("the last attempt creates or raises")


Hear = Callable[[Reply], None]
InVain = Mapping[str, MemprocError | None]
"""Requests, by their keys, that were not answered: the error that comes of it, or None where it is asked by itself."""


def take(house: House, route: Route, sent: OpenBatch, hear: Hear, *, cancel: bool) -> InVain:
    """Wait for the end of a batch whose name is known, and take what came of it; `cancel`: have it end soon.

    Raises OutOfReach where the provider is, ProviderRefuses where it does not let us, ArchiveError.
    """
    ended = _ended(house, route, sent, cancel=cancel)
    return take_ended(house, route, sent, ended, hear)


def take_ended(house: House, route: Route, sent: OpenBatch, ended: Batch | None, hear: Hear) -> InVain:
    """Take what came of a batch that has ended. None: it cannot be seen any more, and what it cost stays reserved."""
    left = {item.request: item for item in sent.items}
    in_vain: dict[str, MemprocError | None] = {}

    def take_all(batch: Batch) -> None:
        for result in client.results(route, batch):
            item = left.get(result.key)
            if item is not None:
                in_vain.update(_take(house, route.sample, sent, item, result, batch.name, hear))
                del left[result.key]

    if ended is not None and ended.results_url:
        with suppress(NoBatches):  # it was seen, and is not shown any more
            persistently(lambda: take_all(ended), house.pause)
    close_batch(house.archive, sent.number, house.clock())
    return {**dict.fromkeys(left), **in_vain}


def give_up(house: House, sent: OpenBatch) -> None:
    """Nothing of it was ever asked, so it costs nothing."""
    with house.archive.transaction():
        for item in sent.items:
            _release(house, item)
        close_batch(house.archive, sent.number, house.clock())


def _ended(house: House, route: Route, sent: OpenBatch, *, cancel: bool) -> Batch | None:
    told = False
    for pause in pauses():
        try:
            batch = persistently(lambda: client.look(route, sent.name), house.pause)
        except NoBatches:
            return None  # another key, or another account
        if batch.ended:
            return batch
        if batch_age(sent, house.clock()) > LONGEST_SECONDS:
            return None
        if not told:
            house.tell(Waiting(len(sent.items), sent.began_at))
            if cancel:
                persistently(lambda: client.cancel(route, sent.name), house.pause)
            told = True
        house.pause(pause)
    return None


def _take(
    house: House, sample: Request, sent: OpenBatch, item: BatchItem, result: Result, name: str, hear: Hear
) -> InVain:
    if recall(house.archive, item.request) is not None:
        return {}  # it was taken before an end in the middle
    if result.kind in ("expired", "canceled"):
        _release(house, item)
        return {item.request: None}
    billed = result.kind == "succeeded"
    request = replace(sample, model=Model(item.model, sample.model.options))
    try:
        answer = (answer_of if billed else refusal_of)(request, result.body)
    except MemprocError as fault:
        if not billed:
            _release(house, item)
        return {item.request: None if billed or isinstance(fault, NotNow) else fault}
    hear(_keep(house, request.model, item, answer, sent.began_at, name, billed=billed))
    return {}


def _keep(
    house: House, model: Model, item: BatchItem, answer: Completion, asked_at: str, name: str, *, billed: bool
) -> Reply:
    price = known_price(model, house.config.budget)
    booked = Booked(item.model, price.batched if price else None, item.spending, item.tokens)
    with house.archive.transaction():
        usd: float | None = 0.0
        if billed:
            usd = settle(house.purse, booked, answer)
        else:
            _release(house, item)
        reply = reply_of(
            answer,
            usd,
            request=item.request,
            model=item.model,
            step=item.step,
            asked_at=asked_at,
            now=house.clock(),
            batch=name,
        )
        return record(house.archive, reply, item.chat_id, item.parameters)


def _release(house: House, item: BatchItem) -> None:
    if item.spending is not None:
        settle_at(house.archive, item.spending, 0)


def carry_out(
    house: House, chat_id: str, wanted: Mapping[str, Request], hear: Hear, *, create: bool, cancel: bool
) -> InVain:
    """Have requests answered, by their keys: the replies are in the journal, and `hear` hears each of them.

    Where some are in a batch, it is waited for, and no more; `cancel` has it end soon. Else, where `create` is set, as
    many as fit are sent as a new one. The rest is still to be asked. Raises what `send` and `take` raise.
    """
    in_vain: dict[str, MemprocError | None] = {}
    resumed = False
    for sent in open_batches(house.archive):
        asked = next((wanted[item.request] for item in sent.items if item.request in wanted), None)
        if asked is not None:
            in_vain.update(_resumed(house, route_of(asked, sent_for(asked)), sent, hear, cancel=cancel))
            resumed = True
    if resumed or not create:
        return in_vain
    route, together = _together(list(wanted.values()))
    _settle_forgotten(house, route, hear)
    return take(house, route, send(house, route, chat_id, together), hear, cancel=False)


def _resumed(house: House, route: Route, sent: OpenBatch, hear: Hear, *, cancel: bool) -> InVain:
    """What comes of a batch that was sent in another run, if it was."""
    if sent.name:
        return take(house, route, sent, hear, cancel=cancel)
    try:
        found = find(house, route, sent)
    except NoBatches:
        return take_ended(house, route, sent, None, hear)  # nobody can say any more whether it was paid for
    if found is None:
        give_up(house, sent)
        return {}
    name_batch(house.archive, sent.number, found.name)
    return take_ended(house, route, sent, found, hear)


def _settle_forgotten(house: House, route: Route, hear: Hear) -> None:
    """Take what came of batches that nothing asks for any more, once they must have ended: their money is settled."""
    for sent in open_batches(house.archive):
        if batch_age(sent, house.clock()) > LONGEST_SECONDS:
            _resumed(house, route, sent, hear, cancel=False)


def _together(requests: Sequence[Request]) -> tuple[Route, Sequence[tuple[Request, Sent]]]:
    """The first request's route, and all that go the same way: to one address, with one key."""
    all_sent = [(request, sent_for(request)) for request in requests]
    route = route_of(*all_sent[0])
    return route, [(request, sent) for request, sent in all_sent if route_of(request, sent).goes_as(route)]
