"""Remove the titles of chats from what others may see."""

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.work import Titled
from daemon.events import ChatIs, Event
from daemon.files.paths import file_name
from daemon.status.printable import tell_apart
from rules.wording import cut_title

_SENTENCES = frozenset({"reason", "next_step", "detail", "text", "error", "why"})
"""The fields of events that hold sentences, which may name chats."""


def shown_titles(archive: Archive) -> dict[str, str]:
    """Map the ids of all known chats to the titles that are shown, no two of them equal."""
    return tell_apart((known.chat_id, known.title) for known in known_chats(archive))


def event_without_titles(event: Event, chats: Iterable[Titled]) -> Event:
    """Return the event without its own title, and with ids where its sentences name chats."""
    own_title = [Titled(event.title, event.chat_id)] if isinstance(event, ChatIs) else []
    titled = (*own_title, *chats)
    names = {field.name for field in fields(event)}
    words: dict[str, Any] = {
        name: without_titles(getattr(event, name), titled) for name in names & _SENTENCES
    }
    if "title" in names:
        words["title"] = ""
    return replace(event, **words)


def without_titles(text: str, titles: Iterable[Titled]) -> str:
    """Replace titles in the text by the chats' ids, but not in the names of files.

    A title of a single word is replaced only in quotation marks: elsewhere it may be an ordinary
    word. Longer titles are replaced first, since one title can begin another; titles are replaced
    in full and as they are shown, cut.
    """
    shown = (
        Titled(title, chat.chat_id)
        for chat in titles
        for title in dict.fromkeys((chat.title, cut_title(chat.title)))
    )
    chats = sorted(
        (chat for chat in shown if chat.title.strip()),
        key=lambda chat: len(chat.title),
        reverse=True,
    )
    names = {
        name
        for chat in chats
        if (name := file_name(chat.title, chat.chat_id).rpartition(" (")[0]) in text
    }
    if not names:
        return _without_all(text, chats)
    alternatives = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # The pieces at odd places are matches: the name of a chat's file, or of its new chat's.
    pieces = re.split(rf"((?:{alternatives})(?: \(memories\))? \([0-9a-z_~-]+\))", text)
    return "".join(
        piece if at % 2 else _without_all(piece, chats) for at, piece in enumerate(pieces)
    )


def _without_all(text: str, chats: Iterable[Titled]) -> str:
    """Replace titles by ids: those in quotes, and those of several words anywhere."""
    for chat in chats:
        name = chat.chat_id or "this chat"
        text = text.replace(f'"{chat.title}"', name)
        if len(chat.title.split()) > 1 and chat.title in text:
            text = re.sub(rf"(?<!\w){re.escape(chat.title)}(?!\w)", name.replace("\\", r"\\"), text)
    return text
