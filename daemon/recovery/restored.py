"""The editions of a memory as the files show them, with the quotes that its raw messages prove."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from daemon.recovery.evidence import Evidence, Seen
from primer.prompt import question, restore
from primer.texts import Texts
from rules.conversation.history import Entry
from rules.conversation.marker import Marker
from rules.conversation.memory import CHUNK_LEVEL, WRITTEN, Edition, Kind, Memory, Quote, Six, fold_id, shown, told
from rules.conversation.quote import Verbatim, find_quote
from rules.typingmind.message import Message

UNKNOWN = "unknown"
"""Who wrote a memory, and who chose its quote, stands in no file."""

_JOINER = "\u2060"


def hindsight_question(texts: Texts) -> re.Pattern[str]:
    """What the third message of a hindsight edition says: a marker does not tell of which kind an edition is."""
    around = question(texts.perspective_hindsight).content.split("{words}")
    return re.compile(r"\d+".join(map(re.escape, around)))


def editions_of(
    seen: Seen,
    chunk: Sequence[Entry],
    hindsight: re.Pattern[str],
    standing: Collection[tuple[str, ...]],
    count: Callable[[str], int],
) -> tuple[Edition, ...]:
    """All editions, oldest first; at least one is as-of.

    `chunk` are the raw messages that the memory stands for, as far as they are known. `standing` are the texts that
    the newest file shows: what the person made of them comes with that file's reading.
    """
    written = sorted(seen.editions.items()) or [(seen.marker.edition or 1, (seen.marker, *seen.edited[0]))]
    looks_back = [number for number, (_, texts, _) in written if hindsight.fullmatch(texts[2])]
    first_kinds: dict[int, Kind] = dict.fromkeys(looks_back if len(looks_back) < len(written) else (), "hindsight")

    def edition(number: int, kind: Kind, marker: Marker, texts: Six, when: str) -> Edition:
        return Edition(
            number=number,
            kind=kind,
            texts=texts,
            quotes=quotes_in(texts[1], chunk),
            made=marker.made or WRITTEN,
            agent=UNKNOWN,
            context_manager=UNKNOWN,
            requests=(),
            tokens=sum(count(text) for text in texts),
            written_at=when,
        )

    found = [edition(number, first_kinds.get(number, "as-of"), *one) for number, one in written]
    known = {*standing, *(one.texts for one in found)}
    for texts, when in seen.edited:
        if texts not in known:
            found.append(edition(1 + found[-1].number, "person", seen.marker, texts, when))
    return tuple(found)


def quotes_in(answer: str, chunk: Sequence[Entry]) -> tuple[Quote, ...]:
    """The quotes in a memory's second message, each searched word for word in the raw messages.

    In a fold they stand one after the other, as paragraphs. What is not found has no source.
    """
    paragraphs = restore(answer).split("\n\n")
    found: list[Quote] = []
    while paragraphs:
        for size in range(len(paragraphs), 0, -1):
            said = "\n\n".join(paragraphs[:size])
            verbatim = find_quote(said, chunk)
            if isinstance(verbatim, Verbatim) and _holds(answer, verbatim.text):
                found.append(Quote(verbatim.text, verbatim.source, UNKNOWN))
                break
        else:
            size, said = 1, paragraphs[0]
            found.append(Quote(said, "", UNKNOWN))
        paragraphs = paragraphs[size:]
    return tuple(found) if any(quote.source for quote in found) else (Quote(restore(answer), "", UNKNOWN),)


def _holds(answer: str, quote: str) -> bool:
    return quote.replace(_JOINER, "") in answer.replace(_JOINER, "")


_MOST_TRIES = 2_000
_MOST_FORGOTTEN = 2


@dataclass(slots=True)
class Unit:
    """What may be a member of a fold. `messages` is how many it stands for, `covers` are the ids of its chunks."""

    memory: Memory
    messages: int
    covers: tuple[str, ...]


@dataclass(slots=True)
class Row:
    """All of them by their ids; `order` are the ids of what is no fold, oldest first."""

    order: list[str]
    units: dict[str, Unit]
    editions: dict[str, tuple[Edition, ...]] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    """Ids of memories that find no place in it."""

    @property
    def memories(self) -> list[Memory]:
        """Those that are no folds, oldest first."""
        return [self.units[name].memory for name in self.order]


def row_of(memories: Sequence[Memory]) -> Row:
    """The row that the archive has; `memories` are a chat's, its chunks first."""
    by_id = {memory.memory_id: memory for memory in memories}

    def covers(memory: Memory) -> tuple[str, ...]:
        return tuple(name for member in memory.members for name in covers(by_id[member])) or (memory.memory_id,)

    units = {name: Unit(memory, len(memory.keys), covers(memory)) for name, memory in by_id.items()}
    return Row([memory.memory_id for memory in memories if not memory.is_fold], units)


def take_out(row: Row, names: Collection[str]) -> None:
    """Without these chunks, and without the folds of which they are members."""
    gone = set(names)
    for name, unit in sorted(row.units.items(), key=lambda one: one[1].memory.level):
        if gone & {name, *unit.memory.members}:
            gone.add(name)
    row.order = [name for name in row.order if name not in gone]
    row.units = {name: unit for name, unit in row.units.items() if name not in gone}
    row.unplaced += sorted(gone)


