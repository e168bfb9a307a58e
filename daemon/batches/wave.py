"""A wave: requests that wait for their answers at the same time, sent together as a batch, and waited for.

What is in a batch already, be it from before a kill, is waited for there, and never asked beside it.

The marks for the provider's cache are those of direct calls, with five minutes' life: requests that begin alike stand
side by side in a batch and may profit. A mark for an hour would cost twice the prompt instead of 1.25 times. For the
three requests of a chunk, in three waves, that pays only where the later two find it three times in five; the provider
promises nothing, so it is not done.
"""

from collections.abc import Mapping, Sequence

from daemon.archive.batches import OpenBatch, call_it, open_batches
from daemon.batches.client import NoBatches, Route, route_of
from daemon.batches.finding import find
from daemon.batches.pauses import LONGEST_SECONDS, age
from daemon.batches.sending import send
from daemon.batches.taking import Hear, InVain, give_up, take, take_ended
from daemon.batches.wire import Sent, sent_for
from daemon.house import House
from primer.request import Request
from rules.errors import MemprocError


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
    call_it(house.archive, sent.number, found.name)
    return take_ended(house, route, sent, found, hear)


def _settle_forgotten(house: House, route: Route, hear: Hear) -> None:
    """Take what came of batches that nothing asks for any more, once they must have ended: their money is settled."""
    for sent in open_batches(house.archive):
        if age(sent, house.clock()) > LONGEST_SECONDS:
            _resumed(house, route, sent, hear, cancel=False)


def _together(requests: Sequence[Request]) -> tuple[Route, Sequence[tuple[Request, Sent]]]:
    """The first request's route, and all that go the same way: to one address, with one key."""
    all_sent = [(request, sent_for(request)) for request in requests]
    route = route_of(*all_sent[0])
    return route, [(request, sent) for request, sent in all_sent if route_of(request, sent).goes_as(route)]
