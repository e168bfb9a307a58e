"""Read an export of a chat against what the archive knows of it. Nothing is kept, sent or written here."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.chat_states import is_accepted, newest_file
from daemon.archive.chats import last_deleted
from daemon.archive.forks import find_kin, known_memories, memories_saying, nearest_history
from daemon.archive.memories import editions, memories
from daemon.archive.messages import dates_said, first_seen, live_messages, missing_keys, past
from daemon.archive.openings import openings, openings_named
from daemon.archive.outputs import RESTORED, last_output
from daemon.archive.seals import refuse_any_damage, refuse_damage
from daemon.models.tokens import count
from rules.conversation.history import Past, as_it_is_now, history, without_strays
from rules.conversation.marker import OPENING, Marker, read_marker, text_digest
from rules.conversation.memory import Edition, Memory, Preferred, aliases, memory_id, shown, told
from rules.errors import NotAccepted
from rules.output.arrange import Canned
from rules.output.taken import deleted_uuids
from rules.recognize.absent import NAMED_SINCE, NOTHING_ABSENT, Absent, Deletions, absent, as_known
from rules.recognize.adopt import Adopted, freeze, inherit
from rules.recognize.loss import lost
from rules.recognize.reading import Reading
from rules.recognize.recognize import Place, recognise
from rules.recognize.true_dates import as_dated, may_be_copies, true_dates
from rules.recognize.user_edits import Hand, deleted_memories, groups, there, what_was_done
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.compose import drafts_of
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message

TAG = b"<context_manager>"
_ANNOUNCED = "<system>"
Editions = Mapping[str, Sequence[Edition]]


def read_chat(archive: Archive, chat: Chat, words: Canned, preferred: Preferred, now: str) -> Reading:
    """What each message is, which memories the chat has, and what the person did.

    Raises NotAccepted where that may be a mistake, DamagedChat where what the archive keeps is not what was stored.
    """
    refuse_damage(archive.run, chat.chat_id)
    messages = read_messages(chat)
    made = memories(archive, chat.chat_id, preferred)
    every: dict[str, Sequence[Edition]] = {one.memory_id: editions(archive, one.memory_id) for one in made}
    before = past(archive, chat.chat_id)
    deleted = deleted_uuids(chat)
    layered = [one.text for one in openings(archive, chat.chat_id)]
    known = drafts_of(chat.chat_id, made, every, words.opening, words.closing, deleted, layered) | _strangers(
        archive, chat, made, messages, words
    )
    places = _recognised(messages, known, made, before)
    adopted = _adopted(archive, chat, made, places)
    lacks = NOTHING_ABSENT
    if adopted.memories:
        every |= adopted.editions
        made = _in_order((*made, *(_as_preferred(one, every, preferred) for one in adopted.memories)))
        before = (*before, *adopted.past)
        layered += openings_named(archive, _openings_meant(messages))
        known = drafts_of(chat.chat_id, made, every, words.opening, words.closing, deleted, layered)
        places = _recognised(messages, known, made, before)
    else:
        lacks = _absent(archive, chat, made, before, places, known)
        _refuse_lost(archive, chat, made, before, places, known, lacks)
    places = _truly_dated(archive, chat.chat_id, places, is_fork=bool(adopted.memories))
    hand = what_was_done(made, every, before, places, lacks.under)
    person = {name: _persons(every[name], texts, now) for name, texts in hand.edited.items()}
    changed = {one.number for one in made if one.memory_id in hand.changed}
    before = as_it_is_now(before, places, changed, hand.deleted)
    places = without_strays(before, places)
    made = tuple(_after(one, every[one.memory_id], person, hand) for one in made)
    return Reading(places, history(before, places), made, adopted, hand, person, lacks)


def dates_of_copies(archive: Archive, chat_id: str, places: Sequence[Place], *, is_fork: bool) -> dict[str, str]:
    """When messages that a fork has dated anew were said, by key: those that are known, and those of these places."""
    dates = dates_said(archive, chat_id)
    copies = may_be_copies(places, dates, is_fork=is_fork)
    if copies:
        history_there = nearest_history(archive, chat_id, {place.message.digest for place in copies})
        dates |= true_dates(copies, history_there, is_fork=is_fork)
    return dates


def read_archive(archive: Archive, chat_id: str, preferred: Preferred) -> Reading:
    """A chat as the archive alone knows it: what stands under memories, without any live messages."""
    nothing = Hand({}, frozenset(), (), (), {}, ())
    before = past(archive, chat_id)
    return Reading((), history(before, ()), memories(archive, chat_id, preferred), Adopted(), nothing, {})


def _recognised(
    messages: Sequence[Message], known: Mapping[str, Marker], made: Sequence[Memory], before: Sequence[Past]
) -> tuple[Place, ...]:
    digests = {old.key: old.message.digest for old in before}
    under = {one.memory_id: {key: digests[key] for key in one.keys} for one in made}
    return recognise(messages, known, under, aliases(made))


def _truly_dated(archive: Archive, chat_id: str, places: Sequence[Place], *, is_fork: bool) -> tuple[Place, ...]:
    """The places with the true dates of messages that a fork has dated anew, as far as the archive holds them."""
    dates = dates_of_copies(archive, chat_id, places, is_fork=is_fork)
    return tuple(as_dated(place, dates) for place in places)


def _strangers(
    archive: Archive, chat: Chat, made: Sequence[Memory], messages: Sequence[Message], words: Canned
) -> dict[str, Marker]:
    """Messages of another chat's memories that may stand here: in a fork that has lost its markers.

    It is looked for where our tags stand in a message that does not say what it is, and the chat has no memories
    of its own.
    """
    if made or not any(TAG in message.raw and not message.marker for message in messages):
        return {}
    others = memories_saying(archive, {message.text for message in messages})
    every = {one.memory_id: editions(archive, one.memory_id) for one in others}
    layered = openings_named(archive, _openings_meant(messages))
    return drafts_of(chat.chat_id, others, every, words.opening, words.closing, deleted_uuids(chat), layered)


def _openings_meant(messages: Sequence[Message]) -> set[str]:
    """Digests of what may be an opening of ours, and of what edited ones were: their markers name it."""
    said = {text_digest(message.text) for message in messages if _ANNOUNCED in message.text}
    markers = (read_marker(message.marker) for message in messages if message.marker)
    return said | {marker.text for marker in markers if marker is not None and marker.kind == OPENING}


def _adopted(archive: Archive, chat: Chat, made: Sequence[Memory], places: Sequence[Place]) -> Adopted:
    """The memories behind the last one that this chat's archive knows."""
    every = groups(places)
    known = {one.memory_id for one in made}
    last = max((at for at, name in enumerate(every) if name in known), default=-1)
    strange = {name: group for at, (name, group) in enumerate(every.items()) if at > last}
    if not strange:
        return Adopted()
    refuse_any_damage(archive.run)
    kin = find_kin(archive, chat.chat_id, strange) if not made else None
    inherited = inherit(chat.chat_id, strange, kin) if kin else Adopted()
    origins = {name for one in inherited.memories for name in one.origins}
    at = max((number for number, name in enumerate(strange) if name in origins), default=-1)
    rest = {name: group for number, (name, group) in enumerate(strange.items()) if number > at}
    first = 1 + max((one.number for one in (*made, *inherited.memories) if not one.is_fold), default=0)
    own_ids = {name: memory_id(chat.chat_id, 0, [name]) for name in known_memories(archive, rest)}
    frozen = freeze(rest, first, count, own_ids)
    return Adopted(inherited.memories + frozen.memories, {**inherited.editions, **frozen.editions}, inherited.past)


