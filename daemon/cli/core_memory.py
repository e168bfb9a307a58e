"""Show and edit what the persona keeps in mind of itself and of you: `memproc core CHAT`."""

import sys
from dataclasses import dataclass

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import HowNamed, KnownChat, find_chat, known_chat
from daemon.archive.layers import core_events, keep_core_events
from daemon.chat.opening import as_value, core_now
from daemon.cli import ChatGroup
from daemon.cli.settings import AboutChat, Settings, json_option, pass_about
from daemon.config.loading import core_layout
from daemon.config.settings import Config
from daemon.files.clock import now
from daemon.reports.core_memory import core_history, core_report
from rules.errors import NotFound
from rules.layers.core import CoreEvent, CoreMemory, OverLimit, Section, taken_back
from rules.layers.core_layout import Layout
from rules.typingmind.content import printable
from rules.wording import TO_SEE_IT


@click.group(cls=ChatGroup, default="show")
@click.argument("chat")
@click.pass_context
def core_command(ctx: click.Context, chat: str) -> None:
    """Show or change the core memory of CHAT, which is one of `memproc chats`.

    Without a command its sections are shown.
    """
    ctx.obj = AboutChat(ctx.ensure_object(Settings), chat)


@core_command.command("show")
@json_option
@pass_about
def core_show_command(about: AboutChat, as_json: bool) -> None:
    """Show every section, with how many of its characters are used."""
    with about.settings.archive() as archive:
        known = _known_core(archive, about.settings.config, about.name, "part")
        sections = core_now(archive, known.chat.chat_id, known.layout).sections
        is_shown = about.settings.config.of(known_chat(archive, known.chat.chat_id)).core.enabled
    about.settings.show(core_report(sections, is_shown=is_shown), as_json)


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
    words = "" if empty else _words(text)
    is_clear = not text if empty else words.strip()
    if not is_clear:
        raise click.UsageError(
            "Nothing was changed: say the section's new text, or --empty to have it say nothing."
        )
    with about.settings.context() as context:
        known = _known_core(context.archive, context.config, about.name)
        value = as_value(known.section(section), words)
        event = CoreEvent(section, value, held=True, by="person", function="set")
        _keep(context.archive, known, event)
    until = f"memproc core {known.chat.chat_id} release {section}"
    about.settings.say(f'"{section}" is set, and stays so until: {until}\n{TO_SEE_IT}')


def _words(text: str | None) -> str:
    """Return the text that was given, or what comes on the standard input for none and for "-"."""
    given = sys.stdin.read() if text in (None, "-") else str(text)
    return printable(given).strip("\n")


@core_command.command("release")
@click.argument("section")
@pass_about
def core_release_command(about: AboutChat, section: str) -> None:
    """Let the persona edit SECTION again.

    For one that you have set, or edited in TypingMind.
    """
    with about.settings.context() as context:
        known = _known_core(context.archive, context.config, about.name)
        known.section(section)
        last = known.last_event(section)
        if last is None or not (last.held or last.held_lines):
            about.settings.say(f'"{section}" was not set by hand: nothing to do.')
            return
        event = CoreEvent(section, last.value, held=False, by="person", function="release")
        _keep(context.archive, known, event)
    about.settings.say(f'"{section}" is released.')


@core_command.command("undo")
@pass_about
def core_undo_command(about: AboutChat) -> None:
    """Take back the newest edit, whoever made it.

    The next time it is the one before. All of them stay in the history.
    """
    with about.settings.context() as context:
        known = _known_core(context.archive, context.config, about.name)
        event = taken_back(known.layout.sections, known.events)
        if event is None:
            about.settings.say("Nothing to do: there is no edit to take back.")
            return
        _keep(context.archive, known, event)
    said = f'Taken back: "{event.section}" says again what it said before.'
    about.settings.say(f"{said}\n{TO_SEE_IT}")


@core_command.command("history")
@json_option
@pass_about
def core_history_command(about: AboutChat, as_json: bool) -> None:
    """Show all that was ever written into it, oldest first.

    By whom, after which memory, and what the section said then.
    """
    with about.settings.archive() as archive:
        known = _known_core(archive, about.settings.config, about.name, "part")
    about.settings.show(core_history(known.chat, known.events), as_json)


@dataclass(frozen=True, slots=True)
class _KnownCore:
    """A chat's core memory: its layout, and all events."""

    chat: KnownChat
    layout: Layout
    events: tuple[CoreEvent, ...]

    def section(self, name: str) -> Section:
        """Return the section of that name with its first value. Raises NotFound."""
        section = CoreMemory(tuple(self.layout.sections)).find(name)
        if section is None:
            names = ", ".join(section.name for section in self.layout.sections)
            raise NotFound(f'The core memory has no section "{name}".', f"It has {names}.")
        return section

    def last_event(self, section: str) -> CoreEvent | None:
        """Return the newest event of a section; None where it was never written."""
        for event in reversed(self.events):
            if event.section == section:
                return event
        return None


def _known_core(archive: Archive, config: Config, name: str, how: HowNamed = "begun") -> _KnownCore:
    """Find the chat of that name, and its core memory. Raises NotFound."""
    chat = find_chat(archive, name, how)
    own = config.of(known_chat(archive, chat.chat_id))
    events = core_events(archive, chat.chat_id)
    return _KnownCore(chat, core_layout(own.core), events)


def _keep(archive: Archive, known: _KnownCore, event: CoreEvent) -> None:
    """Store the event. Raises UsageError, and stores nothing, where the section gets too long."""
    try:
        known.section(event.section).with_value(event.value)
    except OverLimit as fault:
        raise click.UsageError(f"Nothing was changed. {fault}") from fault
    keep_core_events(archive, known.chat.chat_id, [event], now())
