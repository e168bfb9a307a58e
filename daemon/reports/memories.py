"""Report the memories of a chat, each with its place among the folds and its marks.

And all of one memory: what it was made of, and its editions with their texts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from daemon.archive.chats import KnownChat
from daemon.archive.search_words import Stretch
from daemon.chat.holding import Holding
from daemon.reports.report import Card, Column, Report, ReportTable, Step, unmarked
from rules.conversation.memory import Edition, Memory
from rules.conversation.memory_title import (
    describe_dates,
    name_in_sentences,
    short_name,
    subject_of,
)
from rules.plan.folds import State, marks_of, notes_of
from rules.typingmind.dates import day_of
from rules.wording import as_sentence, capital, counted, cut_title

_ANSWERS = ("Quote", "Perspective", "Memory")
_SPEAKERS = (f"--- context manager {'-' * 10}", f"--- agent {'-' * 20}")
_KINDS = {
    "as-of": "as-of (nothing later in view)",
    "hindsight": "hindsight (what came after in view)",
    "person": "yours",
}
_HASH = 8  # characters that are shown of a request's hash


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory or a fold, with what a reader is shown of it."""

    memory: Memory
    state: State
    editions: tuple[Edition, ...]
    marks: tuple[str, ...]
    fold: str
    """The short name of the fold that it is in; empty where it is in none."""
    members: tuple["MemoryRow", ...]
    """The rows in this fold now, oldest first."""
    depth: int
    """The number of folds that it is nested in, in a tree."""

    @property
    def name(self) -> str:
        """Return its short name as a command takes it: `6`, `f2`, `ff1`."""
        return short_name(self.memory)

    @property
    def subject(self) -> str:
        """Return the subject in its name, or ""."""
        return subject_of(self.memory)

    @property
    def words(self) -> str:
        """Return the words that stand for it in a list: what its quotes say, else its last answer.

        What is before the person's words ("You said:") is left out, since many memories begin so.
        """
        _, quoting, *_, last = self.memory.edition.texts
        quotes = self.memory.edition.quotes
        return " ".join((quoting.removeprefix(quotes[0].lead) if quotes else last).split())

    @property
    def about(self) -> tuple[str, ...]:
        """Return the number of its members, the fold that it is in, and its marks."""
        size = len(self.memory.members)
        place = (f"of {size}" if size else "", f"in {self.fold}" if self.fold else "")
        return (*filter(None, place), *self.marks)

    def with_all_inside(self) -> Iterator["MemoryRow"]:
        """Yield this row and all rows in it, each fold before its members."""
        yield self
        for member in self.members:
            yield from member.with_all_inside()

    @property
    def chunk_count(self) -> int:
        """Return the number of chunks' memories under it; 1 for a memory that is no fold."""
        return sum(member.chunk_count for member in self.members) or 1


_COLUMNS: tuple[Column[MemoryRow], ...] = (
    Column("No.", lambda row: "   " * row.depth + row.name),
    Column("Day", lambda row: day_of(row.memory.began_at) or ""),
    Column("Before", lambda row: row.memory.source_tokens, "number", drop=1),
    Column("Now", lambda row: row.memory.edition.tokens, "number", drop=2),
    Column("State", lambda row: ", ".join(row.about)),
    Column("First words", lambda row: row.words, "line"),
)


def memory_row(holding: Holding, memory: Memory, depth: int = 0) -> MemoryRow:
    """Return the row of one of a chat's memories, with the rows in it."""
    state = holding.states[memory.memory_id]
    inside = (
        holding.by_id[name]
        for name in memory.members
        if holding.states[name].into == memory.memory_id
    )
    return MemoryRow(
        memory=memory,
        state=state,
        editions=holding.editions[memory.memory_id],
        marks=marks_of(memory, state),
        fold=short_name(holding.by_id[state.into]) if state.into else "",
        members=tuple(memory_row(holding, member, depth + 1) for member in inside),
        depth=depth,
    )


def outermost_rows(holding: Holding) -> list[MemoryRow]:
    """Return the rows that are in no fold, oldest first, each fold with the rows in it."""
    return [memory_row(holding, memory) for memory in holding.outermost()]


def memories_report(chat: KnownChat, holding: Holding, *, tree: bool) -> Report:
    """Return the list of a chat's memories, with their tokens before and now.

    With `tree`, each fold is followed by the memories in it; folds that are not in use come last.
    """
    rows = [memory_row(holding, memory) for memory in holding.memories]
    if tree:
        unused = [row for row in rows if row.state.word == "not in use"]
        outermost = (*outermost_rows(holding), *unused)
        rows = [inner for row in outermost for inner in row.with_all_inside()]
    title = cut_title(chat.title)
    none = f'"{title}" has no memories yet.'
    table = ReportTable("memories", rows, _COLUMNS, none, data=memory_data)
    if not rows:
        return Report((table,), next=(Step("What a run would do", "plan"),))
    return Report((table,), heading=f"{title} ({chat.chat_id}):")


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


