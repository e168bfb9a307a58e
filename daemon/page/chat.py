"""Show a chat: its memories on a line of time, its sizes, and the kept versions of its exports."""

from collections.abc import Iterator
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.outputs import RESTORED, last_output
from daemon.chat.holding import Holding, holding
from daemon.page.app import desk_of, named_chat, render
from daemon.page.files import has_updated
from daemon.page.sizes import chat_sizes
from daemon.page.versions import version_choice
from daemon.remember.fold_notes import notes_on_folds
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.memory_title import short_name, subject_in


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A memory or a fold on the line of time, with its members."""

    memory: Memory
    tags: tuple[str, ...]
    members: tuple["TimelineEntry", ...]

    @property
    def quote(self) -> str:
        """Return the first quote, or ""."""
        return self.memory.edition.quotes[0].framed if self.memory.edition.quotes else ""

    @property
    def name(self) -> str:
        """Return its number as a command takes it: `6`, `f2`, `ff1`."""
        return short_name(self.memory)

    @property
    def subject(self) -> str:
        """Return the subject in the memory's name, or ""."""
        return subject_in(self.memory.in_prompts.texts[0])

    @property
    def memories(self) -> int:
        """Count the chunks' memories that it covers; 1 for a memory."""
        return sum(member.memories for member in self.members) or 1


def timeline(held: Holding) -> tuple[TimelineEntry, ...]:
    """List the chat's entries, oldest first; memories that the person deleted keep their place."""
    return tuple(_entry(held, memory) for memory in held.outermost())


def tags_of(memory: Memory, is_forgotten: bool) -> Iterator[str]:
    """Tell the most important about a memory at a glance."""
    edition = memory.edition
    if edition.made == EXTRACTED and edition.kind != "person":
        yield "extracted"
    elif not memory.is_fold:
        yield {"as-of": "as of then", "hindsight": "hindsight", "person": "yours"}[edition.kind]
    if edition.form:
        yield f"kept in spite of its form: {edition.form}"
    if memory.pinned:
        yield "pinned"
    if memory.due:
        yield "new edition due"
    if is_forgotten:
        yield "deleted by you"


def persona_of(archive: Archive, chat_id: str) -> str:
    """Return the name of the chat's agent in TypingMind, or "the persona" where it has none."""
    return known_chat(archive, chat_id).persona or "the persona"


def chat_page(request: Request) -> Response:
    """Show the chat."""
    desk = desk_of(request)
    with named_chat(request) as (archive, known):
        held = holding(archive, desk.config, known.chat_id)
        sizes = chat_sizes(archive, desk.config, held)
        notes = notes_on_folds(archive, desk.config, held)
        updated = has_updated(archive, known.chat_id)
        last = last_output(archive, known.chat_id)
        choice = version_choice(archive, desk.folders, known)
    return render(
        request,
        "chat.html",
        chat=known,
        entries=timeline(held),
        sizes=sizes,
        notes=notes,
        choice=choice,
        updated=updated,
        restored_at=last.written_at if last and last.messages_sha256 == RESTORED else "",
    )


def _entry(held: Holding, memory: Memory) -> TimelineEntry:
    is_forgotten = held.states[memory.memory_id].word == "forgotten"
    members = (_entry(held, member) for member in held.members(memory))
    return TimelineEntry(memory, tuple(tags_of(memory, is_forgotten)), tuple(members))
