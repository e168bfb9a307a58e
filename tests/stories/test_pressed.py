"""What is pressed or typed while a run works is done at its end, once; what costs or is final never waits."""

import json
from pathlib import Path

import pytest

from daemon.files.lock import hold
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.daemon import QUICK, running
from tests.stories.person import Person
from tests.stories.test_page import Browser, buttons
from tests.waiting import until

__all__ = ["buttons"]
pytestmark = [pytest.mark.timeout(200), pytest.mark.usefixtures("buttons")]
HAIKU = "anthropic/claude-haiku-5-5"
MODELS = f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{HAIKU}"\n'
CHAT = f"/chat/{CHAT_ID}"
TEA = "Ada drinks tea at five"


@pytest.fixture
def eve(tmp_path: Path) -> Person:
    """A person whose chat has memories already, and more to compress."""
    person = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    person.settings(QUICK)
    person.drop(export_bytes(long_chat(6000, tokens_each=300)))
    assert person.memproc("run").code == 0
    person.settings(f"{MODELS}{QUICK}")
    return person


def facts(person: Person) -> list[str]:
    told = json.loads(person.memproc("facts", CHAT_ID, "--json").out)
    return [fact["text"] for fact in told["facts"]]


def lock(person: Person) -> Path:
    return person.home / "state" / "lock"


@pytest.mark.full
def test_what_is_typed_and_pressed_while_a_run_works_is_done_at_its_end_and_told(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(eve)
    eve.drop(export_bytes(long_chat(7500, tokens_each=300)))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(tmp_path, {"seconds": 0.3}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        run = eve.start("run", "--yes")
        until(lambda: server.meter.calls >= 1)
        typed = eve.memproc("facts", CHAT_ID, "add", TEA)
        assert (typed.code, typed.err) == (0, "")
        assert "This waits, and is done when that ends." in " ".join(typed.out.split())
        pressed = browser.send(f"{CHAT}/core/human/set", text="Call her Ada.")
        assert "This waits, and is done when that ends." in pressed
        assert "Waits for the end of a run: memproc core set" in pressed
        out, _ = run.communicate(timeout=120)
    assert "Done after a run: memproc facts add" in " ".join(out.split())
    assert facts(eve).count(TEA) == 1
    assert "Call her Ada." in eve.memproc("core", CHAT_ID).out
    assert "Done after a run: memproc core set" in browser.open(f"{CHAT}/core")


@pytest.mark.full
def test_a_refusal_is_told_where_it_was_pressed(eve: Person) -> None:
    browser = Browser(eve)
    with hold(lock(eve)):
        assert "This waits" in browser.send(f"{CHAT}/facts/77/forget")
    assert eve.memproc("facts", CHAT_ID, "add", TEA).code == 0
    told = "Could not be done after a run: memproc facts forget"
    assert told in browser.open(f"{CHAT}/facts")
    assert told in " ".join(eve.memproc("facts", CHAT_ID).out.split())
    assert told not in browser.open(f"{CHAT}/core")


@pytest.mark.full
def test_what_waits_outlasts_a_kill_and_is_done_once_by_the_daemon_that_starts_then(
    eve: Person,
) -> None:
    with hold(lock(eve)):
        assert eve.memproc("facts", CHAT_ID, "add", TEA).code == 0
    assert facts(eve).count(TEA) == 0, "the run was killed before its end"
    for _ in range(2):
        with running(eve) as daemon:
            daemon.until(lambda: facts(eve).count(TEA) == 1, "it is done")
            daemon.until(lambda: "Done after a run" in daemon.said(), "it is told")


@pytest.mark.full
def test_what_costs_or_is_final_never_waits(eve: Person) -> None:
    browser = Browser(eve)
    (memory, *_) = json.loads(eve.memproc("memories", CHAT_ID, "--json").out)["memories"]
    name = memory["memory_id"]
    with hold(lock(eve)):
        for command in (
            ["retry", name], ["erase", CHAT_ID, "--yes"], ["undo", CHAT_ID, "--yes"],
        ):  # fmt: skip
            refused = eve.memproc(*command)
            assert refused.code != 0
            assert "Another memproc" in refused.err
            assert "Wait for it" in refused.err
        pressed = browser.send(f"/memory/{name}/retry", status=409, guidance="")
        assert "Wait until that has ended, then press again." in pressed
    assert facts(eve) == []
