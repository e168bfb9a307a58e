"""Whatever a command with `--json` is asked, it prints one object, of one shape, and nothing else."""

import json
from collections.abc import Iterator
from typing import Any

import click
import pytest

from daemon.cli import memproc_command
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.foreign import talks, trees
from tests.stories.cycle import ENGINE
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(300)

ASKED = {
    "bring": ("foreign.json",),
    "budget raise": ("--day", "20"),
    "budget show": (),
    "calls": (),
    "chats": (),
    "config show": (),
    "core history": (CHAT_ID,),
    "core show": (CHAT_ID,),
    "diff": (CHAT_ID, "1"),
    "doctor": (),
    "eval": (CHAT_ID, "--free"),
    "facts history": (CHAT_ID, "1"),
    "facts list": (CHAT_ID,),
    "facts search": (CHAT_ID, "sea"),
    "keep": (CHAT_ID,),
    "memories": (CHAT_ID,),
    "pair list": (),
    "plan": (),
    "rebuild": (),
    "retry": (CHAT_ID, "1"),
    "run": (),
    "search": ("lighthouse",),
    "show": (CHAT_ID, "1"),
    "status": (),
    "verify": (),
    "versions": (CHAT_ID,),
}
"""Each command that has `--json`, with arguments that it has an answer to."""


def with_json(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The commands that have the option, by click's own tree."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from with_json(inner, (*path, name))
    elif any("--json" in parameter.opts for parameter in command.params):
        yield " ".join(path)


def one_object(printed: str) -> dict[str, Any]:
    """What was printed, which is an object with sentences on it and what can be done next at its end."""
    told = json.loads(printed)
    assert isinstance(told, dict)
    assert list(told)[-2:] == ["notes", "next"]
    for name in ("notes", "next"):
        assert all(isinstance(sentence, str) for sentence in told[name])
    return told


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person with extracted memories, a fact, and an export of ChatGPT's."""
    ada = Person(tmp_path_factory.mktemp("ada"))
    ada.settings(ENGINE)
    for tokens in (5_000, 6_000):
        ada.drop(export_bytes(long_chat(tokens, tokens_each=200)))
        assert ada.memproc("run").code == 0
    assert ada.memproc("facts", "add", CHAT_ID, "The sea is salt.").code == 0
    (ada.home / "foreign.json").write_bytes(trees.exported(talks.chatgpt("1", 3)))
    return ada


def test_every_command_that_has_the_option_is_asked_here() -> None:
    assert set(with_json(memproc_command)) == set(ASKED)


@pytest.mark.parametrize("command", ASKED)
def test_a_command_prints_one_object_of_one_shape(ada: Person, command: str) -> None:
    ended = ada.memproc(*command.split(), *ASKED[command], "--json")
    told = one_object(ended.out)
    assert len(told) > 2, "there is more than how it ends"
    assert "error" not in told


@pytest.mark.parametrize("command", [name for name in ASKED if CHAT_ID in ASKED[name]])
def test_one_that_fails_says_why_in_the_same_shape(ada: Person, command: str) -> None:
    arguments = ("no such chat" if word == CHAT_ID else word for word in ASKED[command])
    ended = ada.memproc(*command.split(), *arguments, "--json")
    assert ended.code != 0
    told = one_object(ended.out)
    assert told["error"] in ended.err
    assert all(step in " ".join(ended.err.split()) for step in told["next"])
