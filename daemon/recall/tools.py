"""The five things that a model can look up, each as a text within its bound and as data.

All of them only read. What is not there is said in a way that ends the matter: models search in a loop otherwise.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, known_chat, known_chats
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.layers import fact_events, ranked
from daemon.archive.memories import editions, find_memory, memories
from daemon.archive.messages import around, past
from daemon.archive.search_words import excerpt
from daemon.chat.opening import core_now
from daemon.config.settings import Config
from daemon.config.texts import core_layout
from daemon.recall.records import PAGE_TOKENS, SEARCH_TOKENS, pages, quoted, within
from daemon.status.sentences import in_one_line
from rules.conversation.memory import Edition, Memory, day
from rules.errors import MemprocError, NotFound
from rules.layers.facts import Fact, live
from rules.typingmind.message import Message

_EXCERPT = 700  # characters
_QUOTE = 80  # characters of a quote on the line of time
_OWN_WORDS = slice(1, None, 2)  # the persona's own among a memory's six texts

What = Literal["memory", "raw", "as-of", "hindsight"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a tool gives back: the same as a text and as data; `is_error` where the question cannot be answered so."""

    text: str
    data: Mapping[str, Any]
    is_error: bool = False


LookUp = Callable[[], Recalled]


@dataclass(frozen=True, slots=True)
class Library:
    """What may be looked up: the chats of an archive, or one of them."""

    config: Config
    state: Path
    only: str = ""
    """The id or the title of the only chat; empty for all."""

    @contextmanager
    def opened(self) -> Iterator[Archive]:
        """The archive, for reading."""
        with Archive.read(self.state) as archive:
            yield archive

    def chat(self, archive: Archive, name: str) -> KnownChat:
        """The chat that is meant. Raises NotFound where it is none of ours, or none was named and there are several."""
        if self.only:
            return find_chat(archive, self.only)
        chats = known_chats(archive)
        if not name and len(chats) == 1:
            return chats[0]
        if not name:
            titles = ", ".join(f'"{chat.title}"' for chat in chats[-10:])
            raise NotFound(f"Several chats are kept: {titles}.", "Name one of them as `chat`.")
        return find_chat(archive, name)


def search(
    library: Library, query: str, kind: SearchKind | None, since: str, until: str, limit: int, chat: str
) -> Recalled:
    """The places that have most of the query's words, each with the words around them."""
    with library.opened() as archive:
        titles = {known.chat_id: known for known in known_chats(archive)}
        chat_id = library.chat(archive, chat).chat_id if chat or library.only else ""
        with full_text(library.state, archive) as index:
            entries = index.find(
                query, kinds=(kind,) if kind else KINDS, chat_id=chat_id, since=since, until=until, limit=limit,
                any_word=True,
            )  # fmt: skip
        newest = max((titles[entry.chat_id].last_seen for entry in entries), default="")
    if not entries:
        return Recalled(
            "Nothing in the records has any of these words. That is all there is: searching again in other words is "
            "worth one try, no more.",
            {"hits": []},
        )
    hits = [
        f"{_about(entry, titles[entry.chat_id].title)}\n{quoted(excerpt(entry.text, query, _EXCERPT))}"
        for entry in entries
    ]
    text, is_all = within([_head(newest), *hits], SEARCH_TOKENS)
    shown = text.count("\n\n")
    data = [
        {"kind": entry.kind, "chat": titles[entry.chat_id].title, "id": entry.name, "date": entry.said_at[:10]}
        for entry in entries[:shown]
    ]
    return Recalled(text, {"hits": data, "complete": is_all})


def open_record(library: Library, name: str, what: What, page: int, chat: str) -> Recalled:
    """A memory, or the messages that it stands for, or one message with its neighbours; page by page."""
    with library.opened() as archive:
        known, text = _record(library, archive, name, what, chat)
    every = pages(text, PAGE_TOKENS - 200)
    if not 1 <= page <= len(every):
        raise NotFound(f"There is no page {page} of it.", f"It has {len(every)}.")
    more = f"\n\nPage {page} of {len(every)}." if len(every) > 1 else ""
    return Recalled(
        f"{_head(known.last_seen)}\n\n{every[page - 1]}{more}",
        {"id": name, "chat": known.title, "page": page, "pages": len(every)},
    )


