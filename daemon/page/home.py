"""Show Home: what needs the person, what is running, the chats, the money; and the daemon's log."""

from collections import deque
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chats
from daemon.chat.holding import holding
from daemon.config.keys import keys
from daemon.config.settings import Config
from daemon.files.clock import now as present
from daemon.files.lock import is_held
from daemon.page.app import desk_of, render
from daemon.page.files import has_updated
from daemon.page.sizes import ChatSizes, chat_sizes
from daemon.remember.endings import problems_of_ending_models
from daemon.status.log import entries, log_folder
from daemon.status.place import DaemonPlace
from daemon.status.printable import told_apart
from daemon.status.sentences import sentence
from daemon.status.status import StatusProblem, read_status, run_progress
from rules.errors import MemprocError

_OF_THE_DAEMON = ("the daemon", "the log", "the watch on the inbox")
"""Problems that the daemon mends itself; the log says why."""
_INBOX = ("/inbox", "What lies in the inbox")
_MOST_ENTRIES = 200


def home_page(request: Request) -> Response:
    """Show the first page."""
    desk = desk_of(request)
    config, state = desk.config, desk.folders.state
    with Archive.read(state) as archive:
        known = known_chats(archive)[::-1]
        chats = [(chat, _sizes(archive, config, chat)) for chat in known]
        is_running = is_held(DaemonPlace(state).lock)
        now = read_status(archive, datetime.now(UTC), is_running, config.watch.rescan_seconds)
        run = run_progress(archive, now.now)
        endings = tuple(problems_of_ending_models(archive, config, keys(state), now.now))
        outputs = [chat.chat_id for chat in known if has_updated(archive, chat.chat_id)]
    return render(
        request,
        "home.html",
        chats=chats,
        titles=told_apart((chat.chat_id, chat.title) for chat in known),
        outputs=outputs,
        now=now,
        needs=[
            *((problem, *button_for(problem)) for problem in now.problems),
            *((problem, *_INBOX) for problem in endings),
        ],
        run=run,
        caps=config.budget,
    )


def button_for(problem: StatusProblem) -> tuple[str, str]:
    """Choose where a button leads from a problem, and its words."""
    if problem.what == "the settings":
        return "/settings", "See the settings"
    if problem.what in _OF_THE_DAEMON or problem.what.startswith("the timed job"):
        return "/log", "What happened"
    return _INBOX


def log_page(request: Request) -> Response:
    """Show the latest entries of the daemon's log in sentences, newest first."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        titles = told_apart((chat.chat_id, chat.title) for chat in known_chats(archive))
    newest = deque(entries(log_folder(desk.folders.state)), _MOST_ENTRIES)
    lines = [(entry.at, sentence(entry.event, titles)) for entry in reversed(newest) if entry.event]
    return render(request, "log.html", lines=lines, most=_MOST_ENTRIES)


def running_page(request: Request) -> Response:
    """Show the present run to Home, which asks every two seconds; 204 once there is none."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        run = run_progress(archive, present())
    return render(request, "running.html", run=run) if run else Response(status_code=204)


def _sizes(archive: Archive, config: Config, chat: KnownChat) -> ChatSizes | MemprocError:
    """Return the sizes of a chat, or why there are none: one chat's damage hides no other."""
    try:
        return chat_sizes(archive, config, holding(archive, config, chat.chat_id))
    except MemprocError as trouble:
        return trouble
