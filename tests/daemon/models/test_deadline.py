"""A provider that sends a byte now and then holds a call for the time that its answer's room takes, and no longer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from socket import create_server, socket
from threading import Event, Thread
from time import monotonic

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import spent
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, periods
from daemon.models import batch_client, guard
from daemon.models.completion import Completion, complete
from daemon.models.guard import watched
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import AnswerTooSlow, CutOff, OutOfReach
from tests.asked import RunBudget, ask
from tests.daemon.models.test_bounded import answering, request
from tests.daemon.models.test_budget import NOON, worst
from tests.daemon.models.test_budget import request as question
from tests.known import known

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
Drip = Callable[[socket], None]


def in_the_body(line: socket) -> None:
    line.sendall(HEAD + b"content-length: 100000\r\n\r\n")


def in_the_head(line: socket) -> None:
    line.sendall(HEAD + b"x-slow: ")


def in_a_chunk(line: socket) -> None:
    line.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n1;a=")


@contextmanager
def dripping(begin: Drip) -> Iterator[str]:
    """A server on loopback that begins an answer so, and then sends a blank every tenth of a second."""
    over = Event()

    def serve() -> None:
        with suppress(OSError):
            while not over.is_set():
                line, _ = listening.accept()
                Thread(target=drip, args=(line,), daemon=True).start()

    def drip(line: socket) -> None:
        with suppress(OSError), line:
            line.recv(65536)
            begin(line)
            while not over.wait(0.05):
                line.sendall(b" ")

    with create_server(("127.0.0.1", 0)) as listening:
        Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            over.set()


@pytest.mark.parametrize("begin", [in_the_body, in_the_head, in_a_chunk])
@pytest.mark.parametrize("name", ["openai/gpt-4o", "anthropic/claude-haiku-5-5"])
def test_an_answer_that_drips_ends_with_its_time(
    begin: Drip, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_SECONDS_ANYHOW", 0.2)
    monkeypatch.setattr(guard, "_SECONDS_A_TOKEN", 0.0)
    with dripping(begin) as url:
        asked = monotonic()
        with pytest.raises(AnswerTooSlow, match="had not ended 0 seconds after it began"):
            complete(request(name, url))
        assert monotonic() - asked < 20


@pytest.mark.parametrize("begin", [in_the_body, in_the_head])
def test_an_answer_about_a_batch_that_drips_ends_with_its_time(
    begin: Drip, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_client, "MOST_SECONDS", 0.2)
    with dripping(begin) as url:
        route = batch_client.route_of(request("anthropic/claude-haiku-5-5", url))
        asked = monotonic()
        with pytest.raises(CutOff):
            batch_client.newest(route)
        assert monotonic() - asked < 20


def test_the_time_is_by_the_room_that_was_asked_for() -> None:
    def seconds(words: int) -> float:
        with watched(Request("quote", known("openai/gpt-4o"), (Turn("user", "?"),), words)) as call:
            return call.deadline.seconds

    assert 60 < seconds(60) < seconds(250) < 300
    assert seconds(100_000) == 600


def test_a_whole_answer_is_not_hurried_by_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_SECONDS_ANYHOW", 0.3)
    monkeypatch.setattr(guard, "_SECONDS_A_TOKEN", 0.0)
    with answering(200, lambda: iter([b"{}"])) as url, watched(request("openai/gpt-4o", url)):
        import httpx

        for _ in range(3):
            assert httpx.post(url, trust_env=False).status_code == httpx.codes.OK


def test_it_is_asked_once_and_counts_as_reserved() -> None:
    asked: list[Request] = []

    def too_slow(request: Request) -> Completion:
        asked.append(request)
        raise AnswerTooSlow("It had not ended.", "Later.")

    with Archive.memory() as archive:
        with pytest.raises(OutOfReach):
            ask(RunBudget(archive, BudgetSettings(), "a run"), question(1), too_slow, lambda: NOON)
        assert spent(archive, "a run", periods(at(NOON))).run == worst(archive)
    assert len(asked) == 1
