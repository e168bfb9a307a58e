"""Show a memory beside the words that were quoted for it, its editions, and what can be done."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.journal import cost_of
from daemon.archive.messages import past
from daemon.chat.holding import Holding, holding_of
from daemon.page.app import desk_of, render
from daemon.page.chat import persona_of, tags_of
from daemon.page.message_blocks import around_marks
from daemon.page.reading import SaidMessage, show_message
from rules.conversation.history import Past
from rules.conversation.memory import Memory, Quote
from rules.conversation.memory_title import subject_in
from rules.extract.languages import TONGUES

_NOTHING = frozenset(
    sentence
    for tongue in TONGUES
    for sentence in (tongue.frames.nothing, tongue.frames.nothing_more)
)
"""What the built-in engine writes where the persona did not speak of itself."""


def memory_page(request: Request) -> Response:
    """Show the memory with the passages that it quotes."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known, persona = find_chat(archive, held.chat_id), persona_of(archive, held.chat_id)
        under = () if found.is_fold else past(archive, held.chat_id, found.memory_id)
    before, after = neighbours(held, found)
    is_forgotten = held.states[found.memory_id].word == "forgotten"
    seen = found.edition.texts[3]
    return render(
        request,
        "memory.html",
        chat=known,
        persona=persona,
        memory=found,
        before=before,
        after=after,
        subject=subject_in(found.in_prompts.texts[0]),
        quoted=list(_quoted(under, found.edition.quotes)),
        seen_is_open=seen.strip() not in _NOTHING and seen.strip() not in found.edition.texts[5],
        editions=held.editions[found.memory_id][::-1],
        members=[held.memory(name) for name in found.members],
        tags=tuple(tags_of(found, is_forgotten)),
        is_forgotten=is_forgotten,
    )


def words_page(request: Request) -> Response:
    """Show all messages that a memory stands for, as they were when it was made."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        held, found = holding_of(archive, desk.config, request.path_params["memory"])
        known, persona = find_chat(archive, held.chat_id), persona_of(archive, held.chat_id)
        under = past(archive, held.chat_id, found.memory_id)
    messages = [_shown(old, found.edition.quotes, whole=True) for old in under]
    return render(
        request, "words.html", chat=known, persona=persona, memory=found, messages=messages
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


def neighbours(held: Holding, memory: Memory) -> tuple[Memory | None, Memory | None]:
    """Return the memories before and after one, of its own level."""
    level = [other for other in held.memories if other.level == memory.level]
    at = level.index(memory)
    return level[at - 1] if at else None, level[at + 1] if at + 1 < len(level) else None


def _quoted(under: Sequence[Past], quotes: Sequence[Quote]) -> Iterator[SaidMessage]:
    """Yield the messages that are quoted; the first of all where none is."""
    sources = {quote.source for quote in quotes}
    quoted = [old for old in under if old.key in sources]
    for old in quoted or under[:1]:
        yield _shown(old, quotes, whole=False)


def _shown(old: Past, quotes: Sequence[Quote], *, whole: bool) -> SaidMessage:
    """Return a message as it was when its memory was made, with its quotes marked."""
    message = show_message(old.key, old.message, quotes, "said-")
    first, stop = (message.first, message.stop) if whole else around_marks(message.blocks)
    return replace(
        message,
        first=first,
        stop=stop,
        is_deleted=old.newest is None,
        is_edited=old.newest is not None and old.newest.text != old.message.text,
    )
