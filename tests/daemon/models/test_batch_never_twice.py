"""Nothing that is asked in a batch is paid twice, whenever memproc is killed; the ledger is the server's account."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.archive.journal import open_batches
from daemon.config.model_tables import BudgetSettings
from daemon.events import BatchSent, TriesAgain
from daemon.models import batch as pauses
from daemon.models import batch_client as client
from daemon.models.ask import reserve_call
from daemon.models.batch_client import route_of
from rules.errors import OutOfReach
from rules.money.price import PICO
from tests.daemon.models.batch_world import Killed, World, question, world
from tests.server.batching import Batching
from tests.server.faults import Faulty
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.server.usage import Price

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
TALKS, QUESTIONS = 3, 2


def killed_and_gone_on(alice: World, kills: Sequence[int]) -> list[list[str]]:
    """The work is killed after so many steps, each time from the last kill; what comes of it in the end."""
    for steps in kills:
        alice.kills.after(steps)
        try:
            alice.ask(TALKS, QUESTIONS)
        except Killed:
            continue
        break
    alice.kills.after(None)
    return alice.ask(TALKS, QUESTIONS)


def paid_once(alice: World) -> None:
    meter = alice.server.meter
    assert set(meter.answered.values()) == {1}
    assert meter.finished_and_seen_again == []
    settled, unsettled = alice.account()
    assert (Decimal(settled), unsettled) == (meter.dollars(PRICES) * PICO, 0)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "steps", [pytest.param(step, marks=pytest.mark.long if step % 5 else ()) for step in range(24)]
)
def test_killed_at_any_step_nothing_is_sent_twice(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        ModelServer(Setup(batching=Batching(polls=2))) as server,
        world(server, monkeypatch) as alice,
    ):
        killed_and_gone_on(alice, [steps])
        paid_once(alice)
        assert server.meter.calls == server.meter.answered.total() == TALKS * QUESTIONS
        assert server.meter.batches == QUESTIONS
        assert all(bill.batched for bill in server.meter.bills.values())


@settings(
    max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.lists(st.integers(0, 12), max_size=6),
    st.integers(1, 4),
    st.sets(st.integers(1, 4), max_size=2),
    st.sampled_from([0.0, 0.0, 0.3]),
    st.dictionaries(
        st.integers(1, 8),
        st.sampled_from(["overloaded", "server error", "rate limited"]),
        max_size=3,
    ),
)
@pytest.mark.long
def test_over_random_kills_and_faults_each_answer_is_paid_once(
    monkeypatch: pytest.MonkeyPatch,
    kills: list[int],
    polls: int,
    lost: set[int],
    expired: float,
    at: dict[int, str],
) -> None:
    batching = Batching(polls=polls, lost=sorted(lost), expired=expired)
    with (
        ModelServer(Setup(script=Faulty(at=at), batching=batching)) as server,
        world(server, monkeypatch) as alice,
    ):
        found = killed_and_gone_on(alice, kills)
        assert all(len(answers) == QUESTIONS for answers in found)
        paid_once(alice)


def test_a_batch_whose_name_got_lost_is_found_by_what_is_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        ModelServer(Setup(batching=Batching(polls=3, lost=[1]))) as server,
        world(server, monkeypatch) as alice,
    ):
        alice.ask(TALKS, 1)
        paid_once(alice)
        assert server.meter.batches == 1


def test_a_batch_that_was_never_created_is_made_when_the_provider_surely_does_not_list_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ModelServer(Setup()) as server, world(server, monkeypatch) as alice:
        alice.kills.after(2)  # the provider was looked at; the batch is written down, and not sent
        with pytest.raises(Killed):
            alice.ask(TALKS, 1)
        assert (server.meter.batches, alice.account()[1]) == (0, TALKS)
        alice.kills.after(None)
        alice.ask(TALKS, 1)
        paid_once(alice)
        assert server.meter.batches == 1
        assert alice.waited >= 60


def test_a_batch_is_sent_again_no_sooner_than_the_provider_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        ModelServer(Setup(batching=Batching(busy=(1, 250)))) as server,
        world(server, monkeypatch) as alice,
    ):
        alice.ask(TALKS, 1)
        paid_once(alice)
        assert alice.waited >= 250
        (again,) = [event for event in alice.told if isinstance(event, TriesAgain)]
        assert (again.attempt, again.seconds) == (1, 250)


def test_a_provider_that_asks_for_more_than_five_minutes_is_out_of_reach_and_nothing_stays_reserved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        ModelServer(Setup(batching=Batching(busy=(1, 301)))) as server,
        world(server, monkeypatch) as alice,
    ):
        with pytest.raises(OutOfReach, match="tried 1 time\\. It asks to wait for 5 minutes"):
            alice.ask(TALKS, 1)
        assert (alice.account(), server.meter.batches) == ((0, 0), 0)


def test_what_does_not_fit_under_a_cap_goes_with_the_next_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ModelServer(Setup()) as server, world(server, monkeypatch) as alice:
        (most,) = {one_call_at_most(alice)}
        alice.budget = BudgetSettings(day_usd=2.9 * most / PICO)
        alice.ask(TALKS, 1)
        paid_once(alice)
        assert [bill.batched for bill in server.meter.bills.values()] == [True] * TALKS
        assert server.meter.batches == 2


def one_call_at_most(alice: World) -> int:
    """What is reserved for one call in a batch, in picodollars."""
    asked = question("0.0")
    with pytest.raises(Killed), alice.archive.transaction():
        number = reserve_call(
            alice.context(), asked, asked.key, "chat", alice.context().clock(), batched=True
        ).spending
        (row,) = alice.archive.run("SELECT reserved FROM spending WHERE id = ?", (number,))
        raise Killed
    return int(row[0])


def test_a_batch_that_never_ends_is_not_waited_for_longer_than_a_day_and_what_it_may_cost_stays_reserved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pauses, "_LONGEST_SECONDS", 3600.0)
    with (
        ModelServer(Setup(batching=Batching(polls=10_000))) as server,
        world(server, monkeypatch) as alice,
    ):
        alice.ask(TALKS, 1)
        assert 24 * 3600 < alice.waited < 27 * 3600
        assert [bill.batched for bill in server.meter.bills.values()] == [False] * TALKS
        settled, held = alice.account()
        assert (Decimal(settled), held) == (server.meter.dollars(PRICES) * PICO, TALKS)
        told = [event for event in alice.told if isinstance(event, BatchSent)]
        assert [event.requests for event in told] == [TALKS]


def test_somebody_else_s_batches_are_told_from_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        ModelServer(Setup(batching=Batching(polls=3, lost=[2]))) as server,
        world(server, monkeypatch) as alice,
    ):
        theirs = question("somebody else's", model="anthropic/claude-haiku-4-5")
        way = route_of(theirs)
        for name in "abc":
            client.create(way, {f"{name}-{at}": route_of(theirs).body for at in range(TALKS)})
            alice.ask(TALKS, 1)
        assert server.meter.batches == 4
        ours = [key for key, number in server.meter.answered.items() if number == 1]
        assert len(ours) == TALKS
        assert alice.account()[1] == 0


@pytest.mark.parametrize("steps", [3, 4, 6, 9])
def test_a_batch_that_the_provider_does_not_show_any_more_is_asked_directly_and_stays_reserved(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        ModelServer(Setup(batching=Batching(polls=2))) as server,
        world(server, monkeypatch) as alice,
    ):
        alice.kills.after(steps)
        with pytest.raises(Killed):
            alice.ask(TALKS, 1)
        kept = alice.archive.run("SELECT count(*) FROM reply")[0][0]
        server.batching(Batching(refused=404))
        alice.kills.after(None)
        alice.ask(TALKS, 1)
        assert sum(not bill.batched for bill in server.meter.bills.values()) == TALKS - kept
        settled, held = alice.account()
        assert held == TALKS - kept, "they may have been paid for"
        assert settled <= server.meter.dollars(PRICES) * PICO


def test_what_nothing_asks_for_any_more_is_settled_with_a_later_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        ModelServer(Setup(batching=Batching(polls=2))) as server,
        world(server, monkeypatch) as alice,
    ):
        for questions, steps in (
            (["x", "y"], 3),
            (["u", "v", "w"], 4),
        ):  # before its name is known, and after
            alice.kills.after(steps)
            with pytest.raises(Killed):
                alice.ask_about(*questions)
        alice.kills.after(None)
        alice.now += timedelta(hours=26)
        alice.ask(TALKS, 1)
        paid_once(alice)
        assert server.meter.batches == 3
        assert open_batches(alice.archive) == ()
