"""The server as a process of its own, and its log as the judge."""

from pathlib import Path

import httpx
import pytest

from tests.server.child import ServerProcess, serve
from tests.server.log import read_events
from tests.server.setup import KEY, PLAIN
from tests.waiting import LIMIT_SECONDS

BODY = {
    "model": "claude-haiku-5-5",
    "max_tokens": 50,
    "messages": [{"role": "user", "content": "Hello."}],
}
HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}


def post(server: ServerProcess, **fields: object) -> httpx.Response:
    body = {**BODY, **fields}
    return httpx.post(
        f"{server.url}/v1/messages",
        json=body,
        headers=HEADERS,
        trust_env=False,
        verify=PLAIN,
        timeout=LIMIT_SECONDS,
    )


def test_a_process_answers_by_its_script_and_its_log_tells(tmp_path: Path) -> None:
    script = {"at": {"2": "overloaded"}, "models": {"claude-tiny": {"window": 1}}, "bodies": True}
    with serve(tmp_path / "server", script) as server:
        assert [post(server).status_code for _ in range(3)] == [200, 529, 200]
        assert post(server, model="claude-tiny").status_code == 400
        meter = server.meter
    assert meter.seen.most_common(1)[0][1] == 3
    assert meter.failures["529"] == 1
    assert len(meter.finished_and_seen_again) == 2
    events = list(read_events(server.log))
    assert [event["event"] for event in events[:4]] == ["arrived", "answered", "arrived", "failed"]
    assert events[0]["body"] == BODY
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


def test_a_hang_ends_with_the_process(tmp_path: Path) -> None:
    with serve(tmp_path, {"rates": {"hang": 1.0}}) as server, pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{server.url}/v1/messages",
            json=BODY,
            headers=HEADERS,
            trust_env=False,
            verify=PLAIN,
            timeout=1.0,
        )
    assert server.meter.failures == {"hang": 1}


def test_a_script_with_an_unknown_word_does_not_start(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="did not start"),
        serve(tmp_path, {"rates": {"hicups": 1.0}}),
    ):
        raise AssertionError("the server started")
