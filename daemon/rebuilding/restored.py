"""The memories and folds of a chat, made of what its files show, in the order of the conversation.

chunk       a memory of level 1, with the raw messages under it or without
fold        its members are known, and stand for as many messages as it says
lone fold   they are not all known: it stands for itself, and for all raw messages of theirs
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.rebuilding.editions import editions_of
from daemon.rebuilding.evidence import Evidence, Seen
from daemon.rebuilding.placing import close, inside, left_over, place_in
from daemon.rebuilding.row import Row, Unit, members_of, row_of, take_out
from rules.conversation.history import Entry
from rules.conversation.memory import CHUNK_LEVEL, Edition, Memory, shown, told
from rules.typingmind.message import Message


@dataclass(frozen=True, slots=True)
class Restored:
    """What the archive did not have: chunks and lone folds oldest first, then folds by their level."""

    memories: tuple[Memory, ...]
    editions: Mapping[str, tuple[Edition, ...]]
    found_again: tuple[Memory, ...]
    """Memories that the archive has without their raw messages, with these."""
    versions: Mapping[str, Mapping[str, int]]
    """By memory id, which version of each raw message stands under it, from 0."""
    left_over: frozenset[str]
    """Keys of raw messages that stood under memories of which other messages are lost."""
    unplaced: tuple[str, ...]
    """Ids of memories that are in a lone fold, or stand between those that the archive has, where no number is free."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the files: the archive's own memories, and how editions are read."""

    memories: Sequence[Memory]
    elsewhere: Collection[str]
    """Ids of the memories of other chats, which no memory of this one may have."""
    shown: Sequence[str]
    """Ids of the memories that the newest file shows."""
    hindsight: re.Pattern[str]
    standing: Collection[tuple[str, ...]]
    """Texts of the memories in the newest file."""
    live: Collection[str]
    """Keys of the raw messages in it."""
    count: Callable[[str], int]


def restored(evidence: Evidence, known: Known) -> Restored:
    """All memories that the files show whole, and that the archive does not have."""
    row = row_of(known.memories)
    old = frozenset(row.units)
    new = [evidence.seen[name] for name in evidence.line if name in evidence.seen and name not in old]
    whole = [seen for seen in new if seen.is_whole and seen.memory_id not in known.elsewhere]
    row.unplaced += [seen.memory_id for seen in new if seen.is_own and seen.memory_id in known.elsewhere]
    chunks = [seen for seen in whole if seen.marker.level <= CHUNK_LEVEL and (seen.is_own or seen.run)]
    for seen in sorted(chunks, key=lambda seen: not seen.run):
        _place(evidence, row, seen, seen.run, known)
    lone: list[str] = []
    folds = [seen for seen in whole if seen.marker.level > CHUNK_LEVEL]
    for seen in sorted(folds, key=lambda seen: (seen.marker.level, seen.memory_id in known.shown)):
        members = members_of(evidence.chat_id, row, seen)
        if members:
            row.units[seen.memory_id] = _fold(evidence, row, seen, members, known)
        elif seen.is_own and _place_alone(evidence, row, seen, old, known):
            lone.append(seen.memory_id)
    if not old:
        close(row, lone, known.shown)
    return _result(evidence, row, old, known, _found_again(evidence, row, known))


def _found_again(evidence: Evidence, row: Row, known: Known) -> tuple[Memory, ...]:
    """The archive's memories without raw messages, where these are known now."""
    found = []
    for memory in known.memories:
        seen = evidence.seen.get(memory.memory_id)
        if memory.keys or memory.is_fold or seen is None:
            continue
        taken = {key for one in row.memories for key in one.keys}
        keys = tuple(key for key in seen.run if key not in taken)
        if keys:
            chunk = [_as_was(evidence, seen, key) for key in keys]
            memory = replace(
                memory,
                keys=keys,
                began_at=chunk[0].created_at,
                ended_at=chunk[-1].created_at,
                source_tokens=sum(known.count(message.text) for message in chunk),
            )
            row.units[memory.memory_id].memory = memory
            found.append(memory)
    return tuple(found)


