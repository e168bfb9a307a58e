"""A provider that lies about what it counted: the answer is kept, the call counts as reserved, and it is said once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import find_reply, learned_factors, odd_usages, spent
from daemon.config.model_tables import BudgetSettings
from daemon.files.clock import at, periods
from daemon.models.completion import Completion, complete
from daemon.models.direct import persistently
from daemon.models.prices import ENOUGH, LEARNED_FOR, Expected, expected
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import MemprocError
from tests.asked import RunBudget, ask
from tests.daemon.models.test_bounded import answering
from tests.daemon.models.test_budget import NOON, worst
from tests.daemon.models.test_budget import request as question
from tests.known import known
from tests.stories.person import Person

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_")
LIES: tuple[Any, ...] = (
    -1_000_000, 10**15, 10**25, "12", [12], 1.5, float("nan"), float("inf"), True, {"a": 1},
)  # fmt: skip


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def always(said: Completion) -> Callable[[Request], Completion]:
    return lambda _: said


def answer(style: str, usage: object) -> bytes:
    if style == "anthropic":
        body = {
            "id": "m", "type": "message", "role": "assistant", "model": "claude",
            "content": [{"type": "text", "text": "Said."}], "stop_reason": "end_turn", "usage": usage,
        }  # fmt: skip
    else:
        message = {"role": "assistant", "content": "Said."}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        body = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": choices,
            "usage": usage,
        }
    if usage is None:
        del body["usage"]
    return json.dumps(body).encode()


NAMES = {
    "anthropic/claude-haiku-5-5": ("anthropic", "input_tokens", "output_tokens"),
    "openai/gpt-4o": ("openai", "prompt_tokens", "completion_tokens"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_whatever_stands_for_a_count_the_answer_is_read(name: str) -> None:
    style, prompt, written = NAMES[name]
    usages: list[object] = [None, "none", [], {}]
    for lie in LIES:
        usages += [{prompt: lie, written: 5}, {prompt: 5, written: lie}]
    at_once = iter(usages)
    current: list[bytes] = []
    with answering(200, lambda: iter(current)) as url:
        asked = Request(
            "quote", known(name, {"api_key": "k", "api_base": url}), (Turn("user", "Hello"),), 60
        )
        for usage in at_once:
            current[:] = [answer(style, usage)]
            assert complete(asked).text == "Said.", usage


@pytest.mark.parametrize(
    "said",
    [
        Completion("Said.", "stop", 500, -1_000_000),
        Completion("Said.", "stop", 10**15, 5),
        Completion("Said.", "stop", 10**25, 10**25),
        Completion("Said.", "stop", 0, 5),
        Completion("Said.", "stop", 50, 5, -7),
        Completion("Said.", "stop", 50, 10**6),
        Completion("Said.", "stop", 0, 0, odd_usage="input_tokens: 'many'"),
    ],
)
def test_a_call_whose_counts_cannot_be_counts_as_reserved(
    archive: Archive, said: Completion
) -> None:
    budget = RunBudget(archive, BudgetSettings(), "a run")
    reply = ask(budget, question(1), lambda _: said, lambda: NOON)
    assert spent(archive, "a run", periods(at(NOON))).run == worst(archive)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("Said.", 0, 0)
    assert find_reply(archive, reply.request) == reply
    assert list(odd_usages(archive)) == [reply.request]
    assert learned_factors(archive) == {}


def test_six_calls_that_claim_credit_do_not_lower_what_is_spent(archive: Archive) -> None:
    budget, amounts = RunBudget(archive, BudgetSettings(), "a run"), [0]
    for number in range(6):
        ask(
            budget,
            question(number),
            lambda _: Completion("Said.", "stop", 500, -1_000_000),
            lambda: NOON,
        )
        amounts.append(spent(archive, "a run", periods(at(NOON))).day)
    assert amounts == sorted(set(amounts)), "each call adds to it"


def test_one_wrong_number_teaches_nothing(archive: Archive) -> None:
    budget, name = RunBudget(archive, BudgetSettings(), "a run"), question(1).model.name
    for number, counted in enumerate((10**9, 150_000, 1)):
        said = Completion("Said.", "stop", counted, 5)
        ask(budget, question(number), always(said), lambda: NOON)
    assert learned_factors(archive) == {}
    assert expected(archive, name, NOON) == Expected(1.35, 0, 1.35)


def test_what_was_learned_fades(archive: Archive) -> None:
    name = question(1).model.name
    archive.run("INSERT INTO calibration VALUES (?, 2.0, ?, ?)", (name, ENOUGH, NOON))
    assert expected(archive, name, NOON).factor == 2.0
    later = (at(NOON) + LEARNED_FOR).isoformat()
    assert expected(archive, name, later).factor == 2.0
    assert expected(archive, name, later.replace(":00:00", ":00:01", 1)) == Expected(1.35, 0, 1.35)


def test_budget_shows_what_was_learned_and_forgets_it(tmp_path: Path) -> None:
    ada = Person(tmp_path / "ada")
    ada.drop(b"{}", "none.json")
    ada.memproc("run")
    with Archive.open(ada.home / "state") as archive:
        archive.run("INSERT INTO calibration VALUES ('openai/gpt-4o', 1.1, 7, ?)", (NOON,))
    assert (
        "openai/gpt-4o: counts 1.10 tokens for one of memproc's, by 7 replies"
        in ada.memproc("budget").out
    )
    ended = ada.memproc("budget", "forget", "openai/gpt-4o")
    assert (ended.code, ended.out.strip()) == (
        0,
        "Forgot what replies of openai/gpt-4o have shown.",
    )
    assert "openai/gpt-4o" not in ada.memproc("budget").out
    ended = ada.memproc("budget", "forget", "openai/gpt-4o")
    assert (ended.code, "Nothing was learned of the model openai/gpt-4o" in ended.err) == (2, True)


@pytest.mark.parametrize(
    "header",
    [
        "nan", "inf", "-inf", "1e400", "-5", "9" * 400, "Mon, 01 Jan 2024 00:00:00 +9999999999",
        "Mon, 01 Jan 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359", "tomorrow", "", "Mon, 99 Foo 2024",
    ],
)  # fmt: skip
def test_a_provider_may_ask_to_wait_for_any_time(header: str) -> None:
    from daemon.models.provider_faults import _retry_after

    fault = Exception()
    fault.litellm_response_headers = {"Retry-After": header}  # type: ignore[attr-defined]
    seconds = _retry_after(fault)
    assert seconds is None or 0 <= seconds < 10**10
    waits: list[float] = []

    def busy() -> None:
        from rules.errors import NotNow

        raise NotNow("Busy.", "Again.", seconds)

    with pytest.raises(MemprocError):
        persistently(busy, waits.append, lambda _: None)
    assert all(0 <= wait <= 300 for wait in waits)
