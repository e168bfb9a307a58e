"""What the files of a chat show, read one after the other, oldest first: raw messages, memories, what is under them.

    original   m1 m2 m3 m4 m5
    version    [opening][memory: m1 to m3, 3 messages][closing] m4 m5 m6
    known      m1 m2 m3 m4 m5 m6; the memory stands for m1 m2 m3

A memory says where it begins and ends and how many messages it stands for. Only a run of raw messages of that very
length is taken for what is under it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rules.conversation.marker import Marker, text_digest
from rules.conversation.memory import CHUNK_LEVEL, Six, memory_id
from rules.recognize.recognize import Place, recognise
from rules.recognize.user_edits import groups
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message, read_message
from rules.typingmind.originals import is_original, plain_original

_SLOTS = range(1, 7)


@dataclass(slots=True)
class Raw:
    """A raw message in every version that was seen, oldest first."""

    versions: list[Message]
    left_out: str | None
    seen_at: list[str]


@dataclass(slots=True)
class Seen:
    """A memory or a fold as the files show it."""

    memory_id: str
    marker: Marker
    began_at: str | None
    ended_at: str | None
    run: tuple[str, ...] = ()
    """Keys of the raw messages that it stands for; none where they were not all found."""
    as_was: dict[str, int] = field(default_factory=dict)
    """The number of the version of each, from 0, that was the newest when the memory was first seen."""
    editions: dict[int, tuple[Marker, Six, str]] = field(default_factory=dict)
    """Those with the very texts that were written, by number, and when the file was written."""
    edited: list[tuple[Six, str]] = field(default_factory=list)
    """Texts that the person made of it, oldest first."""
    before: str = ""
    """The memory that the first file with it shows before it; empty where it is the first."""
    behind: str = ""
    is_own: bool = True
    """A file of the chat itself has shown it; what only another chat's has shown must be proved by its name."""

    @property
    def is_whole(self) -> bool:
        """Some file shows all six of its messages."""
        return bool(self.editions or self.edited)


@dataclass(slots=True)
class Evidence:
    """All that is known of one chat so far."""

    chat_id: str
    raw: dict[str, Raw] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    """Keys of the raw messages, in the order of the conversation."""
    seen: dict[str, Seen] = field(default_factory=dict)
    line: list[str] = field(default_factory=list)
    """Ids of all memories and folds, in the order in which files show them; a fold behind what it stands for."""
    under: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """By memory id, the keys under it with the digest of each."""
    ours: dict[str, Marker] = field(default_factory=dict)
    """The markers of our messages, by uuid."""
    aliases: dict[str, str] = field(default_factory=dict)


def look(evidence: Evidence, chat: Chat, kept_at: str, *, is_own: bool = True) -> None:
    """Take in what one file shows of the chat.

    Of a file that is not the chat's own (its memories put into a new chat) only memories count whose names prove
    that they stand for messages of this one.
    """
    messages = [_plain(message) for message in read_messages(chat)]
    written_at = _date(chat, kept_at)
    places = recognise(messages, evidence.ours, evidence.under, evidence.aliases)
    _note_memories(evidence, groups(places), written_at, is_own=is_own)
    _find_runs(evidence)
    evidence.ours |= {place.message.uuid: place.ours for place in places if place.ours and place.message.uuid}
    if is_own:
        # Nameless messages are named apart from those that are under a memory by now.
        _note_raw(evidence, recognise(messages, evidence.ours, evidence.under, evidence.aliases), kept_at)
        _find_runs(evidence)


def lived(evidence: Evidence) -> list[str]:
    """Keys of the raw messages that the agent lived through, in order."""
    return [key for key in evidence.order if evidence.raw[key].left_out is None]


def _plain(message: Message) -> Message:
    return read_message(plain_original(message.raw)) if is_original(message.marker) else message


def _date(chat: Chat, kept_at: str) -> str:
    """When the chat was written: an updated export says so itself."""
    return chat.updated_at if parse_date(chat.updated_at) else kept_at


def _note_memories(
    evidence: Evidence, shown: Mapping[str, Mapping[int, Place]], written_at: str, *, is_own: bool
) -> None:
    names = list(shown)
    for at, name in enumerate(names):
        if name not in evidence.line:
            evidence.line.insert(_place_in(evidence.line, names[at:]), name)
        group = shown[name]
        marker = next(iter(group.values())).ours
        if marker is None:
            continue
        if name not in evidence.seen:
            before, behind = (names[near] if 0 <= near < len(names) else "" for near in (at - 1, at + 1))
            dates = [place.message.created_at for place in group.values()]
            evidence.seen[name] = Seen(name, marker, dates[0], dates[-1], before=before, behind=behind, is_own=False)
        evidence.seen[name].is_own |= is_own
        _note_edition(evidence.seen[name], group, written_at)


