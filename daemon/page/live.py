"""Tell Home what goes on: a line for each dropped file, the present run, and the last one's end.

Home asks `/live` while its tab is visible: counts and marks without any text. Where a mark has
changed, it loads itself again, and replaces the parts that the mark is for.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.arrivals import ChatOutcome
from daemon.archive.brought import export_at_rest
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.jobs import RecentFile, paths_read, recent_files
from daemon.archive.signs import RunProgress
from daemon.files.candidates import exports_in, others_in
from daemon.files.clock import at, now
from daemon.files.foreign import program_at
from daemon.files.lock import daemon_runs
from daemon.files.paths import Folders
from daemon.page.app import desk_of
from daemon.status.place import Pause, current_pause
from daemon.status.status import newest_run, run_progress
from rules.arrival import IN_HAND, UNTAKEN
from rules.errors import FileTrouble
from rules.typingmind.dates import write_date
from rules.wording import cut_title

_SHOWN_HOURS = 1
_MOST_FILES = 20
_CHOOSE = "Choose what to bring from it."
_LONGEST_LIVE = timedelta(hours=1)
"""How long Home reloads itself where there is no JavaScript."""

Kind = Literal["waits", "works", "done", "skipped"]


@dataclass(frozen=True, slots=True)
class WorkLine:
    """What has become of a dropped file, or of one of its chats."""

    name: str
    kind: Kind
    sentence: str
    next_step: str = ""
    chat_id: str = ""
    aside: str = ""
    """The file's name in the inbox, where it may be put aside."""
    bring: str = ""
    """The file's name in the inbox, where conversations may be brought from it."""
    is_begun: bool = False
    """Whether some of its conversations were brought already."""


@dataclass(frozen=True, slots=True)
class Work:
    """All that goes on, or has just ended."""

    lines: tuple[WorkLine, ...]
    run: RunProgress | None
    ended: RunProgress | None
    """The last run, where it ended within the hour, and was begun by hand or made memories."""
    paused: Pause | None
    """The pause of a daemon that is running."""

    @property
    def is_under_way(self) -> bool:
        """Return True while something will change without the person."""
        return bool(self.run) or any(line.kind == "works" for line in self.lines)


def live_page(request: Request) -> Response:
    """Answer with counts and marks. They carry no text, and do not prolong the session."""
    folders = desk_of(request).folders
    with Archive.read(folders.state) as archive:
        work = read_work(archive, folders)
        marks = marks_of(work, known_chats(archive))
    done, of = (work.run.done, work.run.of) if work.run else (0, 0)
    return JSONResponse({"done": done, "of": of, "files": len(work.lines), **marks})


def marks_of(work: Work, chats: Sequence[KnownChat]) -> dict[str, str]:
    """Return a mark for each part of Home, which changes with what the part shows."""
    lines = [line for line in work.lines if line.kind in ("done", "skipped")]
    shown = sorted((chat.chat_id, chat.messages, chat.memories) for chat in chats)
    return {"work": _mark(work), "chats": _mark((shown, lines, work.ended))}


def read_work(archive: Archive, folders: Folders) -> Work:
    """Return what goes on and what has ended within the hour, newest first."""
    present = now()
    since = write_date(at(present) - timedelta(hours=_SHOWN_HOURS))
    run = run_progress(archive, present)
    last = newest_run(archive, present)
    files = recent_files(archive, since, _MOST_FILES)
    lines = [
        line
        for file in files
        for line in (_line_at_rest_in(archive, Path(file.path)) or _lines_of(file, run))
    ]
    is_running = daemon_runs(folders.state)
    shown = {file.path for file in files}
    refused = _refused(folders.inbox, last)
    shown.update(path for path in refused if not export_at_rest(archive, Path(path)))
    unread = _unread(archive, folders.inbox, shown, is_running)
    has_just_ended = last is not None and last.ended_at > since and _is_told(last)
    return Work(
        (*unread, *lines),
        run,
        ended=last if has_just_ended else None,
        paused=current_pause(archive, present) if is_running else None,
    )


def _is_told(ended: RunProgress) -> bool:
    """Return True if a run was begun by hand, or has made memories."""
    return ended.by_hand or ended.written + ended.extracted > 0


def reload_from(request: Request, work: Work) -> int | None:
    """Return since when Home reloads itself without JavaScript, in seconds; None if it does not."""
    if not work.is_under_way:
        return None
    present = int(at(now()).timestamp())
    asked = request.query_params.get("live", "")
    is_time = asked.isdecimal() and len(asked) < 12
    began = int(asked) if is_time else present
    has_begun = began <= present
    return began if has_begun and present - began < _LONGEST_LIVE.total_seconds() else None


