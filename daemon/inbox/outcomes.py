"""What became of each chat of an arrival, as the daemon keeps it: a sentence, and the file named as the person does."""

from pathlib import Path

from daemon.chat.outcome import Outcome
from daemon.events import Written
from daemon.inbox.events import OutcomeOf
from daemon.inbox.orders import Work
from rules.plan.chat_plan import LeftAlone


def outcome_of(order: Work, outcome: Outcome) -> OutcomeOf:
    """The outcome of a round, told about the arrival."""
    if isinstance(outcome, Written):
        plan = outcome.plan
        return OutcomeOf(order.arrival, plan.chat_id, plan.title, "written", outcome.sentence, "", outcome.path)
    if isinstance(outcome, LeftAlone):
        return OutcomeOf(order.arrival, outcome.chat_id, outcome.title, "left alone", outcome.reason, "", "")
    what, reason, next_step = (as_known(order, text) for text in (outcome.what, outcome.reason, outcome.next_step))
    return OutcomeOf(order.arrival, outcome.chat_id, what, "set aside", reason, next_step, "", outcome.later)


def as_known(order: Work, text: str) -> str:
    """The text with the file's own name where the copy's stands, which nobody has ever seen."""
    return text.replace(order.path, order.name).replace(Path(order.path).name, order.name)
