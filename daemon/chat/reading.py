"""Read an export of a chat against the archive. Nothing is kept, sent or written here."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.chats import is_accepted, last_deleted, newest_file
from daemon.archive.layers import openings, openings_named
from daemon.archive.memories import editions, memories
from daemon.archive.messages import dates_said, first_seen, live_messages, missing_keys, past
from daemon.archive.outputs import RESTORED, last_output
from daemon.archive.seals import refuse_any_damage, refuse_damage
from daemon.models.tokens import count
from rules.conversation.history import Past, Place, as_it_is_now, history, without_strays
from rules.conversation.kept_wishes import wishes_left
from rules.conversation.marker import OPENING, Marker, drafts_of, read_marker
from rules.conversation.memory import (
    Edition,
    Memory,
    Preferred,
    Six,
    aliases,
    edition_in_prompts,
    folds_upwards,
    memory_id,
    shown_edition,
    with_members,
)
from rules.errors import ChatSkipped, NotAccepted
from rules.output.arrange import Canned
from rules.recognize.absent import NOTHING_ABSENT, Absent, Deletions, KnownMessage, LastTime, absent
from rules.recognize.adopted import (
    Adopted,
    as_dated,
    freeze,
    inherit,
    may_be_copies,
    said_at,
    true_dates,
)
from rules.recognize.chat_reading import ChatReading
from rules.recognize.loss import lost
from rules.recognize.recognize import recognise, unnamed_memories
from rules.recognize.user_edits import (
    Group,
    PersonEdits,
    deleted_memories,
    edits_of,
    groups,
    there,
)
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message
from rules.typingmind.originals import (
    NAMED_SINCE,
    deleted_uuids,
    deletion_list,
)
from rules.wording import cut_title

NOTHING_ADOPTED = Adopted()


@dataclass(frozen=True, slots=True)
class _Known:
    """The chat as it is known: from the archive, and in a fork from the chat that it came from."""

    archive: Archive
    chat: Chat
    """As the export has it."""
    memories: tuple[Memory, ...]
    editions: Mapping[str, Sequence[Edition]]
    """All of each memory, by its id."""
    past: tuple[Past, ...]
    ours: Mapping[str, Marker]
    """The markers of all messages that memproc may have written into the chat, by uuid."""
    first_seen: Mapping[str, str]
    """When each raw message was first seen, by its key."""
    deleted: frozenset[str]
    """The uuids of the chat's list of deletions."""

    @property
    def is_accepted(self) -> bool:
        """Return whether the person has accepted this very state of the chat."""
        return is_accepted(self.archive, self.chat.chat_id, self.chat.sha256)

    def recognise(self, messages: Sequence[Message]) -> tuple[Place, ...]:
        """Recognise each message of the export: whose it is, and what it is there for.

        An original of a fork is known by what it says: now, or when its memory was made.
        """
        said_here = {message.digest for message in messages}
        digests = {old.key: old.message.digest for old in self.past}
        for old in self.past:
            if old.newest is not None and old.newest.digest in said_here:
                digests[old.key] = old.newest.digest
        under = {}
        for memory in self.memories:
            under[memory.memory_id] = {key: digests[key] for key in memory.keys}
        return recognise(messages, self.ours, under, aliases(self.memories))


def read_chat(
    archive: Archive, chat: Chat, words: Canned, preferred: Preferred, now: str
) -> ChatReading:
    """Read a chat against the archive: its messages, its memories, and what the person did.

    Raises NotAccepted where the chat has lost so much that it may be a mistake, ChatSkipped where
    memories cannot be told from the conversation, DamagedChat where the archive's rows are not
    what was stored.
    """
    refuse_damage(archive.run, chat.chat_id)
    messages = read_messages(chat)
    known = _known(archive, chat, words, preferred, messages)
    places = known.recognise(messages)
    _refuse_unnamed(known, places)
    shown, lacks = groups(places), NOTHING_ABSENT
    adopted = _adopted(known, places, shown)
    if adopted.memories:
        known = _known(archive, chat, words, preferred, messages, adopted)
        places = known.recognise(messages)
        shown = groups(places)
    else:
        lacks = _absent(known, places, shown)
        _refuse_lost(known, places, shown, lacks)
    places = _dated(archive, chat.chat_id, places, adopted)
    return _with_edits(known, places, shown, adopted, lacks, now)


