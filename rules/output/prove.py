"""The proof: a finished chat, read back as TypingMind reads it, has lost nothing.

It reads both chats with the standard library's parser and knows nothing of spans.py's walker, of
splice.py and of assemble.py, which made the output. What it shares with them, and so cannot check:
`spans.decoded`, `Number` and `without_bulk` (how bytes become values, and that a long image counts
by its hash), `printable`, `read_marker` and `plain_original` (what our own fields mean),
`read_opening` (what an opening shows), and the places, which say what in the input is ours.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rules.conversation.history import INSERTED, Entry, Place
from rules.conversation.marker import CLOSING, MEMORY, OPENING, QUOTE_SLOT, Marker, read_marker
from rules.layers.kept_passages import KeptPassage
from rules.layers.opening import JOINER, read_opening
from rules.output.arrange import MemorySection
from rules.typingmind import plain
from rules.typingmind.chat import Chat
from rules.typingmind.content import printable
from rules.typingmind.originals import is_original, plain_original
from rules.typingmind.plain import MAY_BE_ADDED, MAY_CHANGE, Json
from rules.typingmind.spans import decoded


@dataclass(frozen=True, slots=True)
class Finished:
    """The chat to be proved, before and after, with the account of every message."""

    before: Chat
    after: bytes
    places: Sequence[Place]
    """The messages of `before`, recognised."""
    entries: Sequence[Entry]
    """The whole history, with the memory that each message is under."""
    section: MemorySection
    removed: Sequence[str]
    opening: str = ""
    """The text of the opening, where it is new; empty: any text will do."""
    kept: Sequence[tuple[KeptPassage, bytes]] = ()
    """All passages that are kept, in the order of time, with the bytes of the message that says it.

    These are empty where the message is lost.
    """
    versions: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    """What edited messages ever said, as far as shown editions quote them, by key.

    The person may have chosen an edition of before the edit.
    """


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The finished chat as TypingMind would read it."""

    finished: Finished
    before: Json
    after: Json
    messages: Sequence[Json]
    came_from: Sequence[int | None]
    """Each message's index in the input; None for one that is new."""
    kept: frozenset[int]
    """Indices in the input of the messages that are still there."""
    live: frozenset[int]
    """The messages that are still sent, too; originals kept with their memory are not."""
    marks: Sequence[Marker | None]
    """The marker of each message of ours; None for all others, with or without such a field."""


def read_back(finished: Finished) -> ReadBack | str:
    """Return the finished chat as it reads; or the fault for which it cannot be one."""
    try:
        before = plain.parse_json(decoded(finished.before.slice(finished.before.span)))
        after = plain.parse_json(decoded(finished.after))
        messages, originals = plain.messages_of(after), plain.messages_of(before)
    except (ValueError, TypeError, RecursionError) as fault:
        return f"the finished chat is nothing that TypingMind could read: {type(fault).__name__}"
    came_from = _came_from(originals, messages)
    if came_from is None:
        return "a message is neither ours nor one of the input's in its order"
    live: set[int] = set()
    marks: list[Marker | None] = []
    for message, at in zip(messages, came_from, strict=True):
        if at is None:
            marks.append(read_marker(plain.marker_of(message)))
            continue
        is_kept_original = _is_original(message)
        marks.append(None if is_kept_original else finished.places[at].ours)
        # An original that the person took back into the context is sent again.
        if not (is_kept_original and plain.is_excluded(message)):
            live.add(at)
    kept = frozenset(at for at in came_from if at is not None)
    return ReadBack(finished, before, after, messages, came_from, kept, frozenset(live), marks)


def _came_from(originals: Sequence[Json], messages: Sequence[Json]) -> list[int | None] | None:
    """Return each message's place in the input, None if new; None if one is neither."""
    uuids = {plain.uuid_of(message) for message in originals}
    at: dict[object, list[int]] = {}
    for index, message in reversed(list(enumerate(originals))):
        at.setdefault(_said_plainly(message), []).append(index)
    came_from: list[int | None] = []
    for message in messages:
        if (
            plain.marker_of(message)
            and not _is_original(message)
            and plain.uuid_of(message) not in uuids
        ):
            came_from.append(None)
        elif same := at.get(_said_plainly(message)):
            came_from.append(same.pop())
        else:
            return None
    return came_from