def _place(evidence: Evidence, row: Row, seen: Seen, keys: tuple[str, ...], known: Known) -> None:
    """Put a chunk or a lone fold where it belongs in the row."""
    memory = _memory(evidence, row, seen, keys, known)
    row.units[seen.memory_id] = Unit(memory, seen.marker.messages, (seen.memory_id,))
    row.order.insert(place_in(evidence, row, seen, keys), seen.memory_id)


def _place_alone(evidence: Evidence, row: Row, seen: Seen, old: Collection[str], known: Known) -> bool:
    """A fold of which not all members are known takes the place of those that are; whether it has found one."""
    within = inside(evidence, row, seen)
    if any(name in old for name in within):
        row.unplaced.append(seen.memory_id)
        return False
    take_out(row, within)
    taken = {key for memory in row.memories for key in memory.keys}
    _place(evidence, row, seen, tuple(key for key in seen.run if key not in taken), known)
    return True


def _fold(evidence: Evidence, row: Row, seen: Seen, members: tuple[Memory, ...], known: Known) -> Unit:
    keys = tuple(key for member in members for key in member.keys)
    memory = _memory(evidence, row, seen, keys, known)
    memory = replace(
        memory,
        members=tuple(member.memory_id for member in members),
        source_tokens=sum(member.source_tokens for member in members),
        began_at=members[0].began_at,
        ended_at=members[-1].ended_at,
    )
    covers = tuple(name for member in members for name in row.units[member.memory_id].covers)
    return Unit(memory, seen.marker.messages, covers)


def _memory(evidence: Evidence, row: Row, seen: Seen, keys: tuple[str, ...], known: Known) -> Memory:
    chunk = [Entry(key, _as_was(evidence, seen, key), None, None) for key in keys]
    found = editions_of(seen, chunk, known.hindsight, known.standing, known.count)
    row.editions[seen.memory_id] = found
    return Memory(
        memory_id=seen.memory_id,
        number=0,
        level=max(CHUNK_LEVEL, seen.marker.level),
        keys=keys,
        first=seen.marker.first,
        last=seen.marker.last,
        began_at=chunk[0].message.created_at if chunk else seen.began_at,
        ended_at=chunk[-1].message.created_at if chunk else seen.ended_at,
        source_tokens=sum(known.count(entry.message.text) for entry in chunk),
        edition=shown(found, None, "hindsight"),
        told=told(found, None),
    )


def _as_was(evidence: Evidence, seen: Seen, key: str) -> Message:
    versions = evidence.raw[key].versions
    return versions[seen.as_was.get(key, len(versions) - 1)]


def _result(
    evidence: Evidence, row: Row, old: Collection[str], known: Known, found_again: tuple[Memory, ...]
) -> Restored:
    last_old = max((at for at, name in enumerate(row.order) if name in old), default=-1)
    lost = {name for name in row.order[: last_old + 1] if name not in old}
    standing = [name for name in row.order if name not in lost]
    memories = [
        replace(row.units[name].memory, number=number) for number, name in enumerate(standing, 1) if name not in old
    ]
    folds = [unit.memory for name, unit in row.units.items() if unit.memory.is_fold and name not in old]
    for fold in sorted(folds, key=lambda fold: fold.level):
        if lost & set(fold.members):
            lost.add(fold.memory_id)
        else:
            memories.append(fold)
    return Restored(
        memories=tuple(memories),
        editions={memory.memory_id: row.editions[memory.memory_id] for memory in memories},
        versions={
            memory.memory_id: {key: _version(evidence, memory.memory_id, key) for key in memory.keys}
            for memory in (*memories, *found_again)
            if not memory.is_fold
        },
        found_again=found_again,
        left_over=left_over(evidence, row, known.live),
        unplaced=(*row.unplaced, *sorted(lost)),
    )


def _version(evidence: Evidence, name: str, key: str) -> int:
    return evidence.seen[name].as_was.get(key, len(evidence.raw[key].versions) - 1)