def _with_edits(
    known: _Known,
    places: tuple[Place, ...],
    shown: Mapping[str, Group],
    adopted: Adopted,
    lacks: Absent,
    now: str,
) -> ChatReading:
    """Return the reading of a chat, with its memories as they are after the person's edits."""
    edits = edits_of(known.memories, known.editions, known.past, places, shown, lacks.under)
    by_person = {}
    for name, texts in edits.edited.items():
        by_person[name] = _persons(known.editions[name], texts, now)
    changed = {memory.number for memory in known.memories if memory.memory_id in edits.changed}
    past_now = as_it_is_now(known.past, places, changed, edits.deleted)
    places = without_strays(past_now, places)
    after = []
    for memory in known.memories:
        after.append(_after(memory, known.editions[memory.memory_id], by_person, edits))
    entries, seen = history(past_now, places), known.first_seen
    return ChatReading(places, entries, tuple(after), adopted, edits, by_person, lacks, seen)


def read_archive(archive: Archive, chat_id: str, preferred: Preferred) -> ChatReading:
    """Read a chat as the archive alone knows it: what is under memories, without live messages."""
    nothing = PersonEdits({}, frozenset(), (), (), {}, ())
    entries = history(past(archive, chat_id), ())
    return ChatReading((), entries, memories(archive, chat_id, preferred), Adopted(), nothing, {})


def _dated(
    archive: Archive, chat_id: str, places: Sequence[Place], adopted: Adopted
) -> tuple[Place, ...]:
    """Return the places with the days on which their messages were said, where a fork has others."""
    dates = dates_of_copies(archive, chat_id, places, is_fork=bool(adopted.memories))
    for old in adopted.past:
        if day := said_at(old.newest or old.message):
            dates[old.key] = day
    return tuple(as_dated(place, dates) for place in places)


def dates_of_copies(
    archive: Archive, chat_id: str, places: Sequence[Place], *, is_fork: bool
) -> dict[str, str]:
    """Return when messages were said that a fork dated again, by key: known ones, and these."""
    dates = dates_said(archive, chat_id)
    copies = may_be_copies(places, dates, is_fork=is_fork)
    if copies:
        from daemon.archive.forks import nearest_history

        digests = {place.message.digest for place in copies}
        elsewhere = nearest_history(archive, chat_id, digests)
        dates |= true_dates(copies, elsewhere, is_fork=is_fork)
    return dates


def _known(
    archive: Archive,
    chat: Chat,
    words: Canned,
    preferred: Preferred,
    messages: Sequence[Message],
    adopted: Adopted = NOTHING_ADOPTED,
) -> _Known:
    """Return the chat as it is known, with what it takes over; folds come after all others."""
    made = memories(archive, chat.chat_id, preferred)
    all_editions = {memory.memory_id: editions(archive, memory.memory_id) for memory in made}
    if adopted.memories:
        all_editions |= adopted.editions
        taken_over = []
        for memory in adopted.memories:
            edition = shown_edition(adopted.editions[memory.memory_id], memory.chosen, preferred)
            taken_over.append(replace(memory, edition=edition))
        made = tuple(sorted((*made, *taken_over), key=_in_order))
    chat_id, opening, closing = chat.chat_id, words.opening, words.closing
    # A fork shows openings of the chat that it comes from: its messages name them.
    named = openings_named(archive, _digests_of_openings(messages))
    with_layers = (*(kept.text for kept in openings(archive, chat_id)), *named)
    deleted = deleted_uuids(chat)
    ours = drafts_of(chat_id, made, all_editions, opening, closing, deleted, with_layers)
    before = (*past(archive, chat_id), *adopted.past)
    seen = first_seen(archive, chat_id)
    return _Known(archive, chat, made, all_editions, before, ours, seen, deleted)


def _digests_of_openings(messages: Sequence[Message]) -> set[str]:
    """Return the digests of the openings that messages were written as, by their markers."""
    markers = [read_marker(message.marker) for message in messages if message.marker]
    return {marker.text for marker in markers if marker is not None and marker.kind == OPENING}


def _in_order(memory: Memory) -> tuple[bool, int, int]:
    return memory.is_fold, memory.level if memory.is_fold else 0, memory.number


