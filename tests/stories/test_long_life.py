"""The whole life of a conversation of 100,000 tokens with models that often fail; the server's own log is the judge."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from primer.models import EXTRACTIVE
from primer.reply import KINDS
from primer.wording import keep_inert
from rules.conversation.memory import WRITTEN
from tests.chats import export_bytes, long_chat, texts
from tests.server.faults import Faulty
from tests.server.rates import FAILING, SPOILT
from tests.server.reply import Answer
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import read_task
from tests.server.witness import Witness
from tests.stories.person import Person
from tests.stories.test_real_exports import FOUND

MODELS = """
[fold]
budget = 1000000
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
fallback = "anthropic/claude-sonnet-5-5"
[models.options]
timeout = 3
"""
GOOD = "good"
LARGEST = 1_000_000
"""Bytes of the real conversations that are lived through."""


@dataclass(frozen=True)
class Life:
    """What was said, who has memproc, what its run reported, and the server with a witness of all it decided."""

    said: list[dict[str, Any]]
    chat_id: str
    person: Person
    report: dict[str, Any]
    server: ModelServer
    witness: Witness

    @property
    def memories(self) -> list[dict[str, Any]]:
        found = json.loads(self.person.memproc("memories", self.chat_id, "--json").out)["memories"]
        assert isinstance(found, list)
        return found

    def answers(self) -> dict[str, tuple[Request, Answer]]:
        """Every answer that was sent whole, by its request's key."""
        return {request.key: (request, answer) for request, answer in self.witness.answers()}

    def texts(self, kind: str, *steps: str) -> set[str]:
        """What the answers of one kind said, to these questions or to any."""
        found = (
            answer.text.strip()
            for request, answer in self.answers().values()
            if kind_of(request, answer) == kind and (not steps or read_task(request).step in steps)
        )
        return {keep_inert(text) for text in found if text}


def kind_of(request: Request, answer: Answer) -> str:
    """What memproc should think of this answer, by what the server knows."""
    task = read_task(request)
    if answer.ending != "ended":
        return answer.ending
    if not answer.text:
        return "empty"
    if task.step == "quote" and not any(answer.text in said.text for said in task.passage):
        return "not verbatim"
    return GOOD


def sources() -> list[Any]:
    """One conversation that is made up, and real ones of about 100,000 tokens, where there are any."""
    absent = pytest.mark.skip("no real exports: set MEMPROC_EXPORTS to a folder of them")
    real = [pytest.param(path, id=path.stem) for path in FOUND if path.stat().st_size < LARGEST]
    return [
        pytest.param(None, id="made up"),
        *(real or [pytest.param(None, id="real", marks=absent)]),
    ]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("source", sources())