def _lines_of(file: RecentFile, run: RunProgress | None) -> Iterator[WorkLine]:
    """Yield the line of a file, or one for each of its chats once these are known."""
    name = Path(file.path).name
    if file.state in ("written", "skipped") and file.outcomes:
        for outcome in file.outcomes:
            yield _line_of_chat(outcome, name)
        return
    line = _line_at_rest(file, name) or _line_in_hand(file, name, run)
    if line:
        yield line


def _line_at_rest(file: RecentFile, name: str) -> WorkLine | None:
    """Return the line of a file that is finished or waits; None while it is worked on."""
    if file.state == "skipped":
        return WorkLine(name, "skipped", file.reason, file.next_step, aside=name)
    if file.state in ("written", "done"):
        return WorkLine(name, "done", file.reason or "Nothing was to do.")
    if file.state in ("waiting", "paused") or file.next_step:
        return WorkLine(name, "waits", file.reason, file.next_step, bring=_to_choose_from(file))
    return None


def _to_choose_from(file: RecentFile) -> str:
    """Return the file's name where conversations may be brought from it; else empty."""
    path = Path(file.path)
    return path.name if file.state in UNTAKEN and program_at(path) else ""


def _line_in_hand(file: RecentFile, name: str, run: RunProgress | None) -> WorkLine | None:
    """Return the line of a file that is worked on, or is to be; None for one that has gone."""
    if file.state == "working" and run:
        return WorkLine(name, "works", "It is being worked on.", chat_id=run.chat_id)
    if file.state in IN_HAND:
        return WorkLine(name, "works", "Received. Its turn comes.")
    if file.state not in UNTAKEN:
        return None
    sentence = "Received. It is taken in a few seconds."
    if file.reason:
        sentence = f"Not complete yet: {file.reason}."
    return WorkLine(name, "works", sentence)


def _line_of_chat(outcome: ChatOutcome, name: str) -> WorkLine:
    """Return the line of a chat, from the file of that name in the inbox."""
    if outcome.kind == "skipped":
        return WorkLine(
            cut_title(outcome.title), "skipped", outcome.detail, outcome.next_step, aside=name
        )
    sentence = "The updated export is ready." if outcome.kind == "written" else outcome.detail
    return WorkLine(cut_title(outcome.title), "done", sentence, chat_id=outcome.chat_id)


def _refused(inbox: Path, last: RunProgress | None) -> Iterator[str]:
    """Yield the paths of files that the last run has skipped, as its end tells, and that are unchanged."""
    if last is None:
        return
    ended = at(last.ended_at).timestamp()
    for line in last.trouble.splitlines():
        name, _, _ = line.partition(": ")
        path = inbox / name
        with suppress(OSError):
            if path.stat().st_mtime <= ended:
                yield str(path)


def _line_at_rest_in(archive: Archive, path: Path) -> tuple[WorkLine, ...]:
    """Return the line of another program's export from which something was brought; else none."""
    resting = export_at_rest(archive, path)
    if resting is None:
        return ()
    kind: Kind = "waits" if resting.left else "done"
    bring = path.name if resting.left else ""
    return (WorkLine(path.name, kind, resting.reason, bring=bring, is_begun=True),)


def _unread(archive: Archive, inbox: Path, shown: set[str], is_running: bool) -> Iterator[WorkLine]:
    """Yield lines of files in the inbox that no run and no daemon has come to yet."""
    read = shown | paths_read(archive)
    try:
        exports = exports_in(inbox) if inbox.is_dir() else ()
    except FileTrouble:
        return  # Home names the inbox among its problems
    for path in exports:
        if str(path) not in read:
            unread = _unread_line(path, is_running=is_running)
            yield from _line_at_rest_in(archive, path) or (unread,)
    for path, reason, next_step in others_in(inbox):
        if str(path) not in read:
            yield WorkLine(path.name, "skipped", reason, next_step, aside=path.name)


def _unread_line(path: Path, *, is_running: bool) -> WorkLine:
    """Return the line of an export that waits for the person, the daemon or a run."""
    if program_at(path):
        return WorkLine(path.name, "waits", _CHOOSE, bring=path.name)
    if is_running:
        return WorkLine(path.name, "works", "Received. memproc takes it in a few seconds.")
    return WorkLine(path.name, "waits", "Received. It waits for a run.")


def _mark(content: object) -> str:
    """Return a short hash of what a part of Home shows."""
    return sha256(repr(content).encode()).hexdigest()[:16]
