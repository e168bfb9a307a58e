"""Core memory and facts: what they cost, and that nothing of them depends on how they were asked for."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from daemon.models import batch as pauses
from tests.chats import CHAT_ID, chat, conversation, export_bytes, long_chat
from tests.server.outages import FAILURES
from tests.server.reply import Hang, Reply
from tests.server.request import Request
from tests.server.scribe import scribe
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.step import Step, read_task
from tests.server.usage import Price
from tests.stories.facts import events
from tests.stories.person import Person
from tests.stories.reports import report
from tests.stories.test_kills import output
from tests.waiting import until

pytestmark = pytest.mark.timeout(200)
HAIKU, VECTORS = "anthropic/claude-haiku-5-5", "openai/text-embedding-3-small"
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
A_VECTOR_S_TOKEN = Decimal("0.02") / 1_000_000
FIRST, MORE, MUCH = (
    export_bytes(long_chat(tokens, tokens_each=300)) for tokens in (6_500, 7_500, 10_000)
)
ANOTHER = export_bytes(chat(*conversation(20, 300, first=100), id="another", chatID="another"))
WITHOUT_HINDSIGHT = "[memory]\nhindsight = 0\n"
CAP, OVER = "0.0025", 4

_OF_AN_EDIT = ("section", "value", "held", "by", "function", "memory", "edition")
Done = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""What has happened to the core memory, and to the facts."""
Came = tuple[Done, bytes, int]
"""The same, the updated export, and how often the embedding model was asked."""


@dataclass
class Script:
    """The scribe, which answers one kind of question otherwise while `instead` says so; from the second of them on."""

    step: Step = "other"
    instead: Reply | None = None
    came: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        if read_task(request).step != self.step or self.instead is None:
            return scribe(request)
        self.came.append(request.key)
        return self.instead if request.key != self.came[0] else scribe(request)


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys for both providers, and no pause between two looks at a batch."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr(pauses, "FIRST_SECONDS", 0.01)


@contextmanager
def serving(
    environment: pytest.MonkeyPatch, script: Script | None = None, seconds: float = 0.0
) -> Iterator[ModelServer]:
    """A server that is no server at home, so that its answers cost money."""
    with ModelServer(Setup(script=script or scribe, seconds=seconds)) as server:
        environment.setenv("ANTHROPIC_API_BASE", server.url)
        environment.setenv("OPENAI_API_BASE", f"{server.url}/v1")
        yield server


def somebody(
    folder: Path, models: str = "concurrency = 1", more: str = WITHOUT_HINDSIGHT
) -> Person:
    """A person with both layers, and with a model that tells which facts are the same."""
    person = Person(folder, tail=3200, step=800, chunk=800, layers=True)
    person.settings(
        f'[models]\nagent = "{HAIKU}"\ncontext_manager = "{HAIKU}"\n{models}\n[facts]\nembedding = "{VECTORS}"\n{more}'
    )
    return person


def ran(person: Person, *exports: bytes) -> None:
    for export in exports:
        person.drop(export)
        ended = person.memproc("run")
        assert (ended.code, ended.err) == (0, "")


