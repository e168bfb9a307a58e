"""Take over what the opening of an export says and the archive does not know: user edits, a fork, a lost archive."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.forks import inherit_layers
from daemon.archive.layers import core_events, fact_events, keep_core_events, keep_fact_events, next_fact
from daemon.archive.outputs import KeptOpening, edited_from, keep_opening, openings
from daemon.chat.opening import ShownChat, as_line, as_value, core_now, facts_now, opening_place, opening_text, read
from primer.prompt import restore
from rules.conversation.marker import text_digest
from rules.errors import ChatSetAside
from rules.layers.core import CoreEvent, OverLimit, corrected
from rules.layers.facts import By, Fact, FactEvent, normal
from rules.layers.opening import FactLine, NotTakenOver, Opening, OpeningEdits, edits, one_line

_BY_USER = "edited in TypingMind"
_TAKEN_OVER = "taken over from an export"
_NOTHING = Opening("", {}, (), headed=False)


@dataclass(frozen=True, slots=True)
class OpeningTakenOver:
    """Whether the opening said anything that the archive did not know, and a notice for the person."""

    is_news: bool = False
    notice: str = ""


def take_over(archive: Archive, chat: ShownChat, now: str) -> OpeningTakenOver:
    """Keep what the person has edited in the opening, once.

    A fork inherits from the chat that it was forked from. Where the archive knows nothing, as when it was lost, all of
    the opening is taken over. Raises ChatSetAside where a section is over its limit.
    """
    place, chat_id = opening_place(chat), chat.chat_id
    if place is None or place.ours is None:
        return OpeningTakenOver()
    shown, written = text_digest(place.message.text), place.ours.text
    with archive.transaction():
        is_known = _is_known(archive, chat_id) or inherit_layers(archive, chat_id, shown, written)
        kept = openings(archive, chat_id)
        if shown in {text_digest(opening.text) for opening in kept} or (is_known and shown == written):
            return OpeningTakenOver()
        theirs = read(chat, place.message.text)
        base = edited_from(kept, written)
        if base is None and not theirs.headed:
            return OpeningTakenOver()
        before = read(chat, base.text if base else opening_text(archive, chat)) if is_known else _NOTHING
        changes = edits(before, theirs)
        if isinstance(changes, OpeningEdits):
            _keep(archive, chat, changes, now, by_user=shown != written)
        keep_opening(archive, chat_id, KeptOpening(place.message.text, theirs.preface, "person", written), now)
    return OpeningTakenOver(is_known, _notice(chat, changes) if isinstance(changes, NotTakenOver) else "")


def _is_known(archive: Archive, chat_id: str) -> bool:
    """Whether anything is known of the chat's core memory and facts."""
    facts = fact_events(archive, chat_id, forgotten=True)
    return any((openings(archive, chat_id), core_events(archive, chat_id), facts))


def _notice(chat: ShownChat, refused: NotTakenOver) -> str:
    return (
        f'"{chat.title}": {refused.reason}, so nothing of it was taken over. To do without them: '
        "core.enabled = false and facts.enabled = false in memproc.toml."
    )


def _keep(archive: Archive, chat: ShownChat, changes: OpeningEdits, now: str, *, by_user: bool) -> None:
    chat_id = chat.chat_id
    if chat.core.enabled:
        keep_core_events(archive, chat_id, _section_events(archive, chat, changes, by_user=by_user), now)
    if chat.facts.enabled:
        keep_fact_events(archive, chat_id, _fact_events(archive, chat_id, changes, by_user=by_user), now)


def _section_events(archive: Archive, chat: ShownChat, changes: OpeningEdits, *, by_user: bool) -> list[CoreEvent]:
    memory = core_now(archive, chat.chat_id, chat.layout)
    events = []
    for name, text in changes.sections.items():
        section = memory.find(name)
        if section is None:
            continue
        value = as_value(section, restore(text))
        try:
            section.with_value(value)
        except OverLimit as fault:
            raise ChatSetAside(
                f'"{chat.title}": {fault} It stands so in the opening message of the export.',
                f"Shorten it in TypingMind and export again, or raise core.sections.{name}.limit in memproc.toml.",
            ) from fault
        taken_over = CoreEvent(name, value, held=False, by="agent", function=_TAKEN_OVER)
        events.append(corrected(section, value, _BY_USER) if by_user else taken_over)
    return events


def _as_read(fact: Fact | FactEvent) -> FactLine:
    """The fact as it is read from an opening."""
    line = as_line(fact)
    return FactLine(line.day, one_line(line.text))


def _fact_events(archive: Archive, chat_id: str, changes: OpeningEdits, *, by_user: bool) -> list[FactEvent]:
    facts = facts_now(archive, chat_id)
    by_line = {_as_read(fact): fact for fact in facts}
    # An older export may be edited, whose fact a model has changed since: it is that fact all the same.
    ever = {_as_read(event): event for event in fact_events(archive, chat_id) if event.text}
    changed = [_rewording(ever[old], old, new) for old, new in changes.changed if old in ever]
    removed = [by_line[line].number for line in changes.removed if line in by_line]
    # The archive of a fork that was cut off, or the person, has forgotten what some said before: these are new.
    added = [*changes.added, *(new for old, new in changes.changed if old not in ever)]
    return [
        *changed,
        *(FactEvent(number, "FORGET", "", "", "", "person", why=_BY_USER) for number in removed),
        *_additions({normal(fact.text) for fact in facts}, next_fact(archive, chat_id), added, by_user=by_user),
    ]


def _rewording(event: FactEvent, old: FactLine, new: FactLine) -> FactEvent:
    """The fact in the person's words; its moment stays where they have left its day."""
    said_at = event.said_at if new.day == old.day else new.day
    return FactEvent(event.fact, "UPDATE", restore(new.text), said_at, "", "person", why=_BY_USER)


def _additions(known: set[str], number: int, lines: Sequence[FactLine], *, by_user: bool) -> Iterator[FactEvent]:
    """The lines that say something new, from this number on; `known` are the texts of all live facts."""
    by: By = "person" if by_user else "model"
    for line in lines:
        text = restore(line.text)
        if normal(text) not in known:
            known = known | {normal(text)}
            yield FactEvent(number, "ADD", text, line.day, "", by, why=_BY_USER if by_user else _TAKEN_OVER)
            number += 1
