"""List memories, a line each, in order or as a tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from rich.cells import cell_len, set_cell_size

from daemon.chat.holding import Holding
from daemon.status.printable import in_one_line
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.memory_title import short_name
from rules.typingmind.dates import day_of

_LONGEST_WORDS = 60  # characters of a quote, where no terminal says how wide it is
_LEAST_WORDS = 12


def in_tree(whole: Holding) -> Iterator[tuple[Memory, int]]:
    """Yield each memory with its depth: oldest first, each fold before its members.

    Forgotten memories keep their place; folds that are not in use come last.
    """
    for memory in whole.outermost():
        yield from _branch(whole, memory, 0)
    for memory in whole.memories:
        if whole.states[memory.memory_id].word == "not in use":
            yield from _branch(whole, memory, 0)


def _branch(whole: Holding, memory: Memory, depth: int) -> Iterator[tuple[Memory, int]]:
    """Yield a memory and all that is in it, each with its depth."""
    yield memory, depth
    for member in whole.members(memory):
        yield from _branch(whole, member, depth + 1)


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
    years = {(memory.began_at or "")[:4] for memory, _ in placed}
    is_tree = any(depth for _, depth in placed)
    rows = [_row(whole, memory, depth, has_years=len(years) > 1) for memory, depth in placed]
    names = _aligned([row.name for row in rows], to_the_left=is_tree)
    days = _aligned([row.day for row in rows])
    tokens = _aligned([row.tokens for row in rows])
    for row, *cells in zip(rows, names, days, tokens, strict=True):
        begin = "  ".join(cells)
        yield _fitted(f"{begin}  ", row, width)


def _aligned(cells: Sequence[str], *, to_the_left: bool = False) -> list[str]:
    """Pad the cells of a column to the width of its longest."""
    width = max(map(len, cells))
    return [cell.ljust(width) if to_the_left else cell.rjust(width) for cell in cells]


def _row(whole: Holding, memory: Memory, depth: int, *, has_years: bool) -> _Row:
    """Return the cells of a memory, its name indented by its depth."""
    began = day_of(memory.began_at)
    day = _day(date.fromisoformat(began), has_years=has_years) if began else ""
    marks = marks_of(whole, memory)
    return _Row(
        name="   " * depth + short_name(memory),
        day=day,
        tokens=f"{memory.source_tokens:,} to {memory.edition.tokens:,}",
        words=in_one_line(_first_words(memory)),
        marks=f"  {marks}" if marks else "",
    )


def _day(when: date, *, has_years: bool) -> str:
    """Write a day as " 5 Apr", with its year if wanted."""
    year = f" {when.year}" if has_years else ""
    return f"{when.day:2} {when:%b}{year}"


def _fitted(begin: str, row: _Row, width: int | None) -> str:
    """Return a row's line, its first words cut to the room that is left."""
    room = _LONGEST_WORDS
    if width:
        left = width - len(begin) - len(row.marks) - 2
        room = max(left, _LEAST_WORDS)
    words = row.words
    if cell_len(words) > room:
        beginning = set_cell_size(words, room - 3).rstrip()
        words = f"{beginning}..."
    line = f'{begin}"{words}"{row.marks}'
    if width and cell_len(line) > width:
        return set_cell_size(line, width)
    return line


def _first_words(memory: Memory) -> str:
    """Return what a memory is shown by: its first quote, else what it keeps, on one line."""
    quotes, texts = memory.edition.quotes, memory.edition.texts
    words = quotes[0].framed if quotes else texts[-1]
    return " ".join(words.split())


def marks_of(whole: Holding, memory: Memory) -> str:
    """Name in a few words what is out of the ordinary about a memory."""
    state, edition = whole.states[memory.memory_id], memory.edition
    is_yours = edition.kind == "person"
    words = []
    if memory.is_fold:
        words.append(f"of {len(memory.members)}")
    if state.into:
        words.append(f"in {short_name(whole.memory(state.into))}")
    elif state.word != "shown":
        words.append(state.word)
    marks = {
        "yours": is_yours,
        "extracted": edition.made == EXTRACTED and not is_yours,
        "odd form": bool(edition.form),
        "hindsight": edition.kind == "hindsight",
        "pinned": memory.pinned,
        "recalled": memory.recalled,
        "new edition due": memory.due,
    }
    words += [word for word, is_marked in marks.items() if is_marked]
    return ", ".join(words)
