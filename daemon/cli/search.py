"""Search everything that was ever said, remembered or known, in all chats: `memproc search`."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.full_text import KINDS, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories
from daemon.archive.search_words import excerpt, stretches
from daemon.cli.printing import in_width, print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line
from rules.conversation.memory_title import short_name

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
        entries = index.find(
            query, kinds=kinds, chat_id=chat_id, since=since, until=until, limit=limit
        )
        hits = _titled(archive, entries)
    if as_json:
        print_json([{**asdict(entry), "title": title} for entry, title, _ in hits])
        return
    if not hits:
        settings.say(f"Nothing holds all of: {query}")
    for hit in hits:
        _print(*hit, query)


def _titled(archive: Archive, entries: Sequence[IndexEntry]) -> list[tuple[IndexEntry, str, str]]:
    """Return each entry with the title of its chat, and the name by which commands know it."""
    titles = {known.chat_id: known.title for known in known_chats(archive)}
    chats = {entry.chat_id for entry in entries if entry.kind == "memories"}
    of_chats = (memory for chat_id in chats for memory in memories(archive, chat_id))
    names = {memory.memory_id: short_name(memory) for memory in of_chats}
    return [(entry, titles[entry.chat_id], names.get(entry.name, entry.name)) for entry in entries]


def _print(entry: IndexEntry, title: str, name: str, query: str) -> None:
    """Print a hit: its place, and an excerpt with the words in bold on a terminal."""
    from rich.console import Console  # late, as everywhere: `--json` needs none of it
    from rich.padding import Padding
    from rich.text import Text

    what = {
        "raw": _SPEAKERS.get(entry.speaker, ""),
        "memories": f"memory {name}",
        "facts": f"fact {name}",
    }
    place = f"{title}, {entry.said_at[:10] or 'some day'}, {what[entry.kind]}"
    click.echo(in_width(in_one_line(place)))
    marked = Text()
    for part in stretches(excerpt(entry.text, query, _EXCERPT), query):
        marked.append(in_one_line(part.text), "bold" if part.is_marked else "")
    console = Console(highlight=False)
    console.print(
        Padding(marked, (0, 0, 1, 2)) if console.is_terminal else f"  {marked.plain}\n",
        soft_wrap=not console.is_terminal,
        markup=False,
    )
