"""The person's edits of the opening: sections of core memory, facts, and the preface."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.forks import inherit_layers
from daemon.archive.keeping import kept_passages, newest_messages, store_passages
from daemon.archive.layers import (
    KeptOpening,
    core_events,
    edited_from,
    fact_events,
    keep_core_events,
    keep_fact_events,
    keep_opening,
    next_fact,
    openings,
)
from daemon.chat.kept import from_line
from daemon.chat.opening import (
    ShownChat,
    as_line,
    as_value,
    core_now,
    facts_now,
    opening_text,
    openings_in_export,
    read_shown,
)
from primer.wording import restore_tags
from rules.conversation.marker import Marker, text_digest
from rules.errors import ChatSkipped
from rules.layers.core import CoreEvent, OverLimit, edit_by_person
from rules.layers.facts import By, Fact, FactEvent, live_facts, normalize
from rules.layers.kept_passages import admit_waiting
from rules.layers.opening import KEPT, FactLine, OpeningEdits, compare_openings, one_line
from rules.typingmind.message import Message, is_edited_since
from rules.wording import counted, cut_title

_BY_USER = "edited in TypingMind"
_TAKEN_OVER = "taken over from an export"
_WITHOUT_HEADINGS = (
    "the opening shows none of the headings of its sections and facts any more, so nothing of it "
    "was taken over. To do without them: core.enabled = false and facts.enabled = false in memproc.toml."
)


def take_over(archive: Archive, shown: ShownChat, now: str) -> tuple[bool, str]:
    """Store what the person has edited in the opening, once; also where they have edited it back.

    A sync may have left several. Each is compared then with what memproc wrote, so that the edits
    of one device take nothing of another's back. Return whether anything was news to an archive
    that knows the chat, and a notice for the person, most often empty. A fork inherits from the
    chat that it was forked from. Where the archive knows nothing, as when it was lost, all of the
    opening is taken over. Raises ChatSkipped where a section is over its limit.
    """
    openings_shown, chat_id = openings_in_export(shown), shown.chat.chat_id
    if not openings_shown:
        return False, ""
    notices = []
    with archive.transaction():
        is_known = _inherit(archive, chat_id, openings_shown[0][0].wording, openings_shown[0][1])
        kept = openings(archive, chat_id)
        bases = [opening for opening in kept if len(openings_shown) == 1 or opening.by == "memproc"]
        for message, marker in openings_shown:
            said = read_shown(shown, message.wording)
            present = KeptOpening(message.wording, said.preface, "person", marker.text, now)
            is_told = present.is_as_written and (is_known or not said.headed)
            last = edited_from(bases, marker.text)
            if _is_edited_back(last, message) or not (is_told or _is_among(kept, present)):
                notices.append(_keep_changes(archive, shown, bases, present, is_known=is_known))
    notice = "; ".join(filter(None, notices))
    return is_known and bool(notices), notice and f'"{cut_title(shown.chat.title)}": {notice}'


def _is_among(kept: Sequence[KeptOpening], opening: KeptOpening) -> bool:
    """Return whether an opening is known.

    An edit may lead back to the words of an older opening, and is an edit of this one all the same.
    """
    return any((known.text, known.base) == (opening.text, opening.base) for known in kept)


def _is_edited_back(last: KeptOpening | None, message: Message) -> bool:
    """Return whether the person has edited an opening away from theirs, to words of before.

    An older copy, as another device may have, was not edited since.
    """
    if last is None or last.by != "person" or last.text == message.wording:
        return False
    return is_edited_since(message, last.at)


def _inherit(archive: Archive, chat_id: str, text: str, marker: Marker) -> bool:
    """Return whether the archive knows the chat's layers; a fork inherits them first.

    `text` is its opening, which has this marker.
    """
    facts = fact_events(archive, chat_id, forgotten=True)
    known = (openings(archive, chat_id), core_events(archive, chat_id), facts)
    return any(known) or inherit_layers(
        archive, chat_id, text_digest(text), marker.text, is_telling=any(marker.shows)
    )


def _keep_changes(
    archive: Archive,
    shown: ShownChat,
    bases: Sequence[KeptOpening],
    theirs: KeptOpening,
    *,
    is_known: bool,
) -> str:
    """Store an opening, and its differences from the last one of `bases` with headings.

    Of one without them, nothing below them was taken over. All of it is stored as new, unless the
    chat `is_known`. What memproc wrote is the person's, too, where they have edited it back. What
    they wrote is kept also where a layer is off: it is there when that is on again. Return what the
    person is told of it; empty if nothing.
    """
    chat_id, now = shown.chat.chat_id, theirs.at
    headed = [
        opening
        for opening in bases
        if opening.by == "memproc"
        or opening.is_as_written
        or read_shown(shown, opening.text).headed
    ]
    before = edited_from(headed, theirs.base)
    was = (before.text if before else opening_text(archive, shown)) if is_known else ""
    keep_opening(archive, chat_id, theirs)
    by_user = is_known or not theirs.is_as_written
    after = read_shown(shown, theirs.text)
    if theirs.is_as_written:  # without a heading, there was nothing to show
        after = replace(after, headed=True)
    changes = compare_openings(read_shown(shown, was), after)
    if changes is None:
        return _WITHOUT_HEADINGS
    sections = _section_events(archive, shown, changes, by_user=by_user)
    keep_core_events(archive, chat_id, list(sections), now)
    facts = _fact_events(archive, chat_id, changes, by_user=by_user)
    keep_fact_events(archive, chat_id, list(facts), now)
    if not (changes.released or changes.kept):
        return ""
    return _keep_passages(archive, shown, changes, now, by_user=by_user)


def _keep_passages(
    archive: Archive, shown: ShownChat, changes: OpeningEdits, now: str, *, by_user: bool
) -> str:
    """Release what was taken out, keep what is new or back; return a clause on what nobody said."""
    chat_id = shown.chat.chat_id
    gone = {line.compared for line in changes.released}
    there = {line.compared for line in changes.kept}
    after, known = [], set()
    for passage in kept_passages(archive, chat_id):
        line = passage.line.compared
        known.add(line)
        if passage.is_agreed:
            after.append(passage.released() if line in gone else passage)
        else:
            after.append(passage.agreed() if line in there else passage)
    new = [line for line in changes.kept if line.compared not in known]
    messages = list(newest_messages(archive, chat_id)) if new else []
    found = [from_line(messages, line, by_user=by_user) for line in new]
    admitted = admit_waiting([*after, *filter(None, found)], shown.config.keep.budget)
    store_passages(archive, chat_id, admitted, now)
    unsaid = found.count(None)
    never = counted(unsaid, "passage was never said", "passages were never said")
    return f'below "{KEPT}" in the opening, {never} so, and not kept.' if unsaid else ""


def _section_events(
    archive: Archive, shown: ShownChat, changes: OpeningEdits, *, by_user: bool
) -> Iterator[CoreEvent]:
    """Yield an event for each section that reads otherwise and that memproc.toml still names."""
    memory = core_now(archive, shown.chat.chat_id, shown.layout)
    for name, text in changes.sections.items():
        section = memory.find(name)
        if section is None:
            continue
        value = as_value(section, restore_tags(text))
        try:
            section.with_value(value)
        except OverLimit as fault:
            raise ChatSkipped(
                f'"{cut_title(shown.chat.title)}": {fault} It stands so in the opening message of the export.',
                "Shorten it in TypingMind and export again, or raise "
                f"core.sections.{section.name}.limit in memproc.toml.",
            ) from fault
        if by_user:
            yield edit_by_person(section, value, _BY_USER)
        else:
            yield CoreEvent(name, value, held=False, by="agent", function=_TAKEN_OVER)


def _fact_events(
    archive: Archive, chat_id: str, changes: OpeningEdits, *, by_user: bool
) -> Iterator[FactEvent]:
    """Yield the events of facts: reworded ones, removed ones, and new ones with new numbers.

    An older export may be edited, whose fact a model has changed since: it is the same fact. So is
    one whose memory the person has deleted, with which it would come back as it was.
    """
    facts = facts_now(archive, chat_id)
    events = fact_events(archive, chat_id, forgotten=True)
    ever, added = {_as_read(event): event for event in events if event.text}, [*changes.added]
    for old, new in changes.changed:
        if event := ever.get(old):  # its moment stays where its day does
            said_at = event.said_at if new.day == old.day else new.day
            text = restore_tags(new.text)
            yield FactEvent(event.fact, "UPDATE", text, said_at, "", "person", why=_BY_USER)
        else:  # new where the person, or the archive of a fork that was cut off, has forgotten it
            added.append(new)
    numbers = {_as_read(fact): fact.number for fact in (*live_facts(events), *facts)}
    for line in changes.removed:
        if line in numbers:
            yield FactEvent(numbers[line], "FORGET", "", "", "", "person", why=_BY_USER)
    yield from _added(added, facts, next_fact(archive, chat_id), by_user=by_user)


def _as_read(fact: Fact | FactEvent) -> FactLine:
    line = as_line(fact)
    return FactLine(line.day, one_line(line.text))


def _added(
    lines: Sequence[FactLine], facts: Sequence[Fact], number: int, *, by_user: bool
) -> Iterator[FactEvent]:
    """Yield an addition for each line that no fact says yet, numbered from `number` on."""
    by: By = "person" if by_user else "model"
    why = _BY_USER if by_user else _TAKEN_OVER
    known = {normalize(fact.text) for fact in facts}
    for line in lines:
        text = restore_tags(line.text)
        if normalize(text) not in known:
            known.add(normalize(text))
            yield FactEvent(number, "ADD", text, line.day, "", by, why=why)
            number += 1
