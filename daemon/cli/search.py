"""Search everything that was ever said, remembered or known, in all chats: `memproc search`."""

from datetime import datetime

import click

from daemon.archive.chats import find_chat
from daemon.archive.full_text import ANYTHING, SearchKind
from daemon.cli.settings import Settings, pass_settings
from daemon.reports.search import Search, search_report

_DAY = click.DateTime(["%Y-%m-%d"])


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
    "--limit",
    metavar="NUMBER",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="At most so many.",
)
@pass_settings
def search_command(
    settings: Settings,
    words: tuple[str, ...],
    chat: str,
    since: str,
    until: str,
    kind: SearchKind | None,
    limit: int,
) -> None:
    """Search WORDS in messages, memories, facts and titles of all chats; the best matches first.

    All of the words have to be there. What is in double quotes is searched as it is.
    """
    with settings.archive() as archive:
        chat_id = find_chat(archive, chat, "part").chat_id if chat else ""
        wanted = Search(" ".join(words), kind, chat_id, since, until, limit)
        report = search_report(archive, settings.config, settings.folders.state, wanted)
    settings.show(report)
