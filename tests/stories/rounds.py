"""Live a life in rounds: talk on in TypingMind, export, run memproc, and import what it wrote."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import copytree
from string import ascii_letters
from typing import Any, Literal

import pytest

from tests.chats import texts
from tests.server.models import KNOWN, Model
from tests.server.passage import at_most
from tests.server.reply import Answer, Script
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import read_task
from tests.stories import reports
from tests.stories.person import Person
from tests.stories.reports import Record
from tests.typingmind import TypingMind

About = Literal["chunk", "hindsight", "fold"]

ENGINE, SCRIPTED = "memproc/extractive", "anthropic/claude-haiku-5-5"

_LENGTH = re.compile(r"(\d+) words")
_OF_ONE = 18
"""Roughly how many words a sentence of a fold has."""
_SMALL = {"local-10k": Model(window=10_000)}
_WRITTEN_ANEW = Path(__file__).parents[2] / "primer" / "texts" / "hindsight.md"
_QUESTIONS: dict[About, tuple[str, ...]] = {
    "chunk": ("quote", "perspective", "refinement"),
    "hindsight": ("", "", "perspective", "refinement"),
    "fold": ("quote", "perspective", "refinement"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request is about, and which question it asks."""

    about: About
    step: str


def asked(request: Request) -> Asked:
    """Return what a request asks, by its structure and by the announcement of what came after."""
    texts = [turn.text for turn in request.turns]
    passage = max(
        (at for at, text in enumerate(texts) if text.startswith("<to_remember")), default=-1
    )
    if texts[-1].startswith("<context_manager>"):
        after = [text for text in texts[passage + 1 :] if text.startswith("<context_manager>")]
        if passage < 0:
            return Asked("fold", _fold_step(texts))
        about: About = "hindsight" if announcement() in after[0] else "chunk"
        if ' until="' in texts[passage]:
            about = "fold"
        return Asked(about, _QUESTIONS[about][len(after) - 1])
    return Asked("fold" if ' until="' in "".join(texts) else "chunk", "analysis")


def announcement() -> str:
    """Return the sentence with which an agent is told of what came after."""
    return _WRITTEN_ANEW.read_text(encoding="utf-8").strip()


def _fold_step(texts: Sequence[str]) -> str:
    """Return the step of a fold's request; a fold's questions come after the closing of the memories."""
    closed = max(at for at, text in enumerate(texts) if text.startswith("<system>"))
    return _QUESTIONS["fold"][
        sum(text.startswith("<context_manager>") for text in texts[closed:]) - 1
    ]


def teller(request: Request) -> Answer:
    """Answer like the scribe, also for hindsight and folds; no two of its texts are the same."""
    about = asked(request)
    if about.about == "chunk":
        return scribe(request)
    mark = request.key[:6]
    if about.about == "fold":
        words = next(
            int(found[-1])
            for turn in reversed(request.turns)
            if (found := _LENGTH.findall(turn.text))
        )
        told = (
            f"This whole time, as I see it in {mark}, was one of watching: the lamp room, the harbour, "
            "the boathouse, the fog bell, old Tomas and Mira."
        )
        more = [
            f"On evening {evening} of {mark} the light was seen from there, and written down."
            for evening in ascii_letters[:40]
        ]
        return Answer(" ".join([told, *more[: max(0, words - _OF_ONE) // _OF_ONE]]))
    said = at_most(read_task(request).passage[-1].text, 20)
    return Answer(
        f"Now that I know what came after, as {mark} tells, I see it in another light: {said}."
    )


@dataclass
class Life:
    """A person with one device, one chat, and the models' server."""

    person: Person
    server: ModelServer
    device: TypingMind
    chat_id: str
    models: str = SCRIPTED
    tables: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    """Every message of the conversation, including those that the device no longer has."""

    def settings(self, **tables: str) -> None:
        """Change tables of memproc.toml, as in `memory="hindsight = 2"`; earlier changes stay.

        Questions are asked one at a time, so that the requests can be read in order.
        """
        self.tables |= tables
        spelled = "".join(f"[{name}]\n{lines}\n" for name, lines in self.tables.items())
        self.person.settings(
            f'[models]\nagent = "{self.models}"\ncontext_manager = "{self.models}"\nconcurrency = 1\n'
            f'[models.options."anthropic/*"]\napi_base = "{self.server.url}"\n{spelled}'
        )

    def talk(self, tokens: int) -> None:
        """Talk on for about so many tokens, in turns of 100."""
        turns = tokens // 100
        self.device.talk(self.chat_id, turns)
        self.said += texts(self.device.messages(self.chat_id)[-2 * turns :] if turns else [])

    def drop(self) -> None:
        """Export the chat, and put the export into the inbox."""
        self.person.drop(self.device.export(self.chat_id))

    def run(self) -> list[Request]:
        """Run `memproc run`, and import what it wrote, if anything; return the requests of the run."""
        requests, stood = len(self.server.requests), self._written()
        ended = self.person.memproc("run")
        assert (ended.code, ended.err) == (0, ""), ended
        for path, content in self._written().items():
            if stood.get(path) != content:
                self.device.bring_in(content)
        return self.server.requests[requests:]

    def _written(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.person.updated()}

    def round(self, tokens: int = 0) -> list[Request]:
        """Talk on, export, run and import; return the requests of the run."""
        self.talk(tokens)
        self.drop()
        return self.run()

    def memories(self) -> list[Record]:
        """Return the memories of chunks, oldest first."""
        return [memory for memory in self.all() if not memory.members]

    def folds(self) -> list[Record]:
        return [memory for memory in self.all() if memory.members]

    def all(self) -> list[Record]:
        return reports.memories(self.person, self.chat_id)

    def editions(self, memory_id: str) -> list[Record]:
        (memory,) = (memory for memory in self.all() if memory.memory_id == memory_id)
        editions: list[Record] = memory.editions
        return editions

    def kinds(self) -> list[list[str]]:
        """Return the kinds of the editions of each chunk's memory, oldest first."""
        return [[edition.kind for edition in memory.editions] for memory in self.memories()]

    def plan(self) -> dict[str, Any]:
        """Return what `memproc plan` says about the chat."""
        (found,) = reports.report(self.person, "plan")["chats"]
        assert isinstance(found, dict)
        return found


@contextmanager
def life(
    folder: Path, script: Script = teller, *, layers: bool = False, **tables: str
) -> Iterator[Life]:
    """Yield a new life, the same each time; `tables` are those of memproc.toml."""
    with _asking(script) as server:
        device = TypingMind(1)
        chat_id = device.begin("The lighthouse", "You are Aria.")
        lived = Life(
            Person(folder, tail=3200, step=800, chunk=800, layers=layers), server, device, chat_id
        )
        lived.settings(**tables)
        yield lived


@contextmanager
def going_on_from(begun: Life, folder: Path, script: Script = teller) -> Iterator[Life]:
    """Yield a copy of a life, which goes on from there: what many stories begin with is lived only once."""
    copytree(begun.person.home, folder)
    with _asking(script) as server:
        server.requests.extend(begun.server.requests)
        person = replace(begun.person, home=folder)
        lived = Life(
            person, server, deepcopy(begun.device), begun.chat_id, begun.models, said=[*begun.said]
        )
        lived.settings(**begun.tables)
        yield lived


@contextmanager
def _asking(script: Script) -> Iterator[ModelServer]:
    """Yield the models' server, with a key for it in the environment."""
    with (
        ModelServer(Setup(script=script, models={**KNOWN, **_SMALL})) as server,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        yield server