def done(person: Person) -> Done:
    edits = [
        {name: event[name] for name in _OF_AN_EDIT}
        for event in report(person, "core", CHAT_ID, "history")["events"]
    ]
    return edits, events(person, CHAT_ID)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Came:
    """What comes of one round in which one question is asked after the other."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ANTHROPIC_API_KEY", KEY)
        environment.setenv("OPENAI_API_KEY", KEY)
        with serving(environment) as server:
            person = somebody(tmp_path_factory.mktemp("alone"))
            ran(person, MORE)
            found = came(person, server)
    (edits, facts), _, embedded = found
    assert edits
    assert (len(facts) > 6, embedded > 1) == (True, True)
    return found


def came(person: Person, server: ModelServer) -> Came:
    return done(person), output(person), server.meter.embeddings.calls


def billed(server: ModelServer) -> Decimal:
    """All that the server has on its account."""
    return server.meter.dollars(PRICES) + server.meter.embeddings.tokens * A_VECTOR_S_TOKEN


def planned(person: Person) -> dict[str, Any]:
    (found,) = report(person, "plan")["chats"]
    assert isinstance(found, dict)
    return found


def spent(person: Person) -> Decimal:
    (day,) = (cap for cap in report(person, "budget", "show")["caps"] if cap["name"] == "day")
    return Decimal(str(round(day["spent_usd"], 12)))


@pytest.mark.full
def test_a_plan_foretells_the_calls_and_the_cost_of_both_layers_and_the_ledger_has_what_is_billed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", more="")
    with serving(monkeypatch) as server:
        ran(eve, ANOTHER)  # its replies show that here models count as we do
        for export in (FIRST, MUCH):
            eve.drop(export)
            plan, calls, before = (
                planned(eve),
                server.meter.calls + server.meter.embeddings.calls,
                billed(server),
            )
            ran(eve, export)
            paid = float(billed(server) - before)
            assert plan["calls"] == server.meter.calls + server.meter.embeddings.calls - calls
            assert paid <= plan["money"]["at_most_usd"]
            assert plan["money"]["likely_usd"] == pytest.approx(paid, rel=0.2)
        assert server.meter.embeddings.calls > 0
        assert spent(eve) == billed(server)


@pytest.mark.full
def test_both_layers_keep_to_the_budget_of_each_run_and_go_on_in_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", more=f"{WITHOUT_HINDSIGHT}[budget]\nrun_usd = {CAP}\n")
    eve.drop(MORE)
    codes, before = [OVER], Decimal(0)
    with serving(monkeypatch) as server:
        while codes[-1] == OVER and len(codes) < 20:
            codes.append(eve.memproc("run").code)
            assert billed(server) - before <= Decimal(CAP)
            before = billed(server)
        assert (codes[-1], len(codes) > 3) == (0, True)
        assert server.meter.finished_and_seen_again == []
        assert spent(eve) == billed(server)


@pytest.mark.full
@pytest.mark.parametrize("most", [pytest.param(4, marks=pytest.mark.long), 16])
def test_edits_and_facts_are_the_same_with_any_number_of_calls(
    tmp_path: Path, alone: Came, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", f"concurrency = {most}")
    with serving(monkeypatch, seconds=0.02) as server:
        ran(eve, MORE)
    assert came(eve, server) == alone


@pytest.mark.full
def test_edits_and_facts_are_the_same_in_several_rounds(
    tmp_path: Path, alone: Came, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", "concurrency = 6", more="")
    with serving(monkeypatch):
        ran(eve, FIRST, MORE)
    assert done(eve) == alone[0]


@pytest.mark.full
def test_edits_and_facts_are_the_same_by_batch_at_half_the_price(
    tmp_path: Path, alone: Came, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve = somebody(tmp_path / "eve", 'batch = "always"')
    with serving(monkeypatch) as server:
        ran(eve, MORE)
        assert came(eve, server) == alone
        assert all(bill.batched for bill in server.meter.bills.values())
        assert server.meter.batches < server.meter.calls
        assert spent(eve) == billed(server)


@pytest.mark.full
@pytest.mark.parametrize("step", ["core", "facts"])
def test_a_run_that_ends_between_a_memory_and_its_layers_goes_on_exactly_there(
    tmp_path: Path, alone: Came, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, script = somebody(tmp_path / "eve", "concurrency = 6"), Script(step, FAILURES["wrong key"])
    with serving(monkeypatch, script) as server:
        eve.drop(MORE)
        assert eve.memproc("run").code == 1
        assert eve.updated() == []
        assert done(eve) != alone[0]
        script.instead = None
        plan, calls = planned(eve), server.meter.calls + server.meter.embeddings.calls
        ran(eve, MORE)
        assert server.meter.calls + server.meter.embeddings.calls - calls <= plan["calls"]
        assert server.meter.finished_and_seen_again == []
        assert came(eve, server) == alone


@pytest.mark.long
@pytest.mark.parametrize("step", ["core", "facts"])
def test_a_run_that_is_killed_between_a_memory_and_its_layers_goes_on_exactly_there(
    tmp_path: Path, alone: Came, step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, script = somebody(tmp_path / "eve"), Script(step, Hang())
    with serving(monkeypatch, script) as server:
        eve.drop(MORE)
        running = eve.start("run")
        until(lambda: len(set(script.came)) >= 2)
        running.kill()
        running.communicate()
        assert running.returncode == -signal.SIGKILL
        script.instead = None
        ran(eve, MORE)
        assert server.meter.finished_and_seen_again == []
        assert came(eve, server) == alone
