"""Recognize each message of an export: as ours, as an original kept with its memory, or as raw.

A message claims to be ours by its marker, or by its uuid if another tool has stripped the marker.
A forged claim must not hide a message, so a claim is believed if it fits: if role and text are the
ones that were written. A message that the person has edited no longer fits; it is believed for its
place among the claims, unless the last export had it as conversation. Messages that claim nothing
are passed over there, since a merge of two devices may have put them anywhere.

    memory             it fits; or another message of its memory fits, in the order of the slots; or
                       both its marker and its uuid are ours. Of two edits of a slot, the first
                       counts
    opening, closing   two of these hold: it fits; it says, or its marker names, what one of ours
                       ever said; its uuid is ours; it comes right before or after a memory, closes
                       an opening without memories, or begins the chat with what ours said. Right
                       beside a memory, its marker is enough. So the person's words stay in one that
                       they edited in a fork, or before the archive was lost

If a message has one of our uuids and says what was written under it, the archive decides what it
is, whether or not its marker agrees. An original that stays in the chat claims nothing, not even by
uuid or text. Memories that have lost both markers and uuids are not recognized, only counted: see
`count_unnamed_memories`.
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
from rules.typingmind.message import Message, read_message, why_left_out
from rules.typingmind.originals import is_for_attachment, is_original, plain_original

_Written = tuple[str | None, str]
"""Role and digest of a message."""

Under = Mapping[str, Mapping[str, Sequence[str]]]
"""The keys of the messages under each memory, by its id; each with the digests of all it ever said.

The newest digest comes first. The older ones count, since another device may bring back what was
said before an edit.
"""

SaidBefore = Set[tuple[str | None, str]]
"""The messages that the last export had as conversation, by uuid and digest."""

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
    """The one of these two that counts."""
    fits: bool
    """Whether role and text are the ones that were written."""


_Claims = Sequence[_Claim]
"""The claims of an export's messages, in order; most messages make none."""


def judge_claims(
    messages: Sequence[Message],
    markers: Mapping[str, Marker],
    said_before: SaidBefore = frozenset(),
) -> tuple[Marker | None, ...]:
    """Return the marker of each message that is ours; None for all others.

    `markers` are those of our messages in the archive, by uuid stem. What the last export had as
    conversation, `said_before`, is no edit of a message of ours.
    """
    claims: list[_Claim] = []
    for at, message in enumerate(messages):
        claim = _read_claim(at, message, markers)
        if claim and (claim.fits or (message.uuid, message.digest) not in said_before):
            claims.append(claim)
    canned = {_marked_words(marker) for marker in markers.values() if _is_canned(marker)}
    ours = {number: claims[number].marker for number in _find_memory_claims(claims)}
    for number, claim in enumerate(claims):
        if _is_canned(claim.marker) and _is_our_canned(number, claim, ours, canned):
            ours[number] = claim.marker
    by_index = {claims[number].at: marker for number, marker in ours.items()}
    return tuple(by_index.get(at) for at in range(len(messages)))


def _read_claim(at: int, message: Message, markers: Mapping[str, Marker]) -> _Claim | None:
    """Return the claim of a message, by its own marker or by the archive's for its uuid.

    The archive's marker also counts if the text is ours, but the message's own marker names
    something else.
    """
    by_uuid = None if is_original(message.marker) else markers.get(uuid_stem(message.uuid or ""))
    own = read_marker(message.marker)
    marker = own or by_uuid
    if marker is None:
        return None
    fits = _said_words(message) == _marked_words(by_uuid or marker)
    if by_uuid is not None and fits:
        name = (marker.kind, marker.memory, marker.slot)
        if name != (by_uuid.kind, by_uuid.memory, by_uuid.slot):
            marker = by_uuid
    return _Claim(at, message, own, by_uuid, marker, fits)


