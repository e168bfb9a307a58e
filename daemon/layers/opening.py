"""Core memory and facts in the opening message of an export: what it says, and how it reads (D14)."""

from collections import Counter
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.openings import KeptOpening, keep_opening, openings
from daemon.layers.standing import as_line, core_now, facts_shown
from daemon.survey import Survey
from primer.inert import keep_inert
from primer.tags import wrap
from rules.core.section import Section, Value
from rules.history.marker import OPENING
from rules.history.opening import FactLine, Opening, one_line, read_tagged
from rules.history.recognise import Place
from rules.output.opening import write_opening


def opening_text(archive: Archive, found: Survey) -> str:
    """What the opening says, in its tag: as it stands in the export, where that is what it should say, in any order."""
    chat_id, place = found.plan.chat_id, opening_place(found)
    sections = core_now(archive, chat_id, found.layout).sections if found.core.enabled else ()
    facts = facts_shown(archive, chat_id, found.facts) if found.facts.enabled else ()
    lines = [as_line(fact) for fact in facts]
    inert = [_shown(section) for section in sections if section.rendered]
    preface = found.texts.opening
    if place is not None:
        there = read(found, place.message.text)
        said = {name: text for name, text in there.sections.items() if text}
        as_said = Counter(FactLine(line.day, one_line(line.text)) for line in lines)
        if (said, Counter(there.facts)) == ({one.name: one.rendered for one in inert}, as_said):
            return place.message.text
        before = {one.text: one.preface for one in openings(archive, chat_id)}
        preface = before.get(place.message.text, there.preface) or preface
    return wrap("system", write_opening(preface, found.texts.layers, inert, lines))


def keep_written(archive: Archive, found: Survey, text: str, now: str) -> None:
    """Remember an opening that is about to be written, so that it is known again, and an edit of it shows."""
    opening = read(found, text)
    if opening.headed:
        keep_opening(archive, found.plan.chat_id, KeptOpening(text, opening.preface, "memproc"), now)


def opening_place(found: Survey) -> Place | None:
    """The opening that the export has, or None."""
    places = found.reading.places
    return next((place for place in places if place.ours is not None and place.ours.kind == OPENING), None)


def read(found: Survey, text: str) -> Opening:
    """An opening as it reads, with or without its tag."""
    return read_tagged(text, {section.name for section in found.layout.sections}, found.texts.layers)


def _shown(section: Section) -> Section:
    """The section with its value as it may stand in a message: no tag of ours is alive in it."""
    value = section.value
    shown: Value = keep_inert(value) if isinstance(value, str) else tuple(map(keep_inert, value))
    return replace(section, value=shown, limit=section.limit * 2)
