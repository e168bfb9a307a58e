"""The journal: every reply of a model, durable before it is used, so that nothing is paid for twice."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.seals import damaged_chat, is_sound
from primer.prompt import ToolCall

_COLUMNS = (
    "request, model, step, text, finish, tokens_in, tokens_out, tokens_cached, tokens_cache_written, usd, "
    "asked_at, answered_at, litellm_usd, batch, calls"
)
_ROW = f"rowid, {is_sound('reply')}, {_COLUMNS}"


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
    calls: tuple[ToolCall, ...] = ()
    """The tools that the model wants to have called."""


def recall(archive: Archive, request: str) -> Reply | None:
    """The reply to a request that was made before, or None."""
    row = archive.one(f"SELECT {_ROW} FROM reply WHERE request = ?", (request,))  # noqa: S608
    return _reply(row) if row else None


def replies(archive: Archive, chat_id: str | None) -> tuple[Reply, ...]:
    """Every reply in the journal, oldest first; those of one chat where `chat_id` names one."""
    rows = archive.run(
        f"SELECT {_ROW} FROM reply WHERE ?1 IS NULL OR chat_id = ?1 ORDER BY rowid",  # noqa: S608
        (chat_id,),
    )
    return tuple(map(_reply, rows))


def record(archive: Archive, reply: Reply, chat_id: str, parameters: Mapping[str, object]) -> Reply:
    """Keep a reply; it is on the disk when this returns. Of two replies to one request the first stays."""
    archive.run(
        f"INSERT OR IGNORE INTO reply ({_COLUMNS}, chat_id, parameters) "  # noqa: S608
        f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*_row(reply), chat_id, json.dumps(dict(parameters), sort_keys=True)),
    )
    return recall(archive, reply.request) or reply


def _reply(row: Sequence[Any]) -> Reply:
    number, is_sound, *said, calls = row
    if not is_sound:
        raise damaged_chat(f"row {number} of reply is not what was stored")
    return Reply(*[*said, tuple(ToolCall(*call) for call in json.loads(calls))])


def _row(reply: Reply) -> tuple[Any, ...]:
    *said, calls = astuple(reply)
    return (*said, json.dumps(calls, ensure_ascii=False))
