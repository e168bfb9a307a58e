"""The client of batches, against a server that is as strict as the provider: what it sends, reads and refuses."""

import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.models import batch_client as client
from daemon.models.batch_client import NoBatches, Route, answer_of, fault_of, refusal_of, route_of
from daemon.models.completion import complete
from rules.errors import (
    ContextTooLong,
    CutOff,
    MemprocError,
    ModelError,
    NotNow,
    OutOfReach,
    ProviderRefuses,
)
from tests.daemon.models.batch_world import HAIKU, question
from tests.known import known
from tests.server.batching import Batching
from tests.server.server import ModelServer
from tests.server.setup import KEY

ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
SAID = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5",
    "content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}, {"type": "text", "text": "I remember."}],
    "stop_reason": "end_turn", "stop_sequence": None,
    "usage": {
        "input_tokens": 100, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 3, "output_tokens": 7,
        "service_tier": "batch",
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer() as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def route() -> Route:
    return route_of(question("0"))


def bodies(*asked: str) -> dict[str, Mapping[str, Any]]:
    return {question(one).key: route_of(question(one)).body for one in asked}


@given(st.text(), st.text(min_size=1))
def test_a_request_s_own_hash_is_a_name_that_the_provider_allows(asked: str, model: str) -> None:
    assert ALLOWED.fullmatch(question(asked, model=f"anthropic/{model}").key)


def test_the_body_in_a_batch_is_the_very_body_of_a_direct_call(server: ModelServer) -> None:
    request = replace(question("0"), model=known(HAIKU, {"stop": ["END"], "timeout": 20}))
    complete(request)
    (direct,) = server.requests
    assert route_of(request).body == direct.body
    assert len(server.requests) == 1, "to look at what would be sent sends nothing"


def test_a_batch_is_created_looked_at_and_read(server: ModelServer) -> None:
    server.batching(Batching(polls=2))
    made = client.create(route(), bodies("a", "b"))
    assert (made.ended, made.requests) == (False, 2)
    assert not client.look_at_batch(route(), made.id).ended
    ended = client.look_at_batch(route(), made.id)
    assert ended.ended
    found = {result.custom_id: result for result in client.fetch_results(route(), ended)}
    assert found.keys() == bodies("a", "b").keys()
    assert {result.result.type for result in found.values()} == {"succeeded"}


def test_the_list_is_read_page_by_page_back_to_a_time(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_MOST_ON_A_PAGE", 2)
    assert client.newest(route()) is None
    assert list(client.since(route(), "")) == []
    made = [client.create(route(), bodies(str(number))) for number in range(5)]
    newest = client.newest(route())
    assert newest is not None
    assert newest.id == made[-1].id
    names = [batch.id for batch in reversed(made)]
    assert [batch.id for batch in client.since(route(), "")] == names
    for number, batch in enumerate(made):
        assert [one.id for one in client.since(route(), batch.created_at)] == names[: 5 - number]


@pytest.mark.parametrize("status", [400, 403, 404])
def test_where_there_are_no_batches_nothing_is_wrong(server: ModelServer, status: int) -> None:
    server.batching(Batching(refused=status))
    with pytest.raises(NoBatches):
        client.create(route(), bodies("a"))


def test_a_wrong_key_is_the_provider_s_refusal(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    with pytest.raises(ProviderRefuses, match="does not accept the key") as refused:
        client.newest(route())
    assert "wrong" not in str(refused.value)


def test_a_creation_whose_answer_got_lost_may_have_happened(server: ModelServer) -> None:
    server.batching(Batching(lost=[1]))
    with pytest.raises(CutOff):
        client.create(route(), bodies("a"))
    assert server.meter.batches == 1


def test_neither_key_nor_texts_are_shown(server: ModelServer) -> None:
    assert KEY not in repr(route())
    assert "Ada" not in repr(route_of(question("0")))


def test_a_message_is_read_as_a_direct_answer_is() -> None:
    read = answer_of(question("0"), SAID)
    assert (read.text, read.finish) == ("I remember.", "stop")
    assert (read.tokens_in, read.tokens_cache_written, read.tokens_cached, read.tokens_out) == (
        123,
        20,
        3,
        7,
    )
    assert answer_of(question("0"), {**SAID, "stop_reason": "refusal"}).finish == "content_filter"
    assert answer_of(question("0"), {**SAID, "stop_reason": "max_tokens"}).finish == "length"


@pytest.mark.parametrize(
    ("kind", "said", "means"),
    [
        (
            "invalid_request_error",
            "prompt is too long: 250000 tokens > 200000 maximum",
            ContextTooLong,
        ),
        ("invalid_request_error", "temperature is not supported", ModelError),
        ("billing_error", "Your credit balance is too low", ProviderRefuses),
        ("not_found_error", "model: claude-none", ModelError),
        ("rate_limit_error", "Too many", NotNow),
        ("overloaded_error", "Overloaded", NotNow),
        ("api_error", "Something", NotNow),
        ("a new kind of error", "Something", NotNow),
    ],
)
def test_an_error_in_a_batch_means_what_it_means_to_a_direct_call(
    kind: str, said: str, means: type[ModelError]
) -> None:
    inside = {"type": kind, "message": said}
    for error in ({"type": "error", "error": inside}, inside):
        with pytest.raises(means):
            refusal_of(question("0"), error)


def test_what_breaks_on_the_way_means_what_it_means_to_a_direct_call() -> None:
    asked = httpx.Request("GET", "http://127.0.0.1/v1/messages/batches")
    assert isinstance(fault_of(question("0"), httpx.ReadTimeout("x", request=asked)), CutOff)
    never_sent = fault_of(question("0"), httpx.ConnectError("x", request=asked))
    assert isinstance(never_sent, NotNow)
    assert not isinstance(never_sent, CutOff)
    busy = fault_of(question("0"), httpx.Response(429, headers={"retry-after": "7"}))
    assert isinstance(busy, NotNow)
    assert busy.retry_after == 7


SIGN_IN = "<!DOCTYPE html><html><body>Welcome to the hotel, Ada</body></html>"


@pytest.mark.parametrize(
    ("status", "means"), [(200, NotNow), (511, NotNow), (403, OutOfReach), (404, OutOfReach)]
)
def test_a_web_page_is_told_as_one_and_not_as_a_model_s_answer(
    status: int, means: type[MemprocError]
) -> None:
    fault = fault_of(question("0"), httpx.Response(status, html=SIGN_IN))
    assert type(fault) is means
    assert fault.message.startswith(f"api.anthropic.com answers with a web page (status {status})")
    assert "hotel" not in str(fault)


def test_a_busy_server_s_page_says_no_more_than_its_status() -> None:
    fault = fault_of(question("0"), httpx.Response(502, html="<html>Bad gateway</html>"))
    assert "status 502" in fault.message
    assert "web page" not in fault.message


def test_a_certificate_that_is_not_trusted_is_told_as_such() -> None:
    outcome = httpx.ConnectError("x", request=httpx.Request("POST", "https://api.anthropic.com"))
    outcome.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    fault = fault_of(question("0"), outcome)
    assert type(fault) is NotNow
    assert fault.message.startswith("The certificate of api.anthropic.com is not one")


def test_a_refusal_of_what_is_said_is_an_answer_in_a_batch_too() -> None:
    error = {"type": "invalid_request_error", "message": "Your prompt was flagged."}
    assert refusal_of(question("0"), error).finish == "content_filter"
