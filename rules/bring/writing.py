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
from rules.typingmind.message import Message, read_message


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A message of the chat, by its name and in its bytes."""

    name: MessageName
    raw: bytes


def write_messages(conversation: Conversation) -> list[WrittenMessage]:
    """Return the messages of a conversation as TypingMind would store them."""
    return [
        named(
            write_brought_message(
                BroughtMessage(
                    conversation.uuid_of(said), said.role, said.text, said.when, said.model
                )
            )
        )
        for said in conversation.messages
    ]


def join(
    written: Sequence[WrittenMessage], title: str, conversation: Conversation
) -> list[WrittenMessage]:
    """Return a conversation behind those written already, with a line between them.

    `title` is that of what is written. Without anything before it, there is no line.
    """
    messages = write_messages(conversation)
    if not written or not messages:
        return [*written, *messages]
    last, first = read_message(written[-1].raw), conversation.messages[0].when
    ended = (last.created_at or "")[:10]
    line = write_divider(
        divider_uuid(conversation),
        f'[Here "{title}" ends, on {ended}. What follows is another conversation, '
        f'"{conversation.title}", from {first:%Y-%m-%d} on.]',
        first,
    )
    return [*written, named(line), *messages]


def before_conversation(
    held: Sequence[WrittenMessage], conversation: Conversation
) -> Sequence[WrittenMessage] | None:
    """Return what a life holds before a conversation, its line included; None if it lacks it.

    What was said in TypingMind is left out.
    """
    brought = [message for message in held if not is_of_typingmind(message.name)]
    line = divider_uuid(conversation)
    place = next((at for at, message in enumerate(brought) if message.name.uuid == line), None)
    return None if place is None else brought[: place + 1]


def divider_uuid(conversation: Conversation) -> str:
    """Return the UUID of the line before a conversation of a life."""
    return name_uuid("line", conversation.source, conversation.key)


def named(raw: bytes) -> WrittenMessage:
    """Return a message's bytes with the name by which chats are compared."""
    message = read_message(raw)
    return WrittenMessage(name_of(message), raw)


def name_of(message: Message) -> MessageName:
    """Return the name by which chats are compared."""
    return MessageName(message.uuid or "", message.digest)


def write_chat(
    chat_id: str,
    title: str,
    messages: Sequence[WrittenMessage],
    conversations: Sequence[Conversation],
    *,
    life: str = "",
    model: str = "",
    system_message: str = "",
) -> bytes:
    """Return the JSON of a new chat that holds these conversations."""
    origin = Origin(tuple((each.source, each.key) for each in conversations), life)
    return write_brought_chat(
        BroughtChat(
            chat_id,
            title,
            model,
            system_message,
            [message.raw for message in messages],
            conversations[0].messages[0].when,
            conversations[-1].messages[-1].when,
            origin,
        )
    )
