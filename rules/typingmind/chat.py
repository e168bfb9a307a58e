"""One field of a JSON object in its own bytes: looked up, set, or taken out; every other byte stays.

    {"role":"user","content":"Hi"}          the object, from `{` to `}`
    {"role":"user","content":"Hi","n":1}    `n` set: behind the last field, where it was not there before
    {"content":"Hi","n":1}                  `role` taken out, with one comma

All three raise spans.BadJson where the bytes are no JSON object, or where one key stands in it twice.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass

from rules.errors import ChatSetAside
from rules.typingmind import spans, walk
from rules.typingmind.content import parts, printable
from rules.typingmind.message import Message, read_message
from rules.typingmind.spans import Member, Span
from rules.typingmind.walk import Reel


def field_bytes(raw: bytes, key: str) -> bytes | None:
    """The field's value as it is spelled there, or None where the object has no such field."""
    found = next((member.value for member in _members(raw) if member.key == key), None)
    return None if found is None else raw[found.start : found.stop]


def with_field(raw: bytes, key: str, value: bytes) -> bytes:
    """The object with that value (JSON) for the field; a field that it has not stands behind its last one."""
    members = _members(raw)
    found = next((member.value for member in members if member.key == key), None)
    if found is not None:
        return raw[: found.start] + value + raw[found.stop :]
    at = members[-1].value.stop if members else 1
    entry = json.dumps(key, ensure_ascii=False).encode() + b":" + value
    return raw[:at] + (b"," if members else b"") + entry + raw[at:]


def without_field(raw: bytes, key: str) -> bytes:
    """The object without the field and without the comma that parted it from the one before, or else the one behind."""
    members = _members(raw)
    at = next((index for index, member in enumerate(members) if member.key == key), None)
    if at is None:
        return raw
    start, stop = members[at].start, members[at].value.stop
    if at > 0:
        start = members[at - 1].value.stop
    elif len(members) > 1:
        stop = members[1].start
    return raw[:start] + raw[stop:]


def _members(raw: bytes) -> list[Member]:
    """Read as latin-1, so that a character's index is its byte's offset."""
    return walk.members(Reel(raw.decode("latin-1")), 0)[0]


_MIB = 1 << 20
LONGEST_TEXT = 4 * _MIB
"""Bytes of words in one message. They are about a million tokens, which fill the largest window there is."""

# What would steer a terminal, break a line, or turn the rest of it round.
_UNSEEMLY = dict.fromkeys([*range(32), *range(127, 160), *map(ord, "\u2028\u2029\u202d\u202e")], " ")


