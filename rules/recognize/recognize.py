"""What each message of an export is: one of ours, an original that we kept beside its memory, or the person's.

A message claims to be ours by its marker, or by its uuid where another tool has stripped the marker. Whoever forges a
claim must not hide a message by it, so a claim is believed only where role and text are those that were written. What
the person has edited no longer fits, and is believed for its place:

    memory             it fits, or it stands in a row of one memory, four or more, of which another one fits
    opening, closing   two of four: it fits; it has a marker, and says what ours says; its uuid is ours; it stands
                       right before or behind a memory. An opening's marker may also name what ours says: the person
                       has edited it in a fork, and what they have written there is kept

Where a message with a uuid of ours says what was written under it, the archive tells what it is, whatever its marker
says. What stays in the chat as an original claims nothing, whatever its uuid and its text. Memories that have lost
both markers and uuids are not recognised: see `unnamed_memories`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType

from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, read_marker, text_digest
from rules.conversation.place import COPY, Place
from rules.typingmind.message import Message, left_out, read_message
from rules.typingmind.originals import is_original, plain_original

Under = Mapping[str, Mapping[str, str]]
"""The keys of the messages that stand under each memory, by its id, each with the digest of what was said."""

_LEAST_LEFT = 4
_SIX = 6
"""The messages of a memory: three questions and three answers."""
_NAMELESS = "digest:"
_NOTHING: Under = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


def recognise(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    under: Under = _NOTHING,
    aliases: Mapping[str, str] = _SAME,
) -> tuple[Place, ...]:
    """Recognise each message of a chat: whose it is, and where it stands.

    `known` are the markers of our messages in the archive, by uuid. Names that a memory of this export has
    replaced are taken. Nameless messages are named after what they say, so the next "ok" is another message than
    the first; a uuid that stands twice is another message where it says something else, and a copy where it says the
    same. `aliases` are the ids by which a fork's export may still call its memories, with those that they have here.
    """
    ours = [
        replace(marker, memory=aliases.get(marker.memory, marker.memory)) if marker else None
        for marker in believed(messages, known)
    ]
    shown = {marker.memory for marker in ours if marker is not None}
    taken = {key: digest for memory in shown for key, digest in under.get(memory, {}).items()}
    times = dict.fromkeys(taken, 1)
    waiting = {memory: dict(keys) for memory, keys in under.items()}
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        place = _original(at, message, waiting, aliases) if marker is None else None
        if place is None:
            key = name = message.uuid or _NAMELESS + message.digest
            if message.uuid is None or taken.pop(name, None) != message.digest:
                while key in times:
                    times[name] += 1
                    key = f"{name}#{times[name]}"
                times[key] = 1
            place = Place(
                at, message, key, marker, None if marker else left_out(message), written=message.raw
            )
        places.append(place)
    return _with_copies(places)


def _with_copies(places: Sequence[Place]) -> tuple[Place, ...]:
    """Mark every copy: a message with the uuid and the text of another, as a failed sync leaves them.

    An original beside its memory counts, else the first of them, with the fields of the last; the others are copies
    and share its key.
    """
    same: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        if place.ours is None and place.message.uuid:
            same.setdefault((place.message.uuid, place.message.digest), []).append(place)
    marked = list(places)
    for group in same.values():
        if len(group) == 1:
            continue
        first = next((place for place in group if place.original), group[0])
        newest = first.message if first.original else group[-1].message
        left_out_for = first.left_out if first.original else left_out(newest)
        marked[first.at] = replace(first, message=newest, left_out=left_out_for)
        for place in group:
            if place.at != first.at:
                marked[place.at] = replace(place, key=first.key, left_out=COPY, original="")
    return tuple(marked)


def unnamed_memories(places: Sequence[Place], known_keys: Collection[str]) -> int:
    """Count the memories of ours from which another tool seems to have taken both markers and uuids.

    Their shape gives them away: behind an opening, three questions in a row that are whole messages in our tag, each
    with its answer. Who has only pasted such texts into the conversation has no opening directly before them.
    `known_keys` are the keys of messages that the archive has as part of the conversation: the person has accepted
    these.
    """

    def is_memory(at: int) -> bool:
        six = places[at : at + _SIX]
        return len(six) == _SIX and all(
            place.lived
            and not place.message.marker
            and place.key not in known_keys
            and (
                _is_question(place.message) if slot % 2 == 0 else place.message.role == "assistant"
            )
            for slot, place in enumerate(six)
        )

    count, at = 0, 0
    while at < len(places):
        opens = _is_opening(places[at].message)
        at += 1
        while opens and is_memory(at):
            count, at = count + 1, at + _SIX
    return count


def _is_opening(message: Message) -> bool:
    return message.role == "user" and message.text.startswith("<system>\n")


def _is_question(message: Message) -> bool:
    text = message.text
    return (
        message.role == "user"
        and text.startswith("<context_manager>\n")
        and text.endswith("\n</context_manager>")
    )


def believed(messages: Sequence[Message], known: Mapping[str, Marker]) -> tuple[Marker | None, ...]:
    """The marker of each message that is ours; None for all others. `known` are our uuids, from the archive."""
    by_uuid = [
        None if is_original(message.marker) else known.get(message.uuid or "")
        for message in messages
    ]
    claims = [_claim(message, own) for message, own in zip(messages, by_uuid, strict=True)]
    fitting = {
        at
        for at, (message, claim) in enumerate(zip(messages, claims, strict=True))
        if claim is not None and _spoken(message) == _written(by_uuid[at] or claim)
    }
    memories = {at for at in fitting if (claim := claims[at]) is not None and claim.kind == MEMORY}
    memories |= {at for row in _rows(claims) if fitting & set(row) for at in row}
    our_words = {_written(marker) for marker in known.values() if marker.kind in (OPENING, CLOSING)}

    def is_believed(at: int, claim: Marker) -> bool:
        if at in memories or claim.kind not in (OPENING, CLOSING):
            return at in memories
        message, marker = messages[at], read_marker(messages[at].marker)
        words = {_spoken(message)} | (
            {_written(marker)} if marker and marker.kind == OPENING else set()
        )
        signs = (
            at in fitting,
            bool(message.marker) and bool(words & our_words),
            by_uuid[at] is not None,
            _touches(at, claim, claims, memories),
        )
        return sum(signs) >= 2

    return tuple(
        claim if claim is not None and is_believed(at, claim) else None
        for at, claim in enumerate(claims)
    )


def _claim(message: Message, by_uuid: Marker | None) -> Marker | None:
    """The claim of a message: its marker, or `by_uuid` where it has our uuid and text, but names something else."""
    marker = read_marker(message.marker)
    if marker is None or by_uuid is None:
        return marker or by_uuid
    same = (marker.kind, marker.memory, marker.slot) == (by_uuid.kind, by_uuid.memory, by_uuid.slot)
    return marker if same or _spoken(message) != _written(by_uuid) else by_uuid


def _written(marker: Marker) -> tuple[str | None, str]:
    """Role and digest of the message that a marker was written for."""
    return "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user", marker.text


def _spoken(message: Message) -> tuple[str | None, str]:
    """Role and digest of a message as it stands in the export, to be compared with `_written`."""
    return message.role, text_digest(message.text)


def _rows(claims: Sequence[Marker | None]) -> Iterator[range]:
    """Runs of messages that claim to be of one memory, in the order of its slots; some may have been deleted."""
    start = 0
    for at in range(1, len(claims) + 1):
        before, following = claims[at - 1], claims[at] if at < len(claims) else None
        goes_on = (
            before is not None
            and following is not None
            and following.kind == MEMORY
            and before.memory == following.memory
            and before.slot < following.slot
        )
        if not goes_on:
            if at - start >= _LEAST_LEFT:
                yield range(start, at)
            start = at


def _touches(at: int, claim: Marker, claims: Sequence[Marker | None], memories: Set[int]) -> bool:
    """Whether it stands where we put it: right before the first message left of a memory, or right behind its last."""
    beside, behind = (at + 1, at - 1) if claim.kind == OPENING else (at - 1, at + 1)
    if beside not in memories or behind not in memories:
        return beside in memories
    names = {marker.memory for marker in (claims[beside], claims[behind]) if marker}
    return len(names) > 1


def _original(
    at: int, message: Message, waiting: Mapping[str, dict[str, str]], aliases: Mapping[str, str]
) -> Place | None:
    """The raw message that we kept here beside its memory: by its uuid, or by what it says, in order.

    In a fork no uuid is known; where a uuid stands twice, what the message says tells which of them has stayed. A key
    that is found is taken out of `waiting`.
    """
    if message.marker is None or not is_original(message.marker):
        return None
    name = str(message.marker["memory"])
    memory = aliases.get(name, name)
    keys = waiting.get(memory, {})
    plain = read_message(plain_original(message.raw))
    named = plain.uuid if plain.uuid in keys else None
    key = named  # the message of that uuid, which the person may have edited
    if named is None or keys[named] != plain.digest:
        key = next((key for key in keys if keys[key] == plain.digest), named)
    if key is None:
        return None
    del keys[key]
    return Place(at, plain, key, None, left_out(plain), memory, message.raw)
