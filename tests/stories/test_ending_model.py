"""The model of a chat ends soon: a person hears of it everywhere, with what it has not written, and `run` does it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from primer import retirement
from tests.chats import MODEL, export_bytes, long_chat
from tests.server.child import ServerProcess, serve
from tests.server.setup import KEY
from tests.stories.person import Person
from tests.stories.test_page import Browser

pytestmark = pytest.mark.timeout(200)
OLD = "claude-haiku-4-5"
"""A model that LiteLLM's map knows without a last day."""
SOURCE = "a page of these tests"


def ends_in(days: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Announce that the model ends in so many days; the day."""
    day = (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
    monkeypatch.setattr(retirement, "ANNOUNCED", {f"anthropic/{OLD}": (day, SOURCE)})
    return day


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """Anthropic's address is this server's; there is no key yet."""
    with serve(tmp_path / "server", {"bodies": True}) as running:
        monkeypatch.setenv("ANTHROPIC_API_BASE", running.url)
        yield running


@pytest.fixture
def edda(tmp_path: Path, server: ServerProcess) -> Person:
    """A person without a key, for whose chat the built-in engine has made two memories."""
    edda = Person(tmp_path / "edda", tail=3200, step=800, chunk=800)
    edda.drop(export_bytes(long_chat(5400, tokens_each=300)).replace(MODEL.encode(), OLD.encode()))
    assert edda.memproc("run", "--yes").code == 0
    return edda


@pytest.mark.full
def test_all_that_a_person_looks_at_tells_of_the_end_until_run_has_done_the_work(
    edda: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = ends_in(7, monkeypatch)
    end = f"anthropic/{OLD} ends on {day} (in 7 days, by {SOURCE})."
    undone = f"{end} It has not written 2 of the chat's 2 memories itself. To have it write 2 of them now costs likely $"
    texts = [
        " ".join(edda.memproc(command).out.split()) for command in ("status", "doctor", "plan")
    ]
    texts.append(" ".join(Browser(edda).open("/").split()))
    for text in texts:
        assert undone in text
        assert "; in batches likely $" in text
        assert "memproc key set anthropic" in text
        assert "memproc run" in text
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (chat,) = json.loads(edda.memproc("plan", "--json").out)["chats"]
    assert (
        chat["ending"]["likely_usd"]
        == chat["money"]["likely_usd"]
        > chat["ending"]["batched_likely_usd"]
        > 0
    )
    assert edda.memproc("run", "--yes").code == 0
    told = edda.memproc("status").out
    assert f"{end} It has written all 2 memories of this chat itself." in told
    assert "choose another model for the chat" in told
    assert "memories of" not in edda.memproc("doctor").out


@pytest.mark.sampled
@pytest.mark.parametrize("days", [61, -1], ids=["too early", "too late"])
def test_nothing_is_said_of_memories_while_there_is_time_or_when_it_is_too_late(
    edda: Person, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    ends_in(days, monkeypatch)
    for command in ("status", "plan"):
        assert OLD not in edda.memproc(command).out
