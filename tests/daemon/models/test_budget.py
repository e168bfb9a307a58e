"""Money is reserved before a call leaves and settled with its answer; whatever happens, no cap is exceeded."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, by_model, find_reply, learned_factors, raise_cap, spent
from daemon.config.model_tables import BudgetSettings, PriceSettings
from daemon.files.clock import at, periods
from daemon.models.ask import Unsent, above_step, most_of
from daemon.models.completion import Completion
from daemon.models.direct import MOST_CUT_OFF
from daemon.models.prices import ENOUGH, Expected, expected
from daemon.models.tokens import count
from primer.models import Model
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import ContextTooLong, CutOff, ModelError, OutOfReach, OverBudget, UnknownPrice
from rules.money.price import PICO, Price, Usage, cost, rates
from rules.typingmind.dates import write_date
from tests.asked import RunBudget, ask, context_with
from tests.known import known

NOON = "2026-11-21T12:00:00.000Z"
HAIKU = known("anthropic/claude-haiku-5-5")
PRICE = Price(rates(0.1, 0.5, 0.01, 0.125), 100_000, rates(0.5, 2.5, 0.05, 0.625))


class Killed(BaseException):
    """kill -9 at this point."""


def request(number: int, model: Model = HAIKU) -> Request:
    return Request("quote", model, (Turn("user", f"Question {number}. " * 50),), 60)


@dataclass
class Provider:
    """Answers, keeps an account of its own, and has its bad days by a script."""

    day: list[str] = field(default_factory=list)
    bills: dict[str, list[int]] = field(default_factory=dict)
    calls: int = 0

    def __call__(self, request: Request) -> Completion:
        self.calls += 1
        fate = self.day.pop(0) if self.day else "well"
        if fate == "killed before it is sent":
            raise Killed
        if fate == "told to end":
            raise Unsent
        if fate == "refused":
            raise ModelError("No.", "Mend it.")
        answer = self._answer(request, fate)
        if fate in ("killed in flight", "answer lost"):
            raise Killed if fate == "killed in flight" else CutOff("Gone.", "Again.")
        return answer

    @property
    def total(self) -> int:
        return sum(sum(bills) for bills in self.bills.values())

    def _answer(self, request: Request, fate: str) -> Completion:
        prompt = round(1.5 * sum(count(turn.content) for turn in request.turns))
        cached = prompt // 2 if fate == "from the cache" else 0
        room = int(str(request.parameters["max_tokens"]))
        answer = room if fate == "long" else 7
        usage = Usage(prompt, cached, (prompt - cached) // 3, answer)
        self.bills.setdefault(request.key, []).append(cost(PRICE, usage))
        return Completion("Said.", "stop", prompt, answer, cached, usage.cache_written, 123.0)


FATES = st.sampled_from(
    [
        "well",
        "long",
        "from the cache",
        "refused",
        "told to end",
        "answer lost",
        "killed before it is sent",
        "killed in flight",
        "killed before it is kept",
    ]
)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def budget_of(archive: Archive, run: str = "a run", /, **budget: object) -> RunBudget:
    return RunBudget(archive, BudgetSettings.model_validate(budget), run)


def asking(
    budget: RunBudget, provider: Provider, number: int = 1, now: str = NOON, model: Model = HAIKU
) -> Reply:
    return ask(budget, request(number, model), provider, lambda: now)


def day_of(archive: Archive, run: str = "a run", now: str = NOON) -> int:
    return spent(archive, run, periods(at(now))).day


def worst(archive: Archive) -> int:
    asked = request(1)
    return most_of(archive, PRICE, asked, sum(count(turn.content) for turn in asked.turns), NOON)


def test_an_answer_is_settled_by_what_the_provider_counted_and_our_own_price(
    archive: Archive,
) -> None:
    provider = Provider()
    reply = asking(budget_of(archive), provider)
    assert day_of(archive) == provider.total
    assert reply.usd == provider.total / PICO
    assert reply.litellm_usd == 123.0


def test_what_the_journal_knows_costs_nothing(archive: Archive) -> None:
    provider = Provider()
    asking(budget_of(archive), provider)
    assert asking(budget_of(archive, day_usd=0), provider).text == "Said."
    assert provider.calls == 1
    assert day_of(archive) == provider.total


def test_while_a_call_is_under_way_its_worst_case_is_reserved(archive: Archive) -> None:
    seen: list[int] = []
    most = worst(archive)

    def clock() -> str:
        seen.append(day_of(archive))
        return NOON

    ask(budget_of(archive), request(1), Provider(), clock)
    assert seen == [0, 0, most], (
        "when it is looked at, when it leaves, and when its answer is there"
    )
    assert day_of(archive) < most


@pytest.mark.parametrize("cap", ["run_usd", "day_usd", "month_usd"])
def test_a_call_that_does_not_fit_under_a_cap_is_not_made(archive: Archive, cap: str) -> None:
    provider, most = Provider(), worst(archive) / PICO
    with pytest.raises(OverBudget) as told:
        asking(budget_of(archive, **{cap: most * 0.99}), provider)
    assert provider.calls == day_of(archive) == 0
    name = cap.removesuffix("_usd")
    assert f"memproc budget raise --{name}" in told.value.next_step
    assert asking(budget_of(archive, **{cap: most * 1.01}), provider).text == "Said."


def test_an_error_says_when_the_cap_turns(archive: Archive) -> None:
    for cap, days in (("day_usd", 1), ("month_usd", 10)):
        with pytest.raises(OverBudget) as told:
            asking(budget_of(archive, **{cap: 0}), Provider())
        turns = datetime.fromisoformat(told.value.until).astimezone()
        assert (turns.hour, turns.minute) == (0, 0)
        assert timedelta() < turns - datetime(2026, 11, 21, 12, tzinfo=UTC) <= timedelta(days)


def test_a_raised_cap_counts_until_it_turns(archive: Archive) -> None:
    ends = periods(at(NOON)).day_ends
    raise_cap(archive, "day", PICO, ends, NOON)
    assert asking(budget_of(archive, day_usd=0), Provider()).text == "Said."
    with pytest.raises(OverBudget):
        asking(budget_of(archive, day_usd=0), Provider(), 2, ends)


def test_the_next_day_begins_anew_and_the_month_goes_on(archive: Archive) -> None:
    asking(budget_of(archive), Provider())
    tomorrow = write_date(at(NOON) + timedelta(days=1))
    amounts = spent(archive, "another", periods(at(tomorrow)))
    assert (amounts.run, amounts.day) == (0, 0)
    assert amounts.month > 0


@pytest.mark.parametrize("fate", ["refused", "told to end"])
def test_a_call_that_nobody_bills_gives_back_what_was_reserved(archive: Archive, fate: str) -> None:
    with pytest.raises((ModelError, Unsent)):
        asking(budget_of(archive), Provider([fate]))
    assert day_of(archive) == 0


def test_a_call_that_was_killed_in_flight_counts_as_it_was_reserved(archive: Archive) -> None:
    provider, most = Provider(["killed in flight"]), worst(archive)
    with pytest.raises(Killed):
        asking(budget_of(archive), provider)
    assert provider.total < day_of(archive) == most
    asking(budget_of(archive), provider)
    assert provider.total <= day_of(archive), "both were billed, and both count"
    (of_haiku,) = by_model(archive, "2026")
    assert (of_haiku.calls, of_haiku.open) == (2, most)


def test_an_answer_that_got_lost_is_asked_for_again_as_long_as_there_is_money(
    archive: Archive,
) -> None:
    provider = Provider(["answer lost"] * 3)
    assert asking(budget_of(archive), provider).text == "Said."
    assert provider.calls == 4
    provider = Provider(["answer lost"] * 3)
    with pytest.raises(OverBudget):
        asking(budget_of(archive, "other", run_usd=2.5 * worst(archive) / PICO), provider, 2)
    assert provider.calls == 2


def test_a_connection_that_loses_every_answer_is_given_up(archive: Archive) -> None:
    with pytest.raises(OutOfReach, match=f"{MOST_CUT_OFF} times"):
        asking(budget_of(archive), Provider(["answer lost"] * 20))


def test_a_provider_that_says_no_usage_has_cost_what_was_reserved(archive: Archive) -> None:
    silent = Completion("Said.", "stop", 0, 0, 0, 0, None)
    reply = ask(budget_of(archive), request(1), lambda _: silent, lambda: NOON)
    assert day_of(archive) == worst(archive)
    assert reply.usd == worst(archive) / PICO


def test_a_model_at_home_reserves_nothing(archive: Archive) -> None:
    poor = budget_of(archive, run_usd=0, day_usd=0, month_usd=0)
    free = Completion("Said.", "stop", 10, 10, 0, 0, 5.0)
    at_home = known("openai/x", {"api_base": "http://127.0.0.1:1"})
    assert ask(poor, request(1, at_home), lambda _: free, lambda: NOON).usd == 0
    assert archive.run("SELECT * FROM spending") == []


def test_a_model_of_unknown_price_is_not_asked_unless_that_is_allowed(archive: Archive) -> None:
    unknown, provider = known("somebody/something"), Provider()
    with pytest.raises(UnknownPrice):
        asking(budget_of(archive), provider, model=unknown)
    assert provider.calls == 0
    allowed = budget_of(archive, unpriced=True)
    assert asking(allowed, provider, model=unknown).usd == 123.0, (
        "what LiteLLM says is better than nothing"
    )
    silent = Completion("Said.", "stop", 9, 9, 0, 0, None)
    reply = ask(allowed, request(2, unknown), lambda _: silent, lambda: NOON)
    assert reply.usd is None
    (of_it,) = by_model(archive, "2026")
    assert (of_it.calls, of_it.unpriced) == (2, 1)


def test_replies_show_what_a_model_makes_of_our_tokens(archive: Archive) -> None:
    provider = Provider()
    for number in range(12):
        asking(budget_of(archive), provider, number)
    learned = learned_factors(archive)[HAIKU.name]
    assert learned.replies == 12
    assert learned.factor == pytest.approx(1.5, rel=0.02)


def test_a_few_replies_show_nothing_yet_and_then_they_count(archive: Archive) -> None:
    provider = Provider()
    for number in range(ENOUGH - 1):
        asking(budget_of(archive), provider, number)
    assert expected(archive, HAIKU.name, NOON) == Expected(1.35, ENOUGH - 1, 1.35)
    assert not expected(archive, HAIKU.name, NOON).is_sure
    asking(budget_of(archive), provider, ENOUGH)
    found = expected(archive, HAIKU.name, NOON)
    assert found.is_sure
    assert found.factor == pytest.approx(1.5, rel=0.02)


def test_a_prompt_above_the_step_is_held_back_by_what_replies_have_shown(archive: Archive) -> None:
    tokens = count(request(1).turns[0].content)
    stepped = {
        "model": "*",
        "as_of": "2026-11-21",
        "input": 1,
        "output": 1,
        "input_above": 2,
        "above": 0,
    }

    def why_not(above: float, **more: bool) -> ContextTooLong | None:
        price = PriceSettings.model_validate(stepped | {"above": round(above * tokens)})
        settings = BudgetSettings(price=(price,), **more)
        context = context_with(RunBudget(archive, settings, "run"), Provider(), lambda: NOON)
        return above_step(context, request(1, known(HAIKU.name, budget=settings)))

    told = why_not(1.2)
    assert told is not None
    assert "so it was not sent" in told.message
    assert "budget.above_step" in told.next_step
    assert why_not(1.2, above_step=True) is None
    assert why_not(1.45) is None
    for number in range(ENOUGH):
        asking(budget_of(archive), Provider(), number)
    assert why_not(1.45) is not None, "it counts half as many again"


@given(
    st.lists(st.tuples(st.integers(1, 4), FATES), max_size=25), st.integers(1, 12), st.booleans()
)
def test_no_schedule_of_calls_and_kills_exceeds_the_cap(
    schedule: list[tuple[int, str]], calls: int, by_day: bool
) -> None:
    """What the provider bills never exceeds the ledger, the ledger never the cap; and what is settled is exact."""
    with Archive.memory() as archive:
        cap = calls * worst(archive)
        own = budget_of(archive, **{"day_usd" if by_day else "run_usd": cap / PICO})
        provider = Provider()
        for number, fate in schedule:
            provider.day = [fate]
            ticks = iter(["asked", "answered"])

            def clock(fate: str = fate, ticks: Iterator[str] = ticks) -> str:
                if next(ticks, "") == "answered" and fate == "killed before it is kept":
                    raise Killed
                return NOON

            with suppress(Killed, Unsent, ModelError, OverBudget):
                ask(own, request(number), provider, clock)
            assert provider.total <= day_of(archive) <= cap
        kept = [key for key in provider.bills if find_reply(archive, key)]
        settled = archive.run("SELECT coalesce(sum(settled), 0) FROM spending")[0][0]
        assert settled == sum(provider.bills[key][-1] for key in kept)
