"""Search everything that was ever said, remembered or known, in all chats: `memproc search`."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories_by_message
from daemon.archive.search_words import excerpt, stretches
from daemon.cli.printing import in_width, print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line

_EXCERPT = 220  # characters
_DAY = click.DateTime(["%Y-%m-%d"])
_SPEAKERS = {"user": "you", "assistant": "the persona"}


def _day(ctx: click.Context, param: click.Parameter, date: datetime | None) -> str:
    """Return the day as the index has it, or ""."""
    return date.date().isoformat() if date else ""


@click.command
@click.argument("words", nargs=-1, required=True)
@click.option("--chat", default="", help="Only this chat, by its id or its title.")
@click.option(
    "--from", "since", type=_DAY, callback=_day, help="Only from this day on, as in 2026-03-15."
)
@click.option("--to", "until", type=_DAY, callback=_day, help="Only up to this day.")
@click.option(
    "--in", "kind", type=click.Choice(KINDS), help="Only raw messages, memories or facts."
)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many."
)
@json_option
@pass_settings
def search_command(
    settings: Settings,
    words: tuple[str, ...],
    chat: str,
    since: str,
    until: str,
    kind: SearchKind | None,
    limit: int,
    as_json: bool,
) -> None:
    """Search WORDS in raw messages, memories and facts of all chats; the best matches come first.

    All of the words have to be there. What is in double quotes is searched as it is.
    """
    query, kinds = " ".join(words), (kind,) if kind else KINDS
    with settings.archive() as archive, full_text(settings.folders.state, archive) as index:
        chat_id = find_chat(archive, chat).chat_id if chat else ""
        find = partial(
            index.find, kinds=kinds, chat_id=chat_id, since=since, until=until, limit=limit
        )
        entries, unknown = find(query), query
        if not entries and (near := index.nearest_query(query)):
            entries, query = find(near), near
        hits = _titled(archive, entries)
    if as_json:
        print_json([{**asdict(entry), "title": title} for entry, title, _ in hits])
        return
    if not hits:
        settings.say(f"Nothing holds all of: {unknown}")
    elif query != unknown:
        settings.say(f"Nothing holds all of: {unknown}\nThe nearest that there is: {query}\n")
    for hit in hits:
        _print(*hit, query)


def _titled(archive: Archive, entries: Sequence[IndexEntry]) -> list[tuple[IndexEntry, str, str]]:
    """Return each entry with its chat's title, and the short name of the memory that it is in.

    A fact has its number for a name; what is in no memory yet has none.
    """
    titles = {known.chat_id: known.title for known in known_chats(archive)}
    chats = {entry.chat_id for entry in entries if entry.kind != "facts"}
    names = {chat_id: memories_by_message(archive, chat_id) for chat_id in chats}
    return [
        (
            entry,
            titles[entry.chat_id],
            entry.name if entry.kind == "facts" else names[entry.chat_id].get(entry.name, ""),
        )
        for entry in entries
    ]


def _place(entry: IndexEntry, title: str, name: str) -> str:
    """Return where a hit is: chat, day, and who said it or what it is."""
    in_memory = f", in memory {name}" if name else ""
    what = {
        "raw": f"{_SPEAKERS.get(entry.speaker, '')}{in_memory}",
        "memories": f"memory {name}",
        "facts": f"fact {name}",
    }
    return f"{title}, {entry.said_at[:10] or 'some day'}, {what[entry.kind]}"


def _command(entry: IndexEntry, name: str) -> str:
    """Return the command that opens what was found; empty for what is in no memory yet."""
    if entry.kind == "facts":
        return f"memproc facts {entry.chat_id}"
    return f"memproc show {entry.chat_id} {name}" if name else ""


def _print(entry: IndexEntry, title: str, name: str, query: str) -> None:
    """Print a hit: its place, an excerpt with the words in bold, and what opens it.

    The command is for people: a file or a pipe gets place and excerpt.
    """
    from rich.console import Console  # late, as everywhere: `--json` needs none of it
    from rich.padding import Padding
    from rich.text import Text

    click.echo(in_width(in_one_line(_place(entry, title, name))))
    marked = Text()
    for part in stretches(excerpt(entry.text, query, _EXCERPT), query):
        marked.append(in_one_line(part.text), "bold" if part.is_marked else "")
    console = Console(highlight=False)
    console.print(
        Padding(marked, (0, 0, 0, 2)) if console.is_terminal else f"  {marked.plain}\n",
        soft_wrap=not console.is_terminal,
        markup=False,
    )
    if console.is_terminal:
        command = _command(entry, name)
        click.echo(f"  {command}\n" if command else "")