def _said_plainly(message: Json) -> object:
    """Return a message in a form that compares all fields; an original without our own ones."""
    if _is_original(message):
        message = json.loads(plain_original(json.dumps(message).encode()))
    return _hashable(message)


def _hashable(value: object) -> object:
    """Return the value in tuples, in any order of keys. Large texts in it are not copied."""
    if isinstance(value, dict):
        return "{", *sorted((key, _hashable(inner)) for key, inner in value.items())
    return ("[", *map(_hashable, value)) if isinstance(value, list) else value


def _is_original(message: Json) -> bool:
    return is_original(plain.marker_of(message))


def verify(finished: Finished) -> tuple[str, ...]:
    """Return every fault, in plain words. Message texts are never part of a fault."""
    read = read_back(finished)
    if isinstance(read, str):
        return (read,)
    checks = (
        _fields, _bytes, _accounts, _copies, _canned, _shown, _generated, _quotes, _speakers,
        _wishes, _kept, _identities, _attachments, _dates,
    )  # fmt: skip
    return tuple(fault for check in checks for fault in check(read))


def _fields(read: ReadBack) -> Iterator[str]:
    """Yield a fault where fields differ that are not ours to change."""
    if missing := read.before.keys() - read.after.keys():
        yield f"fields of the chat are gone: {', '.join(sorted(missing))}"
    if added := read.after.keys() - read.before.keys() - MAY_BE_ADDED:
        yield f"fields were added to the chat: {', '.join(sorted(added))}"
    for key in read.before.keys() & read.after.keys() - MAY_CHANGE:
        if read.before[key] != read.after[key]:
            yield f"the field {key} of the chat has another value"


