"""Report a chat's core memory, and everything that was ever written into it."""

from collections.abc import Sequence
from dataclasses import asdict

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat
from daemon.archive.pressed import pressed_lines
from daemon.chat.opening import core_now
from daemon.config.loading import core_layout
from daemon.config.settings import Config
from daemon.reports.report import Card, Report, ReportTable, Step, unmarked
from rules.layers.core import CoreEvent, Section, render_value
from rules.wording import cut_title

_IS_OFF = "the chat does not show this: core.enabled is false in memproc.toml"
_EMPTY = "(nothing)"
_FUNCTIONS = {"core_memory_append": "added to", "core_memory_replace": "changed"}


def core_report(archive: Archive, config: Config, chat: KnownChat) -> Report:
    """Return every section of a chat, with how many of its characters are used."""
    core_settings = config.of(known_chat(archive, chat.chat_id)).core
    sections = core_now(archive, chat.chat_id, core_layout(core_settings)).sections

    def release(section: Section) -> tuple[Step, ...]:
        if not (section.held or section.held_lines):
            return ()
        address = f"/chat/{chat.chat_id}/core/{section.name}/release"
        command = f"core {chat.chat_id} release {section.name}"
        return (Step("Let the persona edit it again", command, address),)

    table = ReportTable(
        "sections",
        sections,
        card=_section_card,
        press=release,
        data=lambda section: {**asdict(section), "characters": len(section.rendered)},
    )
    return Report(
        (table,),
        notes=() if core_settings.enabled else (_IS_OFF,),
        pressed=tuple(pressed_lines(archive, chat.chat_id, "core")),
    )


def _section_card(section: Section) -> Card:
    """Return a section's size, description and lines, with the person's own lines marked."""
    size = f"{len(section.rendered):,} of {section.limit:,} characters"
    held_lines = set(section.held_lines)
    if not isinstance(section.value, str):
        held_lines = {render_value((line,)) for line in section.held_lines}
    lines = (
        f"{line}  (yours)" if line in held_lines else line for line in section.rendered.splitlines()
    )
    return Card(
        who=section.name,
        text=unmarked("\n".join(lines) or _EMPTY),
        marks=(size, "set by you") if section.held else (size,),
        notes=(section.description,) if section.description else (),
    )


def core_history(chat: KnownChat, events: Sequence[CoreEvent]) -> Report:
    """Return all that was ever written into a chat's core memory."""
    none = f'Nothing was written into the core memory of "{cut_title(chat.title)}" yet.'
    return Report((ReportTable("events", events, none=none, card=_event_card),))


def _event_card(event: CoreEvent) -> Card:
    """Return when and by whom a section was written, and its text after that."""
    by = "you"
    if event.by != "person":
        by = f"the persona after memory {event.memory} (edition {event.edition})"
    undone = f", taking back number {event.undoes}" if event.undoes else ""
    did = _FUNCTIONS.get(event.function, event.function)
    return Card(
        who=f"number {event.number}: {event.section}, {did} by {by}{undone}",
        text=unmarked(render_value(event.value) or _EMPTY),
        at=event.at,
    )
