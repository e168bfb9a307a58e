"""The passages that the person keeps word for word: after an export, and in the opening."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.chats import was_processed
from daemon.archive.forks import passages_of_kin
from daemon.archive.keeping import (
    is_in,
    kept_passages,
    newest_messages,
    sources,
)
from daemon.archive.layers import edited_from, openings
from daemon.chat.opening import ShownChat, openings_in_export, read_shown
from daemon.models.tokens import count
from primer.wording import make_tags_inert
from rules.conversation.history import INSERTED, Entry, Place, raw_messages
from rules.conversation.quote import NotVerbatim, find_quote
from rules.errors import NotFound
from rules.extract.wishes import find_stated
from rules.extract.words import has_words
from rules.layers.kept_passages import (
    BEGINNING,
    FIRST_PART,
    MOST_TOKENS,
    KeptPassage,
    MarkedBy,
    ShownPins,
    State,
    admit_waiting,
    after_export,
    first_sentences,
    shown_passages,
)
from rules.layers.opening import KeptLine
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.dates import parse_date
from rules.typingmind.message import Message, has_pin


def passages_after(archive: Archive, shown: ShownChat, now: str) -> tuple[KeptPassage, ...]:
    """Return the passages of a chat after this export of it: pins taken, waiting ones let in.

    Nothing is stored. A fork has those of the chat that it was forked from.
    """
    passages, reading = kept_passages(archive, shown.chat.chat_id), shown.reading
    kin = reading.adopted.kin
    if not passages and kin:
        digests = {place.message.digest: place.key for place in raw_messages(reading.places)}
        digests |= {old.message.digest: old.key for old in reading.adopted.past}
        written = next((marker.text for _, marker in openings_in_export(shown)), "")
        opening = edited_from(openings(archive, kin), written) if written else None
        lines = read_shown(shown, opening.text).kept if opening else ()
        passages = passages_of_kin(archive, kin, digests, lines)
    pins = read_pins(archive, shown.chat, reading, now)
    return admit_waiting(after_export(passages, pins, now), shown.config.keep.budget)


def read_pins(archive: Archive, chat: Chat, reading: ChatReading, now: str) -> ShownPins:
    """Return what an export shows of pins; before it is archived, which makes it a known one.

    A state of the chat that was processed before tells nothing more of what it lacks.
    """
    absent, seen = reading.absent, reading.first_seen
    messages = {place.key: place.message for place in raw_messages(reading.places)}
    said = {key: message.created_at or "" for key, message in messages.items()}
    dated = [(date, text) for text in said.values() if (date := parse_date(text))]
    is_lacking = absent.missing or absent.under or absent.left_out or absent.went_back
    return ShownPins(
        would_keep=tuple(_kept_by_pins(messages)),
        offers=tuple(_doubtful_wishes(messages)),
        messages=messages,
        newest=max(dated)[1] if dated else "",
        is_whole=not is_lacking and not was_processed(archive, chat.chat_id, chat.sha256),
        first_seen={(seen.get(key, now), text) for key, text in said.items()},
    )


def _kept_by_pins(messages: Mapping[str, Message]) -> Iterator[KeptPassage]:
    """Yield what the pins of an export keep: the message, or the first sentences of a long one."""
    for key, message in messages.items():
        if has_pin(message) and (spoken := _spoken(message)):
            start, words, reason = spoken
            text = first_sentences(words, count)
            passage = _passage(key, message, start, text, "pin", "waiting")
            why = reason if text == words else BEGINNING
            yield replace(passage, is_pinned=True, reason=why)


def _doubtful_wishes(messages: Mapping[str, Message]) -> Iterator[KeptPassage]:
    """Yield what an export's messages ask for in words that may be somebody else's."""
    for key, message in messages.items():
        for said in message.spoken if message.role == "user" else ():
            for stated in find_stated(said):
                if not stated.is_sure and stated.kind == "wish":
                    start = message.words.find(stated.text)
                    yield _passage(key, message, max(0, start), stated.text, "wish", "offered")


def _spoken(message: Message) -> tuple[int, str, str] | None:
    """Return where the first part in words begins, its words, and why they are not all; or None.

    A passage lies within one part: what is between two parts was not said.
    """
    start = 0
    for part in message.parts:
        if part.spoken and has_words(part.text):
            words = part.text.strip()
            start += part.text.index(words)
            is_parted = has_words(message.words[start + len(words) :])
            return start, words, FIRST_PART if is_parted else ""
        start += len(part.text) + len("\n\n") if part.spoken else 0
    return None


def _passage(
    key: str, message: Message, start: int, text: str, by: MarkedBy, state: State
) -> KeptPassage:
    said_at = message.created_at or ""
    return KeptPassage(
        key=key,
        start=start,
        text=text,
        said_at=said_at if parse_date(said_at) else "",
        speaker="assistant" if message.speaker == "assistant" else "user",
        tokens=count(text),
        by=by,
        state=state,
        digest=message.digest,
    )


def lines_shown(
    passages: Iterable[KeptPassage], entries: Iterable[Entry], places: Iterable[Place]
) -> tuple[KeptLine, ...]:
    """Return the lines of what is kept and not sent anyway, without live tags of ours.

    Sent as they are: the live tail, and what another tool put among compressed messages.
    """
    live: dict[str, str] = {}
    for entry in entries:
        if entry.memory is None and entry.at is not None:
            live[entry.key] = entry.message.words
    for place in places:
        if place.left_out == INSERTED:
            live[place.key] = place.message.words
    lines = [passage.line for passage in shown_passages(passages, live)]
    return tuple(replace(line, text=make_tags_inert(line.text)) for line in lines)


def with_sources(
    archive: Archive, chat_id: str, passages: Iterable[KeptPassage]
) -> tuple[tuple[KeptPassage, bytes], ...]:
    """Return each kept passage with the bytes of the raw message that says it, empty if lost."""
    raw = sources(archive, chat_id)
    kept = shown_passages(passages, {})
    return tuple((passage, raw.get(passage.number, b"")) for passage in kept)


def find_words(
    messages: Iterable[tuple[str, Message]], words: str, by: MarkedBy
) -> KeptPassage | None:
    """Return the passage of the first message that says these words, or None."""
    for key, message in messages:
        quote = find_quote(words, [Entry(key, message, None, None)])
        if not isinstance(quote, NotVerbatim):
            start = message.words.index(quote.text)
            passage = _passage(key, message, start, quote.text, by, "waiting")
            if is_in(passage, message):
                return passage
    return None


def from_line(
    messages: Sequence[tuple[str, Message]], line: KeptLine, *, by_user: bool
) -> KeptPassage | None:
    """Return the passage that a line of an opening shows, or None where it was never said.

    What memproc wrote there was said, also where the raw messages are lost.
    """
    passage = find_words(messages, line.text, "opening")
    if passage is None and not by_user:
        size = count(line.text)
        passage = KeptPassage("", 0, line.text, line.day, line.speaker, size, "opening", "kept")
    return passage and replace(passage, state="waiting" if by_user else "kept")


def mark(
    archive: Archive, chat_id: str, words: str, uuid: str = "", by: MarkedBy = "person"
) -> KeptPassage:
    """Return the passage that is meant: words, of a message or of any, or all of one.

    The persona finds nothing that the person has deleted. Raises NotFound where the words were
    never said so, or are too long.
    """
    messages = []
    for key, message in newest_messages(archive, chat_id, deleted=by != "persona"):
        if not uuid or uuid in (key, message.uuid):
            messages.append((key, message))
    if not messages:
        raise NotFound(
            f"The archive knows no message {uuid} of this chat.",
            "Export the chat again and run memproc, or say the words instead.",
        )
    passage = None
    key, message = messages[0]
    if words:
        passage = find_words(messages, words, by)
    elif spoken := _spoken(message):  # all of it, or its first part in words
        start, said, reason = spoken
        passage = replace(_passage(key, message, start, said, by, "waiting"), reason=reason)
    if passage is None:
        raise NotFound(
            "Nothing in this chat says these words, character for character.",
            "Copy them from one message, or find it with: memproc search WORDS",
        )
    if passage.tokens > MOST_TOKENS:
        raise NotFound(
            f"That is {passage.tokens:,} tokens, and a passage has at most {MOST_TOKENS}.",
            "Choose the words of it that count the most.",
        )
    return passage


def covered_by(passages: Sequence[KeptPassage], new: KeptPassage) -> KeptPassage | None:
    """Return the passage of these that holds the new one already, or None."""
    there = (old for old in passages if old.is_agreed and old.covers(new))
    return next(there, None)
