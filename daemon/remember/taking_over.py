"""What the opening of an export tells that the archive does not know: edits by hand, a fork, a lost archive."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.core_events import core_events, keep_core_events
from daemon.archive.fact_events import fact_events, keep_fact_events, next_fact
from daemon.archive.forks import inherit_layers
from daemon.archive.openings import KeptOpening, edited_from, keep_opening, openings
from daemon.chat.opening import ShownChat, as_line, as_value, core_now, facts_now, opening_place, opening_text, read
from primer.prompt import restore
from rules.conversation.marker import text_digest
from rules.errors import ChatSetAside
from rules.layers.core import CoreEvent, OverLimit, corrected
from rules.layers.facts import By, Fact, FactEvent, normal
from rules.layers.opening import FactLine, Opening, one_line
from rules.layers.opening_edits import NotTakenOver, OpeningEdits, edits

_BY_HAND = "edited in TypingMind"
_TAKEN_OVER = "taken over from an export"
_NOTHING = Opening("", {}, (), headed=False)


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Whether the opening told anything that the archive did not know; and what the person should be told of it."""

    is_news: bool = False
    notice: str = ""


def take_over(archive: Archive, found: ShownChat, now: str) -> TakenOver:
    """Keep what the person has edited in the opening, once.

    A fork has what the chat had that it was forked from. Where the archive knows nothing, as when it was lost, all that
    stands there is taken over. Raises ChatSetAside where a section is over its limit.
    """
    place, chat_id = opening_place(found), found.chat_id
    if place is None or place.ours is None:
        return TakenOver()
    shown, written = text_digest(place.message.text), place.ours.text
    with archive.transaction():
        is_known = _is_known(archive, chat_id) or inherit_layers(archive, chat_id, shown, written)
        kept = openings(archive, chat_id)
        if shown in {text_digest(one.text) for one in kept} or (is_known and shown == written):
            return TakenOver()
        theirs = read(found, place.message.text)
        base = edited_from(kept, written)
        if base is None and not theirs.headed:
            return TakenOver()
        if is_known:
            done = edits(read(found, base.text if base else opening_text(archive, found)), theirs)
        else:
            done = edits(_NOTHING, theirs)
        if isinstance(done, OpeningEdits):
            _keep(archive, found, done, now, by_hand=shown != written)
        keep_opening(archive, chat_id, KeptOpening(place.message.text, theirs.preface, "person", written), now)
    return TakenOver(is_known, _notice(found, done) if isinstance(done, NotTakenOver) else "")


def _is_known(archive: Archive, chat_id: str) -> bool:
    """Whether anything is known of the chat's core memory and facts."""
    every = (openings(archive, chat_id), core_events(archive, chat_id), fact_events(archive, chat_id, forgotten=True))
    return any(every)


def _notice(found: ShownChat, refused: NotTakenOver) -> str:
    return (
        f'"{found.title}": {refused.reason}, so nothing of it was taken over. To do without them: '
        "core.enabled = false and facts.enabled = false in memproc.toml."
    )


def _keep(archive: Archive, found: ShownChat, done: OpeningEdits, now: str, *, by_hand: bool) -> None:
    chat_id = found.chat_id
    if found.core.enabled:
        keep_core_events(archive, chat_id, _section_events(archive, found, done, by_hand=by_hand), now)
    if found.facts.enabled:
        keep_fact_events(archive, chat_id, _fact_events(archive, chat_id, done, by_hand=by_hand), now)


def _section_events(archive: Archive, found: ShownChat, done: OpeningEdits, *, by_hand: bool) -> list[CoreEvent]:
    stands = core_now(archive, found.chat_id, found.layout)
    events = []
    for name, text in done.sections.items():
        section = stands.find(name)
        if section is None:
            continue
        value = as_value(section, restore(text))
        try:
            section.with_value(value)
        except OverLimit as fault:
            raise ChatSetAside(
                f'"{found.title}": {fault} It stands so in the opening message of the export.',
                f"Shorten it in TypingMind and export again, or raise core.sections.{name}.limit in memproc.toml.",
            ) from fault
        taken_over = CoreEvent(name, value, held=False, by="agent", function=_TAKEN_OVER)
        events.append(corrected(section, value, _BY_HAND) if by_hand else taken_over)
    return events


def _as_read(fact: Fact | FactEvent) -> FactLine:
    """The fact as an opening reads that says it."""
    line = as_line(fact)
    return FactLine(line.day, one_line(line.text))


def _fact_events(archive: Archive, chat_id: str, done: OpeningEdits, *, by_hand: bool) -> list[FactEvent]:
    facts = facts_now(archive, chat_id)
    by_line = {_as_read(fact): fact for fact in facts}
    # An older export may be edited, whose fact a model has changed since: it is that fact all the same.
    ever = {_as_read(event): event for event in fact_events(archive, chat_id) if event.text}
    changed = [_rewording(ever[old], old, new) for old, new in done.changed if old in ever]
    removed = [by_line[line].number for line in done.removed if line in by_line]
    # The archive of a fork that was cut off, or the person, has forgotten what some said before: these are new.
    added = [*done.added, *(new for old, new in done.changed if old not in ever)]
    return [
        *changed,
        *(FactEvent(number, "FORGET", "", "", "", "person", why=_BY_HAND) for number in removed),
        *_additions({normal(fact.text) for fact in facts}, next_fact(archive, chat_id), added, by_hand=by_hand),
    ]


def _rewording(said: FactEvent, old: FactLine, new: FactLine) -> FactEvent:
    """The fact in the person's words; its moment stays where they have left its day."""
    said_at = said.said_at if new.day == old.day else new.day
    return FactEvent(said.fact, "UPDATE", restore(new.text), said_at, "", "person", why=_BY_HAND)


def _additions(known: set[str], number: int, lines: Sequence[FactLine], *, by_hand: bool) -> Iterator[FactEvent]:
    """The lines that say something new, from this number on; `known` are the texts of all live facts."""
    by: By = "person" if by_hand else "model"
    for line in lines:
        text = restore(line.text)
        if normal(text) not in known:
            known = known | {normal(text)}
            yield FactEvent(number, "ADD", text, line.day, "", by, why=_BY_HAND if by_hand else _TAKEN_OVER)
            number += 1
