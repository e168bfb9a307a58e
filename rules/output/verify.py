"""The proof: faults in a finished chat that forbid writing it. Empty means that it may be written.

It reads the finished bytes as TypingMind would, with the standard library's parser, and shares no code
with what made them: neither the span walker nor the assembly.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rules.history.entries import Entry
from rules.history.recognise import Place
from rules.memory.memory import Memory

_OURS = frozenset({"messages", "updatedAt", "syncMetadata"})
_NEEDED = frozenset({"role", "uuid", "content", "createdAt", "memproc"})
_SHAPE = frozenset({"id", "type", "model", "usage", "finish", "keywords", "titleUsage", "stop_reason", "stop_sequence"})

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Finished:
    """What is to be proved: the chat before and after, and the accounts of who stands where."""

    before: bytes
    after: bytes
    places: Sequence[Place]
    """The messages of `before`, recognised."""
    entries: Sequence[Entry]
    """The whole history, with the memory that each message stands under."""
    memories: Sequence[Memory]
    removed: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """The finished chat as TypingMind would read it; `came_from` are its messages' indices in the input."""

    finished: Finished
    before: Json
    after: Json
    messages: Sequence[Json]
    came_from: Sequence[int | None]
    """None for a message that is new."""

    @property
    def kept(self) -> frozenset[int]:
        return frozenset(at for at in self.came_from if at is not None)

    @property
    def markers(self) -> list[Json]:
        """What each message says of itself, if it is ours; empty for others, whatever field they carry."""
        places = self.finished.places
        is_ours = [at is None or places[at].ours is not None for at in self.came_from]
        return [_marker(message) if ours else {} for message, ours in zip(self.messages, is_ours, strict=True)]

    @property
    def ours(self) -> list[Json]:
        return [message for message, marker in zip(self.messages, self.markers, strict=True) if marker]


def verify(finished: Finished) -> tuple[str, ...]:
    """Every fault, in plain words. The message texts themselves are never part of a fault."""
    try:
        before, after = _parse(finished.before), _parse(finished.after)
        messages, originals = _messages(after), _messages(before)
    except (ValueError, TypeError, RecursionError) as fault:
        return (f"the finished chat is nothing that TypingMind could read: {type(fault).__name__}",)
    came_from = _came_from(originals, messages)
    if came_from is None:
        return ("a message is neither ours nor one of the input's in its order",)
    read = _Read(finished, before, after, messages, came_from)
    return tuple(fault for check in _CHECKS for fault in check(read))


def _parse(data: bytes) -> Json:
    """Numbers stay as they are spelled, so that 69.2240 and 69.224 differ."""
    found = json.loads(data, parse_int=str, parse_float=str, parse_constant=_refuse)
    if not isinstance(found, dict):
        raise TypeError("a chat is an object")
    return found


def _refuse(name: str) -> None:
    raise ValueError(name)


def _messages(chat: Json) -> list[Json]:
    found = chat.get("messages")
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        raise TypeError("messages are a list of objects")
    return found


def _came_from(originals: Sequence[Json], messages: Sequence[Json]) -> list[int | None] | None:
    """Where each message of the output stands in the input (None: it is new), or None where one is in neither."""
    uuids = {str(message.get("uuid")) for message in originals}
    found: list[int | None] = []
    at = 0
    for message in messages:
        if _marker(message) and str(message.get("uuid")) not in uuids:
            found.append(None)
            continue
        while at < len(originals) and originals[at] != message:
            at += 1
        if at == len(originals):
            return None
        found.append(at)
        at += 1
    return found


def _marker(message: Json) -> Json:
    found = message.get("memproc")
    return found if isinstance(found, dict) else {}


def _fields(read: _Read) -> Iterator[str]:
    """Requirement 1: the same fields, with the same values, but for those that are ours to change."""
    if missing := read.before.keys() - read.after.keys():
        yield f"fields of the chat are gone: {', '.join(sorted(missing))}"
    if added := read.after.keys() - read.before.keys() - {"syncMetadata"}:
        yield f"fields were added to the chat: {', '.join(sorted(added))}"
    for key in read.before.keys() & read.after.keys() - _OURS:
        if read.before[key] != read.after[key]:
            yield f"the field {key} of the chat has another value"


def _bytes(read: _Read) -> Iterator[str]:
    """D1: what is kept stays byte for byte, in its order."""
    at = 0
    for index in sorted(read.kept):
        raw = read.finished.places[index].message.raw
        at = read.finished.after.find(raw, at)
        if at < 0:
            yield f"message {index + 1} is not byte for byte what it was"
            return
        at += len(raw)


def _accounts(read: _Read) -> Iterator[str]:
    """Every message of the history is live, or under exactly one memory, or left out with a reason."""
    under = Counter(key for memory in read.finished.memories for key in memory.keys)
    for number, entry in enumerate(read.finished.entries, 1):
        if under[entry.key] + (entry.at in read.kept) != 1:
            where = "is live" if entry.at in read.kept else "is not live"
            yield f"message {number} of the history stands {under[entry.key]} times under memories, and {where}"
    for place in read.finished.places:
        if place.left_out and place.at not in read.kept:
            yield f"message {place.at + 1} is gone, though it is left out of memories: it is {place.left_out}"


