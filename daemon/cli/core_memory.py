"""Show and edit what the persona keeps in mind of itself and of you: `memproc core CHAT`."""

import sys

import click

from daemon.archive.chats import known_chat
from daemon.chat.changes import known_core
from daemon.chat.opening import core_now
from daemon.cli import ChatGroup
from daemon.cli.changes import change, tell_presses
from daemon.cli.settings import AboutChat, Settings, pass_about
from daemon.reports.core_memory import core_history, core_report
from rules.typingmind.content import printable


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
    with about.settings.archive() as archive:
        known = known_core(archive, about.settings.config, about.name, "part")
        sections = core_now(archive, known.chat.chat_id, known.layout).sections
        is_shown = about.settings.config.of(known_chat(archive, known.chat.chat_id)).core.enabled
    about.settings.show(core_report(sections, is_shown=is_shown))
    tell_presses(about.settings, known.chat.chat_id, "core")


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
    given = sys.stdin.read() if text in (None, "-") else str(text)
    words = "" if empty else printable(given).strip("\n")
    is_clear = not text if empty else words.strip()
    if not is_clear:
        raise click.UsageError(
            "Nothing was changed: say the section's new text, or --empty to have it say nothing."
        )
    change(about.settings, "core set", about.name, section=section, words=words)


@core_command.command("release")
@click.argument("section")
@pass_about
def core_release_command(about: AboutChat, section: str) -> None:
    """Let the persona edit SECTION again.

    For one that you have set, or edited in TypingMind.
    """
    change(about.settings, "core release", about.name, section=section)


@core_command.command("undo")
@pass_about
def core_undo_command(about: AboutChat) -> None:
    """Take back the newest edit, whoever made it.

    The next time it is the one before. All of them stay in the history.
    """
    change(about.settings, "core undo", about.name)


@core_command.command("history")
@pass_about
def core_history_command(about: AboutChat) -> None:
    """Show all that was ever written into it, oldest first.

    By whom, after which memory, and what the section said then.
    """
    with about.settings.archive() as archive:
        known = known_core(archive, about.settings.config, about.name, "part")
    about.settings.show(core_history(known.chat, known.events))
