"""Read an export of a chat against the archive. Nothing is kept, sent or written here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.chats import is_accepted, is_known, known_chat, newest_file
from daemon.archive.forks import find_kin, known_memories, nearest_history
from daemon.archive.layers import openings_by_chat
from daemon.archive.memories import editions, memories
from daemon.archive.messages import dates_said, first_seen, live_messages, missing_keys, past
from daemon.archive.outputs import RESTORED, last_output
from daemon.archive.seals import refuse_any_damage, refuse_damage
from daemon.chat.opening import ShownChat, canned, shown_chat
from daemon.config.loading import load_texts
from daemon.config.settings import Config
from daemon.models.tokens import count
from rules.conversation.history import Group, Place, build_history
from rules.conversation.marker import OPENING, Marker, read_marker, text_digest
from rules.conversation.memory import Preferred, memories_of_chunks, memory_id
from rules.errors import ChatSkipped, NotAccepted
from rules.recognize.absent import NOTHING_ABSENT, Absent, find_absent
from rules.recognize.adopted import (
    Adopted,
    as_forked,
    freeze,
    inherit,
    with_adopted,
    with_keys_here,
)
from rules.recognize.chat_reading import ChatReading, build_reading
from rules.recognize.copies import (
    as_dated,
    find_copies_under,
    find_likely_copies,
    find_true_dates,
)
from rules.recognize.known import Known, Recognized, recognize_export
from rules.recognize.loss import find_loss
from rules.recognize.recognize import count_unnamed_memories, looks_like_opening
from rules.recognize.user_edits import NO_EDITS
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.content import make_printable
from rules.typingmind.message import Message
from rules.typingmind.originals import deleted_uuids
from rules.wording import cut_title


def read_chat(archive: Archive, chat: Chat, config: Config, now: str) -> ShownChat:
    """Read a chat against the archive: its messages, its memories, and what the person did.

    `config` is the one that counts for this chat. Raises NotAccepted where the chat has lost so
    much that it may be a mistake, ChatSkipped where memories cannot be told from the conversation,
    DamagedChat where the archive's rows are not what was stored, ConfigurationError where its texts
    cannot be used.
    """
    refuse_damage(archive.run, chat.chat_id)
    words, preferred = canned(load_texts(config.texts.path)), config.memory.editions
    messages = read_messages(chat)
    markers = (read_marker(message.marker) for message in messages)
    openings = [marker for marker in markers if marker and marker.kind == OPENING]
    known = know(archive, chat.chat_id, preferred, _digests_of_openings(messages, openings))
    export = recognize_export(known, chat, messages, words)
    _refuse_unnamed(archive, chat, export)
    # One that shows nothing reads alike in all chats.
    telling = [marker.text for marker in openings if any(marker.shows)]
    adopted, absent = _adopted(archive, export, telling, preferred), NOTHING_ABSENT
    if adopted.memories:
        export = recognize_export(with_adopted(known, adopted), chat, messages, words)
    else:
        absent = find_absent(export)
        _refuse_lost(archive, chat, export, absent)
    dated = replace(export, places=_dated(archive, export, adopted))
    return shown_chat(chat, build_reading(dated, adopted, absent, count, now), config)


def _digests_of_openings(messages: Sequence[Message], openings: Sequence[Marker]) -> list[str]:
    """Return the digests of the openings that an export may show, by their markers and their words.

    Another tool may have taken away the marker of one that a fork has from the other chat.
    """
    said = [text_digest(message.wording) for message in messages if looks_like_opening(message)]
    return [*(marker.text for marker in openings), *said]


def read_archive(archive: Archive, chat: Chat, config: Config) -> ShownChat:
    """Read a chat as the archive alone knows it: what is under memories, without live messages."""
    entries = build_history(past(archive, chat.chat_id), ())
    made = memories(archive, chat.chat_id, config.memory.editions)
    reading = ChatReading((), entries, made, Adopted(), NO_EDITS, {})
    return shown_chat(chat, reading, config)


def know(
    archive: Archive,
    chat_id: str,
    preferred: Preferred = "hindsight",
    named: Sequence[str] = (),
) -> Known:
    """Return all that the archive knows of a chat.

    `named` are the digests of the openings that an export of it may show.
    """
    made = memories(archive, chat_id, preferred)
    origins = [name for memory in made for name in memory.origins]
    return Known(
        chat_id=chat_id,
        memories=made,
        editions={memory.memory_id: editions(archive, memory.memory_id) for memory in made},
        past=past(archive, chat_id),
        openings=openings_by_chat(archive, chat_id, origins, named),
        live=live_messages(archive, chat_id),
        left_out=live_messages(archive, chat_id, left_out=True),
        seen=first_seen(archive, chat_id),
        missing=missing_keys(archive, chat_id),
        deleted=(
            deleted_uuids(known_chat(archive, chat_id))
            if is_known(archive, chat_id)
            else frozenset()
        ),
    )


def _dated(archive: Archive, export: Recognized, adopted: Adopted) -> tuple[Place, ...]:
    """Return the places with the days on which their messages were said, where a fork has others.

    A message under a memory keeps the date that its memory was made with, also where it is edited.
    """
    places, is_fork = export.places, bool(adopted.memories)
    dates = dates_of_copies(archive, export.known.chat_id, places, is_fork=is_fork)
    for old in export.known.past:
        dates[old.key] = (old.newest or old.message).created_at or ""
    return tuple(as_dated(place, dates) for place in places)


def dates_of_copies(
    archive: Archive, chat_id: str, places: Sequence[Place], *, is_fork: bool
) -> dict[str, str]:
    """Return when messages were said that a fork dated again, by key: known ones, and these."""
    dates = dates_said(archive, chat_id)
    copies = find_likely_copies(places, dates, is_fork=is_fork)
    if copies:
        digests = {place.message.digest for place in copies}
        elsewhere = nearest_history(archive, chat_id, digests)
        dates |= find_true_dates(copies, elsewhere, is_fork=is_fork)
    return dates


def _adopted(
    archive: Archive, export: Recognized, openings: Collection[str], preferred: Preferred
) -> Adopted:
    """Return the memories after the last one that the archive knows as this chat's.

    They come from the chat that this one was forked from, or are taken as they are. `openings` are
    the digests of those in the export that show anything: of a fork that has lost all memories, the
    opening tells where it comes from.
    """
    known = export.known
    strange = _after_last(export.shown, {memory.memory_id for memory in known.memories})
    if not strange and (known.seen or not openings):
        return Adopted()
    texts = {
        name: [make_printable(group[slot].message.wording) for slot in sorted(group)]
        for name, group in strange.items()
    }
    kin = find_kin(archive, known.chat_id, texts, openings)
    inherited = Adopted()
    if kin:
        refuse_damage(archive.run, kin)
        inherited = inherit(
            known, strange, as_forked(know(archive, kin, preferred), strange, preferred)
        )
        keys = find_copies_under(inherited.past, export.places)
        inherited = with_keys_here(inherited, keys)
    if any(old.key in known.seen for old in inherited.past):
        inherited = Adopted()  # a message that is live here cannot be under a memory, too
    origins = {name for memory in inherited.memories for name in memory.origins}
    frozen = _frozen(archive, with_adopted(known, inherited), _after_last(strange, origins))
    return replace(
        inherited,
        memories=inherited.memories + frozen.memories,
        editions={**inherited.editions, **frozen.editions},
    )


def _frozen(archive: Archive, known: Known, strange: Mapping[str, Group]) -> Adopted:
    """Take over memories of no known chat as they are, numbered after those that are `known`."""
    if not strange:
        return Adopted()
    # A damaged row may be the very memory that seems to be unknown.
    refuse_any_damage(archive.run, "chat", "memory")
    numbers = (memory.number for memory in memories_of_chunks(known.memories))
    first = 1 + max(numbers, default=0)
    taken = known_memories(archive, strange)
    own_ids = {name: memory_id(known.chat_id, 0, [name]) for name in taken}
    return freeze(strange, first, count, own_ids, archive.zone)


def _after_last(shown: Mapping[str, Group], names: Collection[str]) -> dict[str, Group]:
    """Return the entries after the last one with one of these names."""
    after: dict[str, Group] = {}
    for name, group in shown.items():
        after[name] = group
        if name in names:
            after.clear()
    return after


def _refuse_unnamed(archive: Archive, chat: Chat, export: Recognized) -> None:
    """Raise ChatSkipped where nothing but their text tells memories from the conversation."""
    seen = export.known.seen
    count = count_unnamed_memories(export.places, seen)
    if not count:
        return
    memories_there = "a memory" if count == 1 else f"{count:,} memories"
    reason = (
        f'"{cut_title(chat.title)}" holds {memories_there} that cannot be told from the '
        "conversation: another tool has taken away the fields by which memproc knows its own."
    )
    if not seen:
        raise ChatSkipped(
            reason,
            "Import the updated file of the chat that it was forked from into TypingMind, and fork "
            "that one. Nothing is lost.",
        )
    way_on = (
        "Import the newest updated file of this chat into TypingMind again and go on there; "
        "nothing is lost. If these messages are part of the conversation:"
    )
    _refuse_unless_accepted(archive, chat, reason, way_on)


def _refuse_lost(archive: Archive, chat: Chat, export: Recognized, absent: Absent) -> None:
    """Raise NotAccepted where so much is missing that it may be a mistake."""
    loss = find_loss(export, absent)
    if loss is None:
        return
    file = ""
    if loss.earlier_export_has_it:
        # The newest updated export, if it has what is missing; else the newest dropped file.
        last = last_output(archive, chat.chat_id)
        newest = max((known.seen_at for known in absent.missing), default="")
        file = newest_file(archive, chat.chat_id)
        if last and last.messages_sha256 != RESTORED and last.written_at >= newest:
            file = last.path
    way_on = f"{loss.with_file(file)} If it is meant as it is:"
    reason = f'"{cut_title(chat.title)}": {loss.reason}'
    _refuse_unless_accepted(archive, chat, reason, way_on)


def _refuse_unless_accepted(archive: Archive, chat: Chat, reason: str, way_on: str) -> None:
    """Raise NotAccepted, unless the person has accepted this very state of the chat."""
    if not is_accepted(archive, chat.chat_id, chat.sha256):
        raise NotAccepted(reason, f"{way_on} memproc accept {chat.chat_id}", chat.sha256)
