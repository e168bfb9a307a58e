"""`memproc core CHAT`: what the persona keeps in mind of itself and of you, and your own hand in it."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import find_chat
from daemon.archive.core import core_events, keep_core_events
from daemon.archive.messages import known_chat
from daemon.chat.opening import as_value, core_now
from daemon.cli.of_chat import About, OfChat, pass_about
from daemon.cli.settings import Settings, json_option
from daemon.cli.use import TO_SEE_IT
from daemon.config import Config
from daemon.config.layout import core_layout
from daemon.events import tell_nobody
from daemon.files.clock import now
from daemon.status.sentences import printable_json, visible
from rules.errors import NotFound
from rules.layers.core import CoreEvent, CoreMemory, OverLimit, Section, rendered, taken_back
from rules.layers.layout import Layout
from rules.typingmind.content import printable


@dataclass(frozen=True, slots=True)
class _Core:
    """A chat's core memory: the layout that counts for it, and all that was written."""

    chat_id: str
    title: str
    layout: Layout
    events: tuple[CoreEvent, ...]


@click.group(cls=OfChat, shows="show")
@click.argument("chat")
@click.pass_context
def core(ctx: click.Context, chat: str) -> None:
    """Show or change the core memory of CHAT, named by its id or its title.

    Without a command its sections are shown.
    """
    ctx.obj = About(ctx.ensure_object(Settings), chat)


@core.command
@json_option
@pass_about
def show(about: About, as_json: bool) -> int:
    """Show every section, with how many of its characters are used."""
    with about.settings.archive() as archive:
        found = _core(archive, about.settings.config, about.wanted)
        memory = core_now(archive, found.chat_id, found.layout)
    if as_json:
        sections = [{**asdict(one), "characters": len(one.rendered)} for one in memory]
        click.echo(printable_json(sections))
    for section in () if as_json else memory:
        click.echo(visible("\n".join(_shown(section))))
    return 0


@core.command("set", context_settings={"ignore_unknown_options": True})  # a list's entries begin with "- "
@click.argument("section")
@click.argument("text", required=False)
@pass_about
def set_(about: About, section: str, text: str | None) -> int:
    """Have SECTION say TEXT, or what stands on the standard input; for a list, one entry a line.

    It stays as you have set it: the persona cannot edit it until you release it.
    """
    said = printable(sys.stdin.read() if text in (None, "-") else str(text)).strip("\n")
    with about.settings.context(tell_nobody) as context:
        found = _core(context.archive, context.config, about.wanted)
        value = as_value(_section(found, section), said)
        _keep(context.archive, found, CoreEvent(section, value, held=True, by="person", function="set"))
    about.settings.say(f'"{section}" is set, and stays so until: memproc core {found.chat_id} release {section}')
    about.settings.say(TO_SEE_IT)
    return 0


@core.command
@click.argument("section")
@pass_about
def release(about: About, section: str) -> int:
    """Let the persona edit SECTION again, which you have set or edited by hand."""
    with about.settings.context(tell_nobody) as context:
        found = _core(context.archive, context.config, about.wanted)
        _section(found, section)
        last = next((event for event in reversed(found.events) if event.section == section), None)
        is_held = last is not None and bool(last.held or last.held_lines)
        if last is not None and is_held:
            event = CoreEvent(section, last.value, held=False, by="person", function="release")
            _keep(context.archive, found, event)
    about.settings.say(f'"{section}" {"is released" if is_held else "was not set by hand: nothing to do"}.')
    return 0


@core.command
@pass_about
def undo(about: About) -> int:
    """Take back the newest edit, whoever made it; the one before it the next time. All of them stay in the history."""
    with about.settings.context(tell_nobody) as context:
        found = _core(context.archive, context.config, about.wanted)
        event = taken_back(found.layout.sections, found.events)
        if event is not None:
            _keep(context.archive, found, event)
    if event is None:
        about.settings.say("Nothing to do: nothing was written that is not taken back already.")
        return 0
    about.settings.say(f'Taken back: "{event.section}" says again what it said before.')
    about.settings.say(TO_SEE_IT)
    return 0


@core.command
@json_option
@pass_about
def history(about: About, as_json: bool) -> int:
    """Show all that was ever written into it, oldest first: by whom, after which memory, and what it said then."""
    with about.settings.archive() as archive:
        found = _core(archive, about.settings.config, about.wanted)
    if as_json:
        click.echo(printable_json([asdict(event) for event in found.events]))
    elif not found.events:
        about.settings.say(f'Nothing was written into the core memory of "{found.title}" yet.')
    for event in () if as_json else found.events:
        click.echo(visible("\n".join(_told(event))))
    return 0


def _core(archive: Archive, config: Config, wanted: str) -> _Core:
    chat = find_chat(archive, wanted)
    own = config.of(known_chat(archive, chat.chat_id))
    return _Core(chat.chat_id, chat.title, core_layout(own.core), core_events(archive, chat.chat_id))


def _section(found: _Core, name: str) -> Section:
    """The section of that name, with its first value. Raises NotFound."""
    section = CoreMemory(tuple(found.layout.sections)).find(name)
    if section is None:
        there = ", ".join(one.name for one in found.layout.sections)
        raise NotFound(f'The core memory has no section "{name}".', f"It has {there}.")
    return section


def _keep(archive: Archive, found: _Core, event: CoreEvent) -> None:
    """Raises click.UsageError where the section may not have so many characters; nothing is kept then."""
    try:
        _section(found, event.section).with_value(event.value)
    except OverLimit as fault:
        raise click.UsageError(f"Nothing was changed. {fault}") from fault
    keep_core_events(archive, found.chat_id, [event], now())


def _shown(section: Section) -> Iterator[str]:
    held = ", set by you" if section.held else ""
    yield f"{section.name}: {len(section.rendered):,} of {section.limit:,} characters{held}"
    if section.description:
        yield f"  {section.description}"
    own = {line if isinstance(section.value, str) else rendered((line,)) for line in section.held_lines}
    lines = section.rendered.splitlines() or ["(nothing)"]
    yield from (f"    {line}{'  (yours)' if line in own else ''}" for line in lines)


def _told(event: CoreEvent) -> Iterator[str]:
    by = "you" if event.by == "person" else f"the persona, after memory {event.memory} (edition {event.edition})"
    undone = f", taking back number {event.undoes}" if event.undoes else ""
    yield f"{event.number}. {event.at}: {event.section}, {event.function} by {by}{undone}"
    yield from (f"    {line}" for line in rendered(event.value).splitlines() or ["(nothing)"])
