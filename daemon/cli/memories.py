"""Show a chat's memories: `memproc memories`, in order or as a tree, and `show` for one in full.

A command names memories by number in a chat, or by an id or its beginning.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from shutil import get_terminal_size

import click
from rich.cells import cell_len, set_cell_size

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.chat.holding import Holding, holding, holding_of
from daemon.cli.memory_text import heading_lines, print_editions, say_folded
from daemon.cli.printing import print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line
from rules.conversation.memory import EXTRACTED, Memory
from rules.conversation.memory_title import called, dates, short_name
from rules.plan.folds import state_in_words
from rules.typingmind.dates import parse_date

_LOOKS_LIKE_AN_ID = re.compile("[mf][0-9a-f]{4,15}")

_LONGEST_WORDS = 60  # characters of a quote, where no terminal says how wide it is
_LEAST_WORDS = 12


def named_memories(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> list[tuple[Holding, Memory]]:
    """Find the memories of these names; the first may be the chat's. Raises NotFound."""
    has_chat = len(names) > 1 and not all(map(_LOOKS_LIKE_AN_ID.fullmatch, names))
    chat, ids = (names[0], names[1:]) if has_chat else ("", names)
    return [holding_of(archive, settings.config, name, chat) for name in ids]


def one_memory(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> tuple[Holding, Memory]:
    """Find the one memory of these names; the first may be the chat's. Raises NotFound."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    *chat, name = names
    return holding_of(archive, settings.config, name, "".join(chat))


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
    """Yield a memory and all that it stands for, each with its depth."""
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
    day = ""
    if memory.began_at:
        began = parse_date(memory.began_at)
        day = _day(began, has_years=has_years) if began else ""
    marks = marks_of(whole, memory)
    return _Row(
        name="   " * depth + short_name(memory),
        day=day,
        tokens=f"{memory.source_tokens:,} to {memory.edition.tokens:,}",
        words=in_one_line(_first_words(memory)),
        marks=f"  {marks}" if marks else "",
    )


def _day(when: datetime, *, has_years: bool) -> str:
    """Write a day as " 5 Apr", with its year if wanted."""
    year = f" {when.year}" if has_years else ""
    return f"{when.day:2} {when:%b}{year}"


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


@click.command
@click.argument("chat")
@click.option(
    "--tree", is_flag=True, help="What the export shows, each fold with its memories below it."
)
@json_option
@pass_settings
def memories_command(settings: Settings, chat: str, tree: bool, as_json: bool) -> None:
    """List the memories of CHAT, named by its id or its title.

    Each has its number, day, tokens before and now, and first words. The number names the memory in
    `show`, `use`, `pin`, `retry` and `recall`; folds are called f1, f2, and so on.
    """
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        whole = holding(archive, settings.config, known.chat_id)
    if as_json:
        print_json([_in_full(whole, memory) for memory in whole.memories])
    elif not whole.memories:
        settings.say(f'"{known.title}" has no memories yet. What a run would do: memproc plan')
    else:
        settings.say(f"{known.title} ({known.chat_id}), tokens before and now:")
        placed = in_tree(whole) if tree else ((memory, 0) for memory in whole.memories)
        width = get_terminal_size().columns if sys.stdout.isatty() else None
        for line in table_lines(whole, list(placed), width):
            click.echo(line)


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.option(
    "--raw", is_flag=True, help="With ids, questions, and the requests that it was made from."
)
@json_option
@pass_settings
def show_command(settings: Settings, names: tuple[str, ...], raw: bool, as_json: bool) -> None:
    """Show MEMORY in full: its number in CHAT, its id, or the beginning of its id.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = one_memory(archive, settings, names)
        title = find_chat(archive, whole.chat_id).title
    if as_json:
        print_json({"chat_id": whole.chat_id, **_in_full(whole, shown)})
        return
    about = list(_about(whole, shown, raw=raw))
    say_folded(about if raw else [f'"{title}"', *about])
    print_editions(shown, whole.editions[shown.memory_id], raw)


def _about(whole: Holding, memory: Memory, *, raw: bool) -> Iterator[str]:
    """List what is known of a memory besides its editions."""
    yield from heading_lines(memory, raw)
    if raw and memory.keys:
        yield f"from message {memory.keys[0]} to {memory.keys[-1]}"
    for member in map(whole.memory, memory.members):
        name = called(member) if raw else f"memory {short_name(member)}"
        yield f"made of {name}, {dates(member)}: {member.edition.tokens:,} tokens"
    if raw:
        yield state_in_words(memory, whole.states[memory.memory_id])
        return
    yield marks_of(whole, memory) or "shown"
    yield f"Ids, questions and requests: memproc show {whole.chat_id} {short_name(memory)} --raw"


def _in_full(whole: Holding, memory: Memory) -> dict[str, object]:
    """Return all that is known of a memory, for programs."""
    state = whole.states[memory.memory_id]
    editions = [asdict(edition) for edition in whole.editions[memory.memory_id]]
    return {
        "name": short_name(memory),
        **asdict(memory),
        "state": state.word,
        "folded_into": state.into,
        "editions": editions,
    }
