"""What each message of an export is: ours, an original kept with its memory, or raw.

A message claims to be ours by its marker, or by its uuid where another tool has stripped the
marker. A forged claim must not hide a message, so a claim is believed only where role and text
are those that were written. What the person has edited no longer fits, and is believed for its
place among the claims, unless the last export had it as conversation. A merge of two devices may
have put messages that claim nothing anywhere.

    memory             it fits; or another of its memory fits, in the order of the slots; or both
                       its marker and its uuid are ours. Of two edits of a slot, the first counts
    opening, closing   two of four: it fits; it says what one of ours ever said; its uuid is ours;
                       it comes right before or after a memory, or closes what has an opening alone.
                       An opening's marker may also name what ours says, and then its place at the
                       chat's beginning counts, too: edited in a fork, the person's words there are
                       kept

Where a message with a uuid of ours says what was written under it, the archive tells what it is,
whether or not its marker agrees. What stays in the chat as an original claims nothing, not even by
uuid or text. Memories that have lost both markers and uuids are not recognised: see
`unnamed_memories`.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

from rules.conversation.history import COPY, SLOTS, Place
from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Marker,
    read_marker,
    text_digest,
    uuid_stem,
)
from rules.recognize.align import align
from rules.typingmind.message import Message, left_out, read_message
from rules.typingmind.originals import is_for_attachment, is_original, plain_original

_Written = tuple[str | None, str]
"""Role and digest of a message."""

Under = Mapping[str, Mapping[str, Sequence[str]]]
"""The keys of the messages under each memory, by its id, each with the digests of all that it ever
said, the newest first: another device may bring back what was said before an edit."""

SaidBefore = Set[tuple[str | None, str]]
"""What the last export had as conversation: the uuid of each message, and the digest of its words."""

_NAMELESS = "digest:"
_NO_MEMORIES: Under = MappingProxyType({})
_NO_ALIASES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a message of an export claims to be."""

    at: int
    """Its index in the export."""
    message: Message
    own: Marker | None
    """The marker that it carries."""
    by_uuid: Marker | None
    """The marker that the archive has for its uuid."""
    marker: Marker
    """The one of these that counts."""
    fits: bool
    """It says what was written."""


_Claims = Sequence[_Claim]
"""The claims of an export's messages, in order; most messages claim nothing."""


def believed(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    live: SaidBefore = frozenset(),
) -> tuple[Marker | None, ...]:
    """Return the marker of each message that is ours; None for all others.

    `known` are the markers of our messages in the archive, by the stems of their uuids; `live` is
    what the last export had as conversation: that is no edit of ours.
    """
    claims: list[_Claim] = []
    for at, message in enumerate(messages):
        claim = _read_claim(at, message, known)
        if claim and (claim.fits or (message.uuid, message.digest) not in live):
            claims.append(claim)
    canned = {_written(marker) for marker in known.values() if _is_canned(marker)}
    ours = {number: claims[number].marker for number in _of_memories(claims)}
    for number, claim in enumerate(claims):
        if _is_canned(claim.marker) and _is_our_canned(number, claim, ours, canned):
            ours[number] = claim.marker
    by_index = {claims[number].at: marker for number, marker in ours.items()}
    return tuple(by_index.get(at) for at in range(len(messages)))


def _read_claim(at: int, message: Message, known: Mapping[str, Marker]) -> _Claim | None:
    """Return the claim of a message: by its own marker, or by the archive's for its uuid.

    The archive's counts where the text is ours, too, but the marker names something else.
    """
    by_uuid = None if is_original(message.marker) else known.get(uuid_stem(message.uuid or ""))
    own = read_marker(message.marker)
    marker = own or by_uuid
    if marker is None:
        return None
    fits = _spoken(message) == _written(by_uuid or marker)
    if by_uuid is not None and fits:
        name = (marker.kind, marker.memory, marker.slot)
        if name != (by_uuid.kind, by_uuid.memory, by_uuid.slot):
            marker = by_uuid
    return _Claim(at, message, own, by_uuid, marker, fits)


def _of_memories(claims: _Claims) -> set[int]:
    """Return the numbers of the claims that are messages of memories.

    Claims to one memory are a row, in the order of its slots: a merge of two devices may have
    brought the same memory twice.
    """
    rows: list[list[int]] = []
    newest: dict[str, list[int]] = {}
    for number, claim in enumerate(claims):
        marker = claim.marker
        if marker.kind != MEMORY:
            continue
        row = newest.get(marker.memory)
        if row is None or claims[row[-1]].marker.slot >= marker.slot:
            row = newest[marker.memory] = []
            rows.append(row)
        row.append(number)
    memories: set[int] = set()
    for row in rows:
        is_ours = any(claims[number].fits for number in row)
        for number in row:
            if is_ours or (claims[number].own and claims[number].by_uuid):
                memories.add(number)
    return memories


