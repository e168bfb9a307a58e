"""A raw message as the page shows it: who said it, when, and its words in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from daemon.page.message_blocks import MarkedPassage, MessageBlock, cut_blocks
from rules.conversation.memory import Quote
from rules.typingmind.message import Message


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message in blocks; those from `first` to before `stop` are shown."""

    key: str
    is_persona: bool
    date: str | None
    blocks: tuple[MessageBlock, ...]
    first: int
    stop: int
    quotes: tuple[int, ...] = ()
    """The numbers of its memory's quotes in it, from 1."""
    is_deleted: bool = False
    is_edited: bool = False
    left_out: str = ""
    """Why no memory is made of it; else empty."""
    day: str = ""
    """The day that begins with it on this page, as an ISO date; else empty."""


def show_message(
    key: str, message: Message, quotes: Sequence[Quote] = (), prefix: str = "", query: str = ""
) -> SaidMessage:
    """Return a message with those of the quotes marked that are from it, and a query's words.

    With a `prefix`, the place of each quote has an id: the prefix and the quote's number.
    """
    numbers = tuple(at for at, quote in enumerate(quotes, 1) if quote.source == key)
    passages = [
        MarkedPassage(quotes[number - 1].text, f"{prefix}{number}" if prefix else "")
        for number in numbers
    ]
    blocks = cut_blocks(message.parts, passages, query)
    is_persona = message.speaker == "assistant"
    return SaidMessage(key, is_persona, message.created_at, blocks, 0, len(blocks), numbers)
