"""A chat: its memories on a line of time, its sizes, and the versions that are kept of its exports."""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chat
from daemon.chat.holding import Holding, holding
from daemon.files.backup import versions_of
from daemon.page.app import desk_of, render, said
from daemon.page.files import has_updated
from daemon.page.sizes import chat_sizes
from rules.conversation.memory import EXTRACTED, Memory


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A memory or a fold on the line of time, with the ones that it stands for."""

    memory: Memory
    tags: tuple[str, ...]
    members: tuple["TimelineEntry", ...]

    @property
    def quote(self) -> str:
        """The first of its quotes."""
        return self.memory.edition.quotes[0].text if self.memory.edition.quotes else ""

    @property
    def memories(self) -> int:
        """The number of chunks' memories for which it stands, itself where it is one."""
        return sum(member.memories for member in self.members) or 1


def timeline(held: Holding) -> tuple[TimelineEntry, ...]:
    """The entries of the chat, oldest first, with what the person has deleted where it was."""
    top = [
        memory
        for memory in held.memories
        if held.states[memory.memory_id].word in ("shown", "forgotten")
    ]
    return tuple(
        _entry(held, memory) for memory in sorted(top, key=lambda memory: _oldest(held, memory))
    )


def tags_of(memory: Memory, is_forgotten: bool) -> Iterator[str]:
    """The tags of a memory, which tell a person the most important at a glance."""
    edition = memory.edition
    if edition.made == EXTRACTED and edition.kind != "person":
        yield "extracted"
    elif not memory.is_fold:
        yield {"as-of": "as of then", "hindsight": "hindsight", "person": "yours"}[edition.kind]
    if memory.pinned:
        yield "pinned"
    if memory.due:
        yield "new edition due"
    if is_forgotten:
        yield "deleted by you"


def chat_page(request: Request) -> Response:
    """The chat's page."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        known = find_chat(archive, request.path_params["chat"])
        held = holding(archive, desk.config, known.chat_id)
        sizes = chat_sizes(
            archive, held, desk.config.of(known_chat(archive, known.chat_id)).tail.tokens
        )
        updated = has_updated(archive, known.chat_id)
    kept = versions_of(desk.folders.backups, known.chat_id)
    return render(
        request, "chat.html", chat=known, entries=timeline(held), sizes=sizes, versions=kept[::-1],
        updated=updated, said=said(request),
    )  # fmt: skip


def _entry(held: Holding, memory: Memory) -> TimelineEntry:
    members = [name for name in memory.members if held.states[name].into == memory.memory_id]
    return TimelineEntry(
        memory,
        tuple(tags_of(memory, held.states[memory.memory_id].word == "forgotten")),
        tuple(_entry(held, held.memory(name)) for name in members),
    )


def _oldest(held: Holding, memory: Memory) -> int:
    """The number of the oldest chunk's memory that it stands for."""
    while memory.is_fold:
        memory = held.memory(memory.members[0])
    return memory.number
