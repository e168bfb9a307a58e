"""Whole trips by batch: the same bytes at half the price, nothing paid twice, and directly where batches fail."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from daemon.models import batch as pauses
from tests.chats import export_bytes, long_chat
from tests.server.batching import Batching
from tests.server.faults import Faulty
from tests.server.rates import SPOILT
from tests.server.reply import Script
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.usage import Price
from tests.stories.daemon import QUICK, running
from tests.stories.person import Person
from tests.stories.test_kills import output
from tests.waiting import LIMIT_SECONDS

pytestmark = pytest.mark.timeout(200)
HAIKU = "anthropic/claude-haiku-5-5"
CHAT = export_bytes(long_chat(9000, tokens_each=300))
FEW = export_bytes(long_chat(5000, tokens_each=300))
MANY_LOOKS = 10_000
PRICES = {
    "claude-haiku-5-5": Price(
        Decimal("0.1"),
        Decimal("0.125"),
        Decimal("0.01"),
        Decimal("0.5"),
        step=100_000,
        factor=Decimal(5),
    )
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(pauses, "FIRST_SECONDS", 0.01)


@contextmanager
def serving(
    monkeypatch: pytest.MonkeyPatch,
    batching: Batching,
    script: Script | None = None,
    log: Path | None = None,
) -> Iterator[ModelServer]:
    with ModelServer(
        Setup(script=script or Faulty(rates=SPOILT), batching=batching), log
    ) as server:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        yield server


def somebody(folder: Path, batch: str, more: str = "") -> Person:
    person = Person(folder, tail=3200, step=800, chunk=800)
    wants(person, batch, more)
    return person


def wants(person: Person, batch: str, more: str = "") -> None:
    person.settings(
        f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{HAIKU}"\nfallback = "anthropic/claude-sonnet-5-5"\n'
        f'batch = "{batch}"\n{more}'
    )


def ran(person: Person, content: bytes = CHAT) -> str:
    person.drop(content)
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    return ended.out


@pytest.fixture(scope="module")
def direct(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What comes of the chat where every call is made by itself."""
    with pytest.MonkeyPatch.context() as environment, serving(environment, Batching()):
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        person = somebody(tmp_path_factory.mktemp("direct"), "never")
        ran(person)
        return output(person)


def spent(person: Person) -> Decimal:
    found = json.loads(person.memproc("budget", "show", "--json").out)
    return Decimal(
        str(round(sum(cap["spent_usd"] for cap in found["caps"] if cap["name"] == "day"), 12))
    )


def once(server: ModelServer) -> bool:
    return (
        set(server.meter.answered.values()) <= {0, 1} and server.meter.finished_and_seen_again == []
    )