def _groups(read: _Read) -> Iterator[str]:
    """Requirements 9.5 to 9.7: opening, then memories of six, then closing, in this order and unbroken."""
    markers = read.markers
    kinds = [marker.get("kind") for marker in markers]
    memory_at = [at for at, kind in enumerate(kinds) if kind == "memory"]
    if not memory_at:
        return
    first, last = memory_at[0], memory_at[-1]
    if first == 0 or kinds[first - 1] != "opening":
        yield "no opening stands right before the first memory"
    if last + 1 >= len(kinds) or kinds[last + 1] != "closing":
        yield "no closing stands right after the last memory"
    if kinds.count("opening") != 1 or kinds.count("closing") != 1:
        yield "there is more than one opening or closing"
    slots = [(markers[at].get("memory"), str(markers[at].get("slot"))) for at in memory_at]
    for start in range(0, len(slots), 6):
        group = slots[start : start + 6]
        if len({memory for memory, _ in group}) != 1 or [slot for _, slot in group] != list("123456"):
            yield f"memory {start // 6 + 1} is not six messages in order"
    shown = [memory for memory, slot in slots if slot == "1"]
    for memory in read.finished.memories:
        if shown.count(memory.memory_id) != 1:
            yield f"memory {memory.number} stands {shown.count(memory.memory_id)} times in the chat"


def _generated(read: _Read) -> Iterator[str]:
    """What TypingMind needs of a message that it stores, shows and sends."""
    shape = _template_keys(read)
    for number, message in enumerate(read.ours, 1):
        role = message.get("role")
        text = _text(message)
        if _NEEDED - message.keys() or (role == "assistant" and shape - message.keys()):
            yield f"our message {number} lacks fields"
        if role != ("assistant" if str(_marker(message).get("slot")) in ("2", "4", "6") else "user"):
            yield f"our message {number} has the wrong role"
        if text is None or not text.strip():
            yield f"our message {number} has no text, or more than one part"


def _quotes(read: _Read) -> Iterator[str]:
    """Requirement 9.1: a quote is a verbatim part of one raw message."""
    raws = {entry.key: entry.message.raw for entry in read.finished.entries}
    shown = {(_marker(m).get("memory"), str(_marker(m).get("slot"))): m for m in read.ours}
    for memory in read.finished.memories:
        quote = memory.edition.quote
        source = raws.get(quote.source)
        if source is None or quote.source not in memory.keys:
            yield f"the quote of memory {memory.number} names no message of its chunk"
        elif not quote.text.strip() or quote.text not in _said(json.loads(source)):
            yield f"the quote of memory {memory.number} does not stand in its message"
        # A tag of ours in the quote is kept from being one by a word joiner, which nobody sees (D7).
        said = [text.replace("\u2060", "") for text in (memory.edition.texts[1], quote.text)]
        if said[0] != said[1] or (memory.memory_id, "2") not in shown:
            yield f"the second message of memory {memory.number} is not its quote"


def _identities(read: _Read) -> Iterator[str]:
    """uuids are unique, and what was taken out is named for TypingMind's sync (D9)."""
    uuids = Counter(str(message["uuid"]) for message in read.messages if message.get("uuid"))
    before = Counter(place.message.uuid for place in read.finished.places)
    if any(times > 1 and before[uuid] < times for uuid, times in uuids.items()):
        yield "a uuid stands twice"
    sync = read.after.get("syncMetadata")
    named = sync.get("deletedMessageUUIDs") if isinstance(sync, dict) else None
    if set(read.finished.removed) - set(named if isinstance(named, list) else ()):
        yield "removed messages are not named for TypingMind's sync"
    if set(read.finished.removed) & uuids.keys():
        yield "a message that is still there is named as removed"


def _dates(read: _Read) -> Iterator[str]:
    """Our messages never go back in time, because TypingMind sorts by date when devices sync."""
    dates = [str(message.get("createdAt")) for message in read.ours]
    if dates != sorted(dates):
        yield "the dates of our messages are out of order"


def _template_keys(read: _Read) -> frozenset[str]:
    """What the newest assistant message of the input has, of the keys that ours must have too."""
    for message in reversed(_messages(read.before)):
        if message.get("role") == "assistant" and message.get("type") in (None, "message"):
            return _SHAPE & message.keys()
    return frozenset()


def _text(message: Json) -> str | None:
    """The text that would be sent: a string, or the one text part."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else None


def _said(message: object) -> str:
    """All strings of a raw message's content, one after the other, as its writer wrote them."""
    if isinstance(message, str):
        return message
    if isinstance(message, list):
        return "\n\n".join(_said(item) for item in message)
    if isinstance(message, dict):
        return "\n\n".join(
            _said(message[key]) for key in ("content", "text", "responses", "messages") if key in message
        )
    return ""


_CHECKS: tuple[Callable[[_Read], Iterator[str]], ...] = (
    _fields, _bytes, _accounts, _groups, _generated, _quotes, _identities, _dates,
)  # fmt: skip
