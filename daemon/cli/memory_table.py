"""Print a chat's memories as a table: a line each, in order or as a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from daemon.chat.holding import Holding
from daemon.status.printable import in_one_line
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.memory_title import short_name
from rules.typingmind.dates import parse_date

_LONGEST_WORDS = 60  # characters of a quote, where no terminal says how wide it is
_LEAST_WORDS = 12


def in_tree(whole: Holding) -> Iterator[tuple[Memory, int]]:
    """Yield each memory with its depth: oldest first, each fold before its members.

    Forgotten memories keep their place; folds that are not in use come last.
    """

    def branch(memory: Memory, depth: int) -> Iterator[tuple[Memory, int]]:
        yield memory, depth
        for member in whole.members(memory):
            yield from branch(member, depth + 1)

    unused = (
        memory for memory in whole.memories if whole.states[memory.memory_id].word == "not in use"
    )
    for memory in (*whole.outermost(), *unused):
        yield from branch(memory, 0)


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of a memory's line."""

    name: str
    day: str
    tokens: str
    words: str
    marks: str


def table_lines(
    whole: Holding, placed: Sequence[tuple[Memory, int]], width: int | None
) -> Iterator[str]:
    """Yield a line for each memory, cut to `width` columns if given.

    `placed` has each memory with its depth in the tree. Days have a year where the years differ.
    """
    has_years = len({(memory.began_at or "")[:4] for memory, _ in placed}) > 1
    rows = [_row(whole, memory, depth, has_years=has_years) for memory, depth in placed]
    is_tree = any(depth for _, depth in placed)
    names = max(len(row.name) for row in rows)
    days = max(len(row.day) for row in rows)
    tokens = max(len(row.tokens) for row in rows)
    for row in rows:
        name = row.name.ljust(names) if is_tree else row.name.rjust(names)
        begin = f"{name}  {row.day.rjust(days)}  {row.tokens.rjust(tokens)}  "
        yield _fitted(begin, row, width)


def _row(whole: Holding, memory: Memory, depth: int, *, has_years: bool) -> _Row:
    began = parse_date(memory.began_at) if memory.began_at else None
    year = f" {began.year}" if began and has_years else ""
    return _Row(
        name="   " * depth + short_name(memory),
        day=f"{began.day:2} {began:%b}{year}" if began else "",
        tokens=f"{memory.source_tokens:,} to {memory.edition.tokens:,}",
        words=in_one_line(_first_words(memory)),
        marks=f"  {marks}" if (marks := marks_of(whole, memory)) else "",
    )


def _fitted(begin: str, row: _Row, width: int | None) -> str:
    """Return a row's line, its first words cut to the room that is left."""
    room = _LONGEST_WORDS
    if width:
        room = max(width - len(begin) - len(row.marks) - 2, _LEAST_WORDS)
    words = row.words
    if cell_len(words) > room:
        words = f"{set_cell_size(words, room - 3).rstrip()}..."
    line = f'{begin}"{words}"{row.marks}'
    return set_cell_size(line, width) if width and cell_len(line) > width else line


def _first_words(memory: Memory) -> str:
    quotes = memory.edition.quotes
    return " ".join((quotes[0].framed if quotes else memory.edition.texts[-1]).split())


def marks_of(whole: Holding, memory: Memory) -> str:
    """Name in a few words what is out of the ordinary about a memory."""
    state, edition = whole.states[memory.memory_id], memory.edition
    words = [f"of {len(memory.members)}"] if memory.is_fold else []
    if state.into:
        words.append(f"in {short_name(whole.memory(state.into))}")
    elif state.word != "shown":
        words.append(state.word)
    is_extracted = edition.made == EXTRACTED and edition.kind != "person"
    marks = {
        "yours": edition.kind == "person",
        "extracted": is_extracted,
        "odd form": bool(edition.form),
        "hindsight": edition.kind == "hindsight",
        "pinned": memory.pinned,
        "recalled": memory.recalled,
        "new edition due": memory.due,
    }
    return ", ".join((*words, *(word for word, is_marked in marks.items() if is_marked)))
