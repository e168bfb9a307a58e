"""`memproc doctor` in a house where all is well, and in one where five things are broken."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.person import Ended, Person

pytestmark = [
    pytest.mark.timeout(200),
    pytest.mark.skipif(sys.platform == "win32", reason="rights are judged"),
]
CHAT = long_chat(3000, tokens_each=200)


def findings(ended: Ended) -> Mapping[str, Any]:
    return {finding["name"]: finding for finding in json.loads(ended.out)["findings"]}


@pytest.fixture
def at_work(ada: Person) -> Person:
    """Ada, whose chat has been compressed."""
    ada.inbox.chmod(0o700)
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    return ada


@pytest.mark.full
def test_a_healthy_house_ends_with_zero_and_nothing_is_changed(at_work: Person) -> None:
    before = at_work.bytes_of_everything()
    ended = at_work.memproc("doctor", "--all")
    assert (ended.code, ended.err) == (0, "")
    assert "Errors: 0" in ended.out
    for word in ("archive", "backups", "LiteLLM", "disk space", "tokenizer"):
        assert word in ended.out
    assert ended.out.rindex("\nok  ") < ended.out.index("\nwarning"), "problems come last"
    thorough = at_work.memproc("doctor", "--thorough", "--json")
    assert thorough.code == 0
    assert "every message" in findings(thorough)["archive"]["text"]
    assert at_work.bytes_of_everything() == before


@pytest.mark.full
def test_five_broken_things_are_each_told_with_what_mends_them(at_work: Person) -> None:
    (output,) = at_work.updated()
    output.write_bytes(output.read_bytes() + b" ")
    (kept,) = (at_work.home / "backups" / "originals").rglob("*.gz")
    kept.write_bytes(b"damaged")
    keys = at_work.home / "state" / "keys.env"
    keys.write_text("ANTHROPIC_API_KEY=k-very-secret\n")
    keys.chmod(0o644)
    at_work.settings('[models]\nagent = "openai/gpt-6-lunar"\n')
    (at_work.home / "state").chmod(0o755)

    ended = at_work.memproc("doctor", "--json")
    assert ended.code == 1
    found = findings(ended)
    levels = {name: found[name]["level"] for name in found if found[name]["level"] != "ok"}
    assert {"updated exports", "backups", "key files"} <= {
        name for name in levels if levels[name] == "error"
    }
    assert {"models known", "folder state"} <= {
        name for name in levels if levels[name] == "warning"
    }
    assert all(found[name]["remedy"] for name in levels)
    assert "k-very-secret" not in ended.out + at_work.memproc("doctor").out


def test_what_a_bug_report_needs_names_nothing_of_ones_own(at_work: Person) -> None:
    at_work.settings(
        '[models]\nagent = "anthropic/claude-opus-5-5"\n[chats]\nexclude = ["Marta and me"]\n'
        '[[chats.override]]\nchat = "Nightingale"\n'
    )
    ended = at_work.memproc("doctor", "--report", "--json")
    assert ended.code == 0, ended
    told = {row["name"]: row["value"] for row in json.loads(ended.out)["support"]}
    assert (told["chats"], told["core.enabled"], told["output.mode"]) == ("1", "false", "replace")
    assert "fold.group" not in told, "it is gone"
    assert (told["models.agent"], told["chats.override"]) == ("their own", "their own (1)")
    said = at_work.memproc("doctor", "--report").out
    title = json.loads(at_work.updated()[0].read_bytes())["data"]["chats"][0]["chatTitle"]
    for own in ("opus", "Marta", "Nightingale", str(at_work.home), title):
        assert own not in said


def test_with_a_broken_memproc_toml_the_rest_is_looked_at_all_the_same(ada: Person) -> None:
    ada.toml.write_text("[chunk]\ntokens = 3\n")
    ended = ada.memproc("doctor", "--json")
    assert ended.code == 1
    found = findings(ended)
    assert found["memproc.toml"]["level"] == "error"
    assert "chunk.tokens" in found["memproc.toml"]["text"]
    assert found["Python"]["level"] == "ok"
    assert "archive" not in found


def test_a_fresh_house_has_no_error(ada: Person) -> None:
    ended = ada.memproc("doctor", "--json")
    assert ended.code == 0, ended.out
    assert not (ada.home / "state").exists(), "looking makes nothing"


@pytest.mark.long
def test_a_keyring_that_never_answers_does_not_hold_it_up(
    at_work: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "tests.daemon.keys.backends.Stuck")
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(root / "tests" / "guard"), str(root))))
    ended = at_work.spawn("doctor", "--json")
    assert ended.code == 0
    assert "did not answer in time" in findings(ended)["key anthropic"]["text"]
