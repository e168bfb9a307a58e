"""Waits for the end of a batch, and takes what came of it: each answer is kept, and paid for, by itself.

succeeded           its answer is in the journal, and settled at half the price
errored             nothing is billed. What a direct call would raise is raised, unless it may go better another time
expired, canceled   nothing is billed; it is asked by itself
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from daemon.archive.batches import Item, OpenBatch, close
from daemon.archive.journal import Reply, recall, record
from daemon.archive.spending import settle as settle_at
from daemon.batches import client
from daemon.batches.client import Batch, NoBatches, Result, Route
from daemon.batches.pauses import LONGEST_SECONDS, age, pauses
from daemon.batches.wire import answer_of, refusal_of
from daemon.house import House, Waiting
from daemon.models.ask import reply_of
from daemon.models.completion import Completion
from daemon.models.patience import persistently
from daemon.models.prices import known_price
from daemon.models.purse import Booked, settle
from primer.request import Model, Request
from rules.errors import MemprocError, NotNow

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
    close(house.archive, sent.number, house.clock())
    return {**dict.fromkeys(left), **in_vain}


def give_up(house: House, sent: OpenBatch) -> None:
    """Nothing of it was ever asked, so it costs nothing."""
    with house.archive.transaction():
        for item in sent.items:
            _release(house, item)
        close(house.archive, sent.number, house.clock())


def _ended(house: House, route: Route, sent: OpenBatch, *, cancel: bool) -> Batch | None:
    told = False
    for pause in pauses():
        try:
            batch = persistently(lambda: client.look(route, sent.name), house.pause)
        except NoBatches:
            return None  # another key, or another account
        if batch.ended:
            return batch
        if age(sent, house.clock()) > LONGEST_SECONDS:
            return None
        if not told:
            house.tell(Waiting(len(sent.items), sent.began_at))
            if cancel:
                persistently(lambda: client.cancel(route, sent.name), house.pause)
            told = True
        house.pause(pause)
    return None


def _take(house: House, sample: Request, sent: OpenBatch, item: Item, result: Result, name: str, hear: Hear) -> InVain:
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
    house: House, model: Model, item: Item, answer: Completion, asked_at: str, name: str, *, billed: bool
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


def _release(house: House, item: Item) -> None:
    if item.spending is not None:
        settle_at(house.archive, item.spending, 0)
