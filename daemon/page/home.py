"""Show Home (what needs the user, what is running, the chats, the money), and the log."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

from starlette.requests import Request
from starlette.responses import Response

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.outputs import restored_clause
from daemon.chat.holding import holding
from daemon.config.keys import keys
from daemon.config.settings import Config
from daemon.files.lock import daemon_runs
from daemon.page.app import Desk, desk_of, render
from daemon.page.chat import ChatSizes, chat_sizes
from daemon.page.files import Download, download_state
from daemon.page.live import mark_parts, read_work, reload_from
from daemon.remember.chat_notes import problems_of_chats
from daemon.status.log import log_rows
from daemon.status.printable import tell_apart
from daemon.status.status import RUN_BY_HAND, Status, StatusProblem, read_status
from rules.errors import MemprocError

_OF_THE_DAEMON = ("the daemon", "the watch on the inbox")
"""Problems that the daemon mends by itself; their button leads to the log, which says why."""
_LABELS = {"/inbox": "Inbox", "/settings": "See the settings", "/log": "See the log"}
_MOST_ENTRIES = 200
_HIDDEN_ENTRIES = ("", "MemoryMade")
"""Events of the log not shown: unreadable lines, and each memory, which the chat's end counts."""
_FEW_CHATS = 8
"""With up to so many chats, each has a card; more are shown as a list."""


@dataclass(frozen=True, slots=True)
class HomeChat:
    """A chat on Home, with a title unlike all others, and its sizes, or why they are unknown."""

    known: KnownChat
    title: str
    sizes: ChatSizes | MemprocError
    download: Download
    restored: str
    """The clause that says that its updated export is a restored version; otherwise empty."""


@dataclass(frozen=True, slots=True)
class Need:
    """A problem that needs the user, and its button."""

    problem: StatusProblem
    address: str
    label: str


def home_page(request: Request) -> Response:
    """Show Home."""
    desk = desk_of(request)
    find, sort = (request.query_params.get(name, "") for name in ("find", "sort"))
    with desk.archive() as archive:
        all_chats = known_chats(archive)[::-1]
        chats = list(_shown(archive, desk.config, _chosen(all_chats, find, sort)))
        status = read_status(archive, datetime.now(UTC), daemon_runs(desk.folders.state))
        work = read_work(archive, desk.folders)
        line_sentences = {line.sentence for line in work.lines if line.kind == "skipped"}
        needs = [
            need
            for need in _needs(archive, desk, status)
            if need.problem.reason not in line_sentences
            and not (work.ended and need.problem.what == RUN_BY_HAND)
        ]
    return render(
        request,
        "home.html",
        chats=chats,
        count=len(all_chats),
        few=_FEW_CHATS,
        find=find,
        sort=sort,
        has_download=any(chat.download == "ready" for chat in chats),
        now=status,
        needs=needs,
        work=work,
        marks=mark_parts(work, all_chats),
        reload_from=reload_from(request, work),
        caps=desk.config.budget,
    )


def _needs(archive: Archive, desk: Desk, status: Status) -> Iterator[Need]:
    """Yield what needs the user: problems, models that end, wishes left out, kept passages."""
    of_all = ((problem, address_of_problem(problem)) for problem in status.problems)
    of_chats = problems_of_chats(archive, desk.config, keys(desk.folders.state), status.now)
    for problem, address in chain(of_all, of_chats):
        yield Need(problem, address, _LABELS.get(address, "See what is kept"))


def address_of_problem(problem: StatusProblem) -> str:
    """Return the address to which the button of a problem leads."""
    if problem.what == "the settings":
        return "/settings"
    is_of_daemon = problem.what in _OF_THE_DAEMON or problem.what.startswith("the timed job")
    return "/log" if is_of_daemon else "/inbox"


def _shown(archive: Archive, config: Config, known: Sequence[KnownChat]) -> Iterator[HomeChat]:
    """Yield the chats with their sizes, or with the error: a damaged one must hide no other."""
    titles = tell_apart((chat.chat_id, chat.title) for chat in known)
    for chat in known:
        sizes: ChatSizes | MemprocError
        try:
            sizes = chat_sizes(archive, config, holding(archive, config, chat.chat_id))
        except MemprocError as trouble:
            sizes = trouble
        download = download_state(archive, chat.chat_id)
        restored = restored_clause(archive, chat.chat_id)
        yield HomeChat(chat, titles[chat.chat_id], sizes, download, restored)


def log_page(request: Request) -> Response:
    """Show the latest entries of the log in sentences, newest first."""
    rows = log_rows(desk_of(request).folders.state)
    shown = (row for row in rows if row.event not in _HIDDEN_ENTRIES)
    newest = deque(shown, _MOST_ENTRIES)
    return render(request, "log.html", rows=[*reversed(newest)], most=_MOST_ENTRIES)


def _chosen(chats: Sequence[KnownChat], find: str, sort: str) -> list[KnownChat]:
    """Return the chats with these words in their titles, sorted; newest first by default."""
    wanted = find.casefold().split()
    chosen = [chat for chat in chats if all(word in chat.title.casefold() for word in wanted)]
    if sort == "title":
        return sorted(chosen, key=lambda chat: chat.title.casefold())
    return sorted(chosen, key=lambda chat: -chat.messages) if sort == "size" else chosen
