"""Script agents that edit the core memory, and read what a story sees of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chats import Json, texts
from tests.server.editing import APPEND, SECTION, edit
from tests.server.passage import at_most, sentences
from tests.server.reply import Answer, Reply, Script
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.step import Task, read_task
from tests.stories.person import Ended
from tests.stories.rounds import Life

OFF = "enabled = false"
NOTED = "Noted: "
"""The beginning of every line of the diary, and of nothing else."""


def core_asked(requests: list[Request]) -> list[Request]:
    """Return the requests about the core memory, including corrections."""
    return [request for request in requests if read_task(request).step == "core"]


def editing(answer: Callable[[Request, Task], Reply]) -> Script:
    """Return the scribe with this way of answering questions about the core memory."""

    def script(request: Request) -> Reply:
        task = read_task(request)
        return answer(request, task) if task.step == "core" else scribe(request)

    return script


def note(request: Request, task: Task) -> Answer:
    """Add the beginning of the passage as a line to the section about the person."""
    return edit(request, APPEND, {"name": SECTION, "content": line(task)})


def line(task: Task) -> str:
    """Return the diary's line for this passage."""
    return NOTED + at_most(sentences(task.passage)[0][1], 12)


diary = editing(note)


@dataclass
class InTurn:
    """Gives each new passage the next of some names, and the same name whenever the passage comes back."""

    names: tuple[str, ...]
    found: dict[str, str] = field(default_factory=dict)

    def of(self, task: Task) -> str:
        """Return the name for this passage."""
        return self.found.setdefault(
            task.passage[0].text, self.names[len(self.found) % len(self.names)]
        )


def passage(request: Request) -> tuple[str, ...]:
    """Return the texts to remember; no two chunks have the same ones."""
    return tuple(said.text for said in read_task(request).passage)


def core(lived: Life, *arguments: str) -> Ended:
    """Run `memproc core` for the life's only chat."""
    return lived.person.memproc("core", lived.chat_id, *arguments)


def values(lived: Life) -> dict[str, Any]:
    """Return the value of each section."""
    return {
        section["name"]: section["value"] for section in read(core(lived, "--json"))["sections"]
    }


def held(lived: Life) -> set[str]:
    """Return the names of the sections that the person keeps."""
    return {
        section["name"] for section in read(core(lived, "--json"))["sections"] if section["held"]
    }


def own_lines(lived: Life) -> dict[str, list[str]]:
    """Return the lines that the person has written, by section."""
    return {
        one["name"]: one["held_lines"]
        for one in read(core(lived, "--json"))["sections"]
        if one["held_lines"]
    }


def events(lived: Life) -> list[Json]:
    """Return all changes of sections, without the time of day."""
    return [
        {name: value for name, value in one.items() if name != "at"}
        for one in read(core(lived, "history", "--json"))["events"]
    ]


def read(ended: Ended) -> Any:
    """Return the JSON that a command printed, which must have succeeded."""
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


def kinds_of(lived: Life) -> list[str]:
    """Return what each message in TypingMind is by its marker, "" for one without."""
    messages = lived.device.messages(lived.chat_id)
    return [message.get("memproc", {}).get("kind", "") for message in messages]


def opening_at(lived: Life) -> int:
    """Return the index of the opening in TypingMind."""
    return kinds_of(lived).index("opening")


def opening(lived: Life) -> str:
    """Return the opening's text in TypingMind."""
    (text,) = texts([lived.device.messages(lived.chat_id)[opening_at(lived)]])
    return text


def reported(lived: Life, tokens: int = 0) -> Json:
    """Talk on, run `memproc run --json`, and import; return the report."""
    lived.talk(tokens)
    lived.drop()
    found = read(lived.person.memproc("run", "--json"))
    for path in lived.person.updated():
        lived.device.bring_in(path.read_bytes())
    assert isinstance(found, dict)
    return found


def files(lived: Life) -> dict[Path, tuple[bytes, int]]:
    """Return the content and the time of change of each updated export and backup."""
    places = (lived.person.home / name for name in ("updated", "backups"))
    found = (path for place in places for path in place.rglob("*") if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}
