"""What each message of an export is: ours, an original kept with its memory, or raw.

A message claims to be ours by its marker, or by its uuid where another tool has stripped the
marker. A forged claim must not hide a message, so a claim is believed only where role and text
are those that were written. What the person has edited no longer fits, and is believed for its
place:

    memory             it fits, or is in a row of one memory, four or more, of which another fits
    opening, closing   two of four: it fits; it has a marker, and says what ours says; its uuid is
                       ours; it comes right before or after a memory. An opening's marker may also
                       name what ours says: edited in a fork, the person's words there are kept

Where a message with a uuid of ours says what was written under it, the archive tells what it is,
whether or not its marker agrees. What stays in the chat as an original claims nothing, not even by
uuid or text. Memories that have lost both markers and uuids are not recognised: see
`unnamed_memories`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

from rules.conversation.history import COPY, Place
from rules.conversation.marker import CLOSING, MEMORY, OPENING, Marker, read_marker, text_digest
from rules.typingmind.message import Message, left_out, read_message
from rules.typingmind.originals import is_original, plain_original

_LEAST_LEFT = 4
"""The least messages left of a memory that the person has edited."""

_Written = tuple[str | None, str]
"""Role and digest of a message."""

Under = Mapping[str, Mapping[str, str]]
"""The keys of the messages under each memory, by its id, each with the digest of what was said."""

_SIX = 6
"""The messages of a memory: three questions and three answers."""
_NAMELESS = "digest:"
_NOTHING: Under = MappingProxyType({})
_SAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Claims:
    """What each message of an export claims to be, by its index."""

    messages: Sequence[Message]
    by_uuid: Sequence[Marker | None]
    """The marker that the archive has for its uuid."""
    claimed: Sequence[Marker | None]

    @property
    def fitting(self) -> frozenset[int]:
        """Return the indices of the messages that say what was written."""
        return frozenset(
            at
            for at, claim in enumerate(self.claimed)
            if claim and _spoken(self.messages[at]) == _written(self.by_uuid[at] or claim)
        )


def believed(messages: Sequence[Message], known: Mapping[str, Marker]) -> tuple[Marker | None, ...]:
    """Return the marker of each message that is ours; None for all others.

    `known` are the markers of our messages in the archive, by uuid.
    """
    claims = _read_claims(messages, known)
    fitting = claims.fitting
    memories = _memories(claims.claimed, fitting)
    canned = {_written(marker) for marker in known.values() if _is_canned(marker)}
    ours = {
        at
        for at, claim in enumerate(claims.claimed)
        if claim
        and _is_canned(claim)
        and _is_our_canned(at, claim, claims, fitting, memories, canned)
    }
    return tuple(
        claim if at in memories or at in ours else None for at, claim in enumerate(claims.claimed)
    )


def _read_claims(messages: Sequence[Message], known: Mapping[str, Marker]) -> _Claims:
    by_uuid = [
        None if is_original(message.marker) else known.get(message.uuid or "")
        for message in messages
    ]
    claimed = [_claim(message, own) for message, own in zip(messages, by_uuid, strict=True)]
    return _Claims(messages, by_uuid, claimed)


def _memories(claimed: Sequence[Marker | None], fitting: Set[int]) -> set[int]:
    """Return the indices of the messages that are believed to be of a memory."""
    alone = {at for at in fitting if (claim := claimed[at]) and claim.kind == MEMORY}
    return alone.union(*(row for row in _rows(claimed) if not fitting.isdisjoint(row)))


def _is_canned(marker: Marker) -> bool:
    return marker.kind in (OPENING, CLOSING)


def _is_our_canned(
    at: int,
    claim: Marker,
    claims: _Claims,
    fitting: Set[int],
    memories: Set[int],
    canned: Collection[_Written],
) -> bool:
    """Return whether two of the four signs of an opening or a closing hold."""
    message = claims.messages[at]
    marker = read_marker(message.marker)
    words = [_spoken(message)]
    if marker and marker.kind == OPENING:
        words.append(_written(marker))
    signs = (
        at in fitting,
        bool(message.marker) and any(word in canned for word in words),
        claims.by_uuid[at] is not None,
        _touches(at, claim, claims.claimed, memories),
    )
    return sum(signs) >= 2


def _claim(message: Message, by_uuid: Marker | None) -> Marker | None:
    """Return the claim of a message: its marker, or the archive's for its uuid.

    The archive's counts where the text is ours, too, but the marker names something else.
    """
    marker = read_marker(message.marker)
    if marker is None or by_uuid is None:
        return marker or by_uuid
    same = (marker.kind, marker.memory, marker.slot) == (by_uuid.kind, by_uuid.memory, by_uuid.slot)
    return marker if same or _spoken(message) != _written(by_uuid) else by_uuid


def _written(marker: Marker) -> _Written:
    """Return role and digest of the message that a marker was written for."""
    return "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user", marker.text


def _spoken(message: Message) -> _Written:
    """Return role and digest of a message of the export, to be compared with `_written`."""
    return message.role, text_digest(message.text)


def _rows(claims: Sequence[Marker | None]) -> Iterator[range]:
    """Find runs of messages that claim to be of one memory, in the order of its slots.

    Some of its messages may have been deleted.
    """
    start = 0
    for at in range(1, len(claims) + 1):
        if at == len(claims) or not _follows(claims[at - 1], claims[at]):
            if at - start >= _LEAST_LEFT:
                yield range(start, at)
            start = at


def _follows(before: Marker | None, after: Marker | None) -> bool:
    """Return whether both are of one memory, in the order of its slots."""
    return (
        before is not None
        and after is not None
        and after.kind == MEMORY
        and before.memory == after.memory
        and before.slot < after.slot
    )


def _touches(at: int, claim: Marker, claims: Sequence[Marker | None], memories: Set[int]) -> bool:
    """Return whether it is right before the first message left of a memory, or after its last."""
    inner, outer = (at + 1, at - 1) if claim.kind == OPENING else (at - 1, at + 1)
    if inner not in memories or outer not in memories:
        return inner in memories
    names = {marker.memory for marker in (claims[inner], claims[outer]) if marker}
    return len(names) > 1


def recognise(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    under: Under = _NOTHING,
    aliases: Mapping[str, str] = _SAME,
) -> tuple[Place, ...]:
    """Recognise each message of a chat: whose it is, and what it is there for.

    `known` are the markers of our messages in the archive, by uuid. `aliases` are the ids by
    which a fork's export may still call its memories, with those that they have here.
    """
    ours = [_under_own_id(marker, aliases) for marker in believed(messages, known)]
    shown = {marker.memory for marker in ours if marker is not None}
    taken = {key: digest for memory in shown for key, digest in under.get(memory, {}).items()}
    times = dict.fromkeys(taken, 1)
    waiting = {memory: dict(mine) for memory, mine in under.items()}
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        place = None if marker else _original(at, message, waiting, aliases)
        places.append(
            place
            or Place(
                at,
                message,
                _give_key(message, taken, times),
                marker,
                None if marker else left_out(message),
                written=message.raw,
            )
        )
    return _with_copies(places)


def _under_own_id(marker: Marker | None, aliases: Mapping[str, str]) -> Marker | None:
    return marker and replace(marker, memory=aliases.get(marker.memory, marker.memory))


def _give_key(message: Message, taken: dict[str, str], times: dict[str, int]) -> str:
    """Return a key for the message, given once.

    Names that a memory of the export has replaced are `taken`. Nameless messages are named after
    what they say, so the next "ok" is another message than the first; a uuid that occurs twice is
    another message where it says something else, and a copy where it says the same.
    """
    key = name = message.uuid or _NAMELESS + message.digest
    if message.uuid is not None and taken.pop(name, None) == message.digest:
        return key
    while key in times:
        times[name] += 1
        key = f"{name}#{times[name]}"
    times[key] = 1
    return key


def _with_copies(places: Sequence[Place]) -> tuple[Place, ...]:
    """Mark every copy: a message with uuid and text of another, as a failed sync leaves them."""
    same: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        if place.ours is None and place.message.uuid:
            same.setdefault((place.message.uuid, place.message.digest), []).append(place)
    marked = list(places)
    for group in same.values():
        for place in _mark_copies(group) if len(group) > 1 else ():
            marked[place.at] = place
    return tuple(marked)


def _mark_copies(group: Sequence[Place]) -> Iterator[Place]:
    """Mark all places of one message but one as copies, which share its key.

    An original kept with its memory counts, else the first of them, with the fields of the last.
    """
    first = next((place for place in group if place.original), group[0])
    if first.original:
        yield first
    else:
        newest = group[-1].message
        yield replace(first, message=newest, left_out=left_out(newest))
    for place in group:
        if place.at != first.at:
            yield replace(place, key=first.key, left_out=COPY, original="")


def unnamed_memories(places: Sequence[Place], known_keys: Collection[str]) -> int:
    """Count the memories of ours from which another tool seems to have taken markers and uuids.

    Their shape gives them away: after an opening, three questions in a row that are whole
    messages in our tag, each with its answer. Such texts that were only pasted into the
    conversation have no opening directly before them. `known_keys` are the keys of messages that
    the archive has as part of the conversation: the person has accepted these.
    """
    count, at = 0, 0
    while at < len(places):
        opens = _is_opening(places[at].message)
        at += 1
        while opens and _is_memory(places[at : at + _SIX], known_keys):
            count, at = count + 1, at + _SIX
    return count


def _is_memory(six: Sequence[Place], known_keys: Collection[str]) -> bool:
    return len(six) == _SIX and all(
        place.lived
        and not place.message.marker
        and place.key not in known_keys
        and (_is_question(place.message) if slot % 2 == 0 else place.message.role == "assistant")
        for slot, place in enumerate(six)
    )


def _is_opening(message: Message) -> bool:
    return message.role == "user" and message.text.startswith("<system>\n")


def _is_question(message: Message) -> bool:
    text = message.text
    return (
        message.role == "user"
        and text.startswith("<context_manager>\n")
        and text.endswith("\n</context_manager>")
    )


def _original(
    at: int, message: Message, waiting: Mapping[str, dict[str, str]], aliases: Mapping[str, str]
) -> Place | None:
    """Return the place of a raw message kept with its memory, found by uuid or by text.

    In a fork no uuid is known; where a uuid occurs twice, the text tells which of them has
    stayed. A key that is found is taken out of `waiting`.
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