def test_a_trip_by_batch_has_the_bytes_of_a_direct_one_at_half_the_price(
    tmp_path: Path, direct: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    with serving(monkeypatch, Batching(polls=2)) as server:
        eve.drop(CHAT)
        assert "in batches at half price" in eve.memproc("plan").out
        told = ran(eve)
        assert output(eve) == direct
        assert "waiting for a batch (" in told
        meter = server.meter
        assert once(server)
        assert all(bill.batched for bill in meter.bills.values())
        assert meter.calls > meter.batches
        calls = json.loads(eve.memproc("calls", "--json").out)["calls"]
        asked = [
            call for call in calls if call["model"].startswith("anthropic/")
        ]  # the engine answers at once
        assert all(call["batch"] for call in asked)
        assert len(asked) == meter.calls


@pytest.mark.full
def test_the_ledger_has_what_the_provider_bills_for_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    with serving(monkeypatch, Batching(), Faulty()) as server:
        ran(eve)
        assert spent(eve) == server.meter.dollars(PRICES)


@pytest.mark.full
@pytest.mark.parametrize("status", [404, 403, 400])
@pytest.mark.variants
def test_where_the_provider_takes_no_batches_all_is_asked_directly(
    tmp_path: Path, direct: bytes, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    with serving(monkeypatch, Batching(refused=status)) as server:
        assert "takes no batch" in ran(eve)
        assert output(eve) == direct
        assert (server.meter.batches, once(server)) == (0, True)


@pytest.mark.full
def test_what_expires_or_fails_in_a_batch_is_asked_directly(
    tmp_path: Path, direct: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    script = Faulty(rates=SPOILT, at={2: "overloaded", 5: "server error"})
    with serving(monkeypatch, Batching(expired=0.3), script) as server:
        ran(eve)
        assert output(eve) == direct
        assert once(server)
        assert {bill.batched for bill in server.meter.bills.values()} == {True, False}


@pytest.mark.full
def test_at_night_by_batch_and_by_day_directly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now().astimezone()
    by_hours = [
        f"{now + timedelta(hours=at):%H:%M}-{now + timedelta(hours=at + 3):%H:%M}" for at in (-1, 6)
    ]
    with serving(monkeypatch, Batching()) as server:
        for name, night in zip(("at night", "by day"), by_hours, strict=True):
            before = server.meter.batches
            ran(somebody(tmp_path / name, "night", f'[schedule]\nnight = "{night}"\n'), FEW)
            assert (server.meter.batches > before) == (name == "at night")


@pytest.mark.long
def test_where_batches_are_not_wanted_any_more_the_one_under_way_is_canceled(
    tmp_path: Path, direct: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    with serving(monkeypatch, Batching(polls=MANY_LOOKS)) as server:
        killed_while_it_waits(eve, server, CHAT, signal.SIGKILL)
        wants(eve, "never")
        ran(eve)
        assert output(eve) == direct
        assert not any(bill.batched for bill in server.meter.bills.values())
        assert once(server)
        assert json.loads(eve.memproc("status", "--json").out)["batches"] == []
        assert all(
            model["open_usd"] == 0
            for model in json.loads(eve.memproc("budget", "show", "--json").out)["models"]
        )


@pytest.mark.parametrize("wish", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.variants
@pytest.mark.long
def test_a_run_that_ends_while_it_waits_goes_on_with_the_same_batch(
    tmp_path: Path, wish: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always")
    batching = Batching(polls=MANY_LOOKS)
    with serving(monkeypatch, batching) as server:
        killed_while_it_waits(eve, server, FEW, wish)
        status = json.loads(eve.memproc("status", "--json").out)
        (waiting,) = status["batches"]
        assert waiting["requests"] > 1
        assert (
            f"waiting for a batch ({waiting['requests']} requests, since "
            in eve.memproc("status").out
        )
        server.batching(Batching())
        ran(eve, FEW)
        assert once(server)
        assert server.meter.calls == len(json.loads(eve.memproc("calls", "--json").out)["calls"])
        assert json.loads(eve.memproc("status", "--json").out)["batches"] == []


def killed_while_it_waits(
    person: Person, server: ModelServer, content: bytes, wish: signal.Signals
) -> None:
    """Its first batch is created, and it has told that it waits."""
    person.drop(content)
    running = person.start("run")
    assert running.stdout is not None
    until(running, lambda: server.meter.batches == 1)
    for line in running.stdout:
        if "waiting for a batch" in line:
            break
    running.send_signal(wish)
    running.communicate(timeout=LIMIT_SECONDS)
    assert running.returncode == (130 if wish == signal.SIGTERM else -wish)


def until(running: "subprocess.Popen[str]", look: Callable[[], bool]) -> None:
    end = monotonic() + LIMIT_SECONDS
    while not look():
        assert running.poll() is None, running.communicate()
        assert monotonic() < end
        sleep(0.01)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stories of the daemon look into /proc")
def test_a_daemon_that_waits_for_a_batch_says_so_ends_at_once_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "always", QUICK)
    with serving(monkeypatch, Batching(polls=MANY_LOOKS)) as server:
        environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.url}
        eve.drop(FEW)
        with running(eve, **environment) as daemon:
            daemon.comes_to("export.json", "working", saying="is waited for")
            assert "waiting for a batch (" in eve.memproc("status").out.splitlines()[0]
            assert daemon.stop() == 0
        server.batching(Batching())
        with running(eve, **environment) as daemon:
            daemon.comes_to("export.json", "written")
        assert once(server)
        assert server.meter.calls == len(json.loads(eve.memproc("calls", "--json").out)["calls"])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_killed_again_and_again_nothing_in_a_batch_is_paid_twice(
    tmp_path: Path, direct: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, chance, kills = somebody(tmp_path / "eve", "always"), Random(6), 0
    eve.drop(CHAT)
    with serving(monkeypatch, Batching(polls=3, lost=[2, 5])) as server:
        while True:
            running = eve.start("run")
            batches = server.meter.batches + chance.randrange(2)
            end = monotonic() + 30
            while running.poll() is None and server.meter.batches < batches and monotonic() < end:
                sleep(0.001)
            try:
                running.wait(chance.uniform(0, 4))
            except subprocess.TimeoutExpired:
                running.kill()
                kills += 1
            _, err = running.communicate()
            if running.returncode == 0:
                break
            assert (running.returncode, err) == (-signal.SIGKILL, "")
        assert kills > 3
        assert output(eve) == direct
        assert once(server)
        assert server.meter.calls == server.meter.answered.total()
        assert all(bill.batched for bill in server.meter.bills.values())
