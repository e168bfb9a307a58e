"""A model that thinks unasked: one answer shows it, the next have room, and no question gets another key by that."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import forget_learned, keep_thinking, thinking_models, thinking_of
from daemon.archive.row_lines import lines_of_rows, store_lines
from daemon.archive.signs import set_sign
from daemon.config.model_tables import BudgetSettings
from daemon.config.settings import Config
from daemon.models.completion import Completion, complete
from daemon.models.prices import priced_models
from daemon.models.roles import Roles
from primer.models import ENGINE, Model
from primer.prompt import Turn
from primer.reply import Request
from primer.thinking import Thinking
from rules.errors import ContextTooLong, Forbidden, MemprocError, ModelError, NotNow
from tests.asked import RunBudget, ask
from tests.daemon.models.test_budget import NOON
from tests.known import known
from tests.server.models import Model as Served
from tests.server.reply import Answer, Failure, Reply
from tests.server.request import Request as Arrived
from tests.server.server import ModelServer
from tests.server.setup import KEY, Setup

OPEN, ROOM = "openrouter/anthropic/claude-sonnet-5", 8192
SILENT = Completion("", "length", 100, 300)
OFF, LOW = {"reasoning": {"enabled": False}}, {"reasoning": {"effort": "low"}}


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def question(model: Model, number: int = 1) -> Request:
    return Request("quote", model, (Turn("user", f"Question {number}. " * 50),), 36)


def asked(archive: Archive, model: Model, *answers: Completion) -> list[Request]:
    """The requests as they were sent, one for each answer."""
    came: list[Request] = []

    def answering(request: Request) -> Completion:
        came.append(request)
        return answers[len(came) - 1]

    budget = RunBudget(archive, BudgetSettings(unpriced=True), "a run")
    for number in range(len(answers)):
        ask(budget, question(model, number), answering, lambda: NOON)
    return came


@pytest.mark.parametrize(
    "shows",
    [
        SILENT,
        Completion("Seen by the sea.", "stop", 100, 300, thought=True),
        Completion("<think>First I weigh", "length", 100, 300),
        Completion("<think>So.</think>Seen by the sea.", "stop", 100, 300),
    ],
)
def test_one_answer_shows_that_a_model_thinks_and_the_next_has_room(
    archive: Archive, shows: Completion
) -> None:
    first, second = asked(archive, known(OPEN), shows, SILENT)
    assert first.thinking is None
    assert first.parameters["max_tokens"] == 344
    assert second.parameters["max_tokens"] == 344 + ROOM
    assert second.parameters["extra_body"] == OFF


@pytest.mark.parametrize(
    "plain",
    [
        Completion("Seen by the sea.", "stop", 100, 8),
        Completion("Seen by the", "length", 100, 344),
        Completion("", "stop", 100, 0),
        Completion("", "content_filter"),
    ],
)
def test_an_answer_that_shows_nothing_of_the_kind_teaches_nothing(
    archive: Archive, plain: Completion
) -> None:
    asked(archive, known(OPEN), plain)
    assert thinking_models(archive) == {}


def test_of_a_model_that_is_known_to_think_only_a_lack_of_room_is_learned(archive: Archive) -> None:
    opus = known("anthropic/claude-opus-5-5")
    thought = Completion("Seen by the sea.", "stop", 100, 60, thought=True)
    _, _, last = asked(archive, opus, thought, SILENT, thought)
    assert last.parameters["max_tokens"] == 344 + 4096 + 2 * (344 + 4096)


def test_the_room_grows_while_answers_starve_up_to_half_of_what_the_model_may_write(
    archive: Archive,
) -> None:
    kimi = known("moonshot/kimi-k2.6")
    rooms = [request.parameters["max_tokens"] for request in asked(archive, kimi, *[SILENT] * 5)]
    assert rooms == [344, 344 + ROOM, 344 + 17_072, 344 + 32_768, 344 + 32_768]
    small = known("dashscope/qwq-plus")  # it writes 8,192 tokens
    rooms = [request.parameters["max_tokens"] for request in asked(archive, small, *[SILENT] * 3)]
    assert rooms == [344, 344 + 4096, 344 + 4096]


def test_a_model_that_heeds_its_switch_is_soon_not_spoken_of_any_more(archive: Archive) -> None:
    heeding = Completion("Seen by the sea.", "stop", 100, 5)
    asked(archive, known(OPEN), SILENT, heeding)
    learned = thinking_of(archive, OPEN)
    assert learned is not None
    assert learned.is_noticed
    asked(archive, known("openrouter/another/one"), SILENT, *[heeding] * 8)
    learned = thinking_of(archive, "openrouter/another/one")
    assert learned is not None
    assert (learned.is_noticed, learned.room) == (False, ROOM)


def test_a_provider_that_counts_nothing_is_believed_to_have_used_the_room(archive: Archive) -> None:
    asked(archive, known(OPEN), Completion("", "length"))
    assert thinking_of(archive, OPEN) == Thinking(ROOM, 344)


def test_what_was_learned_is_no_part_of_a_requests_key() -> None:
    before = question(known(OPEN))
    after = replace(before, thinking=Thinking(ROOM, 300))
    assert before.key == after.key
    assert before.parameters != after.parameters


def test_what_the_person_says_of_thinking_stays(archive: Archive) -> None:
    for options in ({"reasoning_effort": "high"}, {"extra_body": {"reasoning": {"max_tokens": 9}}}):
        model = known(OPEN, options)
        sent = replace(question(model), thinking=Thinking(ROOM, 300)).parameters
        assert sent == {**options, "max_tokens": 344 + ROOM}
    model = known(OPEN, {"extra_body": {"provider": {"order": ["a"]}}})
    sent = replace(question(model), thinking=Thinking(ROOM, 300)).parameters
    assert sent["extra_body"] == {**OFF, "provider": {"order": ["a"]}}


SWITCHES: Mapping[str, Mapping[str, Any]] = {
    OPEN: OFF,
    "zai/glm-4.7": {"thinking": {"type": "disabled"}},
    "zai/glm-of-tomorrow": {"thinking": {"type": "disabled"}},
    "zai/glm-5.3-flash": {"reasoning_effort": "low"},
    "moonshot/kimi-k2.6": {"thinking": {"type": "disabled"}},
    "moonshot/kimi-k3": {"reasoning_effort": "low"},
    "deepseek/deepseek-reasoner": {"thinking": {"type": "disabled"}},
    "dashscope/qwen3.8-flash": {"enable_thinking": False},
    "together_ai/Qwen/Qwen3.8-Flash": OFF,
    "fireworks_ai/deepseek-v4-pro": {"reasoning_effort": "none"},
    "hosted_vllm/local-model": {"chat_template_kwargs": {"enable_thinking": False}},
}


def serving(script: Callable[[Arrived], Reply]) -> ModelServer:
    """A server that knows all of these models, by the names that reach it."""
    names = (name.partition("/")[2] for name in SWITCHES)
    own = [*names, "accounts/fireworks/models/deepseek-v4-pro"]
    return ModelServer(Setup(script=script, models={name: Served() for name in own}))


def thinks(server: ModelServer, name: str, refused: int = 0) -> Request:
    """A question to a model on this server that is known to think."""
    model = known(name, {"api_base": f"{server.url}/v1", "api_key": KEY, "timeout": 20.0})
    return replace(question(model), thinking=Thinking(ROOM, 300, refused))


@pytest.mark.parametrize("name", SWITCHES)
def test_the_switch_of_its_provider_reaches_the_wire(name: str) -> None:
    script = lambda _: Answer("Seen by the sea.", thinking="Hm.")  # noqa: E731
    with serving(script) as server:
        answer = complete(thinks(server, name))
        (arrived,) = server.requests
    assert answer.thought
    assert arrived.body.items() >= SWITCHES[name].items()
    assert arrived.max_tokens == 344 + ROOM


def mandatory(status: int, request: Arrived) -> Reply:
    """OpenRouter's answer where a model cannot but think."""
    if request.body.get("reasoning") == OFF["reasoning"]:
        return Failure(status, "invalid_request_error", "Reasoning is mandatory for this endpoint.")
    return Answer("Seen by the sea.", thinking="Hm.")


