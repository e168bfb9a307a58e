"""Core memory and facts in the opening message of an export: what it says, and how it reads."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.openings import KeptOpening, keep_opening, openings, reworded
from daemon.layers.shown import ShownChat
from daemon.layers.standing import as_line, core_now, facts_shown
from primer.prompt import keep_inert
from primer.texts import wrap
from rules.conversation.marker import OPENING, text_digest
from rules.layers.core import Section, Value
from rules.layers.opening import FactLine, Opening, read_tagged, write_opening
from rules.recognize.recognize import Place


def opening_text(archive: Archive, found: ShownChat) -> str:
    """What the opening says, in its tag: as it stands in the export, where that is what it should say, in any order."""
    chat_id, place = found.chat_id, opening_place(found)
    sections = core_now(archive, chat_id, found.layout).sections if found.core.enabled else ()
    facts = facts_shown(archive, chat_id, found.facts) if found.facts.enabled else ()
    lines = [as_line(fact) for fact in facts]
    inert = [_shown(section) for section in sections if section.rendered]
    preface = _preface(openings(archive, chat_id), found, place)
    text = wrap("system", write_opening(preface, found.texts.layers, inert, lines))
    stands = place is not None and _says(read(found, place.message.text)) == _says(read(found, text))
    return place.message.text if place is not None and stands else text


def _preface(kept: Sequence[KeptOpening], found: ShownChat, place: Place | None) -> str:
    """The person's own, where they have reworded it; else that of the texts, which may have changed."""
    own = reworded(kept)
    if place is not None and place.ours is not None:
        shown = text_digest(place.message.text)
        if place.ours.text != shown and not any(one.goes_back_to(shown) for one in kept):
            own = read(found, place.message.text).preface  # edited where it shows neither sections nor facts
    return own or found.texts.opening


def _says(opening: Opening) -> tuple[str, Mapping[str, str], Counter[FactLine]]:
    """What counts of an opening as it reads."""
    return opening.preface, {name: text for name, text in opening.sections.items() if text}, Counter(opening.facts)


def keep_written(archive: Archive, found: ShownChat, text: str, now: str) -> None:
    """Remember an opening that is about to be written, so that it is known again, and an edit of it shows."""
    opening = read(found, text)
    if opening.headed:
        keep_opening(archive, found.chat_id, KeptOpening(text, opening.preface, "memproc"), now)


def opening_place(found: ShownChat) -> Place | None:
    """The opening that the export has, or None."""
    places = found.places
    return next((place for place in places if place.ours is not None and place.ours.kind == OPENING), None)


def read(found: ShownChat, text: str) -> Opening:
    """An opening as it reads, with or without its tag."""
    return read_tagged(text, {section.name for section in found.layout.sections}, found.texts.layers)


def _shown(section: Section) -> Section:
    """The section with its value as it may stand in a message: no tag of ours is alive in it."""
    value = section.value
    shown: Value = keep_inert(value) if isinstance(value, str) else tuple(map(keep_inert, value))
    return replace(section, value=shown, limit=section.limit * 2)
