"""What a failed call means, told by real HTTP answers in the dialects of two providers."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from daemon.events import Event, ignore_event
from daemon.models import completion
from daemon.models.completion import complete
from daemon.models.direct import ATTEMPTS, persistently
from daemon.models.hosts import host_asked
from daemon.status.sentences import sentence
from primer.prompt import fill_length, question
from primer.reply import Request
from rules.errors import (
    ContextTooLong,
    CutOff,
    Forbidden,
    MemprocError,
    ModelError,
    NotNow,
    OutOfReach,
    ProviderRefuses,
)
from tests.entries import entries, said
from tests.known import known
from tests.server.asking import TEXTS, TOLD, context
from tests.server.faults import Faulty
from tests.server.reply import Failure
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup

CLAUDE, GPT = "anthropic/claude-haiku-5-5", "openai/gpt-4o"
Serve = Callable[[Faulty], ModelServer]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Serve:
    """Start a server with these faults, where LiteLLM finds it through the environment."""

    def start(script: Faulty) -> ModelServer:
        server = ModelServer(Setup(script=script))
        server.__enter__()
        request.addfinalizer(server.close)
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.setenv(name, KEY)
        return server

    return start


def asked(model: str) -> Request:
    return Request("quote", known(model), (*context(), question(fill_length(TEXTS.quote, 20))), 20)


LATER = (
    "conflict",
    "too early",
    "rate limited",
    "server error",
    "unavailable",
    "overloaded",
)
LOST = ("timed out", "drop")

MEANING: dict[str, type[MemprocError]] = {
    **dict.fromkeys(LATER, NotNow),
    **dict.fromkeys(LOST, CutOff),
    **dict.fromkeys(("wrong key", "no money"), ProviderRefuses),
    "forbidden": Forbidden,
    "unknown model": ModelError,
    "context too long": ContextTooLong,
}


@pytest.mark.parametrize("fault", MEANING)
@pytest.mark.parametrize("model", [CLAUDE, GPT])
def test_each_fault_has_its_meaning_and_never_repeats_the_prompt(
    serve: Serve, fault: str, model: str
) -> None:
    serve(Faulty(at={1: fault}))
    with pytest.raises(MemprocError) as told:
        complete(asked(model))
    assert type(told.value) is MEANING[fault]
    assert model in told.value.message
    assert told.value.next_step
    assert not any(words in str(told.value) for words in TOLD)


def test_a_rate_limit_that_mentions_billing_passes(serve: Serve) -> None:
    """As Gemini words its limits by the minute; it does not mean that no money is left."""
    serve(Faulty(at={1: "rate limited with billing"}))
    with pytest.raises(NotNow):
        complete(asked(GPT))


def test_a_provider_that_cannot_be_reached_may_be_asked_again(serve: Serve) -> None:
    serve(Faulty()).close()
    with pytest.raises(NotNow) as told:
        complete(asked(CLAUDE))
    assert not isinstance(told.value, CutOff), "what never left is not billed"
    assert told.value.message == "Cannot reach 127.0.0.1."


def test_who_waits_for_a_provider_is_told_whom_which_try_and_how_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(random, "uniform", lambda least, most: most)
    told: list[Event] = []

    def away() -> completion.Completion:
        raise NotNow("Cannot reach api.anthropic.com.", "later")

    with pytest.raises(OutOfReach, match="It was tried 6 times"):
        persistently(away, lambda seconds: None, told.append)
    assert [sentence(event) for event in told][
        2
    ] == "Cannot reach api.anthropic.com (try 3 of 6, next in 4 s)."
    assert len(told) == ATTEMPTS - 1


@pytest.mark.parametrize(
    ("name", "options", "host"),
    [
        (CLAUDE, {}, "api.anthropic.com"),
        (GPT, {"api_base": "https://eu.api.openai.com/v1"}, "eu.api.openai.com"),
        ("hosted_vllm/qwen", {"api_base": "http://10.0.0.5:8000/v1"}, "10.0.0.5"),
        ("ollama/llama3", {}, "the provider ollama"),
    ],
)
def test_the_host_that_is_named_is_the_one_that_is_asked(
    name: str, options: dict[str, object], host: str
) -> None:
    assert host_asked(known(name, options)) == host


def test_a_provider_that_hangs_is_given_up_after_the_time_out(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion, "TIMEOUT_SECONDS", 0.3)
    serve(Faulty(at={1: "hang"}))
    with pytest.raises(CutOff):
        complete(asked(CLAUDE))


def test_a_passing_fault_costs_a_pause_and_nothing_else(serve: Serve) -> None:
    server = serve(Faulty(at={1: "overloaded", 2: "rate limited", 3: "server error"}))
    pauses: list[float] = []
    answer = persistently(lambda: complete(asked(CLAUDE)), pauses.append, ignore_event)
    assert answer.finish == "stop"
    assert len(server.requests) == 4
    assert len(pauses) == 3
    assert pauses[0] < pauses[2]


def test_what_may_have_been_billed_is_not_sent_again_before_that_is_agreed_to(serve: Serve) -> None:
    server = serve(Faulty(at={1: "drop"}))
    pauses: list[float] = []

    def ask() -> completion.Completion:
        return complete(asked(CLAUDE))

    with pytest.raises(CutOff):
        persistently(ask, pauses.append, ignore_event, may_be_billed=True)
    assert (len(server.requests), pauses) == (1, [])
    assert persistently(ask, pauses.append, ignore_event, may_be_billed=True).finish == "stop"


def test_the_provider_s_own_wish_for_a_pause_is_kept() -> None:
    calls: list[float] = []

    def busy() -> completion.Completion:
        raise NotNow("busy", "wait", retry_after=77.0)

    with pytest.raises(ModelError, match=f"tried {ATTEMPTS} times"):
        persistently(busy, calls.append, ignore_event)
    assert calls == [77.0] * (ATTEMPTS - 1)


def test_nobody_waits_an_hour_for_a_provider() -> None:
    def closed() -> completion.Completion:
        raise NotNow("busy", "wait", retry_after=3600.0)

    with pytest.raises(ModelError, match="tried 1 time\\. It asks to wait for 1 hour"):
        persistently(closed, lambda seconds: pytest.fail("it waited"), ignore_event)


@pytest.mark.parametrize("said", ["7", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_retry_after_is_seconds_or_a_date(serve: Serve, said: str) -> None:
    script = Faulty(script=lambda request: Failure(429, "rate_limit_error", "slow down", said))  # type: ignore[arg-type]
    serve(script)
    with pytest.raises(NotNow) as told:
        complete(asked(CLAUDE))
    assert told.value.retry_after is not None
    assert told.value.retry_after >= 7


def test_an_unknown_model_names_those_that_are_near(serve: Serve) -> None:
    serve(Faulty(at={1: "unknown model"}))
    with pytest.raises(ModelError) as told:
        complete(asked("anthropic/claude-haiku-5-6"))
    assert "claude-haiku-5-5" in told.value.next_step


def test_what_the_requests_share_is_read_from_the_provider_s_cache(serve: Serve) -> None:
    server = serve(Faulty())
    chunk = entries(
        [
            said(("user", "assistant")[at % 2], "We spoke of the ferry. " * 300, at)
            for at in range(4)
        ]
    )
    turns = (*context(chunk), question(fill_length(TEXTS.quote, 20)))
    first = complete(Request("quote", known(CLAUDE), turns, 20))
    again = complete(
        Request(
            "quote",
            known(CLAUDE),
            (*turns[:-1], replace(turns[-1], content="Another question.")),
            20,
        )
    )
    assert first.tokens_cached == 0
    assert first.tokens_cache_written > 0
    assert again.tokens_cached == first.tokens_cache_written
    marked = [turn for turn in turns if turn.ends_prefix]
    assert len(marked) == 3
    assert (
        sum("cache_control" in str(message) for message in server.requests[0].body["messages"]) == 3
    )
