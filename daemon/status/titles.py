"""Take the titles of chats out of what others may see."""

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.work import Titled
from daemon.events import ChatIs, Event
from daemon.files.paths import file_name
from daemon.status.printable import told_apart
from rules.wording import cut_title

_SENTENCES = frozenset({"reason", "next_step", "detail", "text", "error", "why"})
"""The fields of events that hold sentences from elsewhere."""


def shown_titles(archive: Archive) -> dict[str, str]:
    """Map the ids of all known chats to their titles as people are shown them, each unlike the others."""
    return told_apart((known.chat_id, known.title) for known in known_chats(archive))


def event_without_titles(event: Event, chats: Iterable[Titled]) -> Event:
    """Return the event without a title of its own, and with ids where its sentences name chats."""
    own = [Titled(event.title, event.chat_id)] if isinstance(event, ChatIs) else []
    titled = (*own, *chats)
    names = {field.name for field in fields(event)}
    words: dict[str, Any] = {
        name: without_titles(getattr(event, name), titled) for name in names & _SENTENCES
    }
    if "title" in names:
        words["title"] = ""
    return replace(event, **words)


def without_titles(text: str, titles: Iterable[Titled]) -> str:
    """Replace titles in the text by the chats' ids, but not in the names of files.

    A title of a single word is taken out of quotation marks only: elsewhere it is a word like any
    other. The longest titles come first, since one can begin another, and then as people see them.
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
    some = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    # At the odd places is what was caught: the name of a chat's file, or of its new chat's.
    pieces = re.split(rf"((?:{some})(?: \(memories\))? \([0-9a-z_~-]+\))", text)
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
