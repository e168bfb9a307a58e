"""A passage that a provider refuses never stops its chat, let alone the others; a key that is refused extracts nothing."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.chats import chat, conversation, export_bytes
from tests.server.reply import Answer, Failure
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.stories.person import Person
from tests.stories.wire import made_by

pytestmark = pytest.mark.timeout(120)
FLAGGED = "the cellar of the lighthouse"
MODELS = '[models]\nagent = "anthropic/claude-haiku-5-5"\n[memory]\nhindsight = 0\n'
KNOWN = Failure(403, "permission_error", "The model requires moderation. Your input was flagged.")
UNKNOWN = Failure(403, "permission_error", "Computer says no.")
ODD = Failure(400, "invalid_request_error", "Computer says no.")


@dataclass
class Moderated:
    """A provider that refuses requests with a flagged word; with `all_of_them` every request."""

    failure: Failure
    all_of_them: bool = False
    refused: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Answer | Failure:
        if self.all_of_them or any(FLAGGED in turn.text for turn in request.turns):
            self.refused.append(request)
            return self.failure
        if "test of the connection" in request.turns[-1].text:
            return Answer("Yes.")
        return scribe(request)


Begin = Callable[[Moderated], ModelServer]


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Begin:
    """Start the provider."""

    def start(script: Moderated) -> ModelServer:
        server = ModelServer(Setup(script=script))
        request.addfinalizer(server.close)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        return server

    return start


@pytest.fixture
def olga(tmp_path: Path) -> Person:
    """A person with two chats, of which one comes to speak of the cellar."""
    person = Person(tmp_path / "olga", tail=3200, step=800, chunk=800)
    person.settings(MODELS)
    turns = conversation(22, 250)
    spoken = list(turns)
    spoken[3] = {**spoken[3], "content": f"We went down into {FLAGGED}, and it was dark there."}
    person.drop(
        export_bytes(
            chat(*spoken, chatID="cellarchat", chatTitle="Cellar"),
            chat(*turns, chatID="gardenchat", chatTitle="Garden"),
        )
    )
    return person


@pytest.mark.sampled
@pytest.mark.parametrize("failure", [KNOWN, UNKNOWN, ODD])
def test_all_chats_are_written_and_what_was_refused_is_not_asked_again(
    olga: Person, begin: Begin, failure: Failure
) -> None:
    provider = Moderated(failure)
    server = begin(provider)
    ended = olga.memproc("run")
    assert ended.code == 0, ended.err
    assert "2 written" in ended.out
    assert made_by(olga, "gardenchat") == {"model"}
    assert "extracted" in made_by(olga, "cellarchat")
    assert "Computer says no" not in ended.out + ended.err
    kept = json.loads(olga.memproc("calls", "cellarchat", "--json").out)["calls"]
    finishes = [call["finish"] for call in kept if call["finish"] != "stop"]
    expected = "content_filter" if failure == KNOWN else "unknown_refusal"
    assert set(finishes) == {expected}
    assert len(finishes) == len(provider.refused)
    trials = [call for call in kept if call["step"] == "trial"]
    assert bool(trials) is (failure != KNOWN)
    assert len(trials) <= len(finishes)
    requests = len(server.requests)
    assert olga.memproc("run").code == 0
    assert len(server.requests) == requests


@pytest.mark.full
def test_a_retry_asks_what_was_refused_for_an_unknown_reason(olga: Person, begin: Begin) -> None:
    provider = Moderated(UNKNOWN)
    server = begin(provider)
    assert olga.memproc("run").code == 0
    provider.failure, provider.refused = KNOWN, []
    assert "no new memory came of it" in olga.memproc("retry", "cellarchat", "1").err
    assert provider.refused, "the passage was asked about again"
    requests = len(server.requests)
    assert olga.memproc("run").code == 0
    assert len(server.requests) == requests, "and nothing else by that"


def test_a_key_that_is_refused_ends_the_run_and_extracts_nothing(
    olga: Person, begin: Begin
) -> None:
    begin(Moderated(UNKNOWN, all_of_them=True))
    ended = olga.memproc("run")
    assert ended.code == 1
    assert "forbids the request (status 403)" in ended.err
    assert olga.updated() == []


def test_a_model_that_refuses_everything_skips_each_chat_after_one_trial(
    olga: Person, begin: Begin
) -> None:
    server = begin(Moderated(ODD, all_of_them=True))
    ended = olga.memproc("run")
    assert ended.code == 1
    assert "0 written, 0 unchanged, 2 skipped" in ended.out
    assert "(status 400)" in ended.err + ended.out
    assert olga.updated() == []
    trials = [asked for asked in server.requests if "test of the conn" in asked.turns[-1].text]
    assert len(trials) <= 2
