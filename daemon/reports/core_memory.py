"""Say what the persona keeps in mind of itself and of the person, and all that was written into it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from daemon.archive.chats import KnownChat
from daemon.reports.report import Card, Report, ReportTable, unmarked
from rules.layers.core import CoreEvent, Section, rendered
from rules.wording import cut_title

_IS_OFF = "the chat does not show this: core.enabled is false in memproc.toml"
_EMPTY = "(nothing)"
_FUNCTIONS = {"core_memory_append": "added to", "core_memory_replace": "changed"}


def core_report(sections: Sequence[Section], *, is_shown: bool = True) -> Report:
    """Return every section, with how many of its characters are used."""
    table = ReportTable(
        "sections",
        sections,
        card=section_card,
        data=lambda section: {**asdict(section), "characters": len(section.rendered)},
    )
    return Report((table,), notes=() if is_shown else (_IS_OFF,))


def section_card(section: Section) -> Card:
    """Return a section's size, what it is for, and its lines, those that are the person's marked."""
    size = f"{len(section.rendered):,} of {section.limit:,} characters"
    return Card(
        who=section.name,
        text=unmarked("\n".join(_lines(section)) or _EMPTY),
        marks=(size, "set by you") if section.held else (size,),
        notes=(section.description,) if section.description else (),
    )


def _lines(section: Section) -> Iterator[str]:
    own = set(section.held_lines)
    if not isinstance(section.value, str):
        own = {rendered((line,)) for line in section.held_lines}
    for line in section.rendered.splitlines():
        yield f"{line}  (yours)" if line in own else line


def core_history(chat: KnownChat, events: Sequence[CoreEvent]) -> Report:
    """Return all that was ever written into a chat's core memory."""
    none = f'Nothing was written into the core memory of "{cut_title(chat.title)}" yet.'
    return Report((ReportTable("events", events, none=none, card=section_event_card),))


def section_event_card(event: CoreEvent) -> Card:
    """Return when and by whom a section was written, and what it said then."""
    by = "you"
    if event.by != "person":
        by = f"the persona after memory {event.memory} (edition {event.edition})"
    undone = f", taking back number {event.undoes}" if event.undoes else ""
    did = _FUNCTIONS.get(event.function, event.function)
    return Card(
        who=f"number {event.number}: {event.section}, {did} by {by}{undone}",
        text=unmarked(rendered(event.value) or _EMPTY),
        at=event.at,
    )
