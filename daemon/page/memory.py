"""Show a memory beside the messages that it quotes, its editions, and what can be done with it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import tzinfo

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, persona_of
from daemon.archive.journal import cost_of
from daemon.archive.messages import past
from daemon.chat.holding import Holding, holding_of
from daemon.page.app import desk_of, render
from daemon.page.message_blocks import around_marks
from daemon.page.reading import SaidMessage, show_message
from daemon.reports.memories import memory_row
from rules.conversation.history import Past
from rules.conversation.memory import Memory, Quote
from rules.extract.languages import TONGUES
from rules.plan.folds import notes_of

_NOTHING = frozenset(
    sentence
    for tongue in TONGUES
    for sentence in (tongue.frames.nothing, tongue.frames.nothing_more)
)
"""The sentences that the built-in engine writes where the persona did not speak of itself."""


@contextmanager
def _opened(request: Request) -> Iterator[tuple[Archive, KnownChat, Holding, Memory]]:
    """Open the archive, and yield it with the memory that the address names and its chat.

    Raises NotFound.
    """
    desk = desk_of(request)
    with desk.archive() as archive:
        held, memory = holding_of(archive, desk.config, request.path_params["memory"])
        yield archive, find_chat(archive, held.chat_id), held, memory


def memory_page(request: Request) -> Response:
    """Show the memory with the passages that it quotes."""
    with _opened(request) as (archive, chat, held, memory):
        persona = persona_of(archive, chat.chat_id)
        under = past(archive, chat.chat_id, memory.memory_id)  # nothing, of a fold
        quotes, zone = memory.edition.quotes, archive.zone
    sources = {quote.source for quote in quotes}
    quoted = [old for old in under if old.key in sources] or under[:1]
    before, after = find_neighbours(held, memory)
    seen = memory.edition.texts[3].strip()
    return render(
        request,
        "memory.html",
        chat=chat,
        persona=persona,
        memory=memory,
        before=before,
        after=after,
        quoted=[_shown(old, quotes, zone, whole=False) for old in quoted],
        seen_is_open=seen not in _NOTHING and seen not in memory.edition.texts[5],
        row=memory_row(held, memory),
        members=[held.by_id[name] for name in memory.members],
        notes=notes_of(memory),
    )


def words_page(request: Request) -> Response:
    """Show all messages that a memory replaces, as they were when it was made."""
    with _opened(request) as (archive, chat, _, memory):
        persona = persona_of(archive, chat.chat_id)
        under = past(archive, chat.chat_id, memory.memory_id)
        messages = [_shown(old, memory.edition.quotes, archive.zone, whole=True) for old in under]
    return render(
        request, "words.html", chat=chat, persona=persona, memory=memory, messages=messages
    )


def retry_page(request: Request) -> Response:
    """Ask before a memory is written again: show the cost, then a field for guidance."""
    with _opened(request) as (archive, chat, held, memory):
        editions = held.editions[memory.memory_id]
        costs = [cost_of(archive, edition.requests) for edition in editions]
    unknown = 0.0 if any(edition.is_extracted for edition in editions) else None
    before = max((cost for cost in costs if cost is not None), default=unknown)
    caps = desk_of(request).config.budget
    return render(request, "retry.html", chat=chat, memory=memory, cost=before, caps=caps)


def find_neighbours(held: Holding, memory: Memory) -> tuple[Memory | None, Memory | None]:
    """Return the memories before and after one, on the same level; None where there is none."""
    same_level = [None, *(other for other in held.memories if other.level == memory.level), None]
    at = same_level.index(memory)
    return same_level[at - 1], same_level[at + 1]


def _shown(old: Past, quotes: Sequence[Quote], zone: tzinfo, *, whole: bool) -> SaidMessage:
    """Return a message as it was when its memory was made, with its quotes marked."""
    message = show_message(old.key, old.message, zone, quotes, "said-")
    if not whole:
        first, stop = around_marks(message.blocks)
        message = replace(message, first=first, stop=stop)
    if old.newest is None:
        return replace(message, is_deleted=True)
    return replace(message, is_edited=old.newest.text != old.message.text)
