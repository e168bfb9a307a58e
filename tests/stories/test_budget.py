"""Agreed before it is spent: a run ends at its cap, the daemon pauses, both go on; a plan brackets what it costs."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.chats import export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.daemon import QUICK, running
from tests.stories.person import Person

pytestmark = pytest.mark.timeout(200)
CHAT = long_chat(9000, tokens_each=300)
HAIKU = "anthropic/claude-haiku-5-5"
OVER = 4


def settings(person: Person, more: str = "", model: str = HAIKU, options: str = "") -> None:
    person.settings(
        f'[models]\nagent = "{model}"\ncontext_manager = "{model}"\n{options}{QUICK}{more}'
    )


def budget(cap: str, usd: float) -> str:
    return f"[budget]\n{cap}_usd = {usd}\n"


@pytest.fixture
def eve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """A person with a model and its key, and a chat to compress, which costs about half a cent."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    eve = Person(tmp_path / "eve", tail=3200, step=800, chunk=800)
    settings(eve)
    eve.drop(export_bytes(CHAT))
    return eve


def shown(person: Person) -> dict[str, Any]:
    found = json.loads(person.memproc("budget", "show", "--json").out)
    assert isinstance(found, dict)
    return found | {cap["name"]: cap for cap in found["caps"]}


def billed(server: ServerProcess) -> float:
    """What the server has billed for haiku, in dollars."""
    usage = server.meter.usage
    return (
        usage.fresh * 0.1 + usage.written * 0.125 + usage.read * 0.01 + usage.output * 0.5
    ) / 1e6


def test_a_run_stops_at_its_cap_and_goes_on_after_it_was_raised(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(eve, budget("day", 0.004))
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        ended = eve.memproc("run")
        assert ended.code == OVER
        for told in ("budget of today is $0.0040", "when the day turns"):
            assert told in ended.err
        advised = ended.err.split("memproc budget raise --day ")[1].split()[0]
        assert "calls: " in ended.out, "the report of what was done comes all the same"
        assert eve.updated() == []
        assert 0 < billed(server) <= 0.004
        asked = server.meter.calls
        again = eve.memproc("run", "--json")
        assert again.code == OVER
        assert "budget raise" in json.loads(again.out)["paused"]["next_step"]
        assert server.meter.calls == asked

        toml = eve.toml.read_text()
        assert eve.memproc("budget", "raise", "--day", "0.003").code == 2, (
            "a lower one is not a higher one"
        )
        raised = eve.memproc("budget", "raise", "--day", advised)
        assert raised.code == 0
        assert f"${advised} (raised from $0.0040)" in raised.out
        assert eve.toml.read_text() == toml
        assert eve.memproc("run").code == 0, "the sum that was advised carries the whole plan"
        assert server.meter.finished_and_seen_again == []
        found = shown(eve)
        assert found["day"]["spent_usd"] == pytest.approx(billed(server), abs=1e-12)
        (model,) = found["models"]
        assert (model["model"], model["calls"], model["open_usd"]) == (HAIKU, server.meter.calls, 0)
    status = json.loads(eve.memproc("status", "--json").out)
    assert status["money"]["today_usd"] == found["day"]["spent_usd"]


@pytest.mark.full
def test_each_run_has_a_budget_of_its_own(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(eve, budget("run", 0.003))
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        codes = [eve.memproc("run").code]
        while codes[-1] == OVER and len(codes) < 10:
            assert shown(eve)["run"]["spent_usd"] <= 0.003
            codes.append(eve.memproc("run").code)
    assert codes[-1] == 0
    assert len(codes) > 1
    assert len(eve.updated()) == 1


@pytest.mark.full
def test_a_plan_s_dollars_bracket_what_is_really_spent(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (planned,) = json.loads(eve.memproc("plan", "--json").out)["chats"]
    money = planned["money"]
    assert money["replies"] == 0
    text = eve.memproc("plan").out
    assert "Costs likely $0.00" in text
    assert "The caps allow it." in text
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        assert eve.memproc("run").code == 0
        assert billed(server) <= money["at_most_usd"]
        assert 0.4 * money["likely_usd"] <= billed(server) <= 1.6 * money["likely_usd"]

        eve.drop(export_bytes(long_chat(16000, tokens_each=300)))
        (planned,) = json.loads(eve.memproc("plan", "--json").out)["chats"]
        money, before = planned["money"], billed(server)
        assert money["replies"] > 10, "the estimate of tokens stands on replies now"
        prompts = server.meter.usage
        assert eve.memproc("run").code == 0
        assert billed(server) - before <= money["at_most_usd"]
        assert money["likely_usd"] == pytest.approx(billed(server) - before, rel=0.15)
        now = server.meter.usage
        share = (now.read - prompts.read) / (now.prompt - prompts.prompt)
        assert money["tokens"]["cached_share"] == pytest.approx(share, abs=0.05)


def test_a_plan_that_the_caps_do_not_allow_says_so(eve: Person) -> None:
    settings(eve, budget("month", 0.003))
    text = eve.memproc("plan").out
    assert (
        "That is more than the $0.0030 that are left of this month's $0.0030: it will pause there."
        in text
    )


def test_a_model_of_unknown_price_is_refused_before_anything_is_sent(eve: Person) -> None:
    settings(
        eve,
        model="openai/our-own",
        options='[models.options]\napi_base = "https://models.example.com/v1"\n',
    )
    for command in ("plan", "run"):
        ended = eve.memproc(command)
        assert ended.code == 1
        assert "price of openai/our-own" in ended.out + ended.err
        assert "[[budget.price]]" in ended.out + ended.err


@pytest.mark.full
def test_the_engine_and_a_server_at_home_are_free_where_nothing_may_be_spent(
    eve: Person, tmp_path: Path
) -> None:
    nothing = "[budget]\nrun_usd = 0\nday_usd = 0\nmonth_usd = 0\n"
    with serve(tmp_path, {"key": "none"}) as server:
        home = (
            f'[models.options."openai/local-model"]\napi_base = "{server.url}/v1"\n'
            "window = 128_000\n"
        )
        settings(eve, nothing, "openai/local-model", home)
        assert "Costs nothing" in eve.memproc("plan").out
        assert eve.memproc("run").code == 0
        assert server.meter.calls > 0
    ada = Person(tmp_path / "ada")
    settings(ada, nothing, "memproc/extractive")
    ada.drop(export_bytes(CHAT))
    assert ada.memproc("run").code == 0
    assert shown(ada)["day"]["spent_usd"] == shown(eve)["day"]["spent_usd"] == 0


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stories of the daemon look into /proc")
def test_the_daemon_pauses_at_its_cap_and_goes_on_after_it_was_raised(
    eve: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(eve, budget("day", 0.003))
    with serve(tmp_path, None) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        with running(eve, ANTHROPIC_API_KEY=KEY, ANTHROPIC_API_BASE=server.url) as daemon:
            row = daemon.comes_to("export.json", "paused")
            assert "budget of today" in row.reason
            status = daemon.status()
            (problem,) = status["problems"]
            assert "memproc budget raise --day" in problem["next_step"]
            (queued,) = status["queue"]
            assert queued["next_look_at"] == shown(eve)["day"]["turns_at"]
            assert billed(server) <= 0.003
            calls = server.meter.calls
            assert eve.memproc("budget", "raise", "--day", "1").code == 0
            daemon.comes_to("export.json", "written")
            assert server.meter.calls > calls
            assert server.meter.finished_and_seen_again == []
            assert daemon.status()["problems"] == []
    assert len(eve.updated()) == 1
