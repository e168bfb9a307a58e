"""Read for Home what memproc is doing: a line for each file in work, and the present or last run.

While its tab is visible, Home polls `/live`, which returns counts and marks without any text. When
a mark has changed, Home loads itself again, and replaces the part that the mark is for.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from daemon.archive.archive import Archive
from daemon.archive.brought import export_at_rest
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.work import FileInWork, Run, has_row, recent_work
from daemon.events import ChatIs
from daemon.files.candidates import exports_in, others_in, sighting_at
from daemon.files.clock import at, now
from daemon.files.foreign import program_at
from daemon.files.lock import daemon_runs
from daemon.files.paths import Folders
from daemon.page.app import desk_of
from daemon.reports.status import what_a_run_made
from daemon.status.place import Pause, current_pause
from daemon.status.sentences import outcome_in_words, run_in_words
from daemon.status.status import present_run, unless_restored
from daemon.status.titles import shown_titles
from rules.arrival import IN_HAND, UNTAKEN
from rules.errors import FileTrouble
from rules.typingmind.dates import write_date
from rules.wording import cut_title

_SHOWN_HOURS = 1
_MOST_FILES = 50
_BROKEN_OFF = "The run ended before it was through. What is finished is kept."
_SOON = "Received. It is taken in a few seconds."
_CHOOSE = "Choose what to bring from it."
_LONGEST_LIVE_SECONDS = 3_600
"""How long Home keeps reloading itself in browsers without JavaScript."""

Kind = Literal["waits", "works", "done", "skipped"]


@dataclass(frozen=True, slots=True)
class WorkLine:
    """The state of a dropped file, or of one of its chats, as Home shows it."""

    name: str
    kind: Kind
    sentence: str
    next_step: str = ""
    chat_id: str = ""
    aside: str = ""
    """The file's name in the inbox if it may be put aside; otherwise empty."""
    bring: str = ""
    """The file's name in the inbox if conversations may be brought from it; otherwise empty."""
    is_begun: bool = False
    """Whether some of the file's conversations were brought already."""


@dataclass(frozen=True, slots=True)
class Work:
    """All that memproc is doing, or has finished within the hour."""

    lines: tuple[WorkLine, ...]
    run: Run | None
    ended: Run | None
    """The last run if it ended within the hour, and was begun by hand or made memories."""
    told: str
    """How the ended run went, in sentences."""
    more: int
    """How many files have no line because there are too many."""
    paused: Pause | None
    """The pause of the daemon, if one is running and paused."""

    @property
    def is_under_way(self) -> bool:
        """Return whether something is going to change without the user doing anything."""
        return bool(self.run) or any(line.kind == "works" for line in self.lines)


def live_page(request: Request) -> Response:
    """Return counts and marks as JSON.

    They carry no text, and the request does not prolong the session.
    """
    desk = desk_of(request)
    with desk.archive() as archive:
        work = read_work(archive, desk.folders)
        marks = mark_parts(work, known_chats(archive))
    done, of = (work.run.done, work.run.total) if work.run else (0, 0)
    return JSONResponse({"done": done, "of": of, "files": len(work.lines), **marks})


def mark_parts(work: Work, chats: Sequence[KnownChat]) -> dict[str, str]:
    """Return for each part of Home a mark that changes when what the part shows does."""
    lines = [line for line in work.lines if line.kind in ("done", "skipped")]
    shown = sorted((chat.chat_id, chat.messages, chat.memories) for chat in chats)
    return {"work": _mark(work), "chats": _mark((shown, lines, work.ended))}


def read_work(archive: Archive, folders: Folders) -> Work:
    """Return what is going on and what has ended within the hour, newest first."""
    present = now()
    since = write_date(at(present) - timedelta(hours=_SHOWN_HOURS))
    run = present_run(archive, present)
    is_running = daemon_runs(folders.state)
    titles = shown_titles(archive)
    files = [
        file
        for file in recent_work(archive, since)
        if file.state != "skipped" or os.path.lexists(file.path)
    ]
    lines = [
        line
        for file in files[:_MOST_FILES]
        for line in (
            _line_at_rest_in(archive, Path(file.path))
            or _lines_of(archive, file, run, folders.inbox, titles)
        )
    ]
    ended = _ending_to_tell(run, since)
    return Work(
        (*_unread(archive, folders.inbox, is_running), *lines),
        run if run and run.goes_on else None,
        ended,
        " ".join((f"{run_in_words(ended)}.", *what_a_run_made(ended))) if ended else "",
        max(0, len(files) - _MOST_FILES),
        paused=current_pause(archive, present) if is_running else None,
    )


