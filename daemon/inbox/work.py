"""The worker's main duty: an arrival goes through the whole trip, by the same round as in `memproc run`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from daemon import events as at_home
from daemon.events import Tell
from daemon.inbox import events
from daemon.inbox.configuration import Settled
from daemon.inbox.entering import enter
from daemon.inbox.events import Alive
from daemon.inbox.line import Line
from daemon.inbox.orders import Work
from daemon.inbox.outcomes import outcome_of
from daemon.models.ask import Complete
from daemon.models.completion import TIMEOUT_SECONDS, Completion, complete
from daemon.trip import go_round
from primer.request import ENGINE, Request


def work(order: Work, settled: Settled, line: Line) -> None:
    """Take the export of an arrival through the whole trip, and tell everything on the way.

    Raises ToldToStop between two calls, ArchiveError, OverBudget or ProviderRefuses where nothing can go on, and
    FileTrouble, ConfigurationError or Busy where nothing can begin.
    """
    with enter(settled, line, _progress(order, line)) as context:
        patient = replace(context, complete=_with_signs(line), pause=_with_a_sign(line))
        for outcome in go_round(patient, [Path(order.path)]):
            line.tell(outcome_of(order, outcome))
            line.stopping.check()


def _with_signs(line: Line) -> Complete:
    """The call of a model, with a sign of life before each attempt: a good place to end."""

    def ask(request: Request) -> Completion:
        line.stopping.check()
        if request.model != ENGINE:
            line.tell(Alive(_longest(request)))
        return complete(request)

    return ask


def _with_a_sign(line: Line) -> Callable[[float], None]:
    """A pause of so many seconds, before another attempt or look at a batch: a wish to end cuts it short."""

    def pause(seconds: float) -> None:
        line.tell(Alive(seconds))
        line.stopping.pause(seconds)

    return pause


def _longest(request: Request) -> float:
    """How many seconds a call may take: its limit counts for connecting and for answering."""
    return 2 * float(str(request.route.get("timeout", TIMEOUT_SECONDS)))


def _progress(order: Work, line: Line) -> Tell:
    """Pass on what the context tells, about this arrival; after each of it the worker may end."""

    def tell(event: at_home.Event) -> None:
        match event:
            case at_home.Planned(plan):
                line.tell(events.Planned(order.arrival, plan.chat_id, plan.title, len(plan.work), plan.calls))
            case at_home.UserEdits(chat_id, title, text):
                line.tell(events.UserEdits(order.arrival, chat_id, title, text))
            case at_home.Answered(reply) if reply.model != ENGINE.name:
                used = (reply.tokens_in, reply.tokens_cached, reply.tokens_out, reply.usd)
                line.tell(events.Answered(order.arrival, reply.step, reply.model, *used))
            case at_home.Remembered(plan, number, done):
                line.tell(events.Remembered(order.arrival, plan.title, number, done, len(plan.work)))
            case at_home.Waiting(requests):
                line.tell(events.Waiting(order.arrival, requests))
            case at_home.Notice(text):
                line.tell(events.Notice(text))
            case _:
                pass  # the engine's answers, which are quick and cost nothing, and what was wrong with an answer
        line.stopping.check()

    return tell