def _absent(
    archive: Archive,
    chat: Chat,
    made: Sequence[Memory],
    before: Sequence[Past],
    places: Sequence[Place],
    ours: Mapping[str, Marker],
) -> Absent:
    """What the export lacks of the messages that the archive has of the chat."""
    seen = first_seen(archive, chat.chat_id)
    shown, raw = groups(places), {place.key for place in places if place.ours is None}
    begun = {old.memory for old in before if old.key in raw}
    hidden = {one.number for one in made if not one.is_fold and one.number in begun and one.memory_id not in shown}
    kept = {place.original for place in places if place.original}
    hidden |= {one.number for one in made if one.memory_id in kept}
    under = [
        replace(as_known(old.message, old.key), seen_at=seen.get(old.key, ""))
        for old in before
        if old.memory in hidden and old.newest is not None
    ]
    removed = {uuid for old in before if (uuid := old.message.uuid)} | (ours.keys() - _uuids(places))
    deletions = _deletions(chat, last_deleted(archive, chat.chat_id), removed, ours, places)
    accepted = missing_keys(archive, chat.chat_id)
    lived, others = live_messages(archive, chat.chat_id), live_messages(archive, chat.chat_id, left_out=True)
    return absent(lived, others, under, seen, places, deletions, accepted)


def _deletions(
    chat: Chat, before: Collection[str], removed: Collection[str], ours: Collection[str], places: Sequence[Place]
) -> Deletions:
    """What the chat's list of deletions says. `before` is what it named in the export before this one."""
    named, sync = deleted_uuids(chat), chat.field("syncMetadata")
    listed = sync if isinstance(sync, dict) else {}
    dates = (parse_date(place.message.created_at) for place in places if place.ours is None)
    by_person = (
        "deletedSyncedBlobIDs" in listed
        or not named <= {*removed, *ours}
        or any(date is not None and date >= NAMED_SINCE for date in dates)
    )
    return Deletions(named, len(named - {*before, *removed}), "deletedMessageUUIDs" in listed, by_person)


