"""Finds the batch that was perhaps created: memproc ended, or the answer got lost, before its name was known.

The provider lists every batch, and shows what is in one when it has ended. Ours was created after we looked last, and
has as many requests as we have sent. While such a one has not ended nobody can say whose it is, so it is waited for:
nothing that it may hold is asked meanwhile.
"""

from collections.abc import Iterator

from daemon.archive.batches import OpenBatch, names
from daemon.batches import client
from daemon.batches.client import Batch, Route
from daemon.batches.pauses import age, pauses
from daemon.house import House
from daemon.models.patience import persistently

SETTLED_SECONDS = 60.0
"""A batch that the provider does not list so long after it was sent was never created."""


def find(house: House, route: Route, sent: OpenBatch) -> Batch | None:
    """The batch that was sent, once it has ended; None where there is none. Raises as `client.look`, and OutOfReach."""
    others = set(names(house.archive))
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
        if not undecided and max(waited, age(sent, house.clock())) >= SETTLED_SECONDS:
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
