"""Take a conversation round and round: talk on in TypingMind, export, compress with memproc, import, talk on."""

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
"""The turns after which there are a few memories, and the turns that bring one or two more."""


@dataclass
class Cycle:
    """One chat of a person, on one of their devices."""

    person: Person
    device: TypingMind
    chat_id: str
    words: int = 40
    """The words in each message; with them, a chunk is about four turns."""

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
        """Return a chat of so many turns, which memproc has not seen yet, and chunks of `size` tokens.

        Two chats with the same turns say the same. A model's memory saves tokens in chunks of 800 tokens or more.
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
        """Return the same chat after so many rounds with the built-in engine, imported.

        The rounds are lived once, beside the `folder` of the story; each story gets the folder back as it was then. Its
        place stays the same, since the archive knows the paths of its files, so a story can have it only once.
        """
        key = (build, turns, settings, rounds)
        if key not in _LIVED:
            place = folder.parent / f"lived-{len(_LIVED)}"  # is kept to the end
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
        """Return another chat on the same device."""
        return replace(self, chat_id=chat_id)

    @property
    def messages(self) -> list[Json]:
        """Return the messages that TypingMind shows."""
        return self.device.messages(self.chat_id)

    def talk(self, turns: int = MORE) -> "Cycle":
        """Talk on for so many turns."""
        self.device.talk(self.chat_id, turns, self.words)
        return self

    def export(self) -> bytes:
        """Return the export that TypingMind writes of this chat now."""
        return self.device.export(self.chat_id)

    def hand_in(self, content: bytes | None = None) -> Ended:
        """Put an export of the chat (or this content) into the inbox, and run memproc on it."""
        path = self.person.drop(
            self.export() if content is None else content, f"{self.chat_id}.json"
        )
        return self.person.memproc("run", path)

    def goes_round(self, content: bytes | None = None) -> "Cycle":
        """Hand it in, which must succeed, and import the result."""
        ended = self.hand_in(content)
        assert (ended.code, ended.err) == (0, ""), ended
        assert "1 written" in ended.out, ended.out
        return self.imports()

    def imports(self) -> "Cycle":
        """Import the updated export of this chat."""
        self.device.bring_in(self.updated().read_bytes())
        return self

    def updated(self) -> Path:
        """Return the path of the updated export of this chat."""
        (path,) = (path for path in self.person.updated() if f"({self.chat_id})" in path.name)
        return path

    def ours(self, kind: str = "memory") -> list[int]:
        """Return the indices of memproc's messages of this kind in TypingMind, by their markers."""
        return [
            at
            for at, message in enumerate(self.messages)
            if message.get("memproc", {}).get("kind") == kind
        ]

    def at(self, memory: str, slot: int) -> int:
        """Return the index of this message of a memory in TypingMind."""
        marks = [message.get("memproc", {}) for message in self.messages]
        return next(
            at
            for at, mark in enumerate(marks)
            if (mark.get("memory"), mark.get("slot")) == (memory, slot)
        )

    def live(self) -> list[int]:
        """Return the indices of the raw messages."""
        return [at for at, message in enumerate(self.messages) if "memproc" not in message]

    def memories(self) -> list[dict[str, Any]]:
        """Return the memories of chunks in the archive, oldest first."""
        return [memory for memory in self.everything() if not memory["members"]]

    def everything(self) -> list[dict[str, Any]]:
        """Return the memories and folds in the archive."""
        return memories(self.person, self.chat_id)

    def names(self) -> list[str]:
        """Return the ids of the memories of chunks."""
        return [memory["memory_id"] for memory in self.memories()]

    def shown(self) -> list[str]:
        """Return the ids of the memories that TypingMind shows, in order."""
        return list(self.texts())

    def texts(self) -> dict[str, list[str]]:
        """Return the texts of the memories that TypingMind shows, by id."""
        return exported_texts(self.device.chat(self.chat_id))

    def said(self, at: int) -> str:
        """Return the text of one message."""
        return text_of(self.messages[at]["content"])

    def forget(self, memory: str) -> "Cycle":
        """Delete the messages of a memory in TypingMind."""
        for slot in range(1, 7):
            self.device.delete(self.chat_id, self.at(memory, slot))
        return self

    def bounds(self) -> list[tuple[int, int, str]]:
        """Return the frozen chunks: the memory's number, and the place and key of each message."""
        return [
            (memory["number"], place, key)
            for memory in self.memories()
            for place, key in enumerate(memory["keys"])
        ]

    def calls(self) -> int:
        """Return how many questions models have answered until now."""
        return len(reports.calls(self.person))

    def expanded(self) -> list[Json]:
        """Return the whole raw conversation, as the archive gives it back."""
        return reports.raw_conversation(self.person, self.chat_id)


_LIVED: dict[tuple[Build, int, str, int], Cycle] = {}


def quiet(cycle: Cycle) -> None:
    """Check that the present export, and then the updated one, cause no call, no changed byte and no new backup."""
    for content in (None, cycle.updated().read_bytes()):
        before, calls = stand(cycle), cycle.calls()
        ended = cycle.hand_in(content)
        assert (ended.code, ended.err) == (0, "")
        assert "0 written, 1 unchanged" in ended.out
        assert (stand(cycle), cycle.calls()) == (before, calls)
    verified = cycle.person.memproc("verify")
    assert verified.code == 0, verified


def stand(cycle: Cycle) -> dict[str, tuple[bytes, int]]:
    """Return every file outside of inbox and archive, with its bytes and the time of its last change."""
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
    """Yield a provider that answers by script, and the settings that send Claude's questions to it."""
    with serve(home, {"bodies": True, **script}) as server:
        yield server, asking(server)


def asking(server: ServerProcess, more: str = "") -> str:
    """Return the settings that send Claude's questions to this server."""
    return (
        f'[models]\nagent = "anthropic/claude-haiku-5-5"\n[models.options."anthropic/*"]\napi_base = "{server.url}"\n'
        f"{more}"
    )


def asked(server: ServerProcess, since: int = 0) -> list[Sent]:
    """Return the requests that the server was sent after the first `since`."""
    return sent(server)[since:]


def memory(chat: Cycle, name: str) -> dict[str, Any]:
    """Return a memory or fold in the archive."""
    return next(one for one in chat.everything() if one["memory_id"] == name)


def editions(chat: Cycle, name: str) -> list[tuple[int, str]]:
    """Return the number and kind of each edition of a memory."""
    return [(edition["number"], edition["kind"]) for edition in memory(chat, name)["editions"]]


def texts_by_uuid(chat: Cycle) -> dict[str, str]:
    """Return the text of each message that TypingMind shows, by uuid."""
    return {message["uuid"]: text_of(message["content"]) for message in chat.messages}


def is_told(text: str, request: Sent) -> bool:
    """Return whether the request contains this text."""
    return json.dumps(text, ensure_ascii=False)[1:-1] in request.text
