"""The journal: every reply of a model, durable before it is used, so that nothing is paid for twice (D15)."""

import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass

from daemon.archive.archive import Archive

_COLUMNS = (
    "request, model, step, text, finish, tokens_in, tokens_out, tokens_cached, tokens_cache_written, usd, "
    "asked_at, answered_at, litellm_usd, batch"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer to one request, with the tokens that the provider counted."""

    request: str
    """The request's hash."""
    model: str
    step: str
    text: str
    finish: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_cache_written: int
    usd: float | None
    """Dollars by our own prices, else what LiteLLM says; None where nobody knows."""
    asked_at: str
    answered_at: str
    litellm_usd: float | None = None
    """What LiteLLM says that it has cost."""
    batch: str = ""
    """The provider's name of the batch that it came by, at half price; empty where it was asked for by itself."""


def recall(archive: Archive, request: str) -> Reply | None:
    """The reply to a request that was made before, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM reply WHERE request = ?", (request,))  # noqa: S608
    return Reply(*row) if row else None


def replies(archive: Archive, chat_id: str | None) -> tuple[Reply, ...]:
    """Every reply in the journal, oldest first; those of one chat where `chat_id` names one."""
    rows = archive.run(
        f"SELECT {_COLUMNS} FROM reply WHERE ?1 IS NULL OR chat_id = ?1 ORDER BY rowid",  # noqa: S608
        (chat_id,),
    )
    return tuple(Reply(*row) for row in rows)


def record(archive: Archive, reply: Reply, chat_id: str, parameters: Mapping[str, object]) -> Reply:
    """Keep a reply; it is on the disk when this returns. Of two replies to one request the first stays."""
    with archive.transaction():
        archive.run(
            f"INSERT OR IGNORE INTO reply ({_COLUMNS}, chat_id, parameters) "  # noqa: S608
            f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*astuple(reply), chat_id, json.dumps(dict(parameters), sort_keys=True)),
        )
    return recall(archive, reply.request) or reply