def _adopted(known: _Known, places: Sequence[Place], shown: Mapping[str, Group]) -> Adopted:
    """Return the memories after the last one that the archive knows as this chat's.

    They come from the chat that this one was forked from, or are taken as they are.
    """
    strange = _after_last(shown, {memory.memory_id for memory in known.memories})
    if not strange:
        return NOTHING_ADOPTED
    from daemon.archive.forks import find_kin  # late: hardly any chat is a fork

    archive, chat_id = known.archive, known.chat.chat_id
    named = _digests_of_openings([place.message for place in places])
    kin = find_kin(archive, chat_id, strange, named)
    inherited = inherit(chat_id, strange, kin, known.memories) if kin else NOTHING_ADOPTED
    if any(old.key in known.first_seen for old in inherited.past):
        inherited = NOTHING_ADOPTED  # a message that is live here cannot be under a memory, too
    origins = {name for memory in inherited.memories for name in memory.origins}
    own = (*known.memories, *inherited.memories)
    frozen = _frozen(archive, chat_id, own, _after_last(strange, origins))
    return Adopted(
        inherited.memories + frozen.memories,
        {**inherited.editions, **frozen.editions},
        inherited.past,
        inherited.kin,
    )


def _frozen(
    archive: Archive, chat_id: str, own: Sequence[Memory], strange: Mapping[str, Group]
) -> Adopted:
    """Take over memories of no known chat as they are, numbered after the chat's own."""
    if not strange:
        return NOTHING_ADOPTED
    from daemon.archive.forks import known_memories

    # A damaged row may be the very memory that seems to be unknown.
    refuse_any_damage(archive.run, "chat", "memory")
    numbers = (memory.number for memory in own if not memory.is_fold)
    first = 1 + max(numbers, default=0)
    own_ids = {name: memory_id(chat_id, 0, [name]) for name in known_memories(archive, strange)}
    return freeze(strange, first, count, own_ids, archive.zone)


def _after_last(shown: Mapping[str, Group], names: Collection[str]) -> dict[str, Group]:
    """Return the entries after the last one with one of these names."""
    after: dict[str, Group] = {}
    for name, group in shown.items():
        after[name] = group
        if name in names:
            after.clear()
    return after


def _refuse_unnamed(known: _Known, places: Sequence[Place]) -> None:
    """Raise ChatSkipped where nothing but their text tells memories from the conversation."""
    chat = known.chat
    count = unnamed_memories(places, known.first_seen)
    if not count or known.is_accepted:
        return
    memories_there = "a memory" if count == 1 else f"{count:,} memories"
    reason = (
        f'"{cut_title(chat.title)}" holds {memories_there} that cannot be told from the conversation: another '
        "tool has taken away the fields by which memproc knows its own."
    )
    if not known.first_seen:
        raise ChatSkipped(
            reason,
            "Import the updated file of the chat that it was forked from into TypingMind, and fork "
            "that one. Nothing is lost.",
        )
    way_on = (
        "Import the newest updated file of this chat into TypingMind again and go on there; "
        "nothing is lost."
    )
    meant = f"If these messages are part of the conversation: memproc accept {chat.chat_id}"
    raise NotAccepted(reason, f"{way_on} {meant}", chat.sha256)


def _absent(known: _Known, places: Sequence[Place], shown: Collection[str]) -> Absent:
    """Return the messages of the chat that the archive has and the export lacks.

    Messages under a memory count where the export has others of the same memory in full.
    """
    archive, chat_id = known.archive, known.chat.chat_id
    seen = known.first_seen
    expected_under, under = _memories_expected(known, places, shown), []
    for old in known.past:
        if old.memory in expected_under and old.newest is not None:
            said, seen_at = old.message, seen.get(old.key, "")
            under.append(
                KnownMessage(old.key, said.uuid, said.digest, said.role, said.created_at, seen_at)
            )
    last = LastTime(
        live_messages(archive, chat_id),
        live_messages(archive, chat_id, left_out=True),
        under,
        seen,
        missing_keys(archive, chat_id),
    )
    return absent(last, places, _deletions(known, places))


def _memories_expected(known: _Known, places: Sequence[Place], shown: Collection[str]) -> set[int]:
    """Return the numbers of the memories whose raw messages should all be in the export.

    A message that stays for its attachment alone says nothing of the others: these left with our
    output, also where TypingMind has cut their names from its list since.
    """
    whole = [place for place in places if place.ours is None and not place.for_attachment]
    raw = {place.key for place in whole}
    begun = {old.memory for old in known.past if old.key in raw}
    with_originals = {place.original for place in whole}
    expected = set()
    for memory in known.memories:
        is_shown = memory.is_fold or memory.memory_id in shown
        is_begun = memory.number in begun and not is_shown
        if is_begun or memory.memory_id in with_originals:
            expected.add(memory.number)
    return expected


