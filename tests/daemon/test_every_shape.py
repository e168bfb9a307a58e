"""Every shape of message and of chat goes through the whole trip, is proved, and goes through it again unchanged."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.archive.messages import raw_conversation
from daemon.chat.outcome import ExportWritten, Outcome
from daemon.config.loading import parse_settings
from daemon.events import ignore_event
from daemon.files.paths import Folders
from daemon.models.context import Context
from daemon.trip import go_round, run_export
from rules.plan.chat_plan import Unchanged
from tests.chats import export_bytes, long_chat
from tests.exports.chats import CHATS
from tests.exports.messages import MESSAGES
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel
from tests.stories.person import Person

WHEN = "2026-09-01T00:00:00.000Z"
SETTINGS = b"[tail]\ntokens = 1600\nstep = 400\n[chunk]\ntokens = 400\n"
TALK = long_chat(4000, tokens_each=200)
OURS = "our marker, of another"
ALONE = 6
"""By default, of so many shapes of messages one goes through alone: the story of all at once shows that each does."""
SHAPES = [
    pytest.param(name, marks=[pytest.mark.long] if number % ALONE else [])
    for number, name in enumerate(name for name in MESSAGES if name != OURS)
]


def run(tmp_path: Path, archive: Archive, content: bytes) -> list[Outcome]:
    """One round over one export, with the built-in engine and without LiteLLM around it."""
    path = tmp_path / "export.json"
    path.write_bytes(content)
    places = [tmp_path / name for name in ("inbox", "updated", "backups", "state")]
    config = parse_settings(SETTINGS, tmp_path / "memproc.toml")
    context = Context(
        config, Folders(*places), archive, ScriptedModel(), no_keys, lambda: WHEN, ignore_event
    )
    return list(go_round(context, path, run_export))


def parsed(content: bytes) -> dict[str, Any]:
    """The one chat of an export, with numbers as they are spelled: some have more digits than Python takes."""
    (chat,) = loads(content)["data"]["chats"]
    assert isinstance(chat, dict)
    return chat


def loads(content: bytes) -> Any:
    return json.loads(content, parse_int=str, parse_float=str)


def goes_through(tmp_path: Path, chat: dict[str, Any]) -> dict[str, Any]:
    """The finished chat; a second round with it, and one with the input again, change nothing."""
    content = export_bytes(chat, ascii_only="surrogate" in chat["chatTitle"])
    with Archive.memory() as archive:
        (outcome,) = run(tmp_path, archive, content)
        assert isinstance(outcome, ExportWritten), outcome
        finished = Path(outcome.path).read_bytes()
        for again in (finished, content):
            (outcome,) = run(tmp_path, archive, again)
            assert isinstance(outcome, Unchanged), outcome
        kept = [loads(raw) for raw in raw_conversation(archive, parsed(content)["chatID"]).messages]
        assert kept == parsed(content)["messages"], "the whole raw conversation can be had back"
    return parsed(finished)


@pytest.mark.full
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "place", [4, pytest.param(-2, marks=pytest.mark.long)], ids=["in the head", "in the live tail"]
)
def test_a_message_of_this_shape(tmp_path: Path, shape: str, place: int) -> None:
    messages = list(TALK["messages"])
    messages.insert(place, MESSAGES[shape])
    found = goes_through(tmp_path, {**TALK, "messages": messages})
    if place < 0:
        assert (
            loads(export_bytes({"m": MESSAGES[shape]}))["data"]["chats"][0]["m"]
            in found["messages"]
        )


@pytest.mark.full
@pytest.mark.parametrize(
    "shape", [name for name in CHATS if name not in ("in the bin", "every message at once")]
)
def test_a_chat_of_this_shape(tmp_path: Path, shape: str) -> None:
    odd = CHATS[shape]
    chat = {**odd, "chatID": odd.get("chatID") or odd.get("id") or TALK["chatID"]}
    chat["chatTitle"] = shape
    goes_through(tmp_path, {**chat, "messages": [*odd.get("messages", []), *TALK["messages"]]})


def test_every_shape_at_once_in_the_middle_of_a_conversation(tmp_path: Path) -> None:
    others = [
        message | {"uuid": f"{message['uuid']}-{number}"} if "uuid" in message else message
        for number, (name, message) in enumerate(MESSAGES.items())
        if name != OURS
    ]  # several of these say the same, and under one uuid they would be copies of one message
    messages = TALK["messages"]
    goes_through(tmp_path, {**TALK, "messages": [*messages[:6], *others, *messages[6:]]})


def test_a_chat_whose_id_has_half_a_surrogate_pair_is_found_by_it(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    chat = {**long_chat(4000, tokens_each=200), "chatID": "id\ud83d1", "chatTitle": "Sea \ude00"}
    ada.drop(export_bytes(chat, ascii_only=True))
    assert ada.memproc("run").code == 0
    for name in ("id\ud83d1", "id\ufffd1", "Sea \ude00"):
        assert ada.memproc("expand", name).code == 0
        for command in ("memories", "versions", "facts", "logs", "calls", "erase"):
            assert ada.memproc(command, name).code == 0, command
        assert ada.memproc("show", name, "1").code == 0
