"""The other branches of a chat: what TypingMind moved into a message's `threads` when that message was sent again.

A branch hangs on one message of the chat and holds what came after it; branches hang on its messages in turn.
None of them is sent to a model: they are in the export, and not in the conversation.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rules.typingmind import spans
from rules.typingmind.message import Message, message_of

_KEY = b'"threads"'


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch that hangs on the message at this index of the chat."""

    at: int
    messages: tuple[Message, ...]
    """Its messages in order, each followed by those of the branches that hang on it; without their bytes."""


def branches(messages: Sequence[Message]) -> tuple[Branch, ...]:
    """All branches of a chat's messages, in order of the messages that they hang on.

    What has another shape than TypingMind gives it (no list, no messages) is passed over.
    Only messages that name the key are parsed again: few do in 10,000.
    """
    return tuple(
        Branch(at, tuple(map(message_of, _inside(thread))))
        for at, message in enumerate(messages)
        if _KEY in message.raw
        for thread in _threads(spans.value(spans.decoded(message.raw), 0)[0])
    )


def _threads(message: object) -> list[object]:
    found = message.get("threads") if isinstance(message, dict) else None
    return found if isinstance(found, list) else []


def _inside(thread: object) -> Iterator[dict[str, object]]:
    found = thread.get("messages") if isinstance(thread, dict) else None
    for message in found if isinstance(found, list) else []:
        if isinstance(message, dict):
            yield message
            for deeper in _threads(message):
                yield from _inside(deeper)