def members_of(chat_id: str, row: Row, seen: Seen) -> tuple[Memory, ...]:
    """The members of a fold: those of which its name is made, else the first that stand for as many messages.

    None where they are not all known; then a file of another chat is not believed either.
    """
    found = [members for members in islice(_tries(row, seen), _MOST_TRIES) if members]
    named = (members for members in found if fold_id(chat_id, members) == seen.memory_id)
    return next(named, found[0] if found and seen.is_own else ())


def _tries(row: Row, seen: Seen) -> Iterator[tuple[Memory, ...]]:
    """Units side by side, from the fold's first message to its last, with as many messages as it says.

    The largest come first, and after those two that the person may have forgotten are skipped. A try that leads
    nowhere is empty: there can be more of them than anyone wants to wait for.
    """
    begins = _by_begin(row, seen.marker.level)

    def further(at: int, left: int, forgotten: int, members: tuple[Memory, ...]) -> Iterator[tuple[Memory, ...]]:
        is_whole = left == 0 and len(members) > 1 and members[-1].last == seen.marker.last
        yield members if is_whole else ()
        if left <= 0 or at == len(row.order):
            return
        for unit in begins.get(row.order[at], ()):
            stop = row.order.index(unit.covers[-1]) + 1
            yield from further(stop, left - unit.messages, forgotten, (*members, unit.memory))
        if members and forgotten < _MOST_FORGOTTEN:
            yield from further(at + 1, left, forgotten + 1, members)

    for at, memory in enumerate(row.memories):
        if memory.first == seen.marker.first:
            yield from further(at, seen.marker.messages, 0, ())


def _by_begin(row: Row, level: int) -> dict[str, list[Unit]]:
    """What may be a member of a fold of this level, the highest first, by the chunk that it begins with."""
    found: dict[str, list[Unit]] = {}
    for unit in sorted(row.units.values(), key=lambda unit: -unit.memory.level):
        if unit.memory.level < level and unit.messages:
            found.setdefault(unit.covers[0], []).append(unit)
    return found


def place_in(evidence: Evidence, row: Row, seen: Seen, keys: tuple[str, ...]) -> int:
    """Behind the last that begins before it; one without raw messages, behind what files show before it."""
    if keys:
        index = {key: at for at, key in enumerate(evidence.order)}
        starts = {at: index[one.keys[0]] for at, one in enumerate(row.memories) if one.keys}
        return max((at + 1 for at, start in starts.items() if start < index[keys[0]]), default=0)
    here = evidence.line.index(seen.memory_id)
    return max((row.order.index(name) + 1 for name in evidence.line[:here] if name in row.order), default=0)


def inside(evidence: Evidence, row: Row, seen: Seen) -> list[str]:
    """The chunks that a fold stands for: by its raw messages, or by what the files show before and behind it."""
    if seen.run:
        run = set(seen.run)
        return [memory.memory_id for memory in row.memories if memory.keys and run.issuperset(memory.keys)]
    line = evidence.line
    start = line.index(seen.before) + 1 if seen.before else 0
    stop = line.index(seen.behind) if seen.behind else len(line)
    between = set(line[start:stop])
    return [
        memory.memory_id for memory in row.memories if memory.memory_id in between and memory.level < seen.marker.level
    ]


def close(row: Row, lone: Sequence[str], shown_now: Sequence[str]) -> None:
    """Up to the last lone fold, everything stands as the newest file shows it, and each fold there stands for itself.

    Memories are folded in their order, by level. Single ones before a lone fold, which were folded long ago, would
    be folded otherwise, and asked for again.
    """
    last = max((row.order.index(name) for name in lone if name in row.order), default=-1)
    until = set(row.order[: last + 1])
    for name in shown_now:
        unit = row.units.get(name)
        if unit is not None and unit.memory.is_fold and until & set(unit.covers):
            at = row.order.index(unit.covers[0])
            take_out(row, unit.covers)
            row.unplaced.remove(name)
            row.units[name] = Unit(replace(unit.memory, members=()), unit.messages, (name,))
            row.order.insert(at, name)


def left_over(evidence: Evidence, row: Row, live: Collection[str]) -> frozenset[str]:
    """The raw messages beside a memory without any, up to those under the memories around it, or to the live ones."""
    under = {key: at for at, memory in enumerate(row.memories) for key in memory.keys}
    keyless = {at for at, memory in enumerate(row.memories) if not memory.keys}
    last_under = max((at for at, key in enumerate(evidence.order) if key in under), default=-1)
    found: set[str] = set()
    waiting: list[str] = []
    before = -1
    for at, key in enumerate(evidence.order):
        if key in under:
            found.update(waiting if keyless & {*range(before + 1, under[key])} else ())
            before, waiting = under[key], []
        elif key in live and at > last_under:
            break
        elif key not in live:
            waiting.append(key)
    found.update(waiting if keyless & {*range(before + 1, len(row.order))} else ())
    return frozenset(key for key in found if evidence.raw[key].left_out is None)


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