def _place_in(line: Sequence[str], following: Sequence[str]) -> int:
    """Before what follows in the same file: so a fold comes behind the memories that it stands for."""
    return next((line.index(name) for name in following if name in line), len(line))


def _note_edition(seen: Seen, group: Mapping[int, Place], written_at: str) -> None:
    """A whole edition, or what the person made of one; what has lost a message is neither."""
    if group.keys() != set(_SLOTS):
        return
    markers = [place.ours for _, place in sorted(group.items()) if place.ours is not None]
    one, two, three, four, five, six = (group[slot].message.text for slot in _SLOTS)
    texts = (one, two, three, four, five, six)
    is_ours = all(marker.text == text_digest(text) for marker, text in zip(markers, texts, strict=True))
    if is_ours and len({marker.edition for marker in markers}) == 1:
        seen.editions.setdefault(markers[0].edition or 1, (markers[0], texts, written_at))
    elif texts not in [said for said, _ in seen.edited]:
        seen.edited.append((texts, written_at))


def _note_raw(evidence: Evidence, places: Sequence[Place], kept_at: str) -> None:
    """Each new raw message behind the one that it stands behind here.

    Right behind memories it stands before the next one that is known, or is the newest of all.
    """
    known = {key: index for index, key in enumerate(evidence.order)}
    behind: dict[int, list[str]] = {}
    at: int | None = 0
    for index, place in enumerate(places):
        if place.ours is not None:
            at = None
            continue
        if place.key in known:
            at = known[place.key] + 1
        elif place.key not in evidence.raw:
            later = (known[one.key] for one in places[index:] if one.ours is None and one.key in known)
            at = next(later, len(evidence.order)) if at is None else at
            behind.setdefault(at, []).append(place.key)
            evidence.raw[place.key] = Raw([], None, [])
        _note_version(evidence.raw[place.key], place, kept_at)
    evidence.order = [
        key
        for index in range(len(evidence.order) + 1)
        for key in (*behind.get(index, ()), *evidence.order[index : index + 1])
    ]


def _note_version(raw: Raw, place: Place, kept_at: str) -> None:
    raw.left_out = place.left_out
    if all(version.raw != place.message.raw for version in raw.versions[-1:]):
        raw.versions.append(place.message)
        raw.seen_at.append(kept_at)


def _find_runs(evidence: Evidence) -> None:
    """Find the raw messages under the memories for which they are not known yet."""
    waiting = [one for one in evidence.seen.values() if not one.run and one.memory_id not in evidence.under]
    if not waiting:
        return
    keys = lived(evidence)
    at: dict[str, list[int]] = {}
    for index, key in enumerate(keys):
        at.setdefault(evidence.raw[key].versions[-1].uuid or "", []).append(index)
    for seen in waiting:
        taken = {key for name in evidence.under if _is_chunk(evidence, name) for key in evidence.under[name]}
        for start in _starts(seen.marker, at):
            run = keys[start : start + seen.marker.messages]
            is_free = seen.marker.level > CHUNK_LEVEL or taken.isdisjoint(run)
            if run and is_free and _is_sure(evidence, seen, run):
                seen.run = tuple(run)
                seen.as_was = {key: len(evidence.raw[key].versions) - 1 for key in run}
                evidence.under[seen.memory_id] = {key: evidence.raw[key].versions[-1].digest for key in run}
                break


def _is_chunk(evidence: Evidence, name: str) -> bool:
    return name not in evidence.seen or evidence.seen[name].marker.level <= CHUNK_LEVEL


def _starts(marker: Marker, at: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Where a run can begin: at the first message, where the last one stands as far behind as it should."""
    ends = frozenset(at.get(marker.last, ()))
    for start in at.get(marker.first, ()):
        if marker.messages and start + marker.messages - 1 in ends:
            yield start


def _is_sure(evidence: Evidence, seen: Seen, run: Sequence[str]) -> bool:
    """Its ends have uuids, in a file of the chat itself; else the memory's name, which is made of what was said."""
    if seen.is_own and seen.marker.first and seen.marker.last:
        return True
    digests = [evidence.raw[key].versions[-1].digest for key in run]
    return any(
        memory_id(evidence.chat_id, number, digests) == seen.memory_id for number in range(1, len(evidence.order) + 1)
    )
