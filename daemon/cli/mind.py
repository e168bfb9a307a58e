"""Show and change what a chat keeps in mind: `memproc core`, `facts`, `keep`, `release`."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.layers import core_events
from daemon.archive.pressed import find_pressed, keep_pressed
from daemon.chat.changes import CHANGES, ChangeDone, events_of
from daemon.cli import ChatGroup
from daemon.cli.settings import AboutChat, Settings, pass_about, pass_settings
from daemon.files.clock import now
from daemon.files.lock import Busy
from daemon.reports.core_memory import core_history, core_report
from daemon.reports.facts import fact_history, facts_report
from daemon.reports.passages import passages_report
from daemon.reports.report import TO_SEE_IT
from rules.typingmind.content import make_printable

_fact_number = click.argument("number", metavar="ID", type=click.IntRange(min=1))


def change(about: AboutChat, name: str, **values: object) -> None:
    """Carry out a change of a chat, and show it; during a run, store it for the run's end.

    Raises what the change raises.
    """
    change = _changed(about, name, values)
    see_it = TO_SEE_IT if change.is_shown_later else None
    about.settings.done(change.says, next=(see_it,), waits=change.waits)


def _changed(about: AboutChat, name: str, values: Mapping[str, object]) -> ChangeDone:
    settings = about.settings
    try:
        with settings.context() as context:
            chat_id = find_chat(context.archive, about.name).chat_id
            return CHANGES[name](context, chat_id, **values)
    except Busy as busy:
        with Archive.open(settings.folders.state, zone=settings.config.memory.zone) as archive:
            chat_id = find_chat(archive, about.name).chat_id
            number = keep_pressed(archive, name, chat_id, values, now())
        with suppress(Busy), settings.context():
            pass  # the run has ended meanwhile, and opening the context has done what waits
        with settings.archive() as archive:
            pressed = find_pressed(archive, number)
        if pressed and pressed.done_at:
            return ChangeDone(pressed.sentence, is_shown_later=False)
        says = f"{busy.message} This waits, and is done when that ends."
        return ChangeDone(says, is_shown_later=False, waits=True)


@click.group(cls=ChatGroup, default="show")
@click.argument("chat")
@click.pass_context
def core_command(ctx: click.Context, chat: str) -> None:
    """Show or change the core memory of CHAT, which is one of `memproc chats`.

    Without a command its sections are shown.
    """
    ctx.obj = AboutChat(ctx.ensure_object(Settings), chat)


@core_command.command("show")
@pass_about
def core_show_command(about: AboutChat) -> None:
    """Show every section, with how many of its characters are used."""
    about.show(core_report)


@core_command.command(
    "set", context_settings={"ignore_unknown_options": True}
)  # a list's entries begin with "- "
@click.argument("section")
@click.argument("text", required=False)
@click.option("--empty", is_flag=True, help="Empty the section.")
@pass_about
def set_command(about: AboutChat, section: str, text: str | None, empty: bool) -> None:
    """Have SECTION say TEXT, or what comes on the standard input.

    A list has one entry a line. It stays as you have set it: the persona cannot edit it until you
    release it.
    """
    entered = sys.stdin.read() if text in (None, "-") else str(text)
    words = "" if empty else make_printable(entered).strip("\n")
    is_clear = not text if empty else words.strip()
    if not is_clear:
        raise click.UsageError(
            "Nothing was changed: say the section's new text, or --empty to have it say nothing."
        )
    change(about, "core set", section=section, words=words)


@core_command.command("release")
@click.argument("section")
@pass_about
def core_release_command(about: AboutChat, section: str) -> None:
    """Let the persona edit SECTION again.

    For one that you have set, or edited in TypingMind.
    """
    change(about, "core release", section=section)


@core_command.command("undo")
@pass_about
def core_undo_command(about: AboutChat) -> None:
    """Take back the newest edit, whoever made it.

    The next time it is the one before. All of them stay in the history.
    """
    change(about, "core undo")


@core_command.command("history")
@pass_about
def core_history_command(about: AboutChat) -> None:
    """Show all that was ever written into it, oldest first.

    By whom, after which memory, and what the section said then.
    """
    with about.settings.chat(about.name) as (archive, chat):
        about.settings.show(core_history(chat, core_events(archive, chat.chat_id)))


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
    about.show(facts_report)


@facts_command.command("search")
@click.argument("words", nargs=-1, required=True)
@pass_about
def facts_search_command(about: AboutChat, words: tuple[str, ...]) -> None:
    """Search WORDS in what is true now, the best match first."""
    about.show(partial(facts_report, words=" ".join(words)))


@facts_command.command("history")
@_fact_number
@pass_about
def facts_history_command(about: AboutChat, number: int) -> None:
    """Show all that ever happened to the fact ID.

    What it said, from which message, and what took its place.
    """
    with about.settings.chat(about.name) as (archive, chat):
        about.settings.show(fact_history(events_of(archive, chat, number)))


@facts_command.command("forget")
@_fact_number
@pass_about
def facts_forget_command(about: AboutChat, number: int) -> None:
    """Forget the fact ID.

    It is no longer shown or told, and never taken from the same message again.
    """
    change(about, "facts forget", number=number)


@facts_command.command("add")
@click.argument("text")
@pass_about
def facts_add_command(about: AboutChat, text: str) -> None:
    """Add TEXT as a fact, of today."""
    words = " ".join(text.split())
    if not words:
        raise click.UsageError("A fact needs words.")
    change(about, "facts add", words=words)


@click.command
@click.argument("chat")
@click.argument("words", required=False, default="")
@click.option(
    "--message", "uuid", default="", metavar="UUID", help="Keep this message, or WORDS of it."
)
@click.option(
    "--yes",
    "number",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Keep the passage of this number: one that is offered, asked about, or was released.",
)
@pass_settings
def keep_command(settings: Settings, chat: str, words: str, uuid: str, number: int | None) -> None:
    """Keep WORDS of CHAT as they were said, in every later export, until `memproc release`.

    They are searched in what was said and kept character for character. Without words, what is kept
    is listed. A message that you pin in TypingMind is kept, too.
    """
    about = AboutChat(settings, chat)
    if not (words or uuid or number):
        about.show(passages_report)
        return
    if number and (words or uuid):
        raise click.UsageError("--yes takes the number of a passage that is there, and no words.")
    change(about, "keep", words=words, uuid=uuid, number=number)


@click.command
@click.argument("chat")
@click.argument("what")
@pass_settings
def release_command(settings: Settings, chat: str, what: str) -> None:
    """Release a passage of CHAT by its number, as `memproc keep CHAT` lists it, or a wish by its words.

    It leaves the message before the memories, or the lists that end them; what was said stays in the
    archive.
    """
    number = int(what) if what.isdecimal() else None
    change(AboutChat(settings, chat), "release", number=number, words=what)