def _ending_to_tell(run: Run | None, since: str) -> Run | None:
    """Return the run if it ended after `since`, and was begun by hand or made memories; or None."""
    if run is None or run.goes_on or run.ended_at <= since:
        return None
    return run if run.by_hand or run.written + run.extracted > 0 else None


def reload_from(request: Request, work: Work) -> int | None:
    """Return the Unix time since when Home reloads itself, without JavaScript; None if not."""
    if not work.is_under_way:
        return None
    present = int(at(now()).timestamp())
    asked = request.query_params.get("live", "")
    is_time = asked.isdecimal() and len(asked) < 12
    began = int(asked) if is_time else present
    return began if 0 <= present - began < _LONGEST_LIVE_SECONDS else None


def _lines_of(
    archive: Archive,
    file: FileInWork,
    run: Run | None,
    inbox: Path,
    titles: Mapping[str, str],
) -> Iterator[WorkLine]:
    """Yield the line of a file, or a line for each of its chats once these are known."""
    aside = file.file if Path(file.path).parent == inbox else ""
    if file.state in ("written", "skipped") and file.outcomes:
        for outcome in file.outcomes:
            yield _line_of_chat(unless_restored(archive, outcome), aside, titles)
    elif file.state == "skipped":
        yield WorkLine(file.file, "skipped", file.reason, file.next_step, aside=aside)
    elif file.state in ("written", "done"):
        yield WorkLine(file.file, "done", file.reason or "Nothing to do.")
    elif file.state == "working" and run and run.goes_on and file.run == run.began_at:
        yield WorkLine(file.file, "works", "It is being worked on.", chat_id=run.chat_id)
    else:
        yield _line_of_waiting(file)


def _line_of_waiting(file: FileInWork) -> WorkLine:
    """Return the line of a file that is neither finished nor being worked on."""
    if file.by != "daemon":
        return WorkLine(file.file, "waits", file.reason or _BROKEN_OFF, file.next_step)
    if file.state in ("waiting", "paused") or file.next_step:
        bring = file.file if file.state in UNTAKEN and program_at(Path(file.path)) else ""
        return WorkLine(file.file, "waits", file.reason, file.next_step, bring=bring)
    if file.state in IN_HAND:
        return WorkLine(file.file, "works", "Received. Its turn comes.")
    return WorkLine(
        file.file, "works", f"Not complete yet: {file.reason}." if file.reason else _SOON
    )


def _line_of_chat(outcome: ChatIs, aside: str, titles: Mapping[str, str]) -> WorkLine:
    """Return the line of a chat; `aside` is the name under which its file may be put aside."""
    title = titles.get(outcome.chat_id) or cut_title(outcome.title)
    if outcome.kind == "skipped":
        return WorkLine(title, "skipped", outcome.detail, outcome.next_step, aside=aside)
    is_written = outcome.kind == "written"
    sentence = "The updated export is ready." if is_written else outcome_in_words(outcome)
    return WorkLine(title, "done", sentence, chat_id=outcome.chat_id)


def _line_at_rest_in(archive: Archive, path: Path) -> tuple[WorkLine, ...]:
    """Return the line of another program's export of which something was brought; otherwise ()."""
    resting = export_at_rest(archive, path)
    if resting is None:
        return ()
    kind: Kind = "waits" if resting.left else "done"
    bring = path.name if resting.left else ""
    return (WorkLine(path.name, kind, resting.reason, bring=bring, is_begun=True),)


def _unread(archive: Archive, inbox: Path, is_running: bool) -> Iterator[WorkLine]:
    """Yield lines of files in the inbox that no run and no daemon has seen as they are now."""
    try:
        exports = exports_in(inbox) if inbox.is_dir() else ()
    except FileTrouble:
        return  # Home names the inbox among its problems
    for path in exports:
        if _has_row_or_is_gone(archive, path):
            continue
        if at_rest := _line_at_rest_in(archive, path):
            yield from at_rest
        elif program_at(path):
            yield WorkLine(path.name, "waits", _CHOOSE, bring=path.name)
        elif is_running:
            yield WorkLine(path.name, "works", _SOON)
        else:
            yield WorkLine(path.name, "waits", "Received. It waits for a run.")
    for path, reason, next_step in others_in(inbox):
        if not _has_row_or_is_gone(archive, path):
            yield WorkLine(path.name, "skipped", reason, next_step, aside=path.name)


def _has_row_or_is_gone(archive: Archive, path: Path) -> bool:
    """Return whether the archive has a row for the file's present state, or the file is gone."""
    try:
        return has_row(archive, str(path), sighting_at(path))
    except OSError:
        return True


def _mark(content: object) -> str:
    """Return a short hash of what a part of Home shows."""
    return sha256(repr(content).encode()).hexdigest()[:16]
