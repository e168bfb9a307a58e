"""The timed jobs that the worker does: backups pruned and verified, the archive kept in order, old work looked for."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from daemon.context import Context
from daemon.events import tell_nobody
from daemon.files.clock import here
from daemon.inbox.configuration import Settled
from daemon.inbox.entering import enter
from daemon.inbox.events import Alive, Reported
from daemon.inbox.line import Line
from daemon.inbox.maintain import maintain
from daemon.inbox.orders import Maintain, Prune, Retry, Verify
from daemon.inbox.prune import prune
from daemon.inbox.put_off import postponed
from daemon.inbox.verify import verify_part

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LONGEST_SECONDS = 3600.0
"""How long a job may take, which gives no sign on its way: backups of many gigabytes are read."""

Job = Prune | Verify | Retry | Maintain


def do_job(order: Job, settled: Settled, line: Line) -> None:
    """Do a timed job, and report its result.

    Raises FileTrouble or ArchiveError where it cannot be done, and as `enter` does.
    """
    with enter(settled, line, tell_nobody) as context:
        line.tell(Alive(_LONGEST_SECONDS))
        line.tell(Reported(type(order).__name__, _plain(_result(order, context))))


def _result(order: Job, context: Context) -> "DataclassInstance":
    match order:
        case Prune():
            return prune(context.folders, here())
        case Verify():
            return verify_part(context.folders, context.archive, order.part, order.parts, context.clock())
        case Retry():
            return postponed(context, order.night)
        case Maintain():
            return maintain(context.archive, context.folders.state, here())


def _plain(result: "DataclassInstance") -> dict[str, Any]:
    """A result as JSON has it; paths are texts."""
    facts: dict[str, Any] = json.loads(json.dumps(asdict(result), default=str))
    return facts