def _deletions(known: _Known, places: Sequence[Place]) -> Deletions:
    """Return the chat's list of deletions, and its news beyond memproc's and the last export's."""
    listed, exists, by_new_build = deletion_list(known.chat)
    here = {place.message.uuid for place in places}
    noted = {old.message.uuid for old in known.past if old.message.uuid}
    noted |= {uuid for uuid in known.ours if uuid not in here}
    names_others = not listed <= {*noted, *known.ours}
    dates = (parse_date(place.message.created_at) for place in places if place.ours is None)
    is_of_new_build = any(date is not None and date >= NAMED_SINCE for date in dates)
    by_person = by_new_build or names_others or is_of_new_build
    new = listed - last_deleted(known.archive, known.chat.chat_id) - noted
    return Deletions(listed, len(new), exists, by_person)


def _refuse_lost(
    known: _Known, places: Sequence[Place], shown: Collection[str], lacks: Absent
) -> None:
    """Raise NotAccepted where so much is missing that it may be a mistake."""
    chat = known.chat
    here = there(known.memories, known.past, places, shown)
    by_person = deleted_memories(known.memories, known.deleted, known.ours)
    shown_as, inside = _shown_as(known.memories, shown)
    memories_here, deleted = {}, []
    for memory in known.memories:
        name = memory.memory_id
        if memory.forgotten or memory.recalled:
            continue
        if name in by_person and name not in here:
            if name not in inside:
                deleted.append(name)
        elif not memory.is_fold:
            memories_here[shown_as.get(name, name)] = name in here
    loss = lost(lacks, memories_here, places, deleted)
    if not loss or known.is_accepted:
        return
    file = _file_to_import(known.archive, chat.chat_id, lacks) if loss.import_again else ""
    meant = f"If it is meant as it is: memproc accept {chat.chat_id}"
    raise NotAccepted(
        f'"{cut_title(chat.title)}": {loss.reason}', f"{loss.with_file(file)} {meant}", chat.sha256
    )


def _shown_as(
    memories: Sequence[Memory], shown: Collection[str]
) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return the shown fold that each memory is in, and the ids of all that are in any fold.

    A fold counts once, as the person sees it: to delete its six messages is to delete one memory.
    """
    shown_as: dict[str, str] = {}
    folds = folds_upwards(memories)
    for fold in folds:
        if fold.memory_id in shown:
            shown_as |= dict.fromkeys(with_members([fold.memory_id], memories), fold.memory_id)
    return shown_as, frozenset(member for fold in folds for member in fold.members)


def _file_to_import(archive: Archive, chat_id: str, lacks: Absent) -> str:
    """Return the newest updated export if it has what is missing, else the newest dropped file."""
    last = last_output(archive, chat_id)
    newest = max((known.seen_at for known in lacks.missing), default="")
    if last and last.messages_sha256 != RESTORED and last.written_at >= newest:
        return last.path
    return newest_file(archive, chat_id)


def _persons(known: Sequence[Edition], texts: Six, now: str) -> Edition:
    """Return the person's own edition of a memory, after the `known` ones."""
    return replace(
        known[-1],
        number=1 + max(edition.number for edition in known),
        kind="person",
        texts=texts,
        requests=(),
        wishes=wishes_left(known[-1], texts),
        tokens=sum(count(text) for text in texts),
        written_at=now,
    )


def _after(
    memory: Memory, known: Sequence[Edition], by_person: Mapping[str, Edition], edits: PersonEdits
) -> Memory:
    """Return a memory as it is after the person's edits."""
    name = memory.memory_id
    if edition := by_person.get(name):
        in_prompts = edition_in_prompts((*known, edition), edition.number)
        shown = replace(memory, edition=edition, in_prompts=in_prompts)
        memory = replace(shown, chosen=edition.number, pinned=True)
    was_forgotten = memory.forgotten or name in edits.forgotten
    forgotten = was_forgotten and name not in edits.recalled
    return replace(memory, forgotten=forgotten, due=edits.changed.get(name, memory.due))
