"""Prove that a finished chat, read back as TypingMind reads it, has lost nothing.

The proof does not use spans.py's walker, splice.py or assemble.py, which made the output. What it
shares with them, and so cannot check, is: `spans.decode_json`, `Number` and `without_bulk` (how bytes
become values, and that a long image counts by its hash), `make_printable`, `read_marker` and
`plain_original` (what our own fields mean), `read_opening` (what an opening shows), and the places,
which say which messages of the input are ours.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rules.conversation.history import INSERTED
from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    QUOTE_SLOT,
    Marker,
    passages_shown,
)
from rules.conversation.memory import (
    BEFORE_WISH,
    BETWEEN_QUOTES,
    Memory,
    Quote,
    Wish,
    memories_of_chunks,
)
from rules.layers.opening import JOINER, read_opening, rows_shown
from rules.output.read_back import Finished, ReadBack, read_back
from rules.typingmind import plain
from rules.typingmind.content import make_printable
from rules.typingmind.plain import MAY_BE_ADDED, MAY_CHANGE
from rules.typingmind.spans import decode_json


def verify(finished: Finished) -> tuple[str, ...]:
    """Return every fault, in plain words, none for a good chat. Faults never quote messages."""
    read = read_back(finished)
    if isinstance(read, str):
        return (read,)
    checks = (
        _fields, _bytes, _accounts, _copies, _canned, _shown, _generated, _sources,
        _quotes_and_wishes, _speakers, _kept, _identities, _attachments, _dates,
    )  # fmt: skip
    faults: list[str] = []
    for check in checks:
        faults += check(read)
    return tuple(faults)


def _fields(read: ReadBack) -> Iterator[str]:
    """Yield a fault for fields of the chat that were changed, added or removed, and may not be."""
    before = read.before.keys()
    after = read.after.keys()
    if missing := before - after:
        yield f"fields of the chat are gone: {', '.join(sorted(missing))}"
    if added := after - before - MAY_BE_ADDED:
        yield f"fields were added to the chat: {', '.join(sorted(added))}"
    for key in before & after - MAY_CHANGE:
        if read.before[key] != read.after[key]:
            yield f"the field {key} of the chat has another value"


def _bytes(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless the conversation's messages are in order, and live ones are unchanged.

    Unchanged means byte for byte the same.
    """
    order = [
        message.at for message in read.messages if message.at is not None and message.mark is None
    ]
    if order != sorted(order):
        yield "messages of the conversation are out of order"
    end = 0
    for at in order:
        if at in read.live:
            start = read.finished.after.find(read.places[at].written, end)
            if start < 0:
                yield f"message {at + 1} is not byte for byte what it was"
                return
            # The search goes on after it, since a branch within it can have the next message, too.
            end = start + len(read.places[at].written)


