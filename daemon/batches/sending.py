"""Sends requests together, so that nothing is paid twice whenever memproc ends.

before      what they may cost is reserved, and what is asked is written down, in one transaction
after       the batch's name is written down
in between  nobody knows whether there is a batch, until it is found at the provider, or is not there
"""

from collections.abc import Iterator, Mapping, Sequence

from daemon.archive.batches import Item, OpenBatch, call_it, open_batches, write_down
from daemon.batches import client
from daemon.batches.client import Batch, NoBatches, Route
from daemon.batches.finding import find
from daemon.batches.taking import give_up
from daemon.batches.wire import Sent
from daemon.house import House
from daemon.models.patience import ATTEMPTS, persistently
from daemon.models.purse import reserve
from primer.request import Request
from rules.errors import MemprocError, NotNow, OutOfReach, OverBudget

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
    call_it(house.archive, number, batch.name)
    return next(one for one in open_batches(house.archive) if one.number == number)


def _fitting(wanted: Sequence[tuple[Request, Sent]]) -> Iterator[tuple[Request, Sent]]:
    left = _MOST_CHARACTERS
    for at, (request, sent) in enumerate(wanted[:_MOST_REQUESTS]):
        left -= sum(len(turn.content) for turn in request.turns)
        if left < 0 and at:
            return
        yield request, sent


def _written_down(house: House, chat_id: str, requests: Sequence[Request], before: Batch | None) -> int:
    now = house.clock()
    items: list[Item] = []
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
                Item(request.key, chat_id, booked.model, request.step, parameters, booked.tokens, booked.number)
            )
        return write_down(house.archive, items, before.created_at if before else "", now)


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
