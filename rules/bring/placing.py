"""Which chat a conversation goes into, when it may have been brought before.

    the chat has        m1 m2 m3              m1 m2 m3 t4           m1 m2
    the export has      m1 m2 m3 m4           m1 m2 m3 m4           m1 x2 x3
    it goes             on in the same chat   into a second chat    into a second chat

TypingMind replaces a chat whose id is imported again, and memproc cannot see what was said there
since. So once an updated file was written, it goes on in the same chat only if the person says
that nothing was said there. A second chat is named after the first message that differs.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from rules.bring.conversation import name_uuid

_OURS = 5
"""The version of the UUIDs that memproc gives; TypingMind's own are of version 4."""


@dataclass(frozen=True, slots=True)
class MessageName:
    """A message as chats are compared: its UUID, and the digest of what was said."""

    uuid: str
    digest: str


@dataclass(frozen=True, slots=True)
class HeldChat:
    """What the archive holds of a chat."""

    messages: Sequence[MessageName]
    is_written: bool
    """Whether an updated file of it was written, which the person may have imported."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a conversation goes, and how many of its messages are new there."""

    chat_id: str
    new: int
    is_known: bool
    """The chat is in the archive, and goes on."""
    number: int = 1
    """Which of the chats of these names it is: 2 for a second one."""
    reason: str = ""
    """Why it does not go into the chat that it was brought into before; else empty."""


def place_conversation(
    wanted: Sequence[MessageName],
    names: Sequence[str],
    held: Callable[[str], HeldChat | None],
    *,
    untouched: bool = False,
) -> Placement:
    """Return the chat that these messages go into.

    `names` are what the first chat's id is made of, `held` looks a chat up in the archive, and
    `untouched` is what the person says of its copy in TypingMind.
    """
    chat_id, reason = name_uuid("chat", *names), ""
    for number in count(1):
        chat = held(chat_id)
        if chat is None:
            return Placement(chat_id, len(wanted), False, number, reason)
        same = _same_at_first(chat.messages, wanted)
        new = len(wanted) - same
        if new == 0:
            return Placement(chat_id, 0, True, number, reason)
        refusal = _refusal(chat, same, untouched=untouched)
        if not refusal:
            return Placement(chat_id, new, True, number, reason)
        reason = reason or refusal
        following = name_uuid("chat", *names, wanted[same].uuid)
        if following == chat_id:  # the same message differs there, too
            following = name_uuid("chat", *names, wanted[same].uuid, str(number + 1))
        chat_id = following
    raise AssertionError


def is_of_typingmind(message: MessageName) -> bool:
    """Return whether a message was said in TypingMind, and not brought there."""
    try:
        return uuid.UUID(message.uuid).version != _OURS
    except ValueError:
        return True


def _refusal(chat: HeldChat, same: int, *, untouched: bool) -> str:
    """Return why new messages cannot go into this chat, of which the first ones are the `same`."""
    if any(map(is_of_typingmind, chat.messages)):
        return "something was said in that chat in TypingMind"
    if same < len(chat.messages):
        return "the conversation was changed before its end since it was brought"
    if chat.is_written and not untouched:
        return (
            "its updated file may be in TypingMind, and to import another would replace what was "
            "said there since; if nothing was, add --untouched"
        )
    return ""


def _same_at_first(ours: Sequence[MessageName], wanted: Sequence[MessageName]) -> int:
    """Return how many messages are the same at the beginning."""
    pairs = zip(ours, wanted, strict=False)
    return next(
        (at for at, (mine, other) in enumerate(pairs) if mine != other),
        min(len(ours), len(wanted)),
    )