@pytest.mark.parametrize("status", [400, 403, 404, 422])
def test_a_switch_that_is_refused_is_left_out_and_never_tried_again(
    archive: Archive, status: int
) -> None:
    with serving(partial(mandatory, status)) as server:
        keep_thinking(archive, OPEN, Thinking(ROOM, 300), NOON)
        model = thinks(server, OPEN).model
        budget = RunBudget(archive, BudgetSettings(unpriced=True), "a run")
        for number in (1, 2):
            ask(budget, question(model, number), complete, lambda: NOON)
        told = [request.body.get("reasoning") for request in server.requests]
    assert told == [OFF["reasoning"], LOW["reasoning"], LOW["reasoning"]]
    learned = thinking_of(archive, OPEN)
    assert learned is not None
    assert (learned.room, learned.refused) == (ROOM, 1)


@pytest.mark.parametrize(
    ("status", "fault", "times"),
    [(400, ModelError, 3), (403, Forbidden, 3), (404, ModelError, 3), (429, NotNow, 1)],
)
def test_what_is_refused_with_and_without_a_switch_is_refused(
    status: int, fault: type[MemprocError], times: int
) -> None:
    failure = Failure(status, "invalid_request_error", "No.")
    with serving(lambda _: failure) as server:
        with pytest.raises(fault):
            complete(thinks(server, OPEN))
        assert len(server.requests) == times


