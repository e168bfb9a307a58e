"""`memproc run` on a conversation, at once and in rounds, and what stands in the updated export."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from rules.extract.prose import Said
from tests.bench.measure import COMMAND, FOLDERS, run
from tests.chats import Json
from tests.typingmind.texts import text_of

UNFOLDED = "[fold]\nbudget = 10_000_000\n"
_ENGINE = '[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n'


@dataclass(frozen=True, slots=True)
class MemoryTexts:
    """What stands in the persona's name in a memory, or in a fold, whose level is above 1."""

    level: int
    quote: str
    perspective: str
    refinement: str


@dataclass(frozen=True, slots=True, eq=False)
class CompressedChat:
    """What memproc made of a conversation: `made` stands in the place of the `compressed` messages, before `live`.

    `home` is where memproc ran, with its archive and its memproc.toml. `seconds` are those of the processor, start-up
    included.
    """

    home: Path
    compressed: tuple[Said, ...]
    made: str
    memories: tuple[MemoryTexts, ...]
    live: tuple[Said, ...]
    seconds: float


def run_at_once(home: Path, export: Path, settings: str = "") -> CompressedChat:
    """memproc with the built-in engine and the shipped settings but for `settings`, on the whole export."""
    document = json.loads(export.read_bytes())
    _prepare(home, settings)
    seconds = _run(home, document)
    return _read(home, _chat(document)["messages"], _chat(_updated(home))["messages"], seconds)


def run_in_rounds(home: Path, export: Path, rounds: int) -> CompressedChat:
    """The same in so many rounds: talk on, export, run memproc, import what it wrote."""
    document = json.loads(export.read_bytes())
    said = _chat(document)["messages"]
    _prepare(home, "")
    seconds = 0.0
    _chat(document)["messages"] = []
    for number in range(rounds):
        part = said[len(said) * number // rounds : len(said) * (number + 1) // rounds]
        _chat(document)["messages"] += part
        _chat(document)["updatedAt"] = part[-1]["createdAt"]
        seconds += _run(home, document)
        document = _imported(document, _updated(home))
    return _read(home, said, _chat(document)["messages"], seconds)


def _prepare(home: Path, settings: str) -> None:
    (home / "inbox").mkdir(parents=True)
    (home / "memproc.toml").write_text(FOLDERS + _ENGINE + settings, encoding="utf-8")


def _run(home: Path, document: Json) -> float:
    (home / "inbox" / "export.json").write_text(
        json.dumps(document, ensure_ascii=False), encoding="utf-8"
    )
    return run(COMMAND, "--config", home / "memproc.toml", "run", folder=home).cpu


def _updated(home: Path) -> Json:
    """The updated export; without messages as long as there is none."""
    paths = list((home / "updated").glob("*.json"))
    found: Json = (
        json.loads(paths[0].read_bytes()) if paths else {"data": {"chats": [{"messages": []}]}}
    )
    return found


def _imported(document: Json, updated: Json) -> Json:
    """What the person talks on with: the updated export, unless the last run had nothing to write."""
    newest = _chat(updated)["messages"][-1:]
    return updated if newest == _chat(document)["messages"][-1:] else document


def _chat(document: Json) -> Any:
    return document["data"]["chats"][0]


def _read(
    home: Path, raw: Sequence[Json], messages: Sequence[Json], seconds: float
) -> CompressedChat:
    """Everything before the first raw message is memproc's."""
    places = {message["uuid"]: at for at, message in enumerate(raw)}
    made = list(takewhile(lambda message: "memproc" in message, messages))
    live = messages[len(made) :]
    return CompressedChat(
        home=home,
        compressed=_said(raw[: places[live[0]["uuid"]]]),
        made="\n".join(text_of(message["content"]) for message in made),
        memories=tuple(
            _memories([message for message in made if message["memproc"]["kind"] == "memory"])
        ),
        live=_said(live),
        seconds=seconds,
    )


def _memories(made: Sequence[Json]) -> Iterator[MemoryTexts]:
    """Six messages each: three questions, each with the persona's answer behind it."""
    for _, messages in groupby(made, key=lambda message: message["memproc"]["memory"]):
        six = list(messages)
        yield MemoryTexts(
            six[0]["memproc"]["level"], *(text_of(message["content"]) for message in six[1::2])
        )


def _said(messages: Sequence[Json]) -> tuple[Said, ...]:
    return tuple(
        Said(message["role"], text_of(message["content"]), message["createdAt"][:10])
        for message in messages
    )
