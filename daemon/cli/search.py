"""`memproc search WORDS`: everything that was ever said, remembered or known, in all chats."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories
from daemon.archive.search_words import excerpt, stretches
from daemon.cli.printing import in_width
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line, printable_json
from rules.conversation.memory_title import short_name

_EXCERPT = 220  # characters
_DAY = click.DateTime(["%Y-%m-%d"])
_SPEAKERS = {"user": "you", "assistant": "the persona"}


@click.command
@click.argument("words", nargs=-1, required=True)
@click.option("--chat", default="", help="Only this chat, by its id or its title.")
@click.option("--from", "since", type=_DAY, help="Only from this day on, as in 2026-03-15.")
@click.option("--to", "until", type=_DAY, help="Only up to this day.")
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
    since: datetime | None,
    until: datetime | None,
    kind: SearchKind | None,
    limit: int,
    as_json: bool,
) -> None:
    """Search WORDS in raw messages, memories and facts of all chats; the best matches come first.

    All of the words have to be there. What stands in double quotes is searched as it stands.
    """
    query = " ".join(words)
    state = settings.folders.state
    with settings.archive() as archive, full_text(state, archive) as index:
        titles = {known.chat_id: known.title for known in known_chats(archive)}
        entries = index.find(
            query,
            kinds=(kind,) if kind else KINDS,
            chat_id=find_chat(archive, chat).chat_id if chat else "",
            since=_day(since),
            until=_day(until),
            limit=limit,
        )
        names = _memory_names(archive, entries)
    if as_json:
        rows = [{**asdict(entry), "title": titles[entry.chat_id]} for entry in entries]
        click.echo(printable_json(rows))
        return
    if not entries:
        settings.say(f"Nothing holds all of: {query}")
    for entry in entries:
        _print(entry, titles[entry.chat_id], names.get(entry.name, entry.name), query)


def _memory_names(archive: Archive, entries: Sequence[IndexEntry]) -> dict[str, str]:
    """Return by id the short names of all memories of the chats that memories were found in."""
    chats = {entry.chat_id for entry in entries if entry.kind == "memories"}
    found = (memory for chat_id in chats for memory in memories(archive, chat_id))
    return {memory.memory_id: short_name(memory) for memory in found}


def _day(date: datetime | None) -> str:
    """A day as the index has it; empty where none was named."""
    return date.date().isoformat() if date else ""


def _print(entry: IndexEntry, title: str, name: str, query: str) -> None:
    """Print where it stands, and the words around those that were searched, which are bold on a terminal."""
    from rich.console import Console  # late, as everywhere: `--json` needs none of it
    from rich.padding import Padding
    from rich.text import Text

    what = {
        "raw": _SPEAKERS.get(entry.speaker, ""),
        "memories": f"memory {name}",
        "facts": f"fact {name}",
    }
    click.echo(
        in_width(in_one_line(f"{title}, {entry.said_at[:10] or 'some day'}, {what[entry.kind]}"))
    )
    marked = Text()
    for part in stretches(excerpt(entry.text, query, _EXCERPT), query):
        marked.append(in_one_line(part.text), "bold" if part.is_marked else "")
    console = Console(highlight=False)
    console.print(
        Padding(marked, (0, 0, 1, 2)) if console.is_terminal else f"  {marked.plain}\n",
        soft_wrap=not console.is_terminal,
        markup=False,
    )
