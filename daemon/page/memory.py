"""A memory beside what it stands for: its quote in the raw message, its editions, and what can be done with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.journal import cost_of
from daemon.archive.messages import around, past
from daemon.archive.search_words import Stretch
from daemon.chat.holding import holding_of
from daemon.page.app import desk_of, render, said
from daemon.page.chat import tags_of
from rules.conversation.history import Past
from rules.conversation.memory import Memory
from rules.errors import NotFound

_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A message that the memory stands for, cut where the quote begins and ends."""

    key: str
    is_persona: bool
    date: str | None
    stretches: tuple[Stretch, ...]
    is_deleted: bool
    is_edited: bool


def memory_page(request: Request) -> Response:
    """The memory's page."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known = find_chat(archive, held.chat_id)
        messages = tuple(_raw_messages(archive, held.chat_id, found))
    is_forgotten = held.states[found.memory_id].word == "forgotten"
    return render(
        request, "memory.html", chat=known, memory=found, messages=messages,
        editions=held.editions[found.memory_id][::-1], members=[held.memory(name) for name in found.members],
        tags=tuple(tags_of(found, is_forgotten)), is_forgotten=is_forgotten, said=said(request),
    )  # fmt: skip


def retry_page(request: Request) -> Response:
    """The question before a memory is written anew, with room for a word of guidance; the cost comes first."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known = find_chat(archive, held.chat_id)
        costs = [cost_of(archive, edition.requests) for edition in held.editions[found.memory_id]]
    before = max((cost for cost in costs if cost is not None), default=None)
    return render(
        request, "retry.html", chat=known, memory=found, cost=before, caps=desk.config.budget
    )


def message_page(request: Request) -> Response:
    """A raw message that stands under no memory, between its neighbours."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        key = request.path_params["key"]
        messages = [
            RawMessage(
                name, neighbour.speaker == "assistant", neighbour.created_at,
                (Stretch(neighbour.text, is_marked=name == key),), is_deleted=False, is_edited=False,
            )
            for name, neighbour in around(archive, known.chat_id, key, _NEIGHBOURS, _NEIGHBOURS)
        ]  # fmt: skip
    if not messages:
        raise NotFound("This message is not in the conversation any more.", "Search for it again.")
    return render(request, "message.html", chat=known, messages=messages)


def cut_at_quotes(text: str, quotes: list[str]) -> tuple[Stretch, ...]:
    """The text in stretches, each quote that stands in it by itself; the first place of each."""
    for quote in quotes:
        before, found, after = text.partition(quote)
        if quote and found:
            head, tail = cut_at_quotes(before, quotes), cut_at_quotes(after, quotes)
            return (*head, Stretch(quote, is_marked=True), *tail)
    return (Stretch(text, is_marked=False),) if text else ()


def _raw_messages(archive: Archive, chat_id: str, found: Memory) -> Iterator[RawMessage]:
    keys = set(found.keys)
    for old in past(archive, chat_id):
        if old.key in keys:
            yield _raw_message(
                old, [quote.text for quote in found.edition.quotes if quote.source == old.key]
            )


def _raw_message(old: Past, quotes: list[str]) -> RawMessage:
    message = old.message
    return RawMessage(
        key=old.key,
        is_persona=message.speaker == "assistant",
        date=message.created_at,
        stretches=cut_at_quotes(message.text, quotes),
        is_deleted=old.newest is None,
        is_edited=old.newest is not None and old.newest.text != message.text,
    )
