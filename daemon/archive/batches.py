"""Batches: what is asked in them is written down before they are created, and their name after."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.archive.archive import Archive
from daemon.files.clock import at

LONGEST_SECONDS = 25 * 3600.0
"""A batch ends after 24 hours, done or not."""


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A request in a batch: all that its reply's row needs."""

    request: str
    """Its hash."""
    chat_id: str
    model: str
    step: str
    parameters: Mapping[str, Any]
    tokens: int
    """Of the prompt, as we count them."""
    spending: int | None
    """The number of its reservation in the ledger; None: it is free."""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch of which not everything is kept yet."""

    number: int
    name: str
    """The provider's; empty where it is not known whether there is one."""
    since: str
    """When the provider's newest batch before it was created, by the provider's clock; empty where there was none."""
    began_at: str
    items: Sequence[BatchItem]


def begin_batch(archive: Archive, items: Iterable[BatchItem], since: str, now: str) -> int:
    """Note that these are about to be asked together; the batch's number. Durable when the transaction is."""
    with archive.transaction():
        number = int(archive.value("INSERT INTO batch (since, began_at) VALUES (?, ?) RETURNING id", (since, now)))
        archive.run_many(
            "INSERT INTO batch_request (batch, request, chat_id, model, step, parameters, tokens, spending) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    number, item.request, item.chat_id, item.model, item.step,
                    json.dumps(dict(item.parameters), sort_keys=True), item.tokens, item.spending,
                )
                for item in items
            ],
        )  # fmt: skip
    return number


def name_batch(archive: Archive, number: int, name: str) -> None:
    """Note the name that the provider has given to a batch."""
    archive.run("UPDATE batch SET name = ? WHERE id = ?", (name, number))


def close_batch(archive: Archive, number: int, now: str) -> None:
    """Note that everything that will come of a batch is kept, or that there is none."""
    archive.run("UPDATE batch SET ended_at = ? WHERE id = ?", (now, number))


def open_batches(archive: Archive) -> tuple[OpenBatch, ...]:
    """All that are not closed, oldest first."""
    rows = archive.run("SELECT id, name, since, began_at FROM batch WHERE ended_at IS NULL ORDER BY id")
    return tuple(
        OpenBatch(number, name, since, began_at, _items(archive, number)) for number, name, since, began_at in rows
    )


def batch_age(sent: OpenBatch, now: str) -> float:
    """Seconds since a batch was sent."""
    return (at(now) - at(sent.began_at)).total_seconds()


def is_under_way(archive: Archive, request: str) -> bool:
    """Whether a request is in a batch that is not closed."""
    is_open = "SELECT 1 FROM batch_request JOIN batch ON batch.id = batch WHERE request = ? AND ended_at IS NULL"
    return archive.value(is_open, (request,)) is not None


def batch_names(archive: Archive) -> frozenset[str]:
    """The names of all batches that were ever known."""
    return frozenset(archive.column("SELECT name FROM batch WHERE name <> ''"))


def _items(archive: Archive, number: int) -> tuple[BatchItem, ...]:
    rows = archive.run(
        "SELECT request, chat_id, model, step, parameters, tokens, spending FROM batch_request WHERE batch = ? "
        "ORDER BY rowid",
        (number,),
    )
    return tuple(
        BatchItem(request, chat_id, model, step, json.loads(parameters), tokens, booked)
        for request, chat_id, model, step, parameters, tokens, booked in rows
    )
