"""One chat of an export: where its fields and messages are in the file, and what they say."""

import hashlib
from dataclasses import dataclass
from functools import partial

from rules.errors import ChatSkipped
from rules.typingmind import spans
from rules.typingmind.content import make_printable, read_parts
from rules.typingmind.message import Message, read_message
from rules.typingmind.spans import LONGEST_TEXT, Member, Reel, Span, Walker
from rules.wording import cut_title

_UNSAFE_TO_SHOW = dict.fromkeys(
    [*range(32), *range(127, 160), *map(ord, "\u2028\u2029\u202d\u202e")], " "
)
"""Replaces characters that control a terminal, break a line, or reverse its direction."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat in a text: that of its whole document, or of the chat alone.

    The text is decoded as latin-1, so that a character's index is its byte's offset.
    """

    text: str
    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]

    def member(self, key: str) -> Member | None:
        """Return the member with this key, or None."""
        return next((member for member in self.members if member.key == key), None)

    def text_field(self, key: str) -> str:
        """Return the text in a field, without halves of surrogate pairs; "" if there is none."""
        return make_printable(spans.text(self.field(key)))

    def field(self, key: str) -> object:
        """Return the parsed value of a field (numbers as `Number`); None where it is absent."""
        member = self.member(key)
        if member is None:
            return None
        return spans.value(self.slice(member.value).decode("utf-8"), 0)[0]

    def slice(self, span: Span) -> bytes:
        """Return the file's bytes in a span."""
        return self.text[span.start : span.stop].encode("latin-1")

    @property
    def undated(self) -> tuple[bytes, ...]:
        """Return the bytes of all fields except the time of the chat's last change."""
        return tuple(
            self.slice(member.value) for member in self.members if member.key != "updatedAt"
        )

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the chat's own bytes, which identifies its state."""
        return hashlib.sha256(self.slice(self.span)).hexdigest()

    @property
    def id_if_any(self) -> str:
        """Return the id under which TypingMind stores the chat; "" where it has none."""
        return self.text_field("chatID") or self.text_field("id")

    @property
    def chat_id(self) -> str:
        """Return the id under which TypingMind stores the chat. Raises ChatSkipped without one."""
        if chat_id := self.id_if_any:
            return chat_id
        raise ChatSkipped(
            f'The chat "{cut_title(self.title)}" has neither `chatID` nor `id`, '
            "so TypingMind could not store it.",
            "Export the chat again from TypingMind.",
        )

    @property
    def title(self) -> str:
        """Return the title as one line that is safe to show; "Untitled" if there is none."""
        return self.text_field("chatTitle").translate(_UNSAFE_TO_SHOW).strip() or "Untitled"

    @property
    def persona(self) -> str:
        """Return the name of its agent in TypingMind, as one line; "" where it has none."""
        name = spans.text_under(self.field("character"), "title")
        return make_printable(name).translate(_UNSAFE_TO_SHOW).strip()

    @property
    def updated_at(self) -> str:
        """Return the date of its last change, which TypingMind does not always update."""
        return self.text_field("updatedAt")

    @property
    def folder_id(self) -> str | None:
        """Return TypingMind's id of the folder that has the chat; None if there is none."""
        return self.text_field("folderID") or None

    @property
    def model_names(self) -> tuple[str, ...]:
        """Return the names of its model: the id in `modelInfo`, then `model` (perhaps a uuid)."""
        names = spans.text_under(self.field("modelInfo"), "id"), self.text_field("model")
        return tuple(make_printable(name) for name in names if name)

    @property
    def deleted(self) -> bool:
        """Return whether the chat is in TypingMind's bin."""
        return bool(self.field("deletedAt"))

    @property
    def system_message(self) -> str:
        """Return the system message: that of the chat's parameters, else of its agent, else ""."""
        for key, inner in (("chatParams", "systemMessage"), ("character", "instruction")):
            text = spans.text_under(self.field(key), inner)
            if text.strip():
                return make_printable(text)
        return ""