def _is_canned(marker: Marker) -> bool:
    return marker.kind in (OPENING, CLOSING)


def _is_our_canned(
    number: int, claim: _Claim, ours: Mapping[int, Marker], canned: Collection[_Written]
) -> bool:
    """Return whether two of the four signs of an opening or a closing hold.

    `ours` are the markers of all memories, and of what is believed before it, by their numbers.
    """
    words = [_spoken(claim.message)]
    if claim.own and claim.own.kind == OPENING:
        words.append(_written(claim.own))
    # An opening is right before the first message left of a memory; a closing after its last, or
    # after the opening where none is left.
    step = 1 if claim.marker.kind == OPENING else -1
    inner, outer = ours.get(number + step), ours.get(number - step)
    touches = (
        inner is not None
        and inner.kind != CLOSING
        and (outer is None or inner.memory != outer.memory)
    )
    is_named = any(word in canned for word in words)
    signs = (
        claim.fits,
        is_named,
        claim.by_uuid is not None,
        touches or (is_named and claim.at == 0),
    )
    return sum(signs) >= 2


def _written(marker: Marker) -> _Written:
    """Return role and digest of the message that a marker was written for."""
    return "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user", marker.text


def _spoken(message: Message) -> _Written:
    """Return role and digest of a message of the export, to be compared with `_written`."""
    return message.role, text_digest(message.wording)


def recognise(
    messages: Sequence[Message],
    known: Mapping[str, Marker],
    under: Under = _NO_MEMORIES,
    aliases: Mapping[str, str] = _NO_ALIASES,
    live: SaidBefore = frozenset(),
) -> tuple[Place, ...]:
    """Recognise each message of a chat: whose it is, and what it is there for.

    `known` are the markers of our messages in the archive, by the stems of their uuids. `aliases`
    are the ids by which a fork's export may still call its memories, with those that they have
    here. `live` is what the last export had as conversation under no memory.
    """
    ours = _our_markers(messages, believed(messages, known, live), under, aliases)
    shown = {marker.memory for marker in ours if marker is not None}
    taken: dict[str, Sequence[str]] = {}
    for memory in shown:
        taken |= under.get(memory, {})
    times = dict.fromkeys(taken, 1)
    stripped = _places_without_field(messages, shown, under, live)
    originals = _originals(stripped | _places_kept(messages, aliases), under)
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        place = originals.get(at)
        if place is None:
            key = _give_key(message, taken, times)
            reason = None if marker else left_out(message)
            place = Place(at, message, key, marker, reason, written=message.raw)
        places.append(place)
    return _with_copies(places)


def _our_markers(
    messages: Sequence[Message],
    trusted: Sequence[Marker | None],
    under: Under,
    aliases: Mapping[str, str],
) -> list[Marker | None]:
    """Return the marker of each message that is ours, with the id that its memory has here.

    `trusted` are the markers that are believed. An opening or a closing that is under a memory as a
    part of the conversation is not ours. Nor is what a slot says in yet other words, where a merge
    has brought a memory twice.
    """
    spoken: dict[str, Sequence[str]] = {}
    for mine in under.values():
        spoken |= mine
    edits: dict[tuple[str, int], str] = {}
    markers: list[Marker | None] = []
    for message, marker in zip(messages, trusted, strict=True):
        was_spoken = message.digest in spoken.get(message.uuid or "", ())
        if marker is None or (_is_canned(marker) and was_spoken):
            # It was read so before its text was known for ours, and stays so: the memory is paid for.
            markers.append(None)
            continue
        own = replace(marker, memory=aliases.get(marker.memory, marker.memory))
        said = text_digest(message.text)
        is_edit = own.kind == MEMORY and own.text != said
        is_other = is_edit and edits.setdefault((own.memory, own.slot), said) != said
        markers.append(None if is_other else own)
    return markers


def _give_key(message: Message, taken: dict[str, Sequence[str]], times: dict[str, int]) -> str:
    """Return a key for the message, given once.

    Names that a memory of the export has replaced are `taken`, and given to a message that says
    what that one ever said. Nameless messages are named after what they say, so the next "ok" is
    another message than the first; a uuid that occurs twice is another message where it says
    something else, and a copy where it says the same.
    """
    key = name = message.uuid or _NAMELESS + message.digest
    if message.uuid is not None and message.digest in taken.get(name, ()):
        del taken[name]
        return key
    while key in times:
        times[name] += 1
        key = f"{name}#{times[name]}"
    times[key] = 1
    return key


