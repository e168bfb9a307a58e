"""Do what the person does in TypingMind, on two devices: each act is a method with a plain name.

Numbers choose a message or a memory, modulo their count; an act for which there is nothing does nothing.
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
    """A person: their devices, the chat that they are in, and all that they ever said or wrote."""

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
        """Return the messages of the chat as they are on the first device."""
        return self.device.messages(self.chat_id)

    @property
    def ours(self) -> Ours:
        """Return the texts by which memproc's own messages can be told by now."""
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
        """Return whether the messages of the chat have got other uuids."""
        return self.chat_id in self._renewed

    def talk(self, turns: int) -> None:
        """Talk on for so many turns."""
        with self._listening(self.device):
            self.device.talk(self.chat_id, turns, _WORDS)

    def edit_message(self, which: int) -> None:
        """Edit a message of the conversation."""
        if found := self._conversation():
            self.device.edit(self.chat_id, found[which % len(found)], self._said_otherwise())

    def delete_message(self, which: int) -> None:
        """Delete a message of the conversation."""
        if found := self._conversation():
            self.device.delete(self.chat_id, found[which % len(found)])

    def edit_memory(self, which: int, slot: int) -> None:
        """Edit one of a memory's six messages."""
        if found := self._memories():
            text = self._other_words()
            self._written.add(text)
            self.device.edit(self.chat_id, found[which % len(found)] + slot - 1, text)

    def delete_of_memory(self, which: int, slot: int) -> None:
        """Delete one of a memory's six messages, or the message before it (0) or after it (7)."""
        if found := self._memories():
            at = found[which % len(found)] + slot - 1
            if at < len(self.device.messages(self.chat_id)):  # a fork may end with a memory
                self.device.delete(self.chat_id, at)

    def delete_memory(self, which: int) -> None:
        """Delete a whole memory."""
        if found := self._memories():
            at = found[which % len(found)]
            for _ in range(6):
                self.device.delete(self.chat_id, at)

    def delete_all_memories_but(self, which: int) -> None:
        """Delete every whole memory but one."""
        found = self._memories()
        for at in reversed(found):
            if at != found[which % len(found)]:
                for _ in range(6):
                    self.device.delete(self.chat_id, at)

    def attach(self, which: int) -> None:
        """Attach a picture, which is in TypingMind's own store, to a message of the conversation."""
        if found := self._conversation():
            self.device.attach(self.chat_id, found[which % len(found)])

    def rewrite_section(self, which: int, how: str) -> None:
        """Rewrite a section of the opening, empty it, remove it with its heading, or add a missing one."""
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
        """Reword a fact in the opening, remove it, or add another one."""
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
        """Rewrite what comes first in the opening, before any heading."""
        with self._opening() as parts:
            parts[0][1][:1] = [self._other_words()]

    def throw_away_opening(self) -> None:
        """Replace all of the opening's text.

        Without any heading it says nothing about single lines, so none of them counts as taken out.
        """
        with self._opening() as parts:
            parts[:] = [("", [self._other_words()])]
        self.crossed_out.pop(self.chat_id, None)
        self.taken_out.pop(self.chat_id, None)

    def section_words(self) -> str:
        """Return a new short text of the person's, and remember it."""
        self._edits += 1
        text = f"I, the person, say so for the {self._edits}th time."
        self.words.add(text)
        return text

    @contextmanager
    def _opening(self) -> Iterator[list[Block]]:
        """Yield the parts of the opening, to be edited; [] where the chat has no opening."""
        at = self.ours.opening_of(self.messages)
        parts = blocks(said(self.messages[at])) if at is not None else [("", [])]
        yield parts
        if at is not None and written(parts) != said(self.messages[at]):
            self._openings.add(written(parts))
            self.device.edit(self.chat_id, at, written(parts))

    def pin(self, which: int) -> None:
        """Pin any message."""
        if self.messages:
            self.device.pin(self.chat_id, which % len(self.messages))

    def unpin(self, which: int) -> None:
        """Unpin a pinned message."""
        pinned = [at for at, message in enumerate(self.messages) if message.get("isPinned")]
        if pinned:
            at = pinned[which % len(pinned)]
            self.unpinned.add(said(self.messages[at]))
            self.device.unpin(self.chat_id, at)

    def cross_out_passage(self, which: int) -> None:
        """Take a kept passage out of the opening, with the line above it."""
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
        """Exclude a message of the conversation from the context."""
        if found := self._conversation():
            self.device.exclude(self.chat_id, found[which % len(found)])

    def exclude_of_memory(self, which: int, slot: int) -> None:
        """Exclude one of a memory's six messages from the context."""
        if found := self._memories():
            self.device.exclude(self.chat_id, found[which % len(found)] + slot - 1)

    def insert(self, which: int, role: str) -> None:
        """Insert a message among the others, as a merge does."""
        at = which % (len(self.messages) + 1)
        self.device.insert(self.chat_id, at, role, self._said_otherwise())

    def regenerate(self, back: int) -> None:
        """Regenerate the answer to the question that is `back` questions before the last."""
        asked = [at for at, message in enumerate(self.messages) if message.get("role") == "user"]
        if asked:
            with self._listening(self.device):
                self.device.regenerate(self.chat_id, asked[-1 - back % len(asked)])

    def arrow_back(self) -> None:
        """Go back to the other branch, where there is one."""
        held = [at for at, message in enumerate(self.messages) if message.get("threads")]
        if held:
            self.device.arrow_back(self.chat_id, held[-1])

    def fork(self, upto: int | None, *, new_uuids: bool) -> None:
        """Fork the chat, and go on in the fork; older clients give new uuids in any case."""
        if self.chat_id in self._stripped:
            return
        at = None if upto is None or not self.messages else upto % len(self.messages)
        renewed = new_uuids or self.device.build == "2024"
        self._goes_on_in(self.device.fork(self.chat_id, at, new_uuids=renewed), renewed=renewed)

    def restore(self) -> None:
        """Delete the chat, and restore it from the bin."""
        if self.chat_id not in self._stripped:
            self._goes_on_in(self.device.restore(self.chat_id), renewed=True)

    def turn_to(self, which: int) -> None:
        """Go on in another chat."""
        chats = list(self.device.chats)
        self.chat_id = chats[which % len(chats)]

    def rearrange_keys(self) -> None:
        """Bring the chat back from the cloud, with its JSON keys in another order."""
        self.device.bring_in(jsonb(self.device.export(self.chat_id)))

    def strip_markers(self) -> None:
        """Remove the markers from the chat, as a tool does that keeps only the fields that it knows.

        Without markers, memproc would skip a chat with other uuids than its own, a copy that it has not seen, and a copy
        of this chat. That would end the chat's life, so it is done to no such chat, and this one is not copied later. Nor
        would it know a memory of another chat that it has not seen in this one.
        """
        known = self.archive.get(self.chat_id, Account()).by_texts
        shown = (edition.texts for _, edition in groups(self.messages, self.archive))
        if not self.renewed and self.chat_id in self.archive and all(six in known for six in shown):
            self.device.bring_in(strip_markers(self.device.export(self.chat_id)))
            self._stripped.add(self.chat_id)

    def bring_in(self, export: bytes, *, is_newest: bool = True) -> None:
        """Import an updated export, and go on in its chat.

        An older export cannot name the messages that memories have replaced since: a sync may bring those back.
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
        """Sync the chat to the second device. No message that a memory has replaced may come back there."""
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
        """Sync the chat from the second device to the first, whose edits of the opening it may undo."""
        if self.chat_id in self.other.chats:
            sync(self.other, self.device, self.chat_id)
            lines = {line for message in self.messages for line in said(message).splitlines()}
            out = self.crossed_out.get(self.chat_id, set())
            out -= {fact(line) for line in lines}

    def talk_elsewhere(self, turns: int) -> None:
        """Talk on at the second device."""
        if self.chat_id in self.other.chats:
            with self._listening(self.other):
                self.other.talk(self.chat_id, turns, _WORDS)
            self.device.now = max(self.device.now, self.other.now)

    def _goes_on_in(self, chat_id: str, *, renewed: bool) -> None:
        """Go on in a copy of the present chat, whose messages of memproc's are as recognisable as in that chat."""
        before, self.chat_id = self.chat_id, chat_id
        for such in (self._stripped, self._renewed):
            such.update({chat_id} if before in such else ())
        if renewed:
            self._renewed.add(chat_id)

    def _memories(self) -> list[int]:
        """Return the indices at which whole memories begin in the chat."""
        return [at for at, _ in groups(self.messages, self.archive)]

    def _conversation(self) -> list[int]:
        """Return the indices of the messages of the conversation itself."""
        where = self.ours.where(self.messages)
        return [at for at in range(len(self.messages)) if at not in where]

    @contextmanager
    def _listening(self, device: TypingMind) -> Iterator[None]:
        """Count what is said within the block as part of the conversation."""
        before = {said(message) for message in device.messages(self.chat_id)}
        yield
        self._talked |= {said(message) for message in device.messages(self.chat_id)} - before

    def _said_otherwise(self) -> str:
        """Return a new text for a message of the conversation, and note it, since a memory may quote it."""
        text = self._other_words()
        self._talked.add(text)
        return text

    def _other_words(self) -> str:
        self._edits += 1
        return f"I put it in other words now, for the time number {self._edits}, and I mean every one of them."
