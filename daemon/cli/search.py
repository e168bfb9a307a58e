"""Search everything that was ever said, remembered or known, in all chats: `memproc search`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.full_text import ANYTHING, IndexEntry, SearchKind, full_text
from daemon.archive.memories import memories_by_message
from daemon.archive.search_words import excerpt, stretches
from daemon.cli.printing import in_width, print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line
from rules.wording import cut_title

_EXCERPT = 220  # characters
_DAY = click.DateTime(["%Y-%m-%d"])
_IN_MEMORIES: tuple[SearchKind, ...] = ("raw", "memories")
_SPEAKERS = {"user": "you", "assistant": "the persona"}


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place that was found, in its chat."""

    entry: IndexEntry
    title: str
    name: str
    """The short name of the memory that it is in, or the number of the fact; empty for none."""

    @property
    def place(self) -> str:
        """Return where it is: chat, day, and who said it or what it is."""
        in_memory = f", in memory {self.name}" if self.name else ""
        what = {
            "raw": f"{_SPEAKERS.get(self.entry.speaker, '')}{in_memory}",
            "memories": f"memory {self.name}",
            "facts": f"fact {self.name}",
        }
        if self.entry.kind == "titles":
            return f"{cut_title(self.title)}, a chat"
        day = self.entry.said_at[:10] or "some day"
        return f"{cut_title(self.title)}, {day}, {what[self.entry.kind]}"

    def as_json(self) -> dict[str, object]:
        """Return the place for programs."""
        return {**asdict(self.entry), "title": self.title}

    @property
    def command(self) -> str:
        """Return the command that opens it; empty for what is in no memory yet."""
        if self.entry.kind == "facts":
            return f"memproc facts {self.entry.chat_id}"
        if self.entry.kind == "titles":
            return f"memproc memories {self.entry.chat_id}"
        return f"memproc show {self.entry.chat_id} {self.name}" if self.name else ""


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
    "--in",
    "kind",
    type=click.Choice(ANYTHING),
    help="Only raw messages, memories, facts or titles.",
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
    """Search WORDS in messages, memories, facts and titles of all chats; the best matches first.

    All of the words have to be there. What is in double quotes is searched as it is.
    """
    asked = " ".join(words)
    kinds = (kind,) if kind else ANYTHING
    with settings.archive() as archive, full_text(settings.folders.state, archive) as index:
        chat_id = find_chat(archive, chat, "part").chat_id if chat else ""
        find = partial(
            index.find, kinds=kinds, chat_id=chat_id, since=since, until=until, limit=limit
        )
        query, entries = index.best(asked, find)
        hits = _hits(archive, entries)
    if as_json:
        print_json({"hits": [hit.as_json() for hit in hits]})
    else:
        _print_all(settings, hits, asked, query)


def _print_all(settings: Settings, hits: Sequence[_Hit], asked: str, query: str) -> None:
    """Print the hits, and first that they are those of another query than was asked."""
    if not hits:
        settings.say(f"Nothing holds all of: {asked}")
        return
    if query != asked:
        settings.say(f"Nothing holds all of: {asked}\nThe nearest that there is: {query}\n")
    for hit in hits:
        _print(hit, query)


def _hits(archive: Archive, entries: Sequence[IndexEntry]) -> list[_Hit]:
    """Return each entry with its chat's title, and the short name of the memory that it is in."""
    titles = {known.chat_id: known.title for known in known_chats(archive)}
    chats = {entry.chat_id for entry in entries if entry.kind in _IN_MEMORIES}
    names = {chat_id: memories_by_message(archive, chat_id) for chat_id in chats}
    hits = []
    for entry in entries:
        name = entry.name
        if entry.kind in _IN_MEMORIES:
            name = names[entry.chat_id].get(entry.name, "")
        hits.append(_Hit(entry, titles[entry.chat_id], name))
    return hits


def _print(hit: _Hit, query: str) -> None:
    """Print a hit: its place, an excerpt with the words in bold, and what opens it.

    The command is for people: a file or a pipe gets place and excerpt.
    """
    from rich.console import Console  # late, as everywhere: `--json` needs none of it
    from rich.padding import Padding
    from rich.text import Text

    click.echo(in_width(in_one_line(hit.place)))
    marked = Text()
    for part in stretches(excerpt(hit.entry.text, query, _EXCERPT), query):
        marked.append(in_one_line(part.text), "bold" if part.is_marked else "")
    console = Console(highlight=False)
    if not console.is_terminal:
        console.print(f"  {marked.plain}\n", soft_wrap=True, markup=False)
        return
    console.print(Padding(marked, (0, 0, 0, 2)), soft_wrap=False, markup=False)
    click.echo(f"  {hit.command}\n" if hit.command else "")
