"""Say what there is of a chat's memories: each with its place among the folds, and its marks."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from daemon.archive.chats import KnownChat
from daemon.chat.holding import Holding
from daemon.reports.report import Column, Report, ReportTable, Step
from rules.conversation.memory import Edition, Memory
from rules.conversation.memory_title import short_name, subject_of
from rules.plan.folds import State, marks_of
from rules.typingmind.dates import day_of
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory or a fold, with what a reader is told of it."""

    memory: Memory
    state: State
    editions: tuple[Edition, ...]
    marks: tuple[str, ...]
    fold: str
    """The short name of the fold that it is in; empty where it is in none."""
    members: tuple["MemoryRow", ...]
    """Those that are in this fold now, oldest first."""
    depth: int
    """How many folds of a tree it is in."""

    @property
    def name(self) -> str:
        """Return its number as a command takes it: `6`, `f2`, `ff1`."""
        return short_name(self.memory)

    @property
    def subject(self) -> str:
        """Return the subject in its name, or ""."""
        return subject_of(self.memory)

    @property
    def words(self) -> str:
        """Return what it is shown by: its first quote, else the memory that the persona keeps."""
        return self.memory.quote or " ".join(self.memory.edition.texts[-1].split())

    @property
    def about(self) -> tuple[str, ...]:
        """Return how many a fold is made of, the fold that it is in, and its marks."""
        size = len(self.memory.members)
        place = (f"of {size}" if size else "", f"in {self.fold}" if self.fold else "")
        return (*filter(None, place), *self.marks)

    def with_all_inside(self) -> Iterator["MemoryRow"]:
        """Yield it and all that is in it, each fold before its members."""
        yield self
        for member in self.members:
            yield from member.with_all_inside()

    @property
    def chunks(self) -> int:
        """Count the memories under it that are no folds; 1 for a memory."""
        return sum(member.chunks for member in self.members) or 1


def memory_row(held: Holding, memory: Memory, depth: int = 0) -> MemoryRow:
    """Return the row of one of a chat's memories, with all that is in it."""
    state = held.states[memory.memory_id]
    inside = (
        held.by_id[name] for name in memory.members if held.states[name].into == memory.memory_id
    )
    return MemoryRow(
        memory=memory,
        state=state,
        editions=held.editions[memory.memory_id],
        marks=marks_of(memory, state),
        fold=short_name(held.by_id[state.into]) if state.into else "",
        members=tuple(memory_row(held, member, depth + 1) for member in inside),
        depth=depth,
    )


def outermost_rows(held: Holding) -> list[MemoryRow]:
    """Return the rows of what is in no fold, oldest first, each fold with those in it."""
    return [memory_row(held, memory) for memory in held.outermost()]


_COLUMNS: tuple[Column[MemoryRow], ...] = (
    Column("No.", lambda row: "   " * row.depth + row.name),
    Column("Day", lambda row: day_of(row.memory.began_at) or ""),
    Column("Before", lambda row: row.memory.source_tokens, "number", drop=1),
    Column("Now", lambda row: row.memory.edition.tokens, "number", drop=2),
    Column("State", lambda row: ", ".join(row.about)),
    Column("First words", lambda row: row.words, "line"),
)


def memories_report(chat: KnownChat, held: Holding, *, tree: bool) -> Report:
    """Return the list of a chat's memories, with their tokens before and now.

    With `tree`, each fold is followed by the memories in it; folds that are not in use come last.
    """
    rows = [memory_row(held, memory) for memory in held.memories]
    if tree:
        unused = [row for row in rows if row.state.word == "not in use"]
        rows = [part for row in (*outermost_rows(held), *unused) for part in row.with_all_inside()]
    title = cut_title(chat.title)
    none = f'"{title}" has no memories yet.'
    table = ReportTable("memories", rows, _COLUMNS, none, data=memory_data)
    if not rows:
        return Report((table,), next=(Step("What a run would do", "plan"),))
    return Report((table,), heading=f"{title} ({chat.chat_id}), tokens before and now:")


def memory_data(row: MemoryRow) -> dict[str, object]:
    """Return all that is known of a memory, for programs."""
    return {
        "name": row.name,
        **asdict(row.memory),
        "state": row.state.word,
        "folded_into": row.state.into,
        "marks": row.marks,
        "editions": [asdict(edition) for edition in row.editions],
    }
