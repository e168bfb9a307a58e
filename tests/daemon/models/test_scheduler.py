"""Several dialogues go on at once: never more calls than may be, each answer kept, and one thread for all the rest."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive
from daemon.archive.journal import find_reply, replies
from daemon.config.model_tables import BudgetSettings, PriceSettings
from daemon.config.settings import Config
from daemon.events import Event, ModelAnswered, Note
from daemon.files.paths import Folders
from daemon.models.ask import most_of
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.models.scheduler import Noted, RunningDialogue, Scheduler, Steps
from daemon.models.tokens import count
from primer.prompt import Turn
from primer.reply import Request
from rules.errors import ContextTooLong, CutOff, ModelError, NotNow, OverBudget, ProviderRefuses
from rules.money.price import PICO
from tests.known import known
from tests.nokeys import no_keys
from tests.scripted import ended
from tests.waiting import LIMIT_SECONDS

WHEN = "2026-09-01T00:00:00.000Z"
Answering = Callable[[Request], Completion]


def question(*said: str, model: str = "test/agent") -> Request:
    return Request("quote", known(model), tuple(Turn("user", text) for text in said), 60)


def echo(request: Request) -> Completion:
    return ended(f"answer to {request.turns[-1].content}")


@dataclass
class Counting:
    """A model that knows how many ask it at the same time."""

    answering: Answering = echo
    now: int = 0
    most: int = 0
    asked: list[Request] = field(default_factory=list)
    threads: set[threading.Thread] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Completion:
        with self._lock:
            self.asked.append(request)
            self.threads.add(threading.current_thread())
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return self.answering(request)
        finally:
            with self._lock:
                self.now -= 1

    def said(self) -> list[str]:
        return [request.turns[-1].content for request in self.asked]


@dataclass
class Told:
    """Everything that the context tells; `after` is called after each event."""

    events: list[Event] = field(default_factory=list)
    after: Callable[[Event], None] = lambda event: None

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self.after(event)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


FREE = BudgetSettings(unpriced=True)


def context_of(
    archive: Archive, model: Answering, told: Told | None = None, budget: BudgetSettings = FREE
) -> Context:
    folders = Folders(*(Path(name) for name in ("inbox", "updated", "backups", "state")))
    told = told or Told()
    return Context(
        Config(budget=budget),
        folders,
        archive,
        model,
        no_keys,
        lambda: WHEN,
        told,
        pause=lambda _: None,
    )


def dialogue(name: str, questions: int) -> Steps[list[str]]:
    """So many questions, each with the answers before it in view."""
    answers: list[str] = []
    for number in range(questions):
        reply = yield question(*answers, f"{name}.{number}")
        answers.append(reply.text)
    return answers


def asks(*requests: Request) -> Steps[list[str]]:
    """These requests, one after the other."""
    answers: list[str] = []
    for request in requests:
        reply = yield request
        answers.append(reply.text)
    return answers


def all_of(scheduler: Scheduler, dialogues: list[RunningDialogue[list[str]]]) -> list[list[str]]:
    for one in dialogues:
        scheduler.begin(one)
    while not all(one.is_over for one in dialogues):
        scheduler.go_on()
    return [one.result or [] for one in dialogues]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(1, 16))
def test_never_more_calls_than_may_be_and_the_same_answers_with_any_number(
    talks: list[int], most: int
) -> None:
    model = Counting()
    with (
        Archive.memory() as archive,
        Scheduler(context_of(archive, model), "chat", most) as scheduler,
    ):
        found = all_of(
            scheduler,
            [RunningDialogue(dialogue(str(at), asks), at) for at, asks in enumerate(talks)],
        )
    assert model.most <= most
    assert found == [
        [f"answer to {at}.{number}" for number in range(asks)] for at, asks in enumerate(talks)
    ]
    assert len(model.asked) == sum(talks), "nothing is asked twice"


@pytest.mark.parametrize("most", [2, 6, 16])
def test_as_many_calls_as_may_be_are_under_way_at_once(archive: Archive, most: int) -> None:
    together = threading.Barrier(most)

    def meet(request: Request) -> Completion:
        together.wait(LIMIT_SECONDS)
        return echo(request)

    with Scheduler(context_of(archive, meet), "chat", most) as scheduler:
        all_of(scheduler, [RunningDialogue(dialogue(str(at), 2), at) for at in range(most)])
    assert not together.broken


def test_one_call_at_a_time_finishes_one_dialogue_before_the_next(archive: Archive) -> None:
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 1) as scheduler:
        all_of(
            scheduler,
            [
                RunningDialogue(dialogue(name, 2), rank)
                for rank, name in ((1, "b"), (0, "a"), (2, "c"))
            ],
        )
    assert model.said() == ["a.0", "a.1", "b.0", "b.1", "c.0", "c.1"]


def test_only_the_call_itself_leaves_the_thread(archive: Archive) -> None:
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 4) as scheduler:
        (found,) = all_of(scheduler, [RunningDialogue(asks(question("a"), question("b")))])
    assert found == ["answer to a", "answer to b"]
    assert threading.current_thread() not in model.threads
    assert len(replies(archive, "chat")) == 2


def test_those_that_begin_alike_wait_for_the_first_answer_of_the_one_that_leads(
    archive: Archive,
) -> None:
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 8) as scheduler:
        leads = RunningDialogue(dialogue("leads", 2), 0)
        follows = [RunningDialogue(dialogue(f"follows {at}", 1), at, leads) for at in (1, 2)]
        goes_alone = RunningDialogue(dialogue("alone", 1), 3)
        for talk in (leads, *follows, goes_alone):
            scheduler.begin(talk)
        scheduler.go_on()
        assert sorted(model.said()) == ["alone.0", "leads.0"]
        all_of(scheduler, [])
        while leads.result is None or not all(talk.result for talk in follows):
            scheduler.go_on()
    assert sorted(model.said()[2:]) == ["follows 1.0", "follows 2.0", "leads.1"]


def test_what_can_be_asked_ahead_is_asked_while_the_one_that_leads_is_waited_for(
    archive: Archive,
) -> None:
    together = threading.Barrier(2)

    def meet(request: Request) -> Completion:
        if request.turns[-1].content in ("leads.0", "ahead"):
            together.wait(LIMIT_SECONDS)
        return echo(request)

    model = Counting(meet)
    with Scheduler(context_of(archive, model), "chat", 2) as scheduler:
        leads = RunningDialogue(dialogue("leads", 1), 0)
        follows = asks(question("follows"), question("ahead"))
        all_of(scheduler, [leads, RunningDialogue(follows, 1, leads, ahead=question("ahead"))])
    assert model.said()[-1] == "follows"
    assert len(model.asked) == 3


def test_nothing_is_asked_ahead_where_calls_are_wanted_for_what_is_due(archive: Archive) -> None:
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 1) as scheduler:
        all_of(
            scheduler,
            [RunningDialogue(asks(question("first"), question("ahead")), ahead=question("ahead"))],
        )
    assert model.said() == ["first", "ahead"]


def test_what_two_dialogues_ask_is_sent_once(archive: Archive) -> None:
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 4) as scheduler:
        found = all_of(scheduler, [RunningDialogue(dialogue("same", 2), at) for at in range(3)])
    assert found == [["answer to same.0", "answer to same.1"]] * 3
    assert model.said() == ["same.0", "same.1"]


def test_what_the_journal_knows_is_not_sent(archive: Archive) -> None:
    with Scheduler(context_of(archive, echo), "chat", 4) as scheduler:
        all_of(scheduler, [RunningDialogue(dialogue("a", 3))])
    model = Counting()
    with Scheduler(context_of(archive, model), "chat", 4) as scheduler:
        assert all_of(scheduler, [RunningDialogue(dialogue("a", 3))]) == [
            ["answer to a.0", "answer to a.1", "answer to a.2"]
        ]
    assert model.asked == []


def test_a_dialogue_whose_beginning_is_not_there_yet_holds_up_nobody(archive: Archive) -> None:
    there: list[str] = []
    with Scheduler(context_of(archive, echo), "chat", 4) as scheduler:

        def blocked() -> Steps[list[str]]:
            while not there:
                yield None
            return there

        def brings() -> Steps[list[str]]:
            reply = yield question("it")
            there.append(reply.text)
            return there

        assert (
            all_of(scheduler, [RunningDialogue(blocked(), 0), RunningDialogue(brings(), 1)])
            == [["answer to it"]] * 2
        )


def test_after_a_fault_nothing_is_sent_and_what_is_under_way_is_kept_and_told(
    archive: Archive,
) -> None:
    refused = threading.Event()

    def answering(request: Request) -> Completion:
        if request.turns[-1].content == "0.0":
            refused.set()
            raise ProviderRefuses("The key is wrong.", "Set another.")
        refused.wait(LIMIT_SECONDS)
        return echo(request)

    model, told = Counting(answering), Told()
    with (
        pytest.raises(ProviderRefuses),
        Scheduler(context_of(archive, model, told), "chat", 3) as scheduler,
    ):
        all_of(scheduler, [RunningDialogue(dialogue(str(at), 4), at) for at in range(9)])
    answered = [event for event in told.events if isinstance(event, ModelAnswered)]
    assert sorted(model.said())[:3] == ["0.0", "1.0", "2.0"]
    assert len(answered) == len(replies(archive, "chat")) == len(model.asked) - 1


def test_a_wish_to_end_lets_every_answer_that_is_under_way_come_home(archive: Archive) -> None:
    class Enough(Exception):
        pass

    def enough(event: Event) -> None:
        raise Enough

    model, told = Counting(), Told(after=enough)
    with pytest.raises(Enough), Scheduler(context_of(archive, model, told), "chat", 4) as scheduler:
        all_of(scheduler, [RunningDialogue(dialogue(str(at), 4), at) for at in range(4)])
    assert len(replies(archive, "chat")) == len(model.asked) == len(told.events) <= 7


def test_who_interrupts_is_told_what_is_waited_for(archive: Archive) -> None:
    def interrupt(event: Event) -> None:
        if (
            isinstance(event, ModelAnswered)
            and sum(isinstance(one, ModelAnswered) for one in told.events) == 1
        ):
            go.set()
            raise KeyboardInterrupt

    go = threading.Event()

    def answering(request: Request) -> Completion:
        if request.turns[-1].content != "0.0":
            go.wait(LIMIT_SECONDS)
        return echo(request)

    model, told = Counting(answering), Told(after=interrupt)
    with (
        pytest.raises(KeyboardInterrupt),
        Scheduler(context_of(archive, model, told), "chat", 3) as scheduler,
    ):
        all_of(scheduler, [RunningDialogue(dialogue(str(at), 2), at) for at in range(3)])
    (notice,) = [event for event in told.events if isinstance(event, Note)]
    assert notice.text.startswith("2 calls are under way")
    assert len(replies(archive, "chat")) == len(model.asked) == 3


def test_what_a_call_raises_is_raised_where_it_was_asked(archive: Archive) -> None:
    def refuse(request: Request) -> Completion:
        raise ModelError("No.", "Another.")

    with Scheduler(context_of(archive, refuse), "chat", 2) as scheduler:

        def steps() -> Steps[str]:
            try:
                return (yield question("a")).text
            except ModelError as fault:
                return fault.message

        assert scheduler.finish(RunningDialogue(steps())) == "No."


def noting(*notes: str) -> Steps[None]:
    """One question, and then these notes."""
    yield question("a")
    for note in notes:
        yield Noted(note)


def test_what_a_dialogue_notes_is_told_when_it_is_over_be_it_by_a_fault(archive: Archive) -> None:
    def steps() -> Steps[None]:
        yield Noted("first")
        yield from noting("second")
        raise ModelError("No.", "Another.")

    told = Told()
    with (
        Scheduler(context_of(archive, echo, told), "chat", 2) as scheduler,
        pytest.raises(ModelError),
    ):
        scheduler.finish(RunningDialogue(steps()))
    assert [event.text for event in told.events if isinstance(event, Note) and event.is_remedy] == [
        "first",
        "second",
    ]


def test_a_kind_of_trouble_counts_once_in_the_run_in_which_its_answer_came(
    archive: Archive,
) -> None:
    told = Told()
    for _ in range(2):
        with Scheduler(context_of(archive, echo, told), "chat", 2) as scheduler:
            for _ in range(2):
                scheduler.finish(RunningDialogue(noting("empty", "good in other words")))
    assert [event.text for event in told.events if isinstance(event, Note) and event.is_remedy] == [
        "empty", "good in other words", *["good in other words"] * 3,
    ]  # fmt: skip
    assert find_reply(archive, question("a").key) is not None


DEAR = "anthropic/claude-haiku-5-5"


def dear(number: int) -> Request:
    return question(f"Question {number}.", model=DEAR)


def worst(archive: Archive) -> float:
    """What one of these calls may cost at most, in dollars."""
    price = known(DEAR).price
    assert price is not None
    return most_of(archive, price, dear(1), count("Question 1."), "2026-11-21T12:00:00.000Z") / PICO


@pytest.mark.parametrize("reserved_at_once", [1.2, 2.2])
def test_what_is_reserved_for_calls_under_way_is_waited_for_before_a_cap_says_no(
    archive: Archive, reserved_at_once: float
) -> None:
    model = Counting()
    context = context_of(
        archive, model, budget=BudgetSettings(day_usd=reserved_at_once * worst(archive))
    )
    with Scheduler(context, "chat", 6) as scheduler:
        for at in range(6):
            scheduler.begin(RunningDialogue(asks(dear(at)), at))
        while len(model.asked) < 6:
            scheduler.go_on()
    assert model.most <= int(reserved_at_once)


def test_at_a_cap_what_is_under_way_is_kept_and_nothing_more_is_sent(archive: Archive) -> None:
    def long(request: Request) -> Completion:
        return Completion("Said.", "stop", 400, 60, 0, 0, None)

    context = context_of(
        archive, Counting(long), budget=BudgetSettings(day_usd=2.5 * worst(archive))
    )
    with pytest.raises(OverBudget), Scheduler(context, "chat", 6) as scheduler:
        all_of(scheduler, [RunningDialogue(asks(dear(at)), at) for at in range(6)])
    kept = archive.run("SELECT count(*) FROM reply")[0][0]
    assert 2 <= kept < 6


def test_an_answer_that_got_lost_is_asked_for_again_beside_the_others(archive: Archive) -> None:
    lost: set[str] = set()

    def loses_each_once(request: Request) -> Completion:
        if request.key not in lost:
            lost.add(request.key)
            raise CutOff("Gone.", "Again.")
        return echo(request)

    model, pauses = Counting(loses_each_once), list[float]()
    context = replace(context_of(archive, model), pause=pauses.append)
    with Scheduler(context, "chat", 3) as scheduler:
        found = all_of(scheduler, [RunningDialogue(dialogue(str(at), 2), at) for at in range(4)])
    assert found == [[f"answer to {at}.0", f"answer to {at}.1"] for at in range(4)]
    assert len(model.asked) == 16
    assert [0.5 <= seconds <= 1.0 for seconds in pauses] == [True] * 8
    assert [row[0] for row in archive.run("SELECT count(*) FROM spending")] == [16]


def test_a_call_that_waits_to_be_repeated_when_all_ends_does_not_leave_and_costs_nothing(
    archive: Archive,
) -> None:
    is_waiting, is_ended = threading.Event(), threading.Event()

    def busy(request: Request) -> Completion:
        if request.model.name == DEAR:
            raise NotNow("Busy.", "Again.")
        assert is_waiting.wait(LIMIT_SECONDS)
        raise ProviderRefuses("No.", "Ask.")

    def pause(seconds: float) -> None:
        is_waiting.set()
        assert is_ended.wait(LIMIT_SECONDS)

    class Ending(Scheduler):
        def __exit__(self, *fault: Any) -> None:
            threading.Timer(0.2, is_ended.set).start()
            super().__exit__(*fault)

    model = Counting(busy)
    context = replace(context_of(archive, model), pause=pause)
    with pytest.raises(ProviderRefuses), Ending(context, "chat", 2) as scheduler:
        scheduler.begin(RunningDialogue(asks(dear(2))))
        scheduler.finish(RunningDialogue(asks(question("What else?")), 1))
    assert sorted(request.model.name for request in model.asked) == [DEAR, "test/agent"]
    settled = [
        row[0]
        for row in archive.run(
            "SELECT settled FROM spending WHERE model = ? ORDER BY rowid", (DEAR,)
        )
    ]
    assert settled == [0]


def test_what_would_cost_more_because_it_is_long_is_never_sent_not_even_ahead(
    archive: Archive,
) -> None:
    dear = PriceSettings(
        model="test/dear", as_of="2026-11-21", input=1, output=1, above=1, input_above=2
    )
    model, budget = Counting(), BudgetSettings(unpriced=True, price=(dear,))
    context = context_of(archive, model, budget=budget)
    too_long = replace(question("too long"), model=known("test/dear", budget=budget))

    with (
        Scheduler(context, "chat", 4) as scheduler,
        pytest.raises(ContextTooLong, match="costs more with test/dear"),
    ):
        all_of(scheduler, [RunningDialogue(asks(question("short"), too_long), ahead=too_long)])
    assert model.said() == ["short"]
