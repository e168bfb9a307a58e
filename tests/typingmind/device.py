"""One device with TypingMind on it: the chats that it stores, and what a person does there."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.chats import Json, date
from tests.exports.words import answer, question
from tests.typingmind.branches import base_of, branch_off, swapped
from tests.typingmind.clock import between, newest
from tests.typingmind.copies import fork_of
from tests.typingmind.sending import sent
from tests.typingmind.shapes import (
    Build,
    answered,
    is_billed,
    is_used,
    new_chat,
    new_chat_id,
    said_by_person,
)
from tests.typingmind.texts import reworded
from tests.typingmind.wire import read_chats, write_chats

_TOKENS_A_WORD = 1.2
_REMEMBERED_DELETIONS = 100
_FIRST_DAYS = {
    "2024": datetime(2024, 11, 7, 9, tzinfo=UTC),
    "2026": datetime(2026, 1, 14, 9, tzinfo=UTC),
}


class TypingMind:
    """The chats of one device by chatID, its client's build, and its clock.

    `at` is the place of a message in its chat; a negative one counts from the end.
    """

    def __init__(self, dice: Random | int, build: Build = "2026") -> None:
        self.dice = dice if isinstance(dice, Random) else Random(dice)
        self.build: Build = build
        self.chats: dict[str, Json] = {}
        self.now = _FIRST_DAYS[build]
        self._said: set[str] = set()

    def bring_in(self, export: bytes) -> None:
        """Import: each chat takes the place of the one with its chatID, whole. Raises NotAnArchive."""
        for chat in read_chats(export):
            self.chats[str(chat.get("chatID", "undefined"))] = chat | {"syncedAt": None}
            self._is_not_before(chat.get("messages") or [])

    def export(self, *chat_ids: str) -> bytes:
        """The file that Export saves with these chats, or with all."""
        return write_chats([self.chat(chat_id) for chat_id in chat_ids or self.chats])

    def chat(self, chat_id: str) -> Json:
        """The stored chat itself, not a copy."""
        return self.chats[chat_id]

    def messages(self, chat_id: str) -> list[Json]:
        """The stored messages themselves."""
        found: list[Json] = self.chat(chat_id)["messages"]
        return found

    def begin(self, title: str, system_message: str = "", **fields: Any) -> str:
        """A new, empty chat; its chatID."""
        chat_id = new_chat_id(self.dice)
        self.chats[chat_id] = new_chat(
            title, system_message, chat_id=chat_id, at=self.now, **fields
        )
        return chat_id

    def talk(self, chat_id: str, turns: int, words: int = 40) -> None:
        """So many questions and answers more, each of about `words` words, minutes apart; no text comes twice."""
        for _ in range(turns):
            self._later(minutes=self.dice.randint(1, 20))
            asked = said_by_person(self.build, self._new_text(question, words), self.dice, self.now)
            self.messages(chat_id).append(asked)
            self.messages(chat_id).append(self._answer(chat_id, words))
        self._touched(chat_id)

    def edit(self, chat_id: str, at: int, text: str) -> None:
        """Other words for a message; whatever else it carries stays."""
        message = self.messages(chat_id)[at]
        message["content"] = reworded(message.get("content"), text)
        message["updatedAt"] = self._later(minutes=1)
        self._touched(chat_id)

    def attach(self, chat_id: str, at: int) -> None:
        """A picture beside the words of a message: its bytes lie in the client's own store, by their blob's id."""
        message = self.messages(chat_id)[at]
        words = message.get("content")
        parts = words if isinstance(words, list) else [{"type": "text", "text": words or ""}]
        picture = {
            "type": "tm_image_file",
            "metadata": {"name": "sea.png", "localBlobID": f"blob of {message['uuid']}"},
        }
        message["content"] = [picture, *parts]
        message["updatedAt"] = self._later(minutes=1)
        self._touched(chat_id)

    def delete(self, chat_id: str, at: int) -> None:
        """Remove a message. The newer client notes its uuid for the other devices: the last 100, and nothing else."""
        gone = self.messages(chat_id).pop(at)
        if self.build == "2026":
            noted = self.chat(chat_id).get("syncMetadata") or {}
            uuids = [*(noted.get("deletedMessageUUIDs") or []), *filter(None, [gone.get("uuid")])]
            self.chat(chat_id)["syncMetadata"] = {
                "deletedMessageUUIDs": uuids[-_REMEMBERED_DELETIONS:],
                "deletedSyncedBlobIDs": (noted.get("deletedSyncedBlobIDs") or [])[
                    -_REMEMBERED_DELETIONS:
                ],
            }
        self._touched(chat_id)

    def pin(self, chat_id: str, at: int) -> None:
        """Pin a message."""
        self.messages(chat_id)[at]["isPinned"] = True
        self._touched(chat_id)

    def unpin(self, chat_id: str, at: int) -> None:
        """Take the pin off: nothing of it stays."""
        self.messages(chat_id)[at].pop("isPinned")
        self._touched(chat_id)

    def exclude(self, chat_id: str, at: int) -> None:
        """Exclude a message from the context: shown, but no longer sent."""
        self.messages(chat_id)[at]["contextClearedAt"] = self._later(minutes=1)
        self._touched(chat_id)

    def regenerate(self, chat_id: str, at: int, say: str | None = None) -> None:
        """Ask for an answer again: of an answer, or of what it answers (there with other words: `say`).

        2026: everything after the question moves into its threads, and one new answer stands.
        2024: the one answer is replaced, where it stands. Raises ValueError where there is nothing to answer.
        """
        messages = self.messages(chat_id)
        base = base_of(messages, at)
        self._later(minutes=1)
        if self.build == "2026":
            self.chat(chat_id)["messages"] = branch_off(messages, base, self.now, say)
            self.messages(chat_id).append(self._answer(chat_id, words=40))
        else:
            self._replace_answer(chat_id, base, range(len(messages))[at], say)
        self._touched(chat_id)

    def arrow_back(self, chat_id: str, at: int) -> None:
        """The branch arrow on a question, or on the answer below it. Raises ValueError where there is no branch."""
        messages = self.messages(chat_id)
        self.chat(chat_id)["messages"] = swapped(messages, base_of(messages, at))
        self._touched(chat_id)

    def insert(self, chat_id: str, at: int, role: str, text: str) -> None:
        """A message in between, dated so that a sort by date leaves it there: what a merge can bring."""
        messages = self.messages(chat_id)
        place = len(messages) if at == len(messages) else range(len(messages))[at]
        before, after = (
            messages[place - 1] if place else None,
            messages[place] if place < len(messages) else None,
        )
        self._later(minutes=1)
        if role == "user":
            made = said_by_person(self.build, text, self.dice, self.now)
        else:
            made = answered(self.build, self.chat(chat_id), text, self.dice, self.now) | {
                "role": role
            }
        messages.insert(place, made | {"createdAt": between(before, after, self.now)})
        self._touched(chat_id)

    def fork(self, chat_id: str, upto: int | None = None, *, new_uuids: bool | None = None) -> str:
        """Fork the chat up to and with message `upto`; the new chatID. `new_uuids`: as the builds in between did."""
        messages = self.messages(chat_id)
        kept = messages if upto is None else messages[: range(len(messages))[upto] + 1]
        renew = self.build == "2024" if new_uuids is None else new_uuids
        self._later(minutes=1)
        return self._store(
            fork_of(self.chat(chat_id), kept, self.build, self.dice, self.now, renew=renew)
        )

    def restore(self, chat_id: str) -> str:
        """Into the bin and back: the chat is gone, and a copy of it stands under a new chatID, which is returned."""
        self._later(minutes=1)
        gone = self.chats.pop(chat_id)
        back = fork_of(gone, gone["messages"], self.build, self.dice, self.now, renew=True)
        return self._store(back | {"chatTitle": f"(Restored) {gone.get('chatTitle', '')}"})

    def what_is_sent(self, chat_id: str, window: int | None = None) -> list[Json]:
        """Role and content of all that the model would get; `window` is its context length in tokens."""
        return sent(self.chat(chat_id), self.build, window)

    def _replace_answer(self, chat_id: str, base: int, at: int, say: str | None) -> None:
        messages, place = self.messages(chat_id), max(at, base + 1)
        if say is not None:
            messages[base]["content"] = reworded(messages[base].get("content"), say)
        there = place < len(messages) and messages[place].get("role") == "assistant"
        messages[place : place + there] = [self._answer(chat_id, words=40)]

    def _answer(self, chat_id: str, words: int) -> Json:
        """A new answer, paid for, half a minute later."""
        chat = self.chat(chat_id)
        is_used(self.build, chat)
        self._later(seconds=self.dice.randint(10, 50))
        made = answered(self.build, chat, self._new_text(answer, words), self.dice, self.now)
        is_billed(chat, made)
        return made

    def _new_text(self, say: Any, words: int) -> str:
        while (
            text := say(self.dice.randrange(10**9), round(words * _TOKENS_A_WORD))
        ) in self._said:
            pass
        self._said.add(text)
        return str(text)

    def _store(self, chat: Json) -> str:
        chat_id = str(chat["chatID"])
        self.chats[chat_id] = chat
        self._is_not_before(chat["messages"])
        return chat_id

    def _touched(self, chat_id: str) -> None:
        """A change is to be pushed. `updatedAt` does not move: the client leaves it (format, section 12)."""
        self.chat(chat_id)["syncedAt"] = None

    def _later(self, **time: float) -> str:
        self.now += timedelta(**time)
        return date(self.now)

    def _is_not_before(self, messages: Iterable[Json]) -> None:
        """Nobody answers before a message that they have in front of them."""
        self.now = max(self.now, newest(messages))