def read_messages(chat: Chat) -> tuple[Message, ...]:
    """Return every message of the chat, in order.

    Raises ChatSkipped where they are no list, or one of them is no object or longer than any model
    reads.
    """
    member = chat.member("messages")
    if member is not None and chat.text[member.value.start] != "[":
        raise ChatSkipped(
            f'The `messages` of the chat "{cut_title(chat.title)}" are no list.',
            "Export the chat again.",
        )
    messages = []
    for number, span in enumerate(chat.messages, 1):
        try:
            if span.stop - span.start > LONGEST_TEXT:
                _refuse_endless(chat, number, span)
            messages.append(read_message(chat.slice(span)))
        except spans.BadJson as fault:
            raise ChatSkipped(
                f'Message {number} of the chat "{cut_title(chat.title)}" is not a message: '
                f"{fault.reason}.",
                "Export the chat again from TypingMind; if it stays so, delete that message there.",
            ) from fault
    return tuple(messages)


def _refuse_endless(chat: Chat, number: int, span: Span) -> None:
    """Raise ChatSkipped for a message with more words than any model reads; images do not count."""
    size = span.stop - span.start
    fields, _ = spans.value(chat.text, span.start)  # as latin-1, which is good enough to measure it
    if (
        isinstance(fields, dict)
        and sum(len(part.text) for part in read_parts(fields)) > LONGEST_TEXT
    ):
        raise ChatSkipped(
            f'Message {number} of the chat "{cut_title(chat.title)}" is a text of '
            f"{size / (1 << 20):,.0f} MiB: no model reads that much, and no memory could be "
            "made of it.",
            "Delete or shorten that message in TypingMind, then export the chat again; "
            "this export stays as it is.",
        )


@dataclass(frozen=True, slots=True)
class Outline:
    """The offsets of a chat, its members and its messages, from the document's beginning."""

    span: Span
    members: tuple[Member, ...]
    messages: tuple[Span, ...]
    chat_id: str
    """The chat's id, as in `Chat.chat_id`; empty where it has none."""


def parse_chat(chat: bytes) -> Chat:
    """Read a chat from its own bytes. Raises BadJson where they are no JSON object."""
    if chat[:1] != b"{":
        raise spans.BadJson("a chat is a JSON object, and this is none", 0)
    return chat_in_export(chat)


def chat_in_export(item: bytes) -> Chat:
    """Read an item of an export's `chats`; one that is no object becomes a chat without fields."""
    text = item.decode("latin-1")
    outline = outline_chat(Reel(text), 0)
    return Chat(text[: outline.span.stop], outline.span, outline.members, outline.messages)


def outline_chat(reel: Reel, at: int) -> Outline:
    """Walk over the chat at an offset, and return its outline. Raises BadJson."""
    if reel.sign(at) != "{":  # it has no chat id, so it is skipped later
        return Outline(Span(at, reel.value(at)[1]), (), (), "")
    messages: list[Span] = []
    names: dict[str, str] = {}
    walkers: dict[str, Walker] = {
        "messages": partial(_note_messages, messages),
        "syncMetadata": _walk_sync,
        "chatID": partial(_note_name, names, "chatID"),
        "id": partial(_note_name, names, "id"),
    }
    members, stop = spans.read_members(reel, at, walkers)
    chat_id = names.get("chatID") or names.get("id", "")
    return Outline(Span(at, stop), tuple(members), tuple(messages), chat_id)


def _note_messages(messages: list[Span], reel: Reel, at: int) -> int:
    if reel.sign(at) != "[":
        return reel.value(at)[1]
    entries, stop = spans.read_items(reel, at)
    messages.extend(entries)
    return stop


def _note_name(names: dict[str, str], key: str, reel: Reel, at: int) -> int:
    stop = reel.value(at)[1]
    names[key] = make_printable(spans.text(Reel(reel.seen(at, stop)).value(0)[0]))
    return stop


def _walk_sync(reel: Reel, at: int) -> int:
    """Walk over `syncMetadata` instead of skipping it.

    We add to it, so each of its keys must occur once.
    """
    return spans.read_members(reel, at)[1] if reel.sign(at) == "{" else reel.value(at)[1]