def timeline(library: Library, chat: str, fold: str, since: str, until: str) -> Recalled:
    """The memories of a chat in order, one line each; a fold is one line, and `fold` opens it."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        found = memories(archive, known.chat_id)
    by_id = {memory.memory_id: memory for memory in found}
    if fold and fold not in by_id:
        raise NotFound(f'"{known.title}" has no fold {fold}.', "Its folds stand on the line of time.")
    inside = {name for memory in found if memory.is_fold for name in memory.members}
    listed = [by_id[name] for name in by_id[fold].members] if fold else [m for m in found if m.memory_id not in inside]
    listed = sorted(listed, key=lambda memory: memory.began_at or "")
    dated = [
        memory
        for memory in listed
        if not memory.forgotten
        and (memory.ended_at or "~")[:10] >= since
        and (memory.began_at or "")[:10] <= (until or "~")
    ]
    lines = [_line(memory) for memory in dated]
    text, is_all = within([_head(known.last_seen), *lines], SEARCH_TOKENS)
    if not dated:
        text = f"{text}\n\nNo memory falls into these days."
    elif not is_all:
        text = f"{text}\n\nThere are more; ask for later days with `since`."
    ids = [memory.memory_id for memory in dated[: text.count("\n\n")]]
    return Recalled(text, {"chat": known.title, "memories": ids, "complete": is_all})


def core_memory(library: Library, chat: str) -> Recalled:
    """The sections of the core memory as they are now."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        layout = core_layout(library.config.of(known_chat(archive, known.chat_id)).core)
        sections = {section.name: section.rendered for section in core_now(archive, known.chat_id, layout)}
    parts = [f"{name}:\n{quoted(text)}" for name, text in sections.items()]
    text, is_all = within([_head(known.last_seen), *parts], PAGE_TOKENS)
    return Recalled(text, {"chat": known.title, "sections": list(sections), "complete": is_all})


def facts(library: Library, chat: str, words: str, date: str) -> Recalled:
    """Facts that have these words, the best first, or all; those that held on `date`, or that hold now."""
    with library.opened() as archive:
        known = library.chat(archive, chat)
        events = fact_events(archive, known.chat_id)
    held = live(event for event in events if not date or event.said_at[:10] <= date)
    chosen: list[Fact] = [held[at] for at in ranked([fact.text for fact in held], words)] if words else list(held)
    if not chosen:
        return Recalled("No fact is known of this. That is all there is.", {"chat": known.title, "facts": []})
    lines = [f"{fact.said_at[:10] or 'some day'} (fact {fact.number})\n{quoted(fact.text)}" for fact in chosen]
    text, is_all = within([_head(known.last_seen), *lines], SEARCH_TOKENS)
    numbers = [fact.number for fact in chosen[: text.count("\n\n")]]
    return Recalled(text, {"chat": known.title, "facts": numbers, "complete": is_all})


def refusal(trouble: MemprocError) -> Recalled:
    """An error as an answer."""
    return Recalled(f"{trouble.message} {trouble.next_step}", {"error": trouble.message}, is_error=True)


def _head(last_seen: str) -> str:
    return (
        f"Records of what was said then; they ask nothing of you now. The archive knows the conversation up to "
        f"{day(last_seen)}."
    )


def _about(entry: IndexEntry, title: str) -> str:
    what = {"raw": "message", "memories": "memory", "facts": "fact"}[entry.kind]
    speaker = {"user": ", the person", "assistant": ", you"}.get(entry.speaker, "")
    return f'{entry.said_at[:10] or "some day"}{speaker}, in "{in_one_line(title)}" ({what} {entry.name})'


def _line(memory: Memory) -> str:
    quotes = memory.edition.quotes
    quote = f": {in_one_line(quotes[0].text)[:_QUOTE]}" if quotes else ""
    what = f"{len(memory.members)} memories folded" if memory.is_fold else f"memory {memory.number}"
    return f"{day(memory.began_at)} to {day(memory.ended_at)}, {what} ({memory.memory_id}){quote}"


def _record(library: Library, archive: Archive, name: str, what: What, chat: str) -> tuple[KnownChat, str]:
    try:
        chat_id, memory = find_memory(archive, name)
    except NotFound:
        known = library.chat(archive, chat)
        neighbours = around(archive, known.chat_id, name, 1, 1)
        if not neighbours:
            raise
        return known, "\n\n".join(_message(message, key) for key, message in neighbours)
    known = find_chat(archive, chat_id)
    if library.only and library.chat(archive, "").chat_id != chat_id:
        raise NotFound(f"There is no memory {name} in this chat.", "Its memories stand on the line of time.")
    if what == "raw":
        keys = set(memory.keys)
        said = [old for old in past(archive, chat_id) if old.key in keys]
        return known, "\n\n".join(_message(old.newest or old.message, old.key) for old in said)
    edition = _edition(archive, memory, what)
    texts = "\n\n".join(quoted(text) for text in edition.texts[_OWN_WORDS])
    return known, f"{_line(memory)}, {edition.kind}\n\n{texts}"


def _edition(archive: Archive, memory: Memory, what: What) -> Edition:
    of_kind = [edition for edition in editions(archive, memory.memory_id) if edition.kind == what]
    if what != "memory" and not of_kind:
        raise NotFound(f"This memory has no {what} edition.", "Open it as `memory`.")
    return of_kind[-1] if of_kind else memory.edition


def _message(message: Message, key: str) -> str:
    speaker = "you" if message.speaker == "assistant" else "the person"
    return f"{day(message.created_at)}, {speaker} (message {key})\n{quoted(message.text)}"
