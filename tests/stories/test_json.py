"""Every command has `--json`, and prints one object of one shape, and nothing else."""

import io
import json
from collections.abc import Iterator
from typing import Any

import click
import pytest

from daemon.cli import memproc_command
from daemon.cli.commands import WITHOUT_JSON
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.foreign import talks, trees
from tests.stories.cycle import ENGINE
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(300)

ASKED = {
    "accept": (CHAT_ID,),
    "bring": ("foreign.json",),
    "budget forget": ("anthropic/claude-haiku-5-5",),
    "budget raise": ("--day", "20"),
    "budget show": (),
    "calls": (),
    "chats": (),
    "config check": (),
    "config edit": (),
    "config fit": ("anthropic/claude-haiku-5-5",),
    "config path": (),
    "config show": (),
    "core history": (CHAT_ID,),
    "core release": (CHAT_ID, "persona"),
    "core set": (CHAT_ID, "persona", "Calm."),
    "core show": (CHAT_ID,),
    "core undo": (CHAT_ID,),
    "diff": (CHAT_ID, "1"),
    "doctor": (),
    "erase": (CHAT_ID,),
    "eval": (CHAT_ID, "--free"),
    "expand": (CHAT_ID,),
    "export-archive": ("parcel.zip",),
    "facts add": (CHAT_ID, "The tide is late."),
    "facts forget": (CHAT_ID, "1"),
    "facts history": (CHAT_ID, "1"),
    "facts list": (CHAT_ID,),
    "facts search": (CHAT_ID, "sea"),
    "import-archive": ("packed.zip",),
    "init": ("--yes",),
    "keep": (CHAT_ID,),
    "key allow": (),
    "key forget": ("xai",),
    "key list": (),
    "key set": ("xai",),
    "key test": ("--no-call",),
    "logs": (CHAT_ID,),
    "mcp token": (),
    "memories": (CHAT_ID,),
    "open": ("inbox", "--print"),
    "pair forget": ("--all",),
    "pair list": (),
    "pair script": (),
    "pause": ("1h",),
    "pin": (CHAT_ID, "1"),
    "plan": (),
    "rebuild": (),
    "recall": (CHAT_ID, "1"),
    "release": (CHAT_ID, "1"),
    "restore": (CHAT_ID, "1"),
    "resume": (),
    "retry": (CHAT_ID, "1"),
    "run": (),
    "search": ("lighthouse",),
    "service install": ("--dry-run",),
    "service remove": ("--dry-run",),
    "service status": (),
    "show": (CHAT_ID, "1"),
    "status": (),
    "stop": (),
    "undo": (CHAT_ID,),
    "uninstall": (),
    "unpin": (CHAT_ID, "1"),
    "use": (CHAT_ID, "1", "auto"),
    "verify": (),
    "versions": (CHAT_ID,),
}
"""Every command, with arguments that it has an answer to; of those of `WITHOUT_JSON`, why it has none."""
REFUSED = {"budget forget", "service remove", "service status"}
"""Those of them that this house refuses: nothing was learned, and it has no manager of services."""


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, bool]]:
    """The commands that a list shows, by click's own tree, and whether each has the option."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from leaves(inner, (*path, name))
    elif not command.hidden:
        has = any("--json" in parameter.opts for parameter in command.params)
        yield " ".join(path), has


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
    assert ada.memproc("keep", CHAT_ID, "This is our evening number 2.").code == 0
    assert ada.memproc("export-archive", "packed.zip").code == 0
    return ada


def test_every_command_has_the_option_but_those_that_are_named_with_their_reason() -> None:
    every = dict(leaves(memproc_command))
    assert {name for name, has in every.items() if not has} == set(WITHOUT_JSON)
    assert {name for name, has in every.items() if has} == set(ASKED)


@pytest.mark.parametrize("command", ASKED)
def test_a_command_prints_one_object_of_one_shape(
    ada: Person, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XAI_API_KEY", "xai-a-key-of-hers")
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"xai-a-key-of-ours\n")))
    ended = ada.memproc(*command.split(), *ASKED[command], "--json")
    told = one_object(ended.out)
    assert ("error" in told) == (command in REFUSED), told
    assert len(told) > 2 or told["notes"], "there is more than how it ends"


@pytest.mark.parametrize("command", [name for name in ASKED if CHAT_ID in ASKED[name]])
def test_one_that_fails_says_why_in_the_same_shape(ada: Person, command: str) -> None:
    arguments = ("no such chat" if word == CHAT_ID else word for word in ASKED[command])
    ended = ada.memproc(*command.split(), *arguments, "--json")
    assert ended.code != 0
    told = one_object(ended.out)
    assert told["error"] in ended.err
    assert all(step in " ".join(ended.err.split()) for step in told["next"])
