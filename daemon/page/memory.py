"""Show a memory with its sources: quotes in their raw messages, editions, and what can be done."""

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
from daemon.page.app import desk_of, named_chat, render
from daemon.page.chat import persona_of, tags_of
from rules.conversation.memory import Memory
from rules.conversation.memory_title import subject_in
from rules.errors import NotFound

_NEIGHBOURS = 3


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A message under a memory, cut where its quotes begin and end."""

    key: str
    is_persona: bool
    date: str | None
    stretches: tuple[Stretch, ...]
    is_deleted: bool
    is_edited: bool


def memory_page(request: Request) -> Response:
    """Show the memory."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known = find_chat(archive, held.chat_id)
        persona = persona_of(archive, held.chat_id)
        messages = tuple(_raw_messages(archive, held.chat_id, found))
    is_forgotten = held.states[found.memory_id].word == "forgotten"
    return render(
        request,
        "memory.html",
        chat=known,
        persona=persona,
        memory=found,
        subject=subject_in(found.in_prompts.texts[0]),
        messages=messages,
        editions=held.editions[found.memory_id][::-1],
        members=[held.memory(name) for name in found.members],
        tags=tuple(tags_of(found, is_forgotten)),
        is_forgotten=is_forgotten,
    )


def retry_page(request: Request) -> Response:
    """Ask before a memory is written again: the cost first, then room for guidance."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known = find_chat(archive, held.chat_id)
        costs = [cost_of(archive, edition.requests) for edition in held.editions[found.memory_id]]
    before = max((cost for cost in costs if cost is not None), default=None)
    caps = desk.config.budget
    return render(request, "retry.html", chat=known, memory=found, cost=before, caps=caps)


def message_page(request: Request) -> Response:
    """Show a raw message that is under no memory, between its neighbours."""
    key = request.path_params["key"]
    with named_chat(request) as (archive, known):
        neighbours = around(archive, known.chat_id, key, _NEIGHBOURS, _NEIGHBOURS)
        persona = persona_of(archive, known.chat_id)
    messages = [
        RawMessage(
            key=name,
            is_persona=neighbour.speaker == "assistant",
            date=neighbour.created_at,
            stretches=(Stretch(neighbour.text, is_marked=name == key),),
            is_deleted=False,
            is_edited=False,
        )
        for name, neighbour in neighbours
    ]
    if not messages:
        raise NotFound("This message is not in the conversation any more.", "Search for it again.")
    return render(request, "message.html", chat=known, persona=persona, messages=messages)


def cut_at_quotes(text: str, quotes: list[str]) -> tuple[Stretch, ...]:
    """Cut the text so that the first place of each quote is a stretch of its own."""
    for quote in quotes:
        before, found, after = text.partition(quote)
        if quote and found:
            head, tail = cut_at_quotes(before, quotes), cut_at_quotes(after, quotes)
            return (*head, Stretch(quote, is_marked=True), *tail)
    return (Stretch(text, is_marked=False),) if text else ()


def _raw_messages(archive: Archive, chat_id: str, found: Memory) -> Iterator[RawMessage]:
    keys = set(found.keys)
    for old in past(archive, chat_id):
        if old.key not in keys:
            continue
        quotes = [quote.text for quote in found.edition.quotes if quote.source == old.key]
        message = old.message
        yield RawMessage(
            key=old.key,
            is_persona=message.speaker == "assistant",
            date=message.created_at,
            stretches=cut_at_quotes(message.text, quotes),
            is_deleted=old.newest is None,
            is_edited=old.newest is not None and old.newest.text != message.text,
        )
