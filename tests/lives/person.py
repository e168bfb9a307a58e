"""What the person does in TypingMind, on two devices: each act is a method with a plain name.

Numbers say which message or memory is meant, whatever their count is; an act for which there is nothing is none.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.chats import Json
from tests.lives.keeper import SECTIONS
from tests.lives.opening import FACTS, KEPT, Block, blocks, fact, passages, written
from tests.lives.ours import Ours, groups, said
from tests.lives.witness import Account
from tests.typingmind import TypingMind, jsonb, strip_markers, sync
from tests.typingmind.shapes import Build
from tests.typingmind.wire import read_chats

_WORDS = 70


class Person:
    """The devices, the chat that the person is in, and all that was ever said or written."""

    def __init__(self, build: Build, closing: str) -> None:
        self.device, self.other = TypingMind(1, build), TypingMind(2, build)
        self.chat_id = self.device.begin("The lighthouse", "You are Aria, who keeps a lighthouse.")
        self.archive: Mapping[str, Account] = {}
        """What memproc knows, as of its last run."""
        self.words: set[str] = set()
        """What the person has written into sections, and as facts."""
        self.crossed_out: dict[str, set[str]] = {}
        """Facts that they have taken out of the opening of each chat since it was imported."""
        self.taken_out: dict[str, set[str]] = {}
        """The same of kept passages."""
        self.left: dict[str, set[str]] = {}
        """What memproc has taken out of each chat, as imported: a branch may take out more."""
        self.released: set[str] = set()
        """Kept passages that they have released, by a command or in an opening."""
        self.unpinned: set[str] = set()
        """What the messages say from which they have taken a pin."""
        self._closing = closing
        self._openings: set[str] = set()
        self._talked: set[str] = set()
        self._written: set[str] = set()
        self._stripped: set[str] = set()
        self._renewed: set[str] = set()
        self._edits = 0

    @property
    def messages(self) -> list[Json]:
        """Those of the chat, as they stand on the first device."""
        return self.device.messages(self.chat_id)

    @property
    def ours(self) -> Ours:
        """By what memproc's own messages are known by now."""
        editions = (
            e
            for account in self.archive.values()
            for one in account.memories.values()
            for e in one.editions
        )
        texts = {text for edition in editions for text in edition.texts} | self._written
        both = frozenset(texts & self._talked)
        memories, written = frozenset(texts - both), frozenset(self._written)
        return Ours(self._closing, frozenset(self._openings), memories, written, both, self.archive)

    @property
    def renewed(self) -> bool:
        """The messages of the chat have got other uuids."""
        return self.chat_id in self._renewed

    def talk(self, turns: int) -> None:
        """The person talks on."""
        with self._listening(self.device):
            self.device.talk(self.chat_id, turns, _WORDS)

    def edit_message(self, which: int) -> None:
        """Other words for a message of the conversation."""
        if found := self._conversation():
            self.device.edit(self.chat_id, found[which % len(found)], self._said_otherwise())

    def delete_message(self, which: int) -> None:
        """A message of the conversation is deleted."""
        if found := self._conversation():
            self.device.delete(self.chat_id, found[which % len(found)])

    def edit_memory(self, which: int, slot: int) -> None:
        """The person writes something else into one of a memory's six messages."""
        if found := self._memories():
            text = self._other_words()
            self._written.add(text)
            self.device.edit(self.chat_id, found[which % len(found)] + slot - 1, text)

    def delete_of_memory(self, which: int, slot: int) -> None:
        """One of the six messages of a memory is deleted, or what is before it (0) or after it (7)."""
        if found := self._memories():
            at = found[which % len(found)] + slot - 1
            if at < len(self.device.messages(self.chat_id)):  # a fork may end with a memory
                self.device.delete(self.chat_id, at)

    def delete_memory(self, which: int) -> None:
        """A whole memory is deleted."""
        if found := self._memories():
            at = found[which % len(found)]
            for _ in range(6):
                self.device.delete(self.chat_id, at)

    def delete_all_memories_but(self, which: int) -> None:
        """Every whole memory is deleted, but one."""
        found = self._memories()
        for at in reversed(found):
            if at != found[which % len(found)]:
                for _ in range(6):
                    self.device.delete(self.chat_id, at)

    def attach(self, which: int) -> None:
        """A message of the conversation gets a picture, which lies in TypingMind's own store."""
        if found := self._conversation():
            self.device.attach(self.chat_id, found[which % len(found)])

    def rewrite_section(self, which: int, how: str) -> None:
        """A section of the opening gets other words, or none, goes with its heading, or is there at last."""
        with self._opening() as parts:
            there = {name for name, _ in parts}
            name = list(SECTIONS)[which % len(SECTIONS)]
            if name not in there and how == "words" and len(there) > 1:
                parts.insert(1, (name, [self.section_words(), ""]))
            for at, (one, lines) in enumerate(parts):
                if one == name and how == "no heading":
                    del parts[at]
                    return
                if one == name:
                    lines[:] = [self.section_words() if how == "words" else "", ""]

    def rewrite_fact(self, which: int, how: str) -> None:
        """A fact of the opening is put otherwise, or is taken out, or a further one is written there."""
        with self._opening() as parts:
            lines = next((lines for name, lines in parts if name == FACTS), [])
            places = [at for at, line in enumerate(lines) if fact(line)]
            if not places:
                return
            at = places[which % len(places)]
            if how == "another":
                lines.insert(at, f"- {self.section_words()}")
                return
            self.crossed_out.setdefault(self.chat_id, set()).add(fact(lines[at]))
            lines[at] = f"{lines[at].rstrip()} Indeed, {self._edits}." if how == "words" else ""
            self._edits += 1

    def rewrite_preface(self) -> None:
        """Other words stand first in the opening."""
        with self._opening() as parts:
            parts[0][1][:1] = [self._other_words()]

    def throw_away_opening(self) -> None:
        """All that the opening says makes room for something else.

        Without any heading it says nothing of single lines any more, so that none counts as taken out.
        """
        with self._opening() as parts:
            parts[:] = [("", [self._other_words()])]
        self.crossed_out.pop(self.chat_id, None)
        self.taken_out.pop(self.chat_id, None)

    def section_words(self) -> str:
        """Something short that the person writes."""
        self._edits += 1
        text = f"I, the person, say so for the {self._edits}th time."
        self.words.add(text)
        return text

    @contextmanager
    def _opening(self) -> Iterator[list[Block]]:
        """The parts of the opening, to be edited; none where the chat has no opening."""
        at = self.ours.opening_of(self.messages)
        parts = blocks(said(self.messages[at])) if at is not None else [("", [])]
        yield parts
        if at is not None and written(parts) != said(self.messages[at]):
            self._openings.add(written(parts))
            self.device.edit(self.chat_id, at, written(parts))

    def pin(self, which: int) -> None:
        """A message is pinned, whatever it is."""
        if self.messages:
            self.device.pin(self.chat_id, which % len(self.messages))

    def unpin(self, which: int) -> None:
        """The pin is taken off a message that has one."""
        pinned = [at for at, message in enumerate(self.messages) if message.get("isPinned")]
        if pinned:
            at = pinned[which % len(pinned)]
            self.unpinned.add(said(self.messages[at]))
            self.device.unpin(self.chat_id, at)

    def cross_out_passage(self, which: int) -> None:
        """A kept passage is taken out of the opening, with the line above it."""
        with self._opening() as parts:
            for name, lines in parts:
                words = passages(lines) if name == KEPT else []
                if words:
                    at = which % len(words)
                    self.released.add(words[at])
                    self.taken_out.setdefault(self.chat_id, set()).add(words[at])
                    heads = [at for at, line in enumerate(lines) if line.endswith(" said:")]
                    heads.append(len(lines))
                    del lines[heads[at] : heads[at + 1]]

    def exclude(self, which: int) -> None:
        """A message of the conversation is excluded from the context."""
        if found := self._conversation():
            self.device.exclude(self.chat_id, found[which % len(found)])

    def exclude_of_memory(self, which: int, slot: int) -> None:
        """One of the six messages of a memory is excluded from the context."""
        if found := self._memories():
            self.device.exclude(self.chat_id, found[which % len(found)] + slot - 1)

    def insert(self, which: int, role: str) -> None:
        """A message that a merge has brought stands among the others."""
        at = which % (len(self.messages) + 1)
        self.device.insert(self.chat_id, at, role, self._said_otherwise())

    def regenerate(self, back: int) -> None:
        """The answer to the question that stands so many questions back is asked for again."""
        asked = [at for at, message in enumerate(self.messages) if message.get("role") == "user"]
        if asked:
            with self._listening(self.device):
                self.device.regenerate(self.chat_id, asked[-1 - back % len(asked)])

    def arrow_back(self) -> None:
        """The branch arrow, where there is a branch."""
        held = [at for at, message in enumerate(self.messages) if message.get("threads")]
        if held:
            self.device.arrow_back(self.chat_id, held[-1])

    def fork(self, upto: int | None, *, new_uuids: bool) -> None:
        """The chat is forked, and the person goes on in the fork; older clients give new uuids in any case."""
        if self.chat_id in self._stripped:
            return
        at = None if upto is None or not self.messages else upto % len(self.messages)
        renewed = new_uuids or self.device.build == "2024"
        self._goes_on_in(self.device.fork(self.chat_id, at, new_uuids=renewed), renewed=renewed)

    def restore(self) -> None:
        """Into the bin and back."""
        if self.chat_id not in self._stripped:
            self._goes_on_in(self.device.restore(self.chat_id), renewed=True)

    def turn_to(self, which: int) -> None:
        """The person goes on in another chat."""
        chats = list(self.device.chats)
        self.chat_id = chats[which % len(chats)]

    def rearrange_keys(self) -> None:
        """The chat comes back from the cloud with its keys in another order."""
        self.device.bring_in(jsonb(self.device.export(self.chat_id)))

    def strip_markers(self) -> None:
        """Another tool has gone over the chat and kept only the fields that it knows.

        A chat with other uuids than memproc's would be skipped from then on, as would a copy that memproc has not seen,
        and one of this chat: there the life of the chat ends, so this is done to no such chat, and no copies are made
        of this one.
        """
        if not self.renewed and self.chat_id in self.archive:
            self.device.bring_in(strip_markers(self.device.export(self.chat_id)))
            self._stripped.add(self.chat_id)

    def bring_in(self, export: bytes, *, is_newest: bool = True) -> None:
        """An updated export is imported, and the person goes on in its chat.

        An older one cannot name what memories took the place of since: a sync may bring that back.
        """
        chat_id = str(read_chats(export)[0]["chatID"])
        if chat_id != self.chat_id and self.chat_id in self._stripped:
            return
        before = {
            said(message) for message in self.device.chats.get(chat_id, {}).get("messages", ())
        }
        self.device.bring_in(export)
        after = {said(message) for message in self.device.messages(chat_id)}
        left = self.left.get(chat_id, set()) | before if is_newest else set()
        self.left[chat_id] = left - after
        self.crossed_out.clear()
        self.taken_out.clear()
        self._goes_on_in(chat_id, renewed=False)

    def sync_to_the_other(self) -> None:
        """The second device gets the chat. Nothing that memories took the place of comes back there."""
        was_clean = bool(self.other.chats.get(self.chat_id, {}).get("syncedAt"))
        sync(self.device, self.other, self.chat_id)
        noted = (self.device.chat(self.chat_id).get("syncMetadata") or {}).get(
            "deletedMessageUUIDs"
        ) or []
        if (
            was_clean and len(noted) < 100
        ):  # of a longer list TypingMind itself forgets the beginning
            here = {said(message) for message in self.messages}
            back = {said(message) for message in self.other.messages(self.chat_id)} - here
            back &= self.left.get(self.chat_id, set())
            assert not back & self.archive.get(self.chat_id, Account()).under, (
                "a removed message is back"
            )

    def sync_back(self) -> None:
        """The first device gets what the second one has of the chat."""
        if self.chat_id in self.other.chats:
            sync(self.other, self.device, self.chat_id)

    def talk_elsewhere(self, turns: int) -> None:
        """The person talks on at the second device."""
        if self.chat_id in self.other.chats:
            with self._listening(self.other):
                self.other.talk(self.chat_id, turns, _WORDS)
            self.device.now = max(self.device.now, self.other.now)

    def _goes_on_in(self, chat_id: str, *, renewed: bool) -> None:
        """In a chat that came of the present one, and knows of memproc's messages no more than that one does."""
        before, self.chat_id = self.chat_id, chat_id
        for such in (self._stripped, self._renewed):
            such.update({chat_id} if before in such else ())
        if renewed:
            self._renewed.add(chat_id)

    def _memories(self) -> list[int]:
        """Where whole memories begin in the chat."""
        return [at for at, _ in groups(self.messages, self.archive)]

    def _conversation(self) -> list[int]:
        """Where messages of the conversation itself stand."""
        where = self.ours.where(self.messages)
        return [at for at in range(len(self.messages)) if at not in where]

    @contextmanager
    def _listening(self, device: TypingMind) -> Iterator[None]:
        """What is said meanwhile is part of the conversation."""
        before = {said(message) for message in device.messages(self.chat_id)}
        yield
        self._talked |= {said(message) for message in device.messages(self.chat_id)} - before

    def _said_otherwise(self) -> str:
        """Other words for a message of the conversation, which a memory may quote."""
        text = self._other_words()
        self._talked.add(text)
        return text

    def _other_words(self) -> str:
        self._edits += 1
        return f"I put it in other words now, for the time number {self._edits}, and I mean every one of them."
