"""One question, as a dialogue asks it: the journal, the budget, the call in a thread."""

from dataclasses import dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply
from daemon.config.model_tables import BudgetSettings
from daemon.config.settings import Config
from daemon.events import ignore_event
from daemon.files.paths import Folders
from daemon.models.context import Clock, Complete, Context
from daemon.models.scheduler import RunningDialogue, Scheduler, Steps
from primer.reply import Request
from tests.nokeys import no_keys


@dataclass(frozen=True)
class RunBudget:
    """The money of one run."""

    archive: Archive
    settings: BudgetSettings
    run: str


def context_with(budget: RunBudget, complete: Complete, clock: Clock) -> Context:
    """What a dialogue asks with."""
    folders = Folders(*(Path(name) for name in ("inbox", "updated", "backups", "state")))
    config = Config(budget=budget.settings)
    return Context(
        config,
        folders,
        budget.archive,
        complete,
        no_keys,
        clock,
        ignore_event,
        budget.run,
        lambda _: None,
    )


def ask(budget: RunBudget, request: Request, complete: Complete, clock: Clock) -> Reply:
    """The reply, paid from the budget. Raises what a dialogue would see."""
    with Scheduler(context_with(budget, complete, clock), "chat", 1) as scheduler:
        return scheduler.finish(RunningDialogue(_asked(request)))


def _asked(request: Request) -> Steps[Reply]:
    return (yield request)
