"""Write conversations as the messages of one TypingMind chat, and the chat itself.

m1 m2 m3                        one conversation
m1 m2 m3 [line] m4 m5 m6        a life made of two, in the order of their days
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.bring.conversation import Conversation, name_uuid
from rules.bring.placing import MessageName, is_of_typingmind
from rules.typingmind.brought import (
    BroughtChat,
    BroughtMessage,
    Origin,
    write_brought_chat,
    write_brought_message,
    write_divider,
)
from rules.typingmind.message import read_message


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A message of the chat: its name, its date as TypingMind writes it, and its bytes."""

    name: MessageName
    date: str
    raw: bytes


def write_messages(conversation: Conversation) -> list[WrittenMessage]:
    """Return the messages of a conversation as TypingMind would store them."""
    return [
        name_message(
            write_brought_message(
                BroughtMessage(
                    conversation.uuid_of(said), said.role, said.text, said.when, said.model
                )
            )
        )
        for said in conversation.messages
    ]


def join(written: Sequence[WrittenMessage], conversation: Conversation) -> Sequence[WrittenMessage]:
    """Return a conversation behind those that are written already, with a line between them.

    Without anything before it, there is no line.
    """
    messages = write_messages(conversation)
    if not written:
        return messages
    first = conversation.messages[0].when
    line = write_divider(
        divider_uuid(conversation),
        f"[Here one conversation ends, on {written[-1].date[:10]}. What follows is another, "
        f'"{conversation.title}", from {first:%Y-%m-%d} on.]',
        first,
    )
    return [*written, name_message(line), *messages]


def before_conversation(
    written: Sequence[WrittenMessage], conversation: Conversation
) -> Sequence[WrittenMessage]:
    """Return what a life holds before a conversation, the line between them included."""
    line = divider_uuid(conversation)
    places = (at for at, message in enumerate(written) if message.name.uuid == line)
    return written[: next(places, -1) + 1]


def brought_alone(held: Sequence[WrittenMessage]) -> list[WrittenMessage]:
    """Return the messages that were brought, without those that were said in TypingMind."""
    return [message for message in held if not is_of_typingmind(message.name)]


def divider_uuid(conversation: Conversation) -> str:
    """Return the UUID of the line before a conversation of a life."""
    return name_uuid("line", conversation.source, conversation.key)


def name_message(raw: bytes) -> WrittenMessage:
    """Return a message's bytes with its date, and the name by which chats are compared."""
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
        BroughtChat(
            chat_id=chat_id,
            title=title,
            model=model,
            system_message=system_message,
            messages=[message.raw for message in messages],
            began=messages[0].date,
            ended=messages[-1].date,
            origin=origin,
        )
    )