def _uuids(places: Sequence[Place]) -> set[str]:
    return {place.message.uuid for place in places if place.message.uuid}


def _refuse_lost(
    archive: Archive,
    chat: Chat,
    made: Sequence[Memory],
    before: Sequence[Past],
    places: Sequence[Place],
    ours: Mapping[str, Marker],
    lacks: Absent,
) -> None:
    here = there(made, before, places)
    deleted = deleted_uuids(chat)
    willed = deleted_memories(made, deleted, ours)
    expected = [one for one in made if not (one.is_fold or one.forgotten or one.recalled)]
    found = lost(
        live_messages(archive, chat.chat_id),
        {name: name in here for one in expected if (name := one.memory_id) in here or name not in willed},
        places,
        deleted,
        frozenset(ours),
        first_seen(archive, chat.chat_id),
        lacks,
        [name for one in expected if (name := one.memory_id) not in here and name in willed],
    )
    if not found or is_accepted(archive, chat.chat_id, chat.sha256):
        return
    file = _file_with(archive, chat.chat_id, lacks) if found.import_again else ""
    meant = f"If it is meant as it is: memproc accept {chat.chat_id}"
    raise NotAccepted(f'"{chat.title}": {found.reason}', f"{found.with_file(file)} {meant}", chat.sha256)


def _file_with(archive: Archive, chat_id: str, lacks: Absent) -> str:
    """The newest updated export, if it holds what is missing; else the newest export that was worked on."""
    last = last_output(archive, chat_id)
    newest = max((one.seen_at for one in lacks.missing), default="")
    if last is not None and last.messages_sha256 != RESTORED and last.written_at >= newest:
        return last.path
    return newest_file(archive, chat_id)


def _persons(known: Sequence[Edition], texts: tuple[str, str, str, str, str, str], now: str) -> Edition:
    """What the person has made of a memory, as an edition of it."""
    newest = known[-1]
    return replace(
        newest,
        number=1 + max(one.number for one in known),
        kind="person",
        texts=texts,
        requests=(),
        tokens=sum(count(text) for text in texts),
        written_at=now,
    )


def _as_preferred(memory: Memory, every: Editions, preferred: Preferred) -> Memory:
    return replace(memory, edition=shown(every[memory.memory_id], memory.chosen, preferred))


def _after(memory: Memory, known: Sequence[Edition], person: Mapping[str, Edition], hand: Hand) -> Memory:
    """The memory as it is after what the person did."""
    name = memory.memory_id
    if edition := person.get(name):
        all_of_it = (*known, edition)
        memory = replace(
            memory,
            edition=edition,
            told=told(all_of_it, edition.number),
            chosen=edition.number,
            pinned=True,
        )
    return replace(
        memory,
        forgotten=(memory.forgotten or name in hand.forgotten) and name not in hand.recalled,
        due=hand.changed.get(name, memory.due),
    )


def _in_order(made: Iterable[Memory]) -> tuple[Memory, ...]:
    """The chunks' memories first, then the folds: as the archive gives them."""
    return tuple(sorted(made, key=lambda one: (one.is_fold, one.level if one.is_fold else 0, one.number)))
