"""A conversation that goes round: talked on in TypingMind, exported, compressed by memproc, imported, talked on."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.chats import Json
from tests.server.child import ServerProcess, serve
from tests.stories import reports
from tests.stories.person import Ended, Person
from tests.stories.wire import Sent, exported_texts, memories, sent
from tests.typingmind import TypingMind
from tests.typingmind.shapes import Build
from tests.typingmind.texts import text_of

ENGINE = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'
FIRST, MORE = 36, 14
"""Turns after which there are a few memories, and turns that bring one or two more."""


@dataclass
class Cycle:
    """One chat of one person, on one device of theirs."""

    person: Person
    device: TypingMind
    chat_id: str
    words: int = 40
    """In each message: a chunk is about four turns."""

    @classmethod
    def begin(
        cls,
        home: Path,
        build: Build = "2026",
        *,
        turns: int = FIRST,
        settings: str = ENGINE,
        size: int = 400,
    ) -> "Cycle":
        """A chat of so many turns, which memproc has not seen yet, and chunks of `size` tokens.

        Two with the same turns say the same. What a model writes is worth its place from 800 tokens on.
        """
        person = Person(home, tail=4 * size, step=size, chunk=size)
        person.settings(settings)
        device = TypingMind(1, build)
        chat_id = device.begin("The lighthouse", "You are Ada, who keeps a lighthouse.")
        return cls(person, device, chat_id, words=size // 10).talk(turns)

    @classmethod
    def lived(
        cls,
        folder: Path,
        build: Build = "2026",
        *,
        turns: int = FIRST,
        settings: str = ENGINE,
        rounds: int = 1,
    ) -> "Cycle":
        """The same after so many rounds with the built-in engine, imported.

        It is lived through once, beside the `folder` of the story. Each story finds it as it was then, and at the same
        place, since the archive knows where its files are: no story has it twice.
        """
        key = (build, turns, settings, rounds)
        if key not in _LIVED:
            place = folder.parent / f"lived-{len(_LIVED)}"  # which stays to the end
            cycle = cls.begin(place / "ada", build, turns=turns, settings=settings).goes_round()
            for _ in range(1, rounds):
                cycle.talk().goes_round()
            cycle.person.home.rename(place / "as it was")
            _LIVED[key] = cycle
        home = _LIVED[key].person.home
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(home.with_name("as it was"), home)
        return replace(_LIVED[key], device=deepcopy(_LIVED[key].device))

    def of(self, chat_id: str) -> "Cycle":
        """Another chat on the same device."""
        return replace(self, chat_id=chat_id)

    @property
    def messages(self) -> list[Json]:
        """What TypingMind shows."""
        return self.device.messages(self.chat_id)

    def talk(self, turns: int = MORE) -> "Cycle":
        """Talk on."""
        self.device.talk(self.chat_id, turns, self.words)
        return self

    def export(self) -> bytes:
        """The file that TypingMind writes of this chat now."""
        return self.device.export(self.chat_id)

    def hand_in(self, content: bytes | None = None) -> Ended:
        """Put an export of the chat (or this one) into the inbox and run memproc on it."""
        path = self.person.drop(
            self.export() if content is None else content, f"{self.chat_id}.json"
        )
        return self.person.memproc("run", path)

    def goes_round(self, content: bytes | None = None) -> "Cycle":
        """Hand it in, which must go well, and import what came of it."""
        ended = self.hand_in(content)
        assert (ended.code, ended.err) == (0, ""), ended
        assert "1 written" in ended.out, ended.out
        return self.imports()

    def imports(self) -> "Cycle":
        """Import the updated export of this chat."""
        self.device.bring_in(self.updated().read_bytes())
        return self

    def updated(self) -> Path:
        """The updated export of this chat."""
        (path,) = (path for path in self.person.updated() if f"({self.chat_id})" in path.name)
        return path

    def ours(self, kind: str = "memory") -> list[int]:
        """Where our messages of this kind stand in TypingMind, by their marker."""
        return [
            at
            for at, message in enumerate(self.messages)
            if message.get("memproc", {}).get("kind") == kind
        ]

    def at(self, memory: str, slot: int) -> int:
        """Where this message of a memory stands in TypingMind."""
        marks = [message.get("memproc", {}) for message in self.messages]
        return next(
            at
            for at, mark in enumerate(marks)
            if (mark.get("memory"), mark.get("slot")) == (memory, slot)
        )

    def live(self) -> list[int]:
        """Where the raw messages stand."""
        return [at for at, message in enumerate(self.messages) if "memproc" not in message]

    def memories(self) -> list[dict[str, Any]]:
        """The memories of chunks, as the archive knows them, oldest first."""
        return [memory for memory in self.everything() if not memory["members"]]

    def everything(self) -> list[dict[str, Any]]:
        """The memories and folds that the archive knows."""
        return memories(self.person, self.chat_id)

    def names(self) -> list[str]:
        """Ids of the memories of chunks."""
        return [memory["memory_id"] for memory in self.memories()]

    def shown(self) -> list[str]:
        """Ids of the memories that TypingMind shows, in order."""
        return list(self.texts())

    def texts(self) -> dict[str, list[str]]:
        """The texts of the memories that TypingMind shows."""
        return exported_texts(self.device.chat(self.chat_id))

    def said(self, at: int) -> str:
        """What one message says."""
        return text_of(self.messages[at]["content"])

    def forget(self, memory: str) -> "Cycle":
        """Delete the messages of a memory in TypingMind."""
        for slot in range(1, 7):
            self.device.delete(self.chat_id, self.at(memory, slot))
        return self

    def bounds(self) -> list[tuple[int, int, str]]:
        """The frozen chunks: number of the memory, place and key of each message."""
        return [
            (memory["number"], place, key)
            for memory in self.memories()
            for place, key in enumerate(memory["keys"])
        ]

    def calls(self) -> int:
        """How many questions were answered until now."""
        return len(reports.calls(self.person))

    def expanded(self) -> list[Json]:
        """The full raw conversation, as the archive gives it back."""
        return reports.raw_conversation(self.person, self.chat_id)


_LIVED: dict[tuple[Build, int, str, int], Cycle] = {}


def quiet(cycle: Cycle) -> None:
    """The same export once more, and what stands in TypingMind now: no call, no changed byte, no new backup."""
    for content in (None, cycle.updated().read_bytes()):
        before, calls = stand(cycle), cycle.calls()
        ended = cycle.hand_in(content)
        assert (ended.code, ended.err) == (0, "")
        assert "0 written, 1 unchanged" in ended.out
        assert (stand(cycle), cycle.calls()) == (before, calls)
    verified = cycle.person.memproc("verify")
    assert verified.code == 0, verified


def stand(cycle: Cycle) -> dict[str, tuple[bytes, int]]:
    """Every file outside inbox and archive, with its bytes and the moment of its last change."""
    home = cycle.person.home
    files = (
        path
        for name in ("updated", "backups")
        for path in (home / name).rglob("*")
        if path.is_file()
    )
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@contextmanager
def models(home: Path, **script: Any) -> Iterator[tuple[ServerProcess, str]]:
    """A provider that answers by script, and the settings that send Claude's questions to it."""
    with serve(home, {"bodies": True, **script}) as server:
        yield server, asking(server)


def asking(server: ServerProcess, more: str = "") -> str:
    """Settings that send Claude's questions to this server."""
    return (
        f'[models]\nagent = "anthropic/claude-haiku-5-5"\n[models.options."anthropic/*"]\napi_base = "{server.url}"\n'
        f"{more}"
    )


def asked(server: ServerProcess, since: int = 0) -> list[Sent]:
    """What the server was sent after the first `since` requests."""
    return sent(server)[since:]


def memory(chat: Cycle, name: str) -> dict[str, Any]:
    """A memory or fold as the archive knows it."""
    return next(one for one in chat.everything() if one["memory_id"] == name)


def editions(chat: Cycle, name: str) -> list[tuple[int, str]]:
    """Number and kind of each edition of a memory."""
    return [(edition["number"], edition["kind"]) for edition in memory(chat, name)["editions"]]


def texts_by_uuid(chat: Cycle) -> dict[str, str]:
    """What each message says that TypingMind shows."""
    return {message["uuid"]: text_of(message["content"]) for message in chat.messages}


def is_told(text: str, request: Sent) -> bool:
    """Whether the request holds this text."""
    return json.dumps(text, ensure_ascii=False)[1:-1] in request.text
