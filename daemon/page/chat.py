"""Show a chat: its memories on a line of time, its sizes part by part, and the kept versions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.memo import known_counts
from daemon.archive.messages import live_messages
from daemon.archive.outputs import RESTORED, last_output
from daemon.chat.holding import Holding, holding
from daemon.config.settings import Config
from daemon.models.tokens import ENCODING
from daemon.page.app import desk_of, named_chat, render
from daemon.page.files import has_updated
from daemon.page.versions import version_choice
from daemon.remember.chat_notes import wishes_left_out
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.memory_title import short_name, subject_in


@dataclass(frozen=True, slots=True)
class ChatSizes:
    """Tokens of the parts of a chat's updated export, and of all that was ever said in it."""

    folds: int
    memories: int
    waiting: int
    """Said before the live tail, and not yet under a memory."""
    live: int
    """The newest messages, word for word."""
    spoken: int

    @property
    def parts(self) -> Mapping[str, int]:
        """Return the parts that are not empty, by name, in the conversation's order."""
        parts = {
            "folds": self.folds,
            "memories": self.memories,
            "waiting": self.waiting,
            "word for word": self.live,
        }
        return {name: tokens for name, tokens in parts.items() if tokens}

    @property
    def total(self) -> int:
        """Return the tokens that the chat has now."""
        return sum(self.parts.values())


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


def chat_sizes(archive: Archive, config: Config, held: Holding) -> ChatSizes:
    """Measure a chat. Messages that no run has counted yet count as nothing."""
    tail_tokens = config.of(known_chat(archive, held.chat_id)).tail.tokens
    digests = [message.digest for message in live_messages(archive, held.chat_id)]
    counts = known_counts(archive, ENCODING, list(set(digests)))
    sizes = [counts.get(digest, 0) for digest in digests]
    live = sum(size for size, sum_before in _from_the_end(sizes) if sum_before < tail_tokens)
    sources = (memory.source_tokens for memory in held.memories if not memory.is_fold)
    folds = memories = 0
    for memory in held.memories:
        if held.states[memory.memory_id].word != "shown":
            continue
        if memory.is_fold:
            folds += memory.edition.tokens
        else:
            memories += memory.edition.tokens
    return ChatSizes(
        folds=folds,
        memories=memories,
        waiting=sum(sizes) - live,
        live=live,
        spoken=sum(sizes) + sum(sources),
    )


def _from_the_end(sizes: list[int]) -> list[tuple[int, int]]:
    """Return each size, newest first, with the sum of the newer ones."""
    newest_first = sizes[::-1]
    return list(zip(newest_first, accumulate(newest_first, initial=0), strict=False))


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
        notes = list(filter(None, (wishes_left_out(held),)))
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
