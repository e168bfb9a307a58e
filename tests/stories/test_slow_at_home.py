"""A server of one's own: what its model cannot is left to the engine, and what takes too long has an end."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.models import direct
from tests.chats import CHAT_ID, export_bytes, long_chat
from tests.server.own import Own, clever, is_trial, stupid
from tests.server.reply import Answer, Hang, Script
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.server.step import read_task
from tests.stories.person import Person
from tests.stories.reports import memories
from tests.stories.wire import made_by

NAME = "hosted_vllm/local-8k"
ALONE = "does the analysis alone"
FAST = 1_000_000.0
"""Tokens a second: no time-out grows by them."""
pytestmark = pytest.mark.timeout(300)


@contextmanager
def at_home(tmp_path: Path, script: Script, tokens: int) -> Iterator[Person]:
    """A person with a server of their own, set up with one command, and a chat in the inbox."""
    own = Own("llama.cpp", "local-8k", 8192, slots=1, read=FAST, written=FAST)
    with ModelServer(Setup(script=script, own=own)) as server:
        person = Person(tmp_path / "nessa", tail=3200, step=800, chunk=800)
        said = person.memproc("init", "--local", server.url, "--yes")
        assert said.code == 0, said
        settings = person.toml.read_text()
        person.toml.write_text(re.sub(r"(?m)^timeout = .*$", "timeout = 1", settings))
        person.drop(export_bytes(long_chat(tokens, tokens_each=300)))
        yield person


def said_by(person: Person, *arguments: str) -> str:
    """What a command said, without its line breaks."""
    return " ".join(person.memproc(*arguments).out.split())


@pytest.mark.full
def test_one_that_missed_its_trial_analyses_alone_until_a_new_trial(tmp_path: Path) -> None:
    steps: list[str] = []
    model = [stupid]

    def script(request: Request) -> Answer:
        if not is_trial(request):
            steps.append(read_task(request).step)
        return model[0](request)

    with at_home(tmp_path, script, 7200) as nessa:
        planned = said_by(nessa, "plan")
        assert planned.index(ALONE) < planned.index("analyses")
        ran = said_by(nessa, "run")
        assert ALONE in ran
        assert f"memproc config fit {NAME}" in ran
        assert ALONE in said_by(nessa, "status")
        assert set(steps) == {"analysis"}
        assert made_by(nessa) == {"extracted"}
        asked = len(steps)
        assert "unchanged" in said_by(nessa, "run")
        assert len(steps) == asked, "what is so made is done"
        model[0] = clever
        assert nessa.memproc("config", "fit", NAME).code == 0
        assert ALONE not in said_by(nessa, "plan")
        said_by(nessa, "run")
        in_use = [each for each in memories(nessa, CHAT_ID) if "not in use" not in each.marks]
        assert {each.edition.made for each in in_use} == {"model"}


@pytest.mark.full
def test_one_whose_answers_are_of_no_use_analyses_alone_from_the_next_chunk_on(
    tmp_path: Path,
) -> None:
    steps: list[str] = []

    def script(request: Request) -> Answer:
        if is_trial(request):
            return clever(request)
        steps.append(read_task(request).step)
        return clever(request) if steps[-1] == "analysis" else Answer("")

    with at_home(tmp_path, script, 18_000) as nessa:
        assert ALONE not in said_by(nessa, "plan")
        ran = said_by(nessa, "run")
        assert ran.count(ALONE) == 1
        assert "unusable ones among its first 10 answers" in ran
        until = max(at for at, step in enumerate(steps) if step != "analysis")
        assert until < 20, "it is found out with the second chunk or so"
        assert len(steps) - until > 5, "the others are analysed"
        assert "memories folded into f" in ran
        assert made_by(nessa) == {"extracted"}
        asked = len(steps)
        assert "unchanged" in said_by(nessa, "run")
        assert len(steps) == asked, "what is so made is done"
        for command in ("status", "doctor"):
            assert ALONE in said_by(nessa, command), "also after a run with nothing to do"
        sizes = nessa.toml.read_text()
        nessa.toml.write_text(re.sub(r"(?m)^window = .*$", "window = 8000", sizes))
        assert ALONE not in said_by(nessa, "plan")
        assert "first 10 answers" not in said_by(nessa, "doctor")
        said_by(nessa, "run")
        assert "quote" in steps[asked:], "other sizes are another attempt"


@pytest.mark.full
def test_an_answer_that_takes_too_long_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "_FIRST_PAUSE_SECONDS", 0.01)
    steps: list[str] = []

    def script(request: Request) -> Answer | Hang:
        if is_trial(request):
            return clever(request)
        steps.append(read_task(request).step)
        return Hang() if steps[-1] == "perspective" else clever(request)

    with at_home(tmp_path, script, 5400) as nessa:
        ran = said_by(nessa, "run")
        assert "has not answered in time (try 1 of 2" in ran
        assert "The smallest request was answered" in ran
        assert "extracted" in made_by(nessa)
        calls = json.loads(nessa.memproc("calls", CHAT_ID, "--json").out)["calls"]
        slow = [call["tries"] for call in calls if call["finish"] == "too_slow"]
        assert slow == [2] * (steps.count("perspective") // 2)
        assert "too_slow, try 2" in said_by(nessa, "calls", CHAT_ID)
        asked = len(steps)
        said_by(nessa, "run")
        assert len(steps) == asked