def _with_copies(places: Sequence[Place]) -> tuple[Place, ...]:
    """Mark every copy: a message with uuid and text of another, as a failed sync leaves them.

    An original kept with its memory counts, else the first of them, with the fields of the last,
    which has those of the first. Copies share its key.
    """
    same: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        message = place.message
        if message.uuid and place.ours is None:
            same.setdefault((message.uuid, message.digest), []).append(place)
    marked = list(places)
    for group in same.values():
        if len(group) == 1:
            continue
        counted = next((place for place in group if place.original), group[0])
        last = counted if counted.original else group[-1]
        for place in group:
            marked[place.at] = replace(
                place, key=counted.key, left_out=COPY, original="", for_attachment=False
            )
        marked[last.at] = replace(marked[last.at], message=counted.message)
        message = last.message
        marked[counted.at] = replace(counted, message=message, left_out=left_out(message))
    return tuple(marked)


def unnamed_memories(places: Sequence[Place], known_keys: Collection[str]) -> int:
    """Count the memories of ours from which another tool seems to have taken markers and uuids.

    Their shape gives them away: after an opening, three questions in a row that are whole
    messages in our tag, each with its answer. Such texts that were only pasted into the
    conversation have no opening directly before them. `known_keys` are the keys of messages that
    the archive has as part of the conversation: the person has accepted these.
    """
    count, at = 0, 0
    while at < len(places):
        message = places[at].message
        opens = message.role == "user" and message.text.startswith("<system>\n")
        at += 1
        while opens and _is_memory(places[at : at + len(SLOTS)], known_keys):
            count, at = count + 1, at + len(SLOTS)
    return count


def _is_memory(six: Sequence[Place], known_keys: Collection[str]) -> bool:
    if len(six) < len(SLOTS):
        return False
    for slot, place in enumerate(six):
        message = place.message
        text, begins = message.text, "<context_manager>\n"
        is_question = text.startswith(begins) and text.endswith("\n</context_manager>")
        role = "user" if slot % 2 == 0 else "assistant"
        fits = message.role == role and (role == "assistant" or is_question)
        if not fits or not place.lived or message.marker or place.key in known_keys:
            return False
    return True


def _originals(kept: Mapping[int, Place], under: Under) -> dict[int, Place]:
    """Return by index the places of raw messages kept with their memories, found by uuid or text.

    `kept` are the places of all that claims to be. In a fork no uuid is known; where a uuid occurs
    twice, the text tells which of them has stayed; and one that the person has edited says
    something else, so that in a fork its place tells it, where all of its memory are there. Of what
    a message ever said, the newest counts that an original says.
    """
    said_here = {place.message.digest for place in kept.values()}
    there = Counter(place.original for place in kept.values())
    known = [
        (memory, key, next((digest for digest in digests if digest in said_here), ""))
        for memory in there
        for key, digests in under.get(memory, {}).items()
    ]
    whole = {memory for memory, count in there.items() if count == len(under.get(memory, ()))}
    old = {number: _names(whole, *said) for number, said in enumerate(known)}
    new = {
        at: _names(whole, place.original, place.message.uuid, place.message.digest)
        for at, place in kept.items()
    }
    pairs = align(old, new).pairs
    return {at: replace(kept[at], key=known[number][1]) for number, at in pairs.items()}


def _places_kept(messages: Sequence[Message], aliases: Mapping[str, str]) -> dict[int, Place]:
    """Return by index the places of all that claims to be kept with a memory, as yet without keys."""
    kept: dict[int, Place] = {}
    for at, message in enumerate(messages):
        if message.marker is not None and is_original(message.marker):
            name = str(message.marker["memory"])
            plain = read_message(plain_original(message.raw))
            memory, alone = aliases.get(name, name), is_for_attachment(message.marker)
            kept[at] = Place(at, plain, "", None, left_out(plain), memory, message.raw, alone)
    return kept


def _places_without_field(
    messages: Sequence[Message], shown: Collection[str], under: Under, live: SaidBefore
) -> dict[int, Place]:
    """Return by index the places of edited originals whose field another tool has stripped.

    One is known by its uuid, by being excluded, and by others of its memory that stayed, too. How
    many did is not known, so it counts as one that says nothing of them.
    """
    said = {key: (memory, under[memory][key]) for memory in shown for key in under.get(memory, ())}
    edited: dict[int, str] = {}
    stayed: set[str] = set()
    for at, message in enumerate(messages):
        memory, digests = said.get(message.uuid or "", ("", ()))
        if not memory or not message.cleared:
            continue
        if message.digest in digests:
            stayed.add(memory)
        elif message.marker is None and (message.uuid, message.digest) not in live:
            edited[at] = memory
    return {
        at: Place(
            at, messages[at], "", None, left_out(messages[at]), memory, messages[at].raw, True
        )
        for at, memory in edited.items()
        if memory in stayed
    }


def _names(
    whole: Collection[str], memory: str, uuid: str | None, digest: str
) -> Sequence[Hashable]:
    """Return the names of a message under a memory, the surest first."""
    in_order = memory if memory in whole else None
    return (memory, uuid, digest), (memory, digest), (memory, uuid), in_order
