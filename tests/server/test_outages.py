"""What LiteLLM makes of each outage: the kinds that memproc's own classification stands on."""

from time import monotonic
from typing import Any

import pytest

from tests.server.asking import ask, asking_quote, litellm
from tests.server.faults import Faulty
from tests.server.models import Model
from tests.server.outages import FAILURES
from tests.server.server import ModelServer
from tests.server.setup import Setup

HAIKU = "anthropic/claude-haiku-5-5"
OPENAI = "openai/gpt-4o"
SECONDS = 0.3


def failing(name: str, model: str = HAIKU, **options: Any) -> Any:
    """The exception of a call that meets this fault."""
    with (
        ModelServer(Setup(script=Faulty(at={1: name}))) as server,
        pytest.raises(Exception) as caught,
    ):
        ask(server, model, asking_quote(), max_retries=0, **options)
    return caught.value


# The status is LiteLLM's: it tells 529 of Anthropic as 500.
KINDS = {
    "context too long": (("ContextWindowExceededError", 400), ("ContextWindowExceededError", 400)),
    "no money": (("BadRequestError", 400), ("RateLimitError", 429)),
    "wrong key": (("AuthenticationError", 401), ("AuthenticationError", 401)),
    "forbidden": (("PermissionDeniedError", 403), ("APIError", 403)),
    "unknown model": (("NotFoundError", 404), ("NotFoundError", 404)),
    "timed out": (("Timeout", 408), ("Timeout", 408)),
    "conflict": (("BadRequestError", 409), ("APIError", 409)),
    "too early": (("BadRequestError", 425), ("APIError", 425)),
    "rate limited": (("RateLimitError", 429), ("RateLimitError", 429)),
    "rate limited with billing": (("RateLimitError", 429), ("RateLimitError", 429)),
    "server error": (("InternalServerError", 500), ("InternalServerError", 500)),
    "unavailable": (("ServiceUnavailableError", 503), ("ServiceUnavailableError", 503)),
    "overloaded": (("InternalServerError", 500), ("APIError", 529)),
}


def test_every_failure_is_tried() -> None:
    assert KINDS.keys() == FAILURES.keys()


@pytest.mark.parametrize("name", KINDS)
def test_each_failure_has_its_exception(name: str) -> None:
    faults = failing(name, HAIKU), failing(name, OPENAI)
    assert tuple((type(fault).__name__, fault.status_code) for fault in faults) == KINDS[name]


def test_a_rate_limit_says_when_to_come_again() -> None:
    headers = failing("rate limited").litellm_response_headers
    assert headers["retry-after"] == "1"


@pytest.mark.parametrize("model", [HAIKU, OPENAI, "ollama_chat/local-model"])
@pytest.mark.parametrize("name", ["drop", "malformed"])
def test_a_broken_answer_is_an_error_of_the_providers(model: str, name: str) -> None:
    assert failing(name, model).status_code == 500


@pytest.mark.parametrize("model", [HAIKU, OPENAI])
def test_a_stream_that_drops_is_an_error(model: str) -> None:
    with (
        ModelServer(Setup(script=Faulty(at={1: "drop"}))) as server,
        pytest.raises(Exception) as caught,
    ):
        list(ask(server, model, asking_quote(), max_retries=0, stream=True))
    assert type(caught.value).__name__ == "MidStreamFallbackError"


@pytest.mark.parametrize("model", [HAIKU, OPENAI])
def test_a_hanging_call_ends_with_the_clients_patience(model: str) -> None:
    assert isinstance(failing("hang", model, timeout=SECONDS), litellm().Timeout)


def test_a_slow_answer_comes_after_its_seconds() -> None:
    script = Faulty(at={1: "slow"}, slow_seconds=SECONDS)
    with ModelServer(Setup(script=script)) as server:
        began = monotonic()
        assert ask(server, HAIKU, asking_quote()).choices[0].finish_reason == "stop"
        assert monotonic() - began >= SECONDS


def test_a_prompt_above_the_window_is_refused_without_the_script() -> None:
    with ModelServer(
        Setup(models={"gpt-4o": Model(window=50), "claude-haiku-5-5": Model(window=50)})
    ) as server:
        for model in (HAIKU, OPENAI):
            with pytest.raises(litellm().ContextWindowExceededError):
                ask(server, model, asking_quote(), max_retries=0)
        assert server.meter.bills == {}


def test_a_dropped_answer_is_billed_and_not_heard() -> None:
    with ModelServer(Setup(script=Faulty(at={1: "drop"}))) as server:
        with pytest.raises(litellm().InternalServerError):
            ask(server, HAIKU, asking_quote(), max_retries=0)
        answer = ask(server, HAIKU, asking_quote())
        assert server.meter.heard.output == answer.usage.completion_tokens
        assert server.meter.usage.output == 2 * answer.usage.completion_tokens
        assert server.meter.finished_and_seen_again == []