def without_bulk(value: object) -> object:
    """A parsed value in which a text that is too long to be words, an image, is held as its SHA-256."""
    if isinstance(value, dict):
        return {key: without_bulk(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_bulk(inner) for inner in value]
    if type(value) is not str or len(value) <= LONGEST_TEXT:
        return value
    digest = hashlib.sha256()
    for start in range(0, len(value), _MIB):  # never the whole of it once more
        digest.update(value[start : start + _MIB].encode("utf-8", "surrogatepass"))
    return f"sha256:{digest.hexdigest()}"


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat in a text (read as latin-1: an index is a byte's offset), which is all of its document or its own."""

    text: str
    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]

    def member(self, key: str) -> Member | None:
        """The member of that name, where the chat has one."""
        return next((member for member in self.members if member.key == key), None)

    def text_field(self, key: str) -> str:
        """A field that holds text, fit to be stored and shown; empty where it is absent or something else."""
        return printable(spans.text(self.field(key)))

    def field(self, key: str) -> object:
        """The parsed value of one field (numbers as their own text), or None where it is absent."""
        member = self.member(key)
        return None if member is None else spans.value(self.slice(member.value).decode("utf-8"), 0)[0]

    def slice(self, span: Span) -> bytes:
        """The file's own bytes of that span."""
        return self.text[span.start : span.stop].encode("latin-1")

    @property
    def json_text(self) -> str:
        """The chat's JSON, to be parsed."""
        return spans.decoded_part(self.text, self.span.start, self.span.stop)

    @property
    def sha256(self) -> str:
        """Of the chat's own bytes: the state that it is in."""
        return hashlib.sha256(self.slice(self.span)).hexdigest()

    @property
    def id_or_empty(self) -> str:
        """What TypingMind stores the chat under; empty where it names none."""
        return self.text_field("chatID") or self.text_field("id")

    @property
    def chat_id(self) -> str:
        """What TypingMind stores the chat under. Raises ChatSetAside where it names none."""
        if self.id_or_empty:
            return self.id_or_empty
        raise ChatSetAside(
            f'The chat "{self.title}" has neither `chatID` nor `id`, so TypingMind could not store it.',
            "Export the chat again from TypingMind.",
        )

    @property
    def title(self) -> str:
        """The title that the person sees, as one line that any terminal can show; "Untitled" where there is none."""
        return self.text_field("chatTitle").translate(_UNSEEMLY).strip() or "Untitled"

    @property
    def folder_id(self) -> str | None:
        """TypingMind's id of the folder that holds the chat."""
        return self.text_field("folderID") or None

    @property
    def model_names(self) -> tuple[str, ...]:
        """What the chat calls its model: `modelInfo`'s id first, then `model`, which may be an internal uuid."""
        info = self.field("modelInfo")
        found = (info.get("id") if isinstance(info, dict) else None, self.field("model"))
        return tuple(printable(name) for name in map(spans.text, found) if name)

    @property
    def deleted(self) -> bool:
        """The chat lies in TypingMind's bin."""
        return bool(self.field("deletedAt"))

    @property
    def system_message(self) -> str:
        """The chat's own system message: its parameters', else its agent's, else none (empty)."""
        for key, inner in (("chatParams", "systemMessage"), ("character", "instruction")):
            holder = self.field(key)
            found = spans.text(holder.get(inner)) if isinstance(holder, dict) else ""
            if found.strip():
                return printable(found)
        return ""


def read_messages(chat: Chat) -> tuple[Message, ...]:
    """Every message of the chat, in order. Raises ChatSetAside where they are no list, or one of them is no object."""
    member = chat.member("messages")
    if member is not None and chat.text[member.value.start] != "[":
        raise ChatSetAside(f'The `messages` of the chat "{chat.title}" are no list.', "Export the chat again.")
    found = []
    for number, span in enumerate(chat.messages, 1):
        try:
            _refuse_endless(chat, number, span)
            found.append(read_message(chat.slice(span)))
        except spans.BadJson as fault:
            raise ChatSetAside(
                f'Message {number} of the chat "{chat.title}" is not a message: {fault.reason}.',
                "Export the chat again from TypingMind; if it stays so, delete that message there.",
            ) from fault
    return tuple(found)


def _refuse_endless(chat: Chat, number: int, span: Span) -> None:
    """Raise ChatSetAside for a message with more words than any model reads. Images and files are no words."""
    if span.stop - span.start <= LONGEST_TEXT:
        return
    fields, _ = spans.value(chat.text, span.start)  # as latin-1, which is enough to measure it
    if isinstance(fields, dict) and sum(len(part.text) for part in parts(fields)) > LONGEST_TEXT:
        raise ChatSetAside(
            f'Message {number} of the chat "{chat.title}" is a text of {(span.stop - span.start) / _MIB:,.0f} MiB: '
            "no model reads that much, and no memory could be made of it.",
            "Delete or shorten that message in TypingMind, then export the chat again; this export stays as it is.",
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """Where a chat stands in its document, and its members and messages in it: all offsets are the document's."""

    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]
    chat_id: str
    """As `Chat.chat_id` has it; empty where the chat names none."""

    def chat(self, data: bytes) -> Chat:
        """The chat itself; `data` are the bytes of its span."""
        text, start = data.decode("latin-1"), self.span.start
        members = tuple(Member(one.key, one.start - start, _moved(one.value, start)) for one in self.members)
        return Chat(text, Span(0, len(text)), members, tuple(_moved(span, start) for span in self.messages))


def read_chat(chat: bytes) -> Chat:
    """A chat by itself, in its own bytes. Raises BadJson where they are none."""
    found: list[Outline] = []
    reel = Reel(chat.decode("latin-1"))
    if reel.sign(0) != "{":
        raise spans.BadJson("a chat is a JSON object, and this is none", 0)
    walk_chat(found.append)(reel, 0)
    return found[0].chat(chat[: found[0].span.stop])


def walk_chat(keep: Callable[[Outline], object]) -> walk.Walker:
    """A walker that notes each chat it passes over. It raises BadJson where the text is no JSON."""

    def walker(reel: Reel, at: int) -> int:
        if reel.sign(at) != "{":  # one without a name, which is set aside for that
            stop = reel.value(at)[1]
            keep(Outline(Span(at, stop), (), (), ""))
            return stop
        messages: list[Span] = []
        named: dict[str, str] = {}

        def note_messages(reel: Reel, at: int) -> int:
            if reel.sign(at) != "[":
                return reel.value(at)[1]
            found, stop = walk.items(reel, at)
            messages.extend(found)
            return stop

        walkers = {"messages": note_messages, "syncMetadata": _walk_sync} | {
            key: _note_text(key, named) for key in ("chatID", "id")
        }
        members, stop = walk.members(reel, at, walkers)
        chat_id = named.get("chatID") or named.get("id", "")
        keep(Outline(Span(at, stop), tuple(members), tuple(messages), chat_id))
        return stop

    return walker


def _note_text(key: str, noted: dict[str, str]) -> walk.Walker:
    def note(reel: Reel, at: int) -> int:
        stop = reel.value(at)[1]
        if found := spans.text(Reel(reel.seen(at, stop)).value(0)[0]):
            noted[key] = printable(found)
        return stop

    return note


def _walk_sync(reel: Reel, at: int) -> int:
    """Walked rather than skipped, because we add to it: each of its keys must stand there once."""
    return walk.members(reel, at)[1] if reel.sign(at) == "{" else reel.value(at)[1]


def _moved(span: Span, start: int) -> Span:
    return Span(span.start - start, span.stop - start)