@pytest.mark.long
def test_a_long_life_with_models_that_often_fail(
    tmp_path: Path, source: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = source.read_bytes() if source else export_bytes(long_chat(70_000))
    ada = Person(tmp_path / "ada", tail=30_000, step=8_000, chunk=4_000)
    ada.settings(MODELS)
    ada.drop(content)
    witness = Witness(Faulty(rates={**SPOILT, **FAILING}))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with ModelServer(Setup(script=witness), tmp_path / "server.jsonl") as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        with ada.start("run", "--json") as running:
            out, err = running.communicate()
        assert (running.returncode, err) == (0, "")
        (chat,) = json.loads(content)["data"]["chats"]
        life = Life(chat["messages"], chat["chatID"], ada, json.loads(out), server, witness)

        the_days_were_bad(life)
        the_output_is_whole(life)
        quotes_are_verbatim(life)
        nothing_that_failed_stands_in_a_memory(life)
        the_report_tells_what_the_server_did(life)
        no_finished_call_was_repeated(life)
        a_second_run_makes_no_call_and_changes_no_byte(life)


def the_days_were_bad(life: Life) -> None:
    """Else all of this would show nothing."""
    kinds = Counter(kind_of(*one) for one in life.answers().values())
    assert kinds.keys() == {GOOD, "empty", "cut off", "refused", "not verbatim"}
    drops = sum(not bill.heard for bill in life.server.meter.bills.values())
    assert life.server.meter.failures.total() + drops >= life.server.meter.calls / 50


def the_output_is_whole(life: Life) -> None:
    """Proved by memproc, and counted once more here: every message is under one memory or live, as it was."""
    assert [outcome["outcome"] for outcome in life.report["outcomes"]] == ["written"]
    assert life.person.memproc("verify").code == 0
    live = [message for message in life.person.chat()["messages"] if "memproc" not in message]
    assert live == life.said[-len(live) :]
    covered = [key for memory in life.memories for key in memory["keys"]]
    assert covered + [message["uuid"] for message in live] == [
        message["uuid"] for message in life.said
    ]


def quotes_are_verbatim(life: Life) -> None:
    said = {message["uuid"]: json.dumps(message, ensure_ascii=False) for message in life.said}
    for memory in life.memories:
        (quote,) = memory["edition"]["quotes"]
        assert json.dumps(quote["text"], ensure_ascii=False)[1:-1] in said[quote["source"]]


def nothing_that_failed_stands_in_a_memory(life: Life) -> None:
    """What stands in one is somebody's whole answer, and in the output it stands as in the archive."""
    written = [message for message in life.person.chat()["messages"] if "memproc" in message]
    shown = [text.strip() for text in texts(written)]
    assert all(shown)
    assert not life.texts("cut off") & {*shown} - life.texts(GOOD)
    for invented in life.texts("not verbatim"):
        assert not any(invented in text for text in shown)
    memories = life.memories
    assert shown[1:-1] == [
        text.strip() for memory in memories for text in memory["edition"]["texts"]
    ]
    for memory in (
        memory["edition"] for memory in memories if memory["edition"]["made"] == WRITTEN
    ):
        _, _, _, perspective, asked, refinement = memory["texts"]
        assert perspective.strip() in life.texts(GOOD, "perspective")
        assert refinement.strip() in life.texts(GOOD, "refinement")
        if memory["context_manager"] != EXTRACTIVE:
            assert any(analysis in asked for analysis in life.texts(GOOD, "analysis"))


def the_report_tells_what_the_server_did(life: Life) -> None:
    """Every call and token, and every answer that failed; of an analysis asked ahead and never needed, nothing."""
    answers = life.answers()
    sent = Counter(kind_of(request, answer) for request, answer in answers.values())
    noted = {kind: life.report["noted"].get(kind, 0) for kind in KINDS}
    untold = sent - Counter(noted)
    assert not Counter(noted) - sent
    assert untold.total() - untold[GOOD] <= sum(
        memory["edition"]["made"] != WRITTEN for memory in life.memories
    )
    heard = life.server.meter.heard
    counted = ("calls", "tokens_in", "tokens_cached", "tokens_cache_written", "tokens_out")
    told = [life.report[name] for name in counted]
    assert told == [len(answers), heard.prompt, heard.read, heard.written, heard.output]
    calls = json.loads(life.person.memproc("calls", life.chat_id, "--json").out)["calls"]
    assert sum(call["model"] != EXTRACTIVE for call in calls) == len(answers)


def no_finished_call_was_repeated(life: Life) -> None:
    """Calls that failed came again, up to six times; those that were answered never did."""
    meter = life.server.meter
    assert meter.finished_and_seen_again == []
    assert meter.answered.total() == len(life.answers())
    assert meter.seen.most_common(1)[0][1] <= 6


def a_second_run_makes_no_call_and_changes_no_byte(life: Life) -> None:
    before, calls = life.person.bytes_of_everything(), life.server.meter.calls
    ended = life.person.spawn("run", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert [outcome["outcome"] for outcome in json.loads(ended.out)["outcomes"]] == ["unchanged"]
    assert life.person.bytes_of_everything() == before
    assert life.server.meter.calls == calls
