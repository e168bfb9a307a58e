"""A chat is finished as a trip would finish it: arranged, written, and with all that its proof needs.

finish(chat_of(TALK), [memory_of(1, chunk(0, 2))]).after        the finished chat, read
finish(chat_of(TALK), ...).again()                              the same, as the next export
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from daemon.files.read import chats_in
from rules.conversation.history import Entry, Past, Place, build_history, mark_strays
from rules.conversation.marker import Canned, known_markers
from rules.conversation.memory import Memory
from rules.output.arrange import MemorySection
from rules.output.assemble import Assembled, Mode, assemble
from rules.output.read_back import Finished
from rules.recognize.recognize import recognize
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.document import chat_container
from rules.typingmind.message import Message
from tests.chats import Json
from tests.entries import entries, said

CANNED = Canned(
    "<system>\nMemories follow.\n</system>", "<system>\nThe live conversation follows.\n</system>"
)
NOW = "2026-04-01T12:00:00.000Z"
TALK = [said(("user", "assistant")[at % 2], f"message number {at}", at) for at in range(8)]


@dataclass(frozen=True)
class Done:
    """A finished chat, how it came about, and what its proof asks for."""

    chat: Chat
    assembled: Assembled
    proof: Finished

    @property
    def after(self) -> Json:
        read: Json = json.loads(self.assembled.chat)
        return read

    @property
    def messages(self) -> list[Json]:
        found: list[Json] = self.after["messages"]
        return found

    def again(self) -> Chat:
        """The finished chat as the person exports it next, byte for byte."""
        return chats_in("test.json", chat_container(self.assembled.chat))[0]


def chunk(start: int, stop: int, messages: Sequence[Message] = TALK) -> tuple[Entry, ...]:
    return entries(messages)[start:stop]


def looked_at(
    chat: Chat, memories: Sequence[Memory], archived: Sequence[Message] = TALK
) -> tuple[tuple[Place, ...], tuple[Entry, ...]]:
    """What each message is, and the history. The archive has all that is under the memories."""
    under = {key: memory.number for memory in memories if not memory.is_fold for key in memory.keys}
    past = [
        Past(one.key, one.message, under[one.key], one.message, (one.message.digest,))
        for one in entries(archived)
        if one.key in under
    ]
    digests = {old.key: old.message.digest for old in past}
    keys = {
        memory.memory_id: {key: digests.get(key, "") for key in memory.keys} for memory in memories
    }
    every = {memory.memory_id: (memory.in_prompts, memory.edition) for memory in memories}
    known = known_markers({chat.chat_id: ()}, memories, every, CANNED)
    places = mark_strays(past, recognize(read_messages(chat), known, keys))
    found = (replace(entry, memory=under.get(entry.key)) for entry in build_history(past, places))
    return places, tuple(found)


def finish(
    chat: Chat,
    memories: Sequence[Memory],
    *,
    shown: Sequence[Memory] | None = None,
    touched: Collection[str] = (),
    mode: Mode = "replace",
    archived: Sequence[Message] = TALK,
    canned: Canned = CANNED,
) -> Done:
    """The chat with these memories in it; `shown` are all of them unless told otherwise."""
    section = MemorySection(memories, memories if shown is None else shown, touched)
    places, found = looked_at(chat, memories, archived)
    done = assemble(chat, places, found, section, canned, NOW, mode)
    return Done(chat, done, Finished(chat, done.chat, places, found, section, done.removed))


def kinds(messages: Sequence[Any]) -> list[str]:
    return [message.get("memproc", {}).get("kind", "raw") for message in messages]


def spoken(messages: Sequence[Json]) -> list[str]:
    """What stands where, in short: `m1` for the six of a memory, the number of a raw message, or the kind."""
    found: list[str] = []
    for message in messages:
        marker = message.get("memproc", {})
        if marker.get("kind") == "memory":
            names = (
                [marker["memory"]] if marker["slot"] == 1 or found[-1] != marker["memory"] else []
            )
        elif marker.get("kind") in ("opening", "closing"):
            names = [marker["kind"]]
        else:
            text = (
                message["content"]
                if isinstance(message["content"], str)
                else message["content"][0]["text"]
            )
            names = [
                ("(", "")[marker == {}]
                + text.removeprefix("message number ")
                + (")", "")[marker == {}]
            ]
        found += names
    return found