def memory_report(title: str, holding: Holding, memory: Memory, *, raw: bool) -> Report:
    """Return a memory with all its editions; with `raw`, with ids, questions and requests."""
    row = memory_row(holding, memory)
    members = [holding.by_id[name] for name in memory.members]
    about = [
        *(f"made of {_name(member, raw)}, {describe_dates(member)}: {member.edition.tokens:,} tokens"
          for member in members),
        ", ".join(row.about) or "shown",
        *notes_of(memory),
    ]  # fmt: skip
    if raw and memory.keys:
        about.insert(0, f"from message {memory.keys[0]} to {memory.keys[-1]}")
    further = Step("Ids, questions and requests", f"show {holding.chat_id} {row.name} --raw")
    recall = Step("To bring it back", f"recall {holding.chat_id} {row.name}")
    return Report(
        _tables(memory, row.editions, about, raw=raw),
        heading="" if raw else f'"{cut_title(title)}"',
        next=() if raw else (recall, further) if memory.forgotten else (further,),
        values={"chat_id": holding.chat_id, **memory_data(row)},
    )


def shown_report(memory: Memory) -> Report:
    """Return a memory in the edition that is shown."""
    return Report(_tables(memory, [memory.edition]))


def _tables(
    memory: Memory,
    editions: Sequence[Edition],
    about: Sequence[str] = (),
    *,
    raw: bool = False,
) -> tuple[ReportTable[Memory], ReportTable[Edition]]:
    """Return a card on the memory, then one for each edition."""
    subject = subject_of(memory)
    name = capital(_name(memory, raw))
    messages = counted(len(memory.keys), "message")
    covers = (
        f"covers {messages}, {describe_dates(memory)}: {memory.source_tokens:,} tokens are now "
        f"{memory.edition.tokens:,}"
    )
    who = f"{name}: {subject}" if subject else name
    head = Card(
        who,
        unmarked("\n".join(map(as_sentence, (covers, *about)))),
    )
    return (
        ReportTable("", [memory], card=lambda _: head),
        ReportTable(
            "", editions, card=lambda edition: _card(memory, edition, raw=raw), is_compared=True
        ),
    )


def _name(memory: Memory, raw: bool) -> str:
    return f"{name_in_sentences(memory)} ({memory.memory_id})" if raw else name_in_sentences(memory)


def _card(memory: Memory, edition: Edition, *, raw: bool) -> Card:
    """Return an edition: its quote, perspective and memory, or with `raw` all six messages."""
    is_shown = memory.edition.number == edition.number
    is_in_prompts = memory.in_prompts.number == edition.number
    marks = (
        "shown now" if is_shown and not memory.forgotten else "",
        "seen while later ones are written" if is_in_prompts and not is_shown else "",
        f"{edition.tokens:,} tokens",
    )
    answers = zip(_ANSWERS, edition.texts[1::2], strict=True)
    parts = zip(_SPEAKERS * 3, edition.texts, strict=True) if raw else answers
    return Card(
        who=f"edition {edition.number}, {_KINDS[edition.kind]}",
        text=tuple(Stretch(f"{head}\n{text}\n\n", is_marked=False) for head, text in parts),
        at=edition.written_at,
        marks=tuple(filter(None, (*marks, _made_by(edition, raw=raw)))),
        notes=tuple(_sources(edition)) if raw else (),
    )


def _sources(edition: Edition) -> Iterator[str]:
    """Yield clauses on the requests and messages that an edition is from."""
    if edition.requests:
        yield f"requests {', '.join(request[:_HASH] for request in edition.requests)}"
    for quote in edition.quotes:
        lost = "a message that is not known any more"
        source = f"message {quote.source}" if quote.source else lost
        length = counted(len(quote.text), "character")
        yield f"the quote of {length} is from {source}, chosen by the {quote.chosen}"


def _made_by(edition: Edition, *, raw: bool) -> str:
    """Return who wrote an edition; with `raw`, also the context manager."""
    models = edition.agent
    if raw:
        models = f"agent {edition.agent}, context manager {edition.context_manager}"
    if edition.kind == "person":
        return f"edited in TypingMind, after {models}"  # the models wrote what the person edited
    if edition.is_extracted:
        engine = "extracted from the conversation by the built-in engine"
        return f"{engine}: {models}" if raw else engine
    return f"written: {models}" if raw else f"written by {models}"
