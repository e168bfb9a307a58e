"""Takes chats' titles out of what is logged: logs are shown to others, and a title can be as private as a message.

The name of a file stays as it is, although a title stands in it: a name that is not the file's helps nobody find it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeVar

from daemon.archive.archive import Archive
from rules.output.naming import file_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Event = TypeVar("_Event", bound="DataclassInstance")
_WORDS = frozenset({"reason", "next_step", "detail", "text", "error", "why"})
"""The fields in which sentences from elsewhere stand."""


@dataclass(frozen=True, slots=True)
class Titled:
    """A chat, by its title and its id; the id is empty where it is not known."""

    title: str
    chat_id: str


def known_titles(archive: Archive) -> tuple[Titled, ...]:
    """The chats that the archive knows, and those that were set aside before it could know them."""
    rows = archive.run(
        """
        SELECT title, chat_id FROM chat UNION
        SELECT title, chat_id FROM outcome JOIN arrival ON arrival.id = outcome.arrival
        WHERE kind = 'set aside' AND substr(arrival.path, -length(title)) <> title  -- which is the file's own name
        """
    )
    return tuple(Titled(*row) for row in rows)


def has_words(event: "DataclassInstance") -> bool:
    """Whether there is anything in an event that could hold a title."""
    return any(getattr(event, field.name) for field in fields(event) if field.name in _WORDS)


def event_without_titles(event: _Event, titles: Iterable[Titled]) -> _Event:
    """The event with ids where its sentences name chats."""
    chats = tuple(titles)
    said = {field.name: getattr(event, field.name) for field in fields(event) if field.name in _WORDS}
    return replace(event, **{name: without_titles(text, chats) for name, text in said.items()})


def without_titles(text: str, titles: Iterable[Titled]) -> str:
    """The text with the chat's id where a title stands; the names of files stay, so that people find them.

    A title of a single word is taken out of quotation marks only: elsewhere it is a word like any other. The longest
    titles come first, since one can begin another.
    """
    chats = sorted((chat for chat in titles if chat.title.strip()), key=lambda chat: len(chat.title), reverse=True)
    names = {name for chat in chats if (name := _begins_name(chat)) in text}
    if not names:
        return _without_all(text, chats)
    some = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # What is caught stands at the odd places: the name of a chat's file, or of the new chat that was made of it.
    pieces = re.split(rf"((?:{some})(?: \(memories\))? \([0-9a-z_~-]+\))", text)
    return "".join(piece if at % 2 else _without_all(piece, chats) for at, piece in enumerate(pieces))


def _begins_name(chat: Titled) -> str:
    return file_name(chat.title, chat.chat_id).rpartition(" (")[0]


def _without_all(text: str, chats: Iterable[Titled]) -> str:
    for chat in chats:
        text = _without(text, chat)
    return text


def _without(text: str, chat: Titled) -> str:
    name = chat.chat_id or "this chat"
    text = text.replace(f'"{chat.title}"', name)
    if len(chat.title.split()) < 2 or chat.title not in text:
        return text
    return re.sub(rf"(?<!\w){re.escape(chat.title)}(?!\w)", lambda _: name, text)
