"""The table of a chat's memories: a line each, in order or as a tree."""

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
    """Each memory with its depth: what stands in the export, oldest first, each fold before its members.

    What is forgotten stands where it was; folds that are not in use come last.
    """

    def branch(memory: Memory, depth: int) -> Iterator[tuple[Memory, int]]:
        yield memory, depth
        for name in memory.members:
            if whole.states[name].into == memory.memory_id:
                yield from branch(whole.memory(name), depth + 1)

    def first_number(memory: Memory) -> int:
        while memory.is_fold:
            memory = whole.memory(memory.members[0])
        return memory.number

    words = {memory.memory_id: whole.states[memory.memory_id].word for memory in whole.memories}
    top = [memory for memory in whole.memories if words[memory.memory_id] in ("shown", "forgotten")]
    unused = [memory for memory in whole.memories if words[memory.memory_id] == "not in use"]
    for memory in [*sorted(top, key=first_number), *unused]:
        yield from branch(memory, 0)


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of one memory's line."""

    name: str
    day: str
    tokens: str
    words: str
    marks: str


def table_lines(
    whole: Holding, placed: Sequence[tuple[Memory, int]], width: int | None
) -> Iterator[str]:
    """Yield a line for each memory, cut to the `width` of a terminal (columns) if there is one.

    `placed` has each memory with its depth in the tree. Where they are of several years, each day
    has its year.
    """
    has_years = len({(memory.began_at or "")[:4] for memory, _ in placed}) > 1
    rows = [_row(whole, memory, depth, has_years=has_years) for memory, depth in placed]
    is_tree = any(depth for _, depth in placed)
    names, days, tokens = (
        max(len(cell) for cell in column)
        for column in zip(*((row.name, row.day, row.tokens) for row in rows), strict=True)
    )
    for row in rows:
        name = row.name.ljust(names) if is_tree else row.name.rjust(names)
        begin = f"{name}  {row.day.rjust(days)}  {row.tokens.rjust(tokens)}  "
        yield _fitted(begin, row, width)


def _row(whole: Holding, memory: Memory, depth: int, *, has_years: bool) -> _Row:
    """Return the cells of a memory's line."""
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
    return " ".join((quotes[0].text if quotes else memory.edition.texts[-1]).split())


def marks_of(whole: Holding, memory: Memory) -> str:
    """The marks of a memory that is out of the ordinary, in a few words."""
    state, edition = whole.states[memory.memory_id], memory.edition
    words = [f"of {len(memory.members)}"] if memory.is_fold else []
    if state.into:
        words.append(f"in {short_name(whole.memory(state.into))}")
    elif state.word != "shown":
        words.append(state.word)
    if edition.kind == "person":
        words.append("yours")
    elif edition.made == EXTRACTED:
        words.append("extracted")
    words += ["hindsight"] if edition.kind == "hindsight" else []
    words += ["pinned"] if memory.pinned else []
    words += ["recalled"] if memory.recalled else []
    words += ["new edition due"] if memory.due else []
    return ", ".join(words)