def _find_memory_claims(claims: _Claims) -> set[int]:
    """Return the numbers of the claims that are messages of memories.

    The claims to one memory form a row in the order of its slots, or several rows: a merge of two
    devices may have brought the same memory twice.
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

    Right beside a memory, its marker is enough.

    `ours` are the markers that are believed so far, by claim number: those of all memories, and of
    the openings and closings before this one.
    """
    words = [_said_words(claim.message)]
    if claim.own:
        words.append(_marked_words(claim.own))
    # An opening comes right before what is left of a memory; a closing right after what is left of
    # one, or after the opening if no memory is.
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
    return sum(signs) >= 2 or (claim.own is not None and touches)


def _marked_words(marker: Marker) -> _Written:
    """Return the role and digest of the message that a marker was written for."""
    return "assistant" if marker.kind == MEMORY and marker.slot % 2 == 0 else "user", marker.text


def _said_words(message: Message) -> _Written:
    """Return the role and digest of a message of the export, to compare with `_marked_words`."""
    return message.role, text_digest(message.wording)


def recognize(
    messages: Sequence[Message],
    markers: Mapping[str, Marker],
    under: Under = _NO_MEMORIES,
    aliases: Mapping[str, str] = _NO_ALIASES,
    said_before: SaidBefore = frozenset(),
) -> tuple[Place, ...]:
    """Tell of each message of a chat whose it is, and what it is there for.

    `markers` are those of our messages in the archive, by uuid stem. `aliases` map the ids by which
    a fork's export may still call its memories to those that they have here. `said_before` is what
    the last export had as conversation under no memory.
    """
    ours = _settle_markers(messages, judge_claims(messages, markers, said_before), under, aliases)
    shown = {marker.memory for marker in ours if marker is not None}
    taken: dict[str, Sequence[str]] = {}
    for memory in shown:
        taken |= under.get(memory, {})
    uses = dict.fromkeys(taken, 1)
    stripped = _find_stripped_places(messages, shown, under, said_before)
    originals = _match_originals(stripped | _find_kept_places(messages, aliases), under)
    places = []
    for at, (message, marker) in enumerate(zip(messages, ours, strict=True)):
        place = originals.get(at)
        if place is None:
            key = _give_key(message, taken, uses)
            reason = None if marker else why_left_out(message)
            place = Place(at, message, key, marker, reason, written=message.raw)
        places.append(place)
    return _mark_copies(places)


def _settle_markers(
    messages: Sequence[Message],
    believed: Sequence[Marker | None],
    under: Under,
    aliases: Mapping[str, str],
) -> list[Marker | None]:
    """Return the marker of each message that is ours, with the id that its memory has here.

    `believed` are the markers of the claims that are believed. An opening or a closing that is
    under a memory as part of the conversation is not ours. Nor is a second edit of a slot, where a
    merge has brought a memory twice.
    """
    spoken: dict[str, Sequence[str]] = {}
    for mine in under.values():
        spoken |= mine
    edits: dict[tuple[str, int], str] = {}
    markers: list[Marker | None] = []
    for message, marker in zip(messages, believed, strict=True):
        was_spoken = message.digest in spoken.get(message.uuid or "", ())
        if marker is None or (_is_canned(marker) and was_spoken):
            # It was read so before its text was known as ours. The memory is paid for, so it stays.
            markers.append(None)
            continue
        own = replace(marker, memory=aliases.get(marker.memory, marker.memory))
        said = text_digest(message.text)
        is_edit = own.kind == MEMORY and own.text != said
        is_other = is_edit and edits.setdefault((own.memory, own.slot), said) != said
        markers.append(None if is_other else own)
    return markers


def _give_key(message: Message, taken: dict[str, Sequence[str]], uses: dict[str, int]) -> str:
    """Return a key for the message that no other message gets.

    A key is `taken` if its message is under a memory of the export; it goes to a message only if
    that says what the taken one ever said. A message without a uuid is named after what it says,
    and a number tells a second "ok" from the first. Where a uuid occurs twice, the second message
    is another one if it says something else, and a copy if it says the same. `uses` counts the uses
    of each name.
    """
    key = name = message.uuid or _NAMELESS + message.digest
    if message.uuid is not None and message.digest in taken.get(name, ()):
        del taken[name]
        return key
    while key in uses:
        uses[name] += 1
        key = f"{name}#{uses[name]}"
    uses[key] = 1
    return key


