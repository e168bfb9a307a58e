"""Chats: settings in TypingMind that would spoil the memories of a chat, for each chat that memproc has seen."""

from collections.abc import Iterator

from daemon.archive.archive import Archive
from daemon.doctor.finding import Finding, ok, warning
from daemon.doctor.place import Place
from daemon.doctor.seen import seen_chats
from rules.recognize.recognize import recognise
from rules.typingmind.warnings import warnings


def chats(place: Place) -> Iterator[Finding]:
    """No chat has a context limit, TypingMind's own summaries, an unfinished answer, or more than 3 MiB."""
    seen = told = 0
    with Archive.read(place.folders.state) as archive:
        for chat in seen_chats(archive, place.config):
            seen += 1
            for sentence in warnings(chat.chat, recognise(chat.messages, {})):
                told += 1
                # Each says first what is wrong, and in its last sentence what to do.
                wrong, _, mend = sentence.rpartition(". ")
                yield warning(f'chat "{chat.chat.title}"', f"{wrong}.", mend)
    if not told:
        yield ok(
            "chats", f"Seen: {seen:,}. Nothing in them spoils their memories." if seen else "None has been seen yet."
        )
