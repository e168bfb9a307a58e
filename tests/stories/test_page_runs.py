"""A run is begun, stopped and gone on with on the page, and its end is told there."""

import json
from pathlib import Path

import pytest

from daemon.cli.commands import INTERRUPTED
from daemon.inbox.child import STOPPED
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.stories.cycle import ENGINE
from tests.stories.daemon import QUICK, running
from tests.stories.person import Person
from tests.stories.test_page import Browser, buttons
from tests.waiting import until

__all__ = ["buttons"]
pytestmark = [pytest.mark.timeout(200), pytest.mark.usefixtures("buttons")]
HAIKU = "anthropic/claude-haiku-5-5"
MODELS = f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{HAIKU}"\n'
BROKEN_OFF = "The run ended before it was through."
CHAT = f"/chat/{CHAT_ID}"


@pytest.fixture
def eve(tmp_path: Path) -> Person:
    """A person with a chat to compress, and no key."""
    person = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    person.settings(f"{MODELS}{QUICK}")
    person.drop(export_bytes(long_chat(6000, tokens_each=300)))
    return person


def no_run_goes_on(person: Person) -> bool:
    return json.loads(person.memproc("status", "--json").out)["run"] is None


@pytest.mark.full
def test_the_page_says_what_the_terminal_says_of_money_and_never_the_greatest_sum(
    eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve.settings()
    assert eve.memproc("run").code == 0, "extracted, so the chat has a page"
    eve.drop(export_bytes(long_chat(9000, tokens_each=300)))
    eve.settings(f"{MODELS}[budget]\nrun_usd = 0.001\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    said = " ".join(eve.memproc("plan").out.split()).partition("In all: ")[2]
    assert "likely $0.0" in said
    assert "left of a run's $0.0010: it will pause there." in said
    browser = Browser(eve)
    for address in ("/inbox", f"{CHAT}/plan", f"{CHAT}/plan-line"):
        shown = browser.open(address)
        assert said[1:] in shown, (address, shown)
        assert "t most" not in shown


@pytest.mark.full
def test_what_was_extracted_is_written_by_the_model_at_a_press(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve.settings()
    assert eve.memproc("run").code == 0
    browser = Browser(eve)
    home = browser.open("/")
    assert "memories were extracted, since no model was asked." in home
    assert "memories are extracted. With a key" in browser.open(f"{CHAT}/plan-line")
    eve.settings(MODELS)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    browser = Browser(eve)
    asking = browser.open(f"{CHAT}/plan-line")
    assert asking.startswith("Have the model write the ")
    assert "extracted ones, about $0.0" in asking
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        browser.send(f"{CHAT}/run")
        until(lambda: no_run_goes_on(eve) and server.meter.calls > 0)
    assert "memories were written by the model." in browser.open("/")
    assert "extracted" not in browser.open(f"{CHAT}/plan-line")


@pytest.mark.long
def test_a_run_is_stopped_and_gone_on_with(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(eve)
    assert "No run goes on now." in browser.send("/run/stop")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(tmp_path, {"seconds": 0.3}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        run = eve.start("run")
        until(lambda: server.meter.calls >= 2)
        assert "Stop" in browser.open("/")
        assert "The run stops after the calls" in browser.send("/run/stop")
        _, err = run.communicate(timeout=60)
        assert (run.returncode, "Stopped, as you asked" in err) == (INTERRUPTED, True)
        home = browser.open("/")
        assert "The last run: stopped." in home
        assert "Go on from there" in home
        assert eve.memproc("run").code == 0
        assert server.meter.finished_and_seen_again == [], "nothing is asked twice"


@pytest.mark.full
def test_what_a_killed_run_left_is_over_once_a_newer_export_is_in_its_place(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(tmp_path, {"seconds": 0.3}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        run = eve.start("run")
        until(lambda: server.meter.calls >= 1)
        run.kill()
        run.communicate()
    browser = Browser(eve)
    assert BROKEN_OFF in browser.open("/")
    newer = eve.drop(export_bytes(long_chat(6500, tokens_each=300)), "newer.json")
    newer.replace(eve.inbox / "export.json")
    eve.settings(ENGINE)
    assert eve.memproc("run").code == 0
    assert BROKEN_OFF not in browser.open("/")


@pytest.mark.long
def test_a_run_of_the_daemons_is_paused_and_resumed(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert STOPPED == INTERRUPTED
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serve(tmp_path, {"seconds": 0.3}) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        with running(eve, ANTHROPIC_API_KEY=KEY, ANTHROPIC_API_BASE=server.url) as daemon:
            browser = Browser(eve)
            until(lambda: server.meter.calls >= 2, 60)
            assert "Pause" in browser.open("/")
            assert "memproc resume" in browser.send("/run/stop")
            daemon.comes_to("export.json", "copied", saying="was stopped")
            assert "memproc is paused: what you drop waits." in browser.open("/")
            assert "Resumed." in browser.send("/service/resume")
            daemon.comes_to("export.json", "written")
        assert server.meter.finished_and_seen_again == []


def test_home_says_of_a_chat_that_is_too_short_that_no_run_takes_it(tmp_path: Path) -> None:
    person = Person(tmp_path / "ada")
    person.settings(ENGINE)
    person.drop(export_bytes(long_chat(500)), "new.json")
    browser = Browser(person)
    assert 'data-once="/inbox/plan-line?file=new.json"' in browser.source("/")
    said = browser.open("/inbox/plan-line?file=new.json")
    assert said.startswith("No run will take it now. It has ")
    for name in ("..%2Fmemproc.toml", "a" * 5_000):
        assert browser.open(f"/inbox/plan-line?file={name}") == ""