def _mark_copies(places: Sequence[Place]) -> tuple[Place, ...]:
    """Mark the copies that a failed sync leaves: messages with the uuid and text of another.

    Of such messages, an original kept with its memory counts; if there is none, the first counts,
    and swaps its fields with the last. Copies share the key of the one that counts.
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
        marked[counted.at] = replace(counted, message=message, left_out=why_left_out(message))
    return tuple(marked)


def count_unnamed_memories(places: Sequence[Place], known_keys: Collection[str]) -> int:
    """Count our memories from which another tool seems to have removed markers and uuids.

    Their shape gives them away: after an opening, three questions in a row, each a whole message in
    our tag and followed by its answer. Such texts that were only pasted into the conversation have
    no opening right before them. `known_keys` are the keys of messages that the archive has as part
    of the conversation: the person has accepted these.
    """
    count, at = 0, 0
    while at < len(places):
        message = places[at].message
        opens = looks_like_opening(message)
        at += 1
        while opens and _is_memory(places[at : at + len(SLOTS)], known_keys):
            count, at = count + 1, at + len(SLOTS)
    return count


def looks_like_opening(message: Message) -> bool:
    """Return whether a message is the user's and begins with an opening's tag."""
    return message.role == "user" and message.text.startswith("<system>\n")


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


def _match_originals(kept: Mapping[int, Place], under: Under) -> dict[int, Place]:
    """Return by index the places of raw messages kept with their memories, with their keys.

    `kept` are the places of all messages that claim to be originals. They are matched by uuid and
    text: in a fork no uuid is known, and if a uuid occurs twice, the text tells which message has
    stayed. One that the person edited in a fork has neither, and is matched by its position if all
    originals of its memory are there. Of all that a message ever said, the newest words that an
    original says count.
    """
    said_here = {place.message.digest for place in kept.values()}
    there = Counter(place.original for place in kept.values())
    known = [
        (memory, key, next((digest for digest in digests if digest in said_here), ""))
        for memory in there
        for key, digests in under.get(memory, {}).items()
    ]
    whole = {memory for memory, count in there.items() if count == len(under.get(memory, ()))}
    old = {number: _name_original(whole, *said) for number, said in enumerate(known)}
    new = {
        at: _name_original(whole, place.original, place.message.uuid, place.message.digest)
        for at, place in kept.items()
    }
    pairs = align(old, new).pairs
    return {at: replace(kept[at], key=known[number][1]) for number, at in pairs.items()}


def _find_kept_places(messages: Sequence[Message], aliases: Mapping[str, str]) -> dict[int, Place]:
    """Return by index the places of all messages that claim to be originals, still without keys."""
    kept: dict[int, Place] = {}
    for at, message in enumerate(messages):
        if message.marker is not None and is_original(message.marker):
            name = str(message.marker["memory"])
            plain = read_message(plain_original(message.raw))
            memory, alone = aliases.get(name, name), is_for_attachment(message.marker)
            kept[at] = Place(at, plain, "", None, why_left_out(plain), memory, message.raw, alone)
    return kept


def _find_stripped_places(
    messages: Sequence[Message], shown: Collection[str], under: Under, said_before: SaidBefore
) -> dict[int, Place]:
    """Return by index the places of edited originals from which another tool stripped our field.

    One is known by its uuid, by being excluded, and by others of its memory that stayed as well.
    How many of them stayed is not known, so it counts as one that stays only for its attachment.
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
        elif message.marker is None and (message.uuid, message.digest) not in said_before:
            edited[at] = memory
    return {
        at: Place(
            at, messages[at], "", None, why_left_out(messages[at]), memory, messages[at].raw, True
        )
        for at, memory in edited.items()
        if memory in stayed
    }


def _name_original(
    whole: Collection[str], memory: str, uuid: str | None, digest: str
) -> Sequence[Hashable]:
    """Return the names by which to match a message under a memory, the surest first."""
    in_order = memory if memory in whole else None
    return (memory, uuid, digest), (memory, digest), (memory, uuid), in_order
