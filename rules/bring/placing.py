"""Choose the chat that a conversation goes into, as it may have been brought before, and write it.

    the chat has        m1 m2 m3              m1 m2 m3 t4           m1 m2
    the export has      m1 m2 m3 m4           m1 m2 m3 m4           m1 x2 x3
    it goes             on in the same chat   into a second chat    into a second chat

TypingMind replaces a chat whose id is imported again, and memproc cannot see what was said there
since. So once an updated file was written, the conversation continues in the same chat only if the
person says that nothing was said there. The id of a second chat is derived from the first message
that differs.

    m1 m2 m3                        one conversation
    m1 m2 m3 [line] m4 m5 m6        a life made of two, in the order of their days
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from itertools import count

from rules.bring.conversation import Conversation, name_uuid
from rules.typingmind.dates import day_of, in_zone
from rules.typingmind.message import read_message
from rules.typingmind.new_chat import (
    BroughtMessage,
    Origin,
    write_brought_chat,
    write_brought_message,
    write_divider,
)

_OUR_UUID_VERSION = 5
"""The version of the UUIDs that memproc derives; TypingMind's own have version 4."""


@dataclass(frozen=True, slots=True)
class MessageName:
    """What messages are compared by: the UUID, and the digest of what was said."""

    uuid: str
    digest: str
    before: str = ""
    """The digest of the form that earlier versions brought; empty where that is the same."""

    def is_held_as(self, held: "MessageName") -> bool:
        """Return whether a chat's message is this one, in its present or in its earlier form."""
        return self.uuid == held.uuid and held.digest in (self.digest, self.before)


@dataclass(frozen=True, slots=True)
class HeldChat:
    """What the archive has of a chat."""

    messages: Sequence[MessageName]
    is_written: bool
    """Whether an updated file of it was written, which the person may have imported."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a conversation goes, and how many of its messages are new there."""

    chat_id: str
    new: int
    is_known: bool
    """Whether the chat is in the archive already, and continues."""
    number: int = 1
    """Which chat of this conversation it is: 2 for a second one."""
    reason: str = ""
    """Why the conversation does not go into the chat that it was brought into before; else ""."""


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A message of the chat: a name to compare by, the date as TypingMind writes it, the bytes."""

    name: MessageName
    date: str
    raw: bytes


def place_conversation(
    wanted: Sequence[MessageName],
    names: Sequence[str],
    held: Callable[[str], HeldChat | None],
    *,
    untouched: bool = False,
) -> Placement:
    """Return the chat that these messages go into.

    The first chat's id is derived from `names`, `held` looks a chat up in the archive, and
    `untouched` is whether the person says that nothing was said in its copy in TypingMind.
    """
    chat_id, reason = name_uuid("chat", *names), ""
    for number in count(1):
        chat = held(chat_id)
        if chat is None:
            return Placement(chat_id, len(wanted), False, number, reason)
        shared, most = 0, min(len(chat.messages), len(wanted))
        while shared < most and wanted[shared].is_held_as(chat.messages[shared]):
            shared += 1
        new = len(wanted) - shared
        if new == 0:
            return Placement(chat_id, 0, True, number, reason)
        refusal = _why_not_into(chat, shared, untouched=untouched)
        if not refusal:
            return Placement(chat_id, new, True, number, reason)
        reason = reason or refusal
        following = name_uuid("chat", *names, wanted[shared].uuid)
        if following == chat_id:  # the same message differs there, too
            following = name_uuid("chat", *names, wanted[shared].uuid, str(number + 1))
        chat_id = following
    raise AssertionError


def is_of_typingmind(message: MessageName) -> bool:
    """Return whether a message was said in TypingMind, and not brought there."""
    try:
        return uuid.UUID(message.uuid).version != _OUR_UUID_VERSION
    except ValueError:
        return True


def _why_not_into(chat: HeldChat, shared: int, *, untouched: bool) -> str:
    """Return why new messages cannot go into this chat; "" if they can.

    The chat has the first `shared` messages already.
    """
    if any(map(is_of_typingmind, chat.messages)):
        return "something was said in that chat in TypingMind"
    if shared < len(chat.messages):
        return "the conversation was changed before its end since it was brought"
    if chat.is_written and not untouched:
        return (
            "its updated file may be in TypingMind, and to import another would replace what was "
            "said there since; if nothing was, add --untouched"
        )
    return ""


def write_messages(conversation: Conversation) -> list[WrittenMessage]:
    """Return the messages of a conversation as TypingMind would store them.

    Each has the digests of its earlier forms.
    """
    messages: list[WrittenMessage] = []
    for message in conversation.messages:
        brought = BroughtMessage(
            conversation.uuid_of(message), message.role, message.text, message.when, message.model
        )
        written = name_message(write_brought_message(brought))
        if message.before not in ("", message.text):
            before = name_message(write_brought_message(replace(brought, text=message.before)))
            written = replace(written, name=replace(written.name, before=before.name.digest))
        messages.append(written)
    return messages


def join(
    written: Sequence[WrittenMessage], conversation: Conversation, zone: tzinfo = UTC
) -> Sequence[WrittenMessage]:
    """Return a conversation after those that are written already, with a line between them.

    Without anything before it, there is no line. The line's days are those of the zone.
    """
    messages = write_messages(conversation)
    if not written:
        return messages
    first = conversation.messages[0].when
    ends, begins = (day_of(in_zone(date, zone)) for date in (written[-1].date, first.isoformat()))
    on, since = f", on {ends}" if ends else "", f", from {begins} on" if begins else ""
    line = write_divider(
        divider_uuid(conversation),
        f"[Here one conversation ends{on}. "
        f'What follows is another, "{conversation.title}"{since}.]',
        first,
    )
    return [*written, name_message(line), *messages]


def before_conversation(
    written: Sequence[WrittenMessage], conversation: Conversation
) -> Sequence[WrittenMessage]:
    """Return what a life has before a conversation, including the line between them."""
    line = divider_uuid(conversation)
    found = (at for at, message in enumerate(written) if message.name.uuid == line)
    return written[: next(found, -1) + 1]


def brought_alone(held: Sequence[WrittenMessage]) -> list[WrittenMessage]:
    """Return the messages that were brought, without those that were said in TypingMind."""
    return [message for message in held if not is_of_typingmind(message.name)]


def divider_uuid(conversation: Conversation) -> str:
    """Return the UUID of the line before a conversation of a life."""
    return name_uuid("line", conversation.source, conversation.key)


def name_message(raw: bytes) -> WrittenMessage:
    """Return a message's bytes with its date, and with what it is compared by."""
    message = read_message(raw)
    name = MessageName(message.uuid or "", message.digest)
    return WrittenMessage(name, message.created_at or "", raw)


def write_chat(
    chat_id: str,
    title: str,
    messages: Sequence[WrittenMessage],
    origin: Origin,
    *,
    model: str = "",
    system_message: str = "",
) -> bytes:
    """Return the JSON of a new chat with these messages."""
    return write_brought_chat(
        chat_id,
        title,
        origin,
        model=model,
        system_message=system_message,
        messages=[message.raw for message in messages],
        began=messages[0].date,
        ended=messages[-1].date,
    )