def _bytes(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless what is kept stays byte for byte, and in its order unless it is ours."""
    at = 0
    marks = zip(read.messages, read.came_from, read.marks, strict=True)
    order = [index for message, index, mark in marks if index is not None and mark is None]
    if order != sorted(order):
        yield "messages of the conversation are out of order"
    for index in order:
        start = read.finished.after.find(read.finished.places[index].written, at)
        if start >= 0:
            at = start
        elif index in read.live:
            yield f"message {index + 1} is not byte for byte what it was"
            return


def _accounts(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless every message is live, under one memory, or left out with a reason."""
    memories = read.finished.section.memories
    under = Counter(key for memory in memories if not memory.is_fold for key in memory.keys)
    for number, entry in enumerate(read.finished.entries, 1):
        is_live = entry.at in read.live
        if under[entry.key] + is_live != 1:
            where = "is live" if is_live else "is not live"
            times = f"stands {under[entry.key]} times under memories"
            yield f"message {number} of the history {times}, and {where}"
    for place in read.finished.places:
        if place.left_out and not under[place.key] and place.at not in read.kept:
            why = f"though it is left out of memories: it is {place.left_out}"
            yield f"message {place.at + 1} is gone, {why}"


def _copies(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each copy that goes without another message of its uuid and text."""
    messages = plain.messages_of(read.before)
    same = Counter((plain.uuid_of(message), plain.all_text(message)) for message in messages)
    for place in read.finished.places:
        message = messages[place.at]
        if place.is_copy and same[plain.uuid_of(message), plain.all_text(message)] < 2:
            yield f"message {place.at + 1} is taken for a copy, and no other message is the same"


def _canned(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless one opening comes before all memories, and one closing after them."""
    kinds = ["" if mark is None else mark.kind for mark in read.marks]
    memory_at = [at for at, kind in enumerate(kinds) if kind == MEMORY]
    if not memory_at:
        if {OPENING, CLOSING}.intersection(kinds):
            yield "there is an opening or a closing without memories"
        return
    if kinds[: memory_at[0]][-1:] != [OPENING]:
        yield "there is no opening right before the first memory"
    if kinds[memory_at[-1] + 1 :][:1] != [CLOSING]:
        yield "there is no closing right after the last memory"
    if kinds.count(OPENING) != 1 or kinds.count(CLOSING) != 1:
        yield "there is more than one opening or closing"


def _shown(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless the memories to show are there, in order, with all six messages each."""
    section = read.finished.section
    known = {memory.memory_id for memory in section.memories}
    slots = [
        (mark.memory, mark.slot)
        for mark in read.marks
        if mark and mark.kind == MEMORY and mark.memory in known
    ]
    expected = [(memory.memory_id, slot) for memory in section.shown for slot in range(1, 7)]
    if slots != expected:
        yield "the chat's memories are not those to be shown, each as six messages in order"


def _generated(read: ReadBack) -> Iterator[str]:
    """Yield faults of new messages: TypingMind needs some fields to store, show and send one."""
    others = plain.messages_of(read.before)
    new = [
        (message, mark)
        for message, at, mark in zip(read.messages, read.came_from, read.marks, strict=True)
        if mark is not None and at is None
    ]
    # Those kept from the input may have been changed by people and other tools.
    for number, (message, mark) in enumerate(new, 1):
        role = message.get("role")
        text = plain.sent_text(message)
        if plain.lacks_fields(message, others):
            yield f"our new message {number} lacks fields"
        if role != ("assistant" if mark.slot in (2, 4, 6) else "user"):
            yield f"our new message {number} has the wrong role"
        if not text.strip():
            yield f"our new message {number} has no text, or more than one part"
        if mark.kind == OPENING and read.finished.opening not in ("", text):
            yield "the new opening does not say what it should"


def _quotes(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each quote that is no verbatim part of one raw message of its chunk.

    A quote without a source is of a memory whose raw messages are lost; a memory that the person
    has edited need not repeat its quote.
    """
    texts = _quoted_texts(read)
    for memory in read.finished.section.shown:
        answer = memory.edition.texts[1].replace(JOINER, "")
        for quote in memory.edition.quotes:
            if not quote.source:
                continue
            if quote.source not in texts or quote.source not in memory.keys:
                yield f"a quote of memory {memory.number} names no message of its chunk"
            elif not _is_verbatim(quote.text, texts[quote.source]):
                yield f"a quote of memory {memory.number} is not in its message"
            if memory.edition.kind != "person" and quote.framed.replace(JOINER, "") not in answer:
                yield f"the second message of memory {memory.number} does not hold its quote"


def _speakers(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each memory that quotes the person without a marker that says so.

    Where the person has pinned or excluded a message of it, it stays in an edition of before, and
    the marker there speaks of that one.
    """
    by_person = {
        (memory.memory_id, memory.edition.number): memory.number
        for memory in read.finished.section.shown
        if any(quote.lead for quote in memory.edition.quotes) and memory.edition.kind != "person"
    }
    for mark in filter(None, read.marks):
        shown = mark.memory, mark.edition
        if shown in by_person and mark.slot == QUOTE_SLOT and not mark.said_by:
            yield f"memory {by_person[shown]} quotes the person, and its marker hides it"


def _wishes(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each standing wish that is no verbatim part of one message of its chunk."""
    texts = _quoted_texts(read)
    for memory in read.finished.section.shown:
        for wish in memory.edition.wishes:
            if wish.text not in memory.edition.texts[5]:
                yield f"the last message of memory {memory.number} does not hold its wish"
            if not wish.source:
                continue
            if wish.source not in texts or wish.source not in memory.keys:
                yield f"a wish in memory {memory.number} names no message of its chunk"
            elif not _is_verbatim(wish.text, texts[wish.source]):
                yield f"a wish in memory {memory.number} is not in its message"


def _kept(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each kept passage that its message does not say, or that is not sent once.

    It is in the live message that says it, or else in the opening, and nothing else is kept there.
    """
    marks = zip(read.messages, read.marks, strict=True)
    openings = [
        plain.sent_text(message) for message, mark in marks if mark and mark.kind == OPENING
    ]
    if not openings:
        return
    live, opening, not_live = _live_texts(read), openings[0], []
    for passage, raw in read.finished.kept:
        said = printable(plain.all_text(plain.parse_json(decoded(raw or b"{}"))))
        if raw and passage.text not in said:
            yield f"{passage.called} is not in its message"
        if passage.text not in live.get(passage.key, ""):
            not_live.append(passage)
    for passage in not_live:
        if _seen(passage.text) not in _seen(opening):
            yield f"{passage.called} is neither in the opening nor in the live tail"
    shown = [line.compared for line in read_opening(opening, (), "").kept]
    if shown != [passage.line.compared for passage in not_live]:
        yield "the opening shows other passages than those that are kept and not in the live tail"


def _live_texts(read: ReadBack) -> dict[str, str]:
    """Return by key what those live messages say in which something is kept."""
    keys = {passage.key for passage, _ in read.finished.kept}
    after = {at: message for message, at in zip(read.messages, read.came_from, strict=True)}
    lived = ((entry.key, entry.at) for entry in read.finished.entries)
    strays = ((place.key, place.at) for place in read.finished.places if place.left_out == INSERTED)
    return {
        key: printable(plain.all_text(after[at]))
        for key, at in (*lived, *strays)
        if key in keys and at in read.live
    }


def _seen(text: str) -> str:
    """Return what is seen of a text: an editor may have given its lines other ends."""
    return text.replace(JOINER, "").replace("\r\n", "\n")


def _quoted_texts(read: ReadBack) -> dict[str, list[str]]:
    """Return by key what each quoted message says now, said when its memory was made, and ever."""
    editions = [memory.edition for memory in read.finished.section.shown]
    sources = {quote.source for edition in editions for quote in edition.quotes}
    sources |= {wish.source for edition in editions for wish in edition.wishes}
    texts: dict[str, list[str]] = {}
    for entry in read.finished.entries:
        if entry.key in sources:
            known = [entry.message] if entry.newest is None else [entry.message, entry.newest]
            former = read.finished.versions.get(entry.key, ())
            texts[entry.key] = [
                plain.all_text(plain.parse_json(decoded(raw)))
                for raw in (*(message.raw for message in known), *former)
            ]
    return texts


def _is_verbatim(quote: str, texts: Sequence[str]) -> bool:
    return bool(quote.strip()) and any(quote in text for text in texts)


def _identities(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless uuids are unique, and what was taken out is named for syncs."""
    uuids = Counter(uuid for message in read.messages if (uuid := plain.uuid_of(message)))
    before = Counter(place.message.uuid for place in read.finished.places)
    if any(times > 1 and before[uuid] < times for uuid, times in uuids.items()):
        yield "a uuid stands twice"
    if set(read.finished.removed) - plain.deletions_of(read.after):
        yield "removed messages are not named for TypingMind's sync"
    if set(read.finished.removed) & uuids.keys():
        yield "a message that is still there is named as removed"


def _attachments(read: ReadBack) -> Iterator[str]:
    """Yield a fault where a file is no longer named: TypingMind would delete it."""
    if plain.files_of(plain.messages_of(read.before)) - plain.files_of(list(read.messages)):
        yield "an attachment is no longer named by any message, so TypingMind would delete it"


def _dates(read: ReadBack) -> Iterator[str]:
    """Yield a fault where our messages go back in time: TypingMind sorts by date in a sync.

    Where those of the input do already, the person has regenerated one that stays as it is.
    """
    dates = [
        plain.date_of(message)
        for message, mark in zip(read.messages, read.marks, strict=True)
        if mark is not None
    ]
    before = [
        place.message.created_at or "" for place in read.finished.places if place.ours is not None
    ]
    if dates != sorted(dates) and before == sorted(before):
        yield "the dates of our messages are out of order"