def _accounts(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless each message is live or under one memory, and none left out is gone."""
    chunks = memories_of_chunks(read.finished.section.memories)
    under = Counter(key for memory in chunks for key in memory.keys)
    for number, entry in enumerate(read.finished.entries, 1):
        is_live = entry.at in read.live
        times = under[entry.key]
        if times + is_live != 1:
            where = "is live" if is_live else "is not live"
            yield (
                f"message {number} of the history stands {times} times under memories, and {where}"
            )
    for place in read.places:
        is_there = place.at in read.kept or under[place.key]
        if place.left_out and not is_there:
            why = f"though it is left out of memories: it is {place.left_out}"
            yield f"message {place.at + 1} is gone, {why}"


def _copies(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each copy without another message that has its uuid and text."""
    names = [(plain.uuid_of(message), plain.all_text(message)) for message in read.originals]
    times = Counter(names)
    for place in read.places:
        if place.is_copy and times[names[place.at]] < 2:
            yield f"message {place.at + 1} is taken for a copy, and no other message is the same"


def _canned(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless one opening comes right before the memories, and one closing after.

    The closing must come right after them.
    """
    kinds = [message.mark.kind if message.mark else "" for message in read.messages]
    memory_at = [at for at, kind in enumerate(kinds) if kind == MEMORY]
    if not memory_at:
        if {OPENING, CLOSING}.intersection(kinds):
            yield "there is an opening or a closing without memories"
        return
    before = kinds[: memory_at[0]]
    after = kinds[memory_at[-1] + 1 :]
    if before[-1:] != [OPENING]:
        yield "there is no opening right before the first memory"
    if after[:1] != [CLOSING]:
        yield "there is no closing right after the last memory"
    if kinds.count(OPENING) != 1 or kinds.count(CLOSING) != 1:
        yield "there is more than one opening or closing"


def _shown(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless the known memories in the chat are those to show, in order.

    Each must have all six messages.
    """
    section = read.finished.section
    known = {memory.memory_id for memory in section.memories}
    slots = [
        (mark.memory, mark.slot)
        for _, mark in read.ours
        if mark.kind == MEMORY and mark.memory in known
    ]
    expected = [(memory.memory_id, slot) for memory in section.shown for slot in range(1, 7)]
    if slots != expected:
        yield "the chat's memories are not those to be shown, each as six messages in order"


def _generated(read: ReadBack) -> Iterator[str]:
    """Yield faults of our new messages: TypingMind needs some fields to store, show and send one.

    Messages kept from the input are not checked, as people and other tools may have changed them.
    """
    new = [(message.fields, mark) for message, mark in read.ours if message.at is None]
    for number, (fields, mark) in enumerate(new, 1):
        name = f"our new message {number}"
        text = plain.sent_text(fields)
        role = "assistant" if mark.slot in (2, 4, 6) else "user"
        if plain.lacks_fields(fields, read.originals):
            yield f"{name} lacks fields"
        if fields.get("role") != role:
            yield f"{name} has the wrong role"
        if not text.strip():
            yield f"{name} has no text, or more than one part"
        if mark.kind == OPENING and read.finished.opening not in ("", text):
            yield "the new opening does not say what it should"
        if not _says_what_it_shows(mark, text):
            yield f"{name} has values in its marker that it does not show"


def _says_what_it_shows(mark: Marker, text: str) -> bool:
    """Return whether a text shows everything that its marker says it shows."""
    if mark.kind == MEMORY:
        before = BETWEEN_QUOTES if mark.slot == QUOTE_SLOT else BEFORE_WISH
        return passages_shown(BETWEEN_QUOTES + text, mark.cited, before) is not None
    in_marker = {row for rows in mark.shows for row in rows}
    in_text = rows_shown(read_opening(text, {name for name, _ in mark.shows[0]}, ""))
    return in_marker.issubset(row for rows in in_text for row in rows)


def _sources(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each quote and wish that is not verbatim in one message of its chunk.

    One without a source is from a memory whose raw messages are lost, and cannot be checked.
    """
    sources = {key for memory in read.shown for key in memory.edition.sources}
    # What each quoted message said when its memory was made, in earlier versions, and says now.
    texts: dict[str, list[str]] = {}
    for entry in read.finished.entries:
        if entry.key in sources:
            raws = [entry.message.raw, *read.finished.versions.get(entry.key, ())]
            if entry.newest is not None:
                raws.append(entry.newest.raw)
            texts[entry.key] = [_text_of(raw) for raw in raws]
    for memory in read.shown:
        for quote in memory.edition.quotes:
            if fault := _source_fault(quote, memory, texts):
                yield f"a quote of memory {memory.number} {fault}"
        for wish in memory.edition.wishes:
            if fault := _source_fault(wish, memory, texts):
                yield f"a wish in memory {memory.number} {fault}"


def _source_fault(
    passage: Quote | Wish, memory: Memory, texts: Mapping[str, Sequence[str]]
) -> str | None:
    """Return what is wrong with the source of a quote or wish, or None.

    `texts` are those of messages, by key.
    """
    if not passage.source:
        return None
    if passage.source not in texts or passage.source not in memory.keys:
        return "names no message of its chunk"
    if not passage.text.strip() or not any(passage.text in text for text in texts[passage.source]):
        return "is not in its message"
    return None


def _text_of(raw: bytes) -> str:
    return plain.all_text(plain.parse_json(decode_json(raw)))


def _quotes_and_wishes(read: ReadBack) -> Iterator[str]:
    """Yield a fault where the texts of a memory do not have its quotes and wishes.

    A memory that the person has edited does not need to have its quotes.
    """
    for memory in read.shown:
        edition = memory.edition
        answer = edition.texts[1].replace(JOINER, "")
        for quote in edition.quotes if edition.kind != "person" else ():
            if quote.source and quote.framed.replace(JOINER, "") not in answer:
                yield f"the second message of memory {memory.number} does not hold its quote"
        for wish in edition.wishes:
            if wish.is_listed and wish.text not in edition.texts[5]:
                yield f"the last message of memory {memory.number} does not hold its wish"


def _speakers(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each memory that quotes the person and whose marker does not say so.

    A memory with a message that the person has pinned or excluded stays in an earlier edition, and
    its marker is about that one.
    """
    by_person = {
        (memory.memory_id, memory.edition.number): memory.number
        for memory in read.shown
        if memory.edition.kind != "person" and any(quote.lead for quote in memory.edition.quotes)
    }
    for _, mark in read.ours:
        if mark.slot != QUOTE_SLOT or mark.said_by:
            continue
        number = by_person.get((mark.memory, mark.edition))
        if number is not None:
            yield f"memory {number} quotes the person, and its marker hides it"


def _kept(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each kept passage that its message lacks, or that is not sent exactly once.

    It must be in its message, where that is live, or else in the opening, which shows no other
    passages.
    """
    openings = [message for message, mark in read.ours if mark.kind == OPENING]
    if not openings:
        return
    opening = plain.sent_text(openings[0].fields)
    for passage, raw in read.finished.kept:  # the bytes are empty where the message is lost
        if raw and passage.text not in make_printable(_text_of(raw)):
            yield f"{passage.called} is not in its message"
    live = _live_texts(read)
    kept = [passage for passage, _ in read.finished.kept]
    not_live = [passage for passage in kept if passage.text not in live.get(passage.key, "")]
    for passage in not_live:
        if _without_joiners(passage.text) not in _without_joiners(opening):
            yield f"{passage.called} is neither in the opening nor in the live tail"
    shown = [line.compared for line in read_opening(opening, (), "").kept]
    if shown != [passage.line.compared for passage in not_live]:
        yield "the opening shows other passages than those that are kept and not in the live tail"


def _live_texts(read: ReadBack) -> dict[str, str]:
    """Return by key the texts of the live messages in which a passage is kept.

    A message that was inserted among those under memories is live, too, though no memory is made of
    it.
    """
    keys = {entry.at: entry.key for entry in read.finished.entries}
    keys |= {place.at: place.key for place in read.places if place.left_out == INSERTED}
    with_passage = {passage.key for passage, _ in read.finished.kept}
    texts: dict[str, str] = {}
    for message in read.messages:
        key = keys.get(message.at)
        if key in with_passage and message.at in read.live:
            texts[key] = make_printable(plain.all_text(message.fields))
    return texts


def _without_joiners(text: str) -> str:
    """Return a text without joiners, which are invisible, and with plain line breaks.

    An editor may change line breaks.
    """
    return text.replace(JOINER, "").replace("\r\n", "\n")


def _identities(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless uuids are unique, and just the removed messages are listed for syncs."""
    removed = set(read.finished.removed)
    before = Counter(place.message.uuid for place in read.places)
    uuids = Counter(plain.uuid_of(message.fields) for message in read.messages)
    del uuids[""]
    twice = [uuid for uuid, times in uuids.items() if times > max(1, before[uuid])]
    if twice:
        yield "a uuid stands twice"
    if removed - plain.deletions_of(read.after):
        yield "removed messages are not named for TypingMind's sync"
    if removed & uuids.keys():
        yield "a message that is still there is named as removed"


def _attachments(read: ReadBack) -> Iterator[str]:
    """Yield a fault if no message refers to a file any more: TypingMind would delete it."""
    now = [message.fields for message in read.messages]
    if plain.files_of(read.originals) - plain.files_of(now):
        yield "an attachment is no longer named by any message, so TypingMind would delete it"


def _dates(read: ReadBack) -> Iterator[str]:
    """Yield a fault where the dates of our messages go back: TypingMind sorts by date in a sync.

    Where those of the input already do, the person has regenerated a message that stays as it is.
    """
    dates = [plain.date_of(message.fields) for message, _ in read.ours]
    before = [place.message.created_at or "" for place in read.places if place.ours]
    if dates != sorted(dates) and before == sorted(before):
        yield "the dates of our messages are out of order"
