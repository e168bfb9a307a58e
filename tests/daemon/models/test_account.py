"""The ledger's sum is the provider's own account, exactly, over random schedules of faults and kills, by real HTTP."""

from dataclasses import dataclass
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.archive.journal import find_reply
from daemon.config.model_tables import BudgetSettings
from daemon.models import completion
from daemon.models.completion import Completion, complete
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import ModelError, OverBudget
from rules.money.price import PICO
from tests.asked import RunBudget, ask
from tests.known import known
from tests.server.faults import Faulty
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup
from tests.server.usage import Price

NOW = "2026-11-21T12:00:00.000Z"
HAIKU = "anthropic/claude-haiku-5-5"
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
KILLS = st.sampled_from(["lives", "lives", "lives", "before it is sent", "before it is kept"])
FAULTS = st.dictionaries(
    st.integers(1, 20),
    st.sampled_from(["drop", "overloaded", "rate limited", "server error", "cut off"]),
)


class Killed(BaseException):
    """kill -9 at this point."""


@dataclass(frozen=True, slots=True)
class Dying:
    """A model's call that is killed before or after it."""

    when: str

    def __call__(self, request: Request) -> Completion:
        if self.when == "before it is sent":
            raise Killed
        answer = complete(request)
        if self.when == "before it is kept":
            raise Killed
        return answer


def request(number: int) -> Request:
    turns = (
        Turn("system", "You are Ada. " * 400, ends_prefix=True),
        Turn("user", f"Question {number}: and then?"),
    )
    return Request("quote", known(HAIKU), turns, 20)


@settings(
    max_examples=settings().max_examples // 3,  # each has a server of its own
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.tuples(st.integers(1, 4), KILLS), min_size=1, max_size=6),
    FAULTS,
    st.floats(0.001, 0.01),
)
def test_what_is_settled_is_the_account_of_what_was_heard_and_the_rest_is_held_back(
    monkeypatch: pytest.MonkeyPatch,
    schedule: list[tuple[int, str]],
    faults: dict[int, str],
    cap: float,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with ModelServer(Setup(script=Faulty(at=faults))) as server, Archive.memory() as archive:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        purse = RunBudget(archive, BudgetSettings(day_usd=cap), "run")
        kept: dict[int, int] = {}
        for number, kill in schedule:
            known = find_reply(archive, request(number).key)
            try:
                ask(purse, request(number), Dying(kill), lambda: NOW)
            except (Killed, ModelError, OverBudget):
                continue
            if known is None:
                kept[number] = max(server.meter.bills)
        heard = sum(
            (PRICES[HAIKU[10:]].dollars(server.meter.bills[bill].usage) for bill in kept.values()),
            Decimal(),
        )
        settled, held = archive.run("SELECT coalesce(sum(settled), 0), coalesce(sum(coalesce(settled, reserved)), 0) "
                                    "FROM spending")[0]  # fmt: skip
        assert settled == heard * PICO
        assert server.meter.dollars(PRICES) * PICO <= held <= cap * PICO


def test_above_the_step_the_account_is_five_times_as_high(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(completion, "TIMEOUT_SECONDS", 60.0)
    with ModelServer() as server, Archive.memory() as archive:
        monkeypatch.setenv("ANTHROPIC_API_BASE", server.url)
        turns = (Turn("user", "We spoke of the ferry. " * 21_000),)
        long = Request("quote", known(HAIKU), turns, 20)
        reply = ask(
            RunBudget(archive, BudgetSettings(above_step=True), "run"), long, complete, lambda: NOW
        )
        assert reply.tokens_in > 100_000
        (row,) = archive.run("SELECT settled FROM spending")
        assert row[0] == server.meter.dollars(PRICES) * PICO
        assert reply.litellm_usd == pytest.approx(reply.usd)