def test_a_prompt_that_is_too_long_is_so_without_the_switch() -> None:
    words = "This model's maximum context length is 10 tokens, but the messages have 99 tokens."
    failure = Failure(400, "invalid_request_error", words)
    with serving(lambda _: failure) as server:
        with pytest.raises(ContextTooLong):
            complete(thinks(server, "zai/glm-4.7"))
        assert len(server.requests) == 1


def test_a_plan_counts_with_what_the_model_thinks_and_with_its_room(archive: Archive) -> None:
    sonnet = known("anthropic/claude-sonnet-4-5")
    roles = Roles(sonnet, ENGINE)
    plain, _ = priced_models(archive, roles, Config(), NOON)
    keep_thinking(archive, sonnet.name, Thinking(ROOM, 3000), NOON)
    learned, _ = priced_models(archive, roles, Config(), NOON)
    assert (plain["agent"].thinking_room, plain["agent"].thinking) == (0, 0)
    assert (learned["agent"].thinking_room, learned["agent"].thinking) == (ROOM, 3000)
    assert learned["context manager"] == plain["context manager"]


def test_what_was_learned_comes_along_to_another_computer_and_other_signs_do_not(
    tmp_path: Path,
) -> None:
    with Archive.open(tmp_path / "theirs") as theirs:
        keep_thinking(theirs, OPEN, Thinking(ROOM, 300, 1), NOON)
        set_sign(theirs, "pid", "123", NOON)
        lines = BytesIO(b"".join(lines_of_rows(theirs)))
    with Archive.open(tmp_path / "ours") as ours:
        store_lines(ours, lines)
        assert thinking_models(ours) == {OPEN: Thinking(ROOM, 300, 1)}
        assert ours.column("SELECT name FROM sign ORDER BY name") == (f"thinks {OPEN}", "zone")
        assert forget_learned(ours, OPEN)
        assert not forget_learned(ours, OPEN)


@pytest.mark.parametrize(
    "value",
    ["", "no", "[]", "{}", '{"room": 1e9, "spent": 1}', '{"room": 99999999, "spent": 1}',
     '{"room": "9", "spent": 1}', '{"room": 9, "spent": -1}', '{"room": 9, "spent": 1, "more": 1}'],
)  # fmt: skip
def test_what_no_answer_can_have_shown_counts_as_not_known(archive: Archive, value: str) -> None:
    set_sign(archive, f"thinks {OPEN}", value, NOON)
    assert thinking_of(archive, OPEN) is None
    assert thinking_models(archive) == {}
