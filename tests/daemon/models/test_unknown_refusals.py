"""A refusal for an unknown reason: the smallest request says whether the passage or the model is refused."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from daemon.archive.archive import Archive
from daemon.archive.journal import find_reply, keep_thinking, learned_factors, replies
from daemon.config.model_tables import BudgetSettings
from daemon.events import ModelAnswered, Note
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.models.scheduler import RunningDialogue, Scheduler
from primer.finish import REFUSED
from primer.prompt import Turn
from primer.reply import EMBEDDING, TRIAL, UNKNOWN_REFUSAL, Request
from primer.thinking import Thinking
from rules.errors import (
    CutOff,
    Forbidden,
    MemprocError,
    ModelError,
    NotNow,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
    Unexplained,
)
from tests.daemon.models.batch_world import world
from tests.daemon.models.test_scheduler import Told, asks, context_of, question
from tests.known import known
from tests.server.reply import Answer, Failure
from tests.server.request import Request as Sent
from tests.server.server import ModelServer
from tests.server.setup import Setup

FLAGGED = "what nobody may read"
ODD = Unexplained("The provider of test/agent refused the request (status 400).", "Look it up.")
NO_ENTRY = Forbidden("The provider of test/agent forbids the request (status 403).", "Ask it.")


@dataclass
class Provider:
    """Refuses what is flagged, and answers the smallest request by `trial`."""

    fault: MemprocError = ODD
    trial: Callable[[], Completion] = lambda: Completion("Yes", "stop", 14, 1)
    asked: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Completion:
        self.asked.append(request)
        if request.step == TRIAL:
            return self.trial()
        if FLAGGED in request.turns[-1].content:
            raise self.fault
        return Completion("An answer.", "stop", 100, 5)

    @property
    def trials(self) -> int:
        return sum(request.step == TRIAL for request in self.asked)


def refuse(fault: MemprocError) -> Callable[[], Completion]:
    def refused() -> Completion:
        raise fault

    return refused


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def ask(context: Context, *requests: Request, again: bool = False) -> list[str]:
    with Scheduler(context, "chat", 1, asks_again=again) as scheduler:
        return scheduler.finish(RunningDialogue(asks(*requests)))


@pytest.mark.parametrize("fault", [ODD, NO_ENTRY])
def test_a_passage_is_refused_alone_where_the_smallest_request_is_answered(
    archive: Archive, fault: MemprocError
) -> None:
    provider, told = Provider(fault), Told()
    context = context_of(archive, provider, told)
    flagged = question(FLAGGED)
    assert ask(context, flagged, question("the ferry")) == ["", "An answer."]
    trial = provider.asked[1]
    assert trial.model == flagged.model
    assert FLAGGED not in str(trial.messages)
    kept = find_reply(archive, flagged.key)
    assert kept is not None
    assert (kept.finish, kept.usd, kept.tokens_in) == (UNKNOWN_REFUSAL, 0.0, 0)
    notes = [event.text for event in told.events if isinstance(event, Note)]
    assert len(notes) == 1
    assert notes[0].startswith(fault.message)
    assert "memproc retry" in notes[0]
    assert ask(context, flagged) == [""]
    assert len(provider.asked) == 3, "it is not asked again in this form"


def test_a_retry_asks_again_and_its_answer_takes_the_refusal_s_place(archive: Archive) -> None:
    provider = Provider()
    context = context_of(archive, provider)
    flagged = question(FLAGGED)
    ask(context, flagged)
    assert ask(context, flagged, flagged, again=True) == ["", ""]
    assert (len(provider.asked), provider.trials) == (4, 2), "once more, and once alone"
    forgiving = context_of(archive, lambda request: Completion("At last.", "stop", 100, 5))
    assert ask(forgiving, flagged, again=True) == ["At last."]
    assert ask(context, flagged) == ["At last."]
    assert ask(context, flagged, again=True) == ["At last."], "what is answered stays answered"
    assert len(provider.asked) == 4


@pytest.mark.parametrize("fault", [ODD, NO_ENTRY])
@pytest.mark.parametrize(
    "trial",
    [
        refuse(ODD),
        refuse(NO_ENTRY),
        lambda: Completion("", REFUSED),
        refuse(ModelError("Odd.", "?")),
    ],
)
def test_where_the_smallest_request_is_refused_too_nothing_is_kept(
    archive: Archive, fault: MemprocError, trial: Callable[[], Completion]
) -> None:
    provider = Provider(fault, trial)
    context = context_of(archive, provider)
    for _ in range(3):
        with pytest.raises(type(fault)) as raised:
            ask(context, question(FLAGGED))
        assert raised.value is fault
    assert provider.trials == 1, "then it is known in this run that the model refuses all"
    assert find_reply(archive, question(FLAGGED).key) is None
    ask(context, question("the ferry"))
    provider.trial = Provider.trial
    assert ask(context, question(FLAGGED)) == [""], "it has answered since"


@pytest.mark.parametrize(
    ("trial", "met"),
    [
        (NotNow("Busy.", "Wait."), OutOfReach),
        (ProviderRefuses("No money.", "Pay."), ProviderRefuses),
        (CutOff("Gone.", "Again."), OutOfReach),
    ],
)
def test_what_the_smallest_request_meets_on_the_way_ends_the_work_instead(
    archive: Archive, trial: MemprocError, met: type[MemprocError]
) -> None:
    provider = Provider(trial=refuse(trial))
    with pytest.raises(met):
        ask(context_of(archive, provider), question(FLAGGED))
    assert provider.trials <= 6
    assert replies(archive, None) == ()


@pytest.mark.parametrize(
    "fault",
    [ModelError("No such model.", "?"), ProviderRefuses("Wrong key.", "?"), NotNow("Busy.", "?")],
)
def test_a_known_fault_is_followed_by_no_trial(archive: Archive, fault: MemprocError) -> None:
    provider = Provider(fault)
    with pytest.raises(MemprocError):
        ask(context_of(archive, provider), question(FLAGGED))
    assert provider.trials == 0


def test_the_trial_is_reserved_counted_and_told_and_nothing_is_learned_from_it(
    archive: Archive,
) -> None:
    told = Told()
    context = context_of(archive, Provider(), told, BudgetSettings())
    ask(context, question(FLAGGED, model="anthropic/claude-haiku-5-5"))
    spent = archive.column("SELECT settled FROM spending ORDER BY id")
    assert spent[0] == 0, "a refusal is not billed"
    assert spent[1] > 0
    told_of = [event for event in told.events if isinstance(event, ModelAnswered)]
    assert [event.step for event in told_of] == [TRIAL, "quote"]
    assert [reply.step for reply in replies(archive, None)] == [TRIAL, "quote"]
    assert learned_factors(archive) == {}


def test_the_trial_has_the_room_that_its_model_has_for_thinking(archive: Archive) -> None:
    """Else it would be answered where only so much room is refused."""
    provider = Provider()
    flagged = question(FLAGGED)
    keep_thinking(archive, flagged.model.name, Thinking(8192, 2000), "2026-11-27T12:00:00Z")
    ask(context_of(archive, provider), flagged)
    refused, trial = provider.asked
    assert trial.thinking == refused.thinking == Thinking(8192, 2000)


def test_at_a_cap_no_trial_is_sent(archive: Archive) -> None:
    provider = Provider()
    asked = question(FLAGGED, model="anthropic/claude-haiku-5-5")
    context = context_of(archive, provider, budget=BudgetSettings())
    with Scheduler(context, "chat", 1) as scheduler, pytest.raises(OverBudget):
        archive.run(
            "INSERT INTO spending (request, chat_id, model, run, tokens, reserved, at) "
            "VALUES ('x', '', 'm', '', 0, ?, ?)",
            (10**13 - 1, context.clock()),
        )
        scheduler.finish(RunningDialogue(asks(asked)))
    assert provider.trials == 0


def test_one_trial_is_enough_for_requests_that_are_refused_at_once(archive: Archive) -> None:
    together = threading.Barrier(4)

    class AtOnce(Provider):
        def __call__(self, request: Request) -> Completion:
            if request.step != TRIAL:
                together.wait(20)
            return super().__call__(request)

    provider = AtOnce(trial=refuse(NO_ENTRY), fault=NO_ENTRY)
    with (
        Scheduler(context_of(archive, provider), "chat", 4) as scheduler,
        pytest.raises(Forbidden),
    ):
        for number in range(4):
            scheduler.begin(RunningDialogue(asks(question(f"{FLAGGED} {number}")), number))
        while True:
            scheduler.go_on()
    assert provider.trials <= 2


def test_an_embedding_model_is_tried_with_an_embedding(archive: Archive) -> None:
    texts = tuple(Turn("user", text) for text in (FLAGGED, FLAGGED))
    asked: list[Request] = []

    def embed(request: Request) -> Completion:
        asked.append(request)
        if FLAGGED in str(request.messages):
            raise ODD
        return Completion("[[1.0]]", "stop", 14)

    request = Request(EMBEDDING, known("test/embedding"), texts, 0)
    assert ask(context_of(archive, embed), request) == [""]
    assert [request.step for request in asked] == [EMBEDDING, EMBEDDING]


def test_what_a_batch_refuses_for_an_unknown_reason_is_asked_by_itself_with_a_trial_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script(request: Sent) -> Answer | Failure:
        is_flagged = FLAGGED in request.turns[-1].text
        return Failure(400, "invalid_request_error", "No.") if is_flagged else Answer("I will.")

    with ModelServer(Setup(script=script)) as server, world(server, monkeypatch) as alice:
        assert alice.ask_about("the ferry", FLAGGED) == [["I will."], [""]]
        *together, alone, trial = server.requests
        assert len(together) == 2
        assert FLAGGED in alone.turns[-1].text
        assert "test of the connection" in trial.turns[-1].text
        assert alice.account()[1] == 0, "nothing stays reserved"
