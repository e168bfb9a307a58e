"""One question at the wavefront, as a dialogue puts it there: the journal, the purse, the call in a thread."""

from pathlib import Path

from daemon.archive.journal import Reply
from daemon.config import Config
from daemon.context import House
from daemon.events import tell_nobody
from daemon.files.paths import Folders
from daemon.models.ask import Clock, Complete
from daemon.models.purse import Purse
from daemon.models.scheduler import Front, Talk
from primer.request import Request
from tests.nokeys import no_keys


def ask(purse: Purse, request: Request, complete: Complete, clock: Clock) -> Reply:
    """The reply, paid from the purse. Raises what a dialogue would see."""
    folders = Folders(*(Path(name) for name in ("inbox", "updated", "backups", "state")))
    config = Config(budget=purse.budget)
    house = House(config, folders, purse.archive, complete, no_keys, clock, tell_nobody, purse.run)
    with Front(house, "chat", 1) as front:
        return front.finish(Talk(lambda: front.answer(request)))
