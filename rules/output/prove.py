"""The proof: a finished chat, read back as TypingMind reads it, has lost nothing.

It knows nothing of spans.py's walker, of splice.py and of assemble.py, which made the output. What
it shares with them, and so cannot check: `spans.decoded`, `Number` and `without_bulk` (how bytes
become values, and that a long image counts by its hash), `printable`, `read_marker` and
`plain_original` (what our own fields mean), `read_opening` (what an opening shows), and the places,
which say what in the input is ours.
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
from rules.typingmind.content import printable
from rules.typingmind.plain import MAY_BE_ADDED, MAY_CHANGE
from rules.typingmind.spans import decoded


def verify(finished: Finished) -> tuple[str, ...]:
    """Return every fault, in plain words. Message texts are never part of a fault."""
    read = read_back(finished)
    if isinstance(read, str):
        return (read,)
    checks = (
        _fields, _bytes, _accounts, _copies, _canned, _shown, _generated, _sources, _repeated,
        _speakers, _kept, _identities, _attachments, _dates,
    )  # fmt: skip
    faults: list[str] = []
    for check in checks:
        faults += check(read)
    return tuple(faults)


def _fields(read: ReadBack) -> Iterator[str]:
    """Yield a fault where fields differ that are not ours to change."""
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
    """Yield a fault unless what is kept stays byte for byte, and in its order unless it is ours."""
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
            # Not from its start: a branch of it can hold the next one, too.
            end = start + len(read.places[at].written)


def _accounts(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless every message is live, under one memory, or left out with a reason."""
    chunks = memories_of_chunks(read.finished.section.memories)
    under = Counter(key for memory in chunks for key in memory.keys)
    for number, entry in enumerate(read.finished.entries, 1):
        is_live = entry.at in read.live
        times = under[entry.key]
        if times + is_live != 1:
            where = "is live" if is_live else "is not live"
            yield f"message {number} of the history stands {times} times under memories, and {where}"
    for place in read.places:
        if place.at in read.kept or under[place.key]:
            continue
        if place.left_out:
            why = f"though it is left out of memories: it is {place.left_out}"
            yield f"message {place.at + 1} is gone, {why}"


def _copies(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each copy that goes without another message of its uuid and text."""
    names = [(plain.uuid_of(message), plain.all_text(message)) for message in read.originals]
    times = Counter(names)
    for place in read.places:
        if place.is_copy and times[names[place.at]] < 2:
            yield f"message {place.at + 1} is taken for a copy, and no other message is the same"


def _canned(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless one opening comes before all memories, and one closing after them."""
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
    """Yield a fault unless the memories to show are there, in order, with all six messages each."""
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
    """Yield faults of new messages: TypingMind needs some fields to store, show and send one.

    Those kept from the input may have been changed by people and other tools.
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
    """Return whether a text shows all that its marker tells of it."""
    if mark.kind == MEMORY:
        before = BETWEEN_QUOTES if mark.slot == QUOTE_SLOT else BEFORE_WISH
        return passages_shown(BETWEEN_QUOTES + text, mark.cited, before) is not None
    told = {row for rows in mark.shows for row in rows}
    shown = rows_shown(read_opening(text, {name for name, _ in mark.shows[0]}, ""))
    return told.issubset(row for rows in shown for row in rows)


def _sources(read: ReadBack) -> Iterator[str]:
    """Yield a fault for each quote and wish that is no verbatim part of one message of its chunk.

    One without a source is of a memory whose raw messages are lost: it cannot be compared.
    """
    sources = {key for memory in read.shown for key in memory.edition.sources}
    # What each quoted message says now, said when its memory was made, and ever.
    texts: dict[str, list[str]] = {}
    for entry in read.finished.entries:
        if entry.key in sources:
            raws = [entry.message.raw, *read.finished.versions.get(entry.key, ())]
            if entry.newest is not None:
                raws.append(entry.newest.raw)
            texts[entry.key] = [_said_in(raw) for raw in raws]
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
    """Return what is wrong with the source of a quote or wish; `texts` are said, by key."""
    if not passage.source:
        return None
    if passage.source not in texts or passage.source not in memory.keys:
        return "names no message of its chunk"
    if not passage.text.strip() or not any(passage.text in text for text in texts[passage.source]):
        return "is not in its message"
    return None


def _said_in(raw: bytes) -> str:
    return plain.all_text(plain.parse_json(decoded(raw)))


def _repeated(read: ReadBack) -> Iterator[str]:
    """Yield a fault where the messages of a memory do not hold its quotes and its wishes.

    A memory that the person has edited need not repeat its quotes.
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
    """Yield a fault for each memory that quotes the person without a marker that says so.

    Where the person has pinned or excluded a message of it, it stays in an edition of before, and
    the marker there speaks of that one.
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
    """Yield a fault for each kept passage that its message does not say, or that is not sent once.

    It is in the live message that says it, or else in the opening, and nothing else is kept there.
    """
    openings = [message for message, mark in read.ours if mark.kind == OPENING]
    if not openings:
        return
    opening = plain.sent_text(openings[0].fields)
    for passage, raw in read.finished.kept:  # the bytes are empty where the message is lost
        if raw and passage.text not in printable(_said_in(raw)):
            yield f"{passage.called} is not in its message"
    live = _live_texts(read)
    kept = [passage for passage, _ in read.finished.kept]
    not_live = [passage for passage in kept if passage.text not in live.get(passage.key, "")]
    for passage in not_live:
        if _seen(passage.text) not in _seen(opening):
            yield f"{passage.called} is neither in the opening nor in the live tail"
    shown = [line.compared for line in read_opening(opening, (), "").kept]
    if shown != [passage.line.compared for passage in not_live]:
        yield "the opening shows other passages than those that are kept and not in the live tail"


def _live_texts(read: ReadBack) -> dict[str, str]:
    """Return by key what those live messages say in which something is kept.

    A message that was inserted among those under memories is live, too, though it is not lived.
    """
    keys = {entry.at: entry.key for entry in read.finished.entries}
    keys |= {place.at: place.key for place in read.places if place.left_out == INSERTED}
    with_passage = {passage.key for passage, _ in read.finished.kept}
    texts: dict[str, str] = {}
    for message in read.messages:
        key = keys.get(message.at)
        if key in with_passage and message.at in read.live:
            texts[key] = printable(plain.all_text(message.fields))
    return texts


def _seen(text: str) -> str:
    """Return what is seen of a text: an editor may have given its lines other ends."""
    return text.replace(JOINER, "").replace("\r\n", "\n")


def _identities(read: ReadBack) -> Iterator[str]:
    """Yield a fault unless uuids are unique, and what was taken out is named for syncs."""
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
    """Yield a fault where a file is no longer named: TypingMind would delete it."""
    now = [message.fields for message in read.messages]
    if plain.files_of(read.originals) - plain.files_of(now):
        yield "an attachment is no longer named by any message, so TypingMind would delete it"


def _dates(read: ReadBack) -> Iterator[str]:
    """Yield a fault where our messages go back in time: TypingMind sorts by date in a sync.

    Where those of the input do already, the person has regenerated one that stays as it is.
    """
    dates = [plain.date_of(message.fields) for message, _ in read.ours]
    before = [place.message.created_at or "" for place in read.places if place.ours]
    if dates != sorted(dates) and before == sorted(before):
        yield "the dates of our messages are out of order"
