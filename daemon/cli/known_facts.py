"""Show facts, where they come from, and your additions and removals: `memproc facts CHAT`."""

import click

from daemon.archive.chats import find_chat, known_chat
from daemon.archive.layers import ranked
from daemon.chat.changes import events_of
from daemon.chat.opening import facts_now
from daemon.cli import ChatGroup
from daemon.cli.changes import change, tell_presses
from daemon.cli.settings import AboutChat, Settings, pass_about
from daemon.reports.facts import fact_history, facts_report

_fact_number = click.argument("number", metavar="ID", type=click.IntRange(min=1))


@click.group(cls=ChatGroup, default="list")
@click.argument("chat")
@click.pass_context
def facts_command(ctx: click.Context, chat: str) -> None:
    """Show or change the facts of CHAT, which is one of `memproc chats`.

    Without a command they are listed.
    """
    ctx.obj = AboutChat(ctx.ensure_object(Settings), chat)


@facts_command.command("list")
@pass_about
def facts_list_command(about: AboutChat) -> None:
    """List what is true now, by date. The export shows as many of them as facts.budget holds."""
    with about.settings.archive() as archive:
        chat = find_chat(archive, about.name, "part")
        known = facts_now(archive, chat.chat_id)
        is_shown = about.settings.config.of(known_chat(archive, chat.chat_id)).facts.enabled
    by_date = sorted(known, key=lambda fact: (fact.said_at, fact.number))
    about.settings.show(facts_report(chat, by_date, is_shown=is_shown))
    tell_presses(about.settings, chat.chat_id, "facts")


@facts_command.command("search")
@click.argument("words", nargs=-1, required=True)
@pass_about
def facts_search_command(about: AboutChat, words: tuple[str, ...]) -> None:
    """Search WORDS in what is true now, the best match first."""
    with about.settings.archive() as archive:
        chat = find_chat(archive, about.name, "part")
        known = facts_now(archive, chat.chat_id)
    asked = " ".join(words)
    best_first = [known[at] for at in ranked([fact.text for fact in known], asked)]
    about.settings.show(facts_report(chat, best_first, asked))


@facts_command.command("history")
@_fact_number
@pass_about
def facts_history_command(about: AboutChat, number: int) -> None:
    """Show all that ever happened to the fact ID.

    What it said, from which message, and what took its place.
    """
    with about.settings.archive() as archive:
        events = events_of(archive, find_chat(archive, about.name, "part"), number)
    about.settings.show(fact_history(events))


@facts_command.command("forget")
@_fact_number
@pass_about
def facts_forget_command(about: AboutChat, number: int) -> None:
    """Forget the fact ID.

    It is no longer shown or told, and never taken from the same message again.
    """
    change(about.settings, "facts forget", about.name, number=number)


@facts_command.command("add")
@click.argument("text")
@pass_about
def facts_add_command(about: AboutChat, text: str) -> None:
    """Add TEXT as a fact, of today."""
    words = " ".join(text.split())
    if not words:
        raise click.UsageError("A fact needs words.")
    change(about.settings, "facts add", about.name, words=words)
