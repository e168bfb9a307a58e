"""Decides what of all that happens is worth a notice on the desktop, and how it reads."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Literal, TextIO

from daemon.archive.archive import Archive
from daemon.archive.jobs import set_sign
from daemon.events import ChatIs, Event, FileIs, Note, Trouble, UserEdits
from daemon.status.log import Speak
from daemon.status.sentences import in_full, in_one_line, is_problem, sentence
from rules.typingmind.dates import parse_date, write_date

Kind = Literal["problem", "ready", "edits", "begun"]
_WANTED: dict[str, frozenset[Kind]] = {
    "problems": frozenset({"problem", "ready", "edits"}),
    "all": frozenset({"problem", "ready", "edits", "begun"}),
    "never": frozenset(),
}
_TITLES: dict[Kind, str] = {
    "problem": "memproc needs you",
    "ready": "An updated export is ready",
    "edits": "memproc has seen what you changed",
    "begun": "memproc has begun to work",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """What is to be shown; notices of one kind and `cause` are the same thing told again."""

    kind: Kind
    cause: str
    title: str
    text: str


def is_wanted(when: str, kind: Kind) -> bool:
    """Whether `[notify] when` asks for notices of this kind."""
    return kind in _WANTED[when]


def notice_of(event: Event) -> Notice | None:
    """The notice that an event is worth, or None: most are worth none.

    Chats are told with their file. Of several files with one and the same trouble, which has one remedy,
    one notice is enough.
    """
    match event:
        case ChatIs():
            return None
        case UserEdits(chat_id=chat_id, text=text):
            return _notice("edits", f"{chat_id} {text}", event)
        case FileIs(file=file, state="written"):
            return _notice("ready", file, event)
        case FileIs(file=file, state="working"):
            return _notice("begun", file, event)
        case FileIs(reason=reason, next_step=next_step) if is_problem(event):
            return _notice("problem", next_step or reason, event)
        case Trouble(what=what, next_step=next_step):
            # Without a next step, memproc mends it by itself.
            return _notice("problem", what, event) if next_step else None
        case _:
            return _notice("problem", type(event).__name__, event) if is_problem(event) else None


def _notice(kind: Kind, cause: str, event: Event) -> Notice:
    return Notice(kind, cause, _TITLES[kind], in_one_line(sentence(event)))


Argv = Sequence[str]
Ways = Callable[[str, str], Sequence[Argv]]
"""A title and a text -> the commands that show them, best first; none where there is no desktop."""

QUIET = timedelta(hours=1)
MOST_AN_HOUR = 12
"""More than that are no help: after a bad hour the status tells it better."""
_LONGEST_SECONDS = 20.0
_MARK = "notice "


@dataclass(slots=True)
class _Showing:
    """A notice that is on its way to the desktop: the command that runs, since when, and what else could be tried."""

    process: "subprocess.Popen[bytes]"
    since: float
    others: list[Argv] = field(default_factory=list)


class Notifier:
    """Gives notices for as long as the daemon lives; `step` belongs into every turn of its loop."""

    def __init__(self, archive: Archive, ways: Ways, tell: Callable[[Event], None]) -> None:
        self._archive, self._ways, self._tell = archive, ways, tell
        self._showing: list[_Showing] = []
        self._lamented = False

    def give(self, notice: Notice, when: str, now: str, monotonic: float) -> bool:
        """Show a notice unless `when` (of `[notify]`) or the hour forbids it, and say whether it was begun."""
        if not is_wanted(when, notice.kind) or not self._is_due(notice, now):
            return False
        return self._begin(list(self._ways(notice.title, notice.text)), monotonic)

    def step(self, monotonic: float) -> None:
        """Look after what is being shown; never waits."""
        running, self._showing = self._showing, []
        for shown in running:
            code = shown.process.poll()
            if code is None and monotonic - shown.since > _LONGEST_SECONDS:
                shown.process.kill()
            if code is None:
                self._showing.append(shown)
            elif code != 0:
                self._begin(shown.others, monotonic)

    def stop(self) -> None:
        """Let nothing of it outlive the daemon."""
        for shown in self._showing:
            shown.process.kill()
            shown.process.wait()
        self._showing = []

    def _is_due(self, notice: Notice, now: str) -> bool:
        """Whether this cause had no notice within the hour, and the hour not too many; from now on it had one."""
        name = f"{_MARK}{notice.kind} {sha256(notice.cause.encode('utf-8', 'replace')).hexdigest()[:16]}"
        recent = self._archive.run(
            "SELECT name FROM sign WHERE substr(name, 1, ?) = ? AND at > ? AND at <= ?",
            (len(_MARK), _MARK, _an_hour_before(now), now),
        )
        if (name,) in recent or len(recent) >= MOST_AN_HOUR:
            return False
        old = "DELETE FROM sign WHERE substr(name, 1, ?) = ? AND at <= ?"
        self._archive.run(old, (len(_MARK), _MARK, _an_hour_before(now)))
        set_sign(self._archive, name, "", now)
        return True

    def _begin(self, ways: list[Argv], monotonic: float) -> bool:
        while ways:
            command, *ways = ways
            try:
                process = subprocess.Popen(  # noqa: S603
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                continue  # the next one may be there
            self._showing.append(_Showing(process, monotonic, ways))
            return True
        if not self._lamented:
            self._lamented = True
            self._tell(Note("No notices can be shown on this desktop: look at memproc status instead."))
        return False


def _an_hour_before(now: str) -> str:
    when = parse_date(now)
    return write_date(when - QUIET) if when else ""


_WARNING, _INFORMATION = "<4>", "<6>"


def speaker(environ: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> Speak:
    """Sentences without a time into systemd's journal where stderr leads there, else with local time to stdout."""
    if _leads_to_journal(environ.get("JOURNAL_STREAM", ""), stderr):
        return lambda at, event: _print(f"{_WARNING if is_problem(event) else _INFORMATION}{_words(event)}", stderr)
    return lambda at, event: _print(f"{in_full(at)} {_words(event)}", stdout)


def _leads_to_journal(stream: str, stderr: TextIO) -> bool:
    """Whether $JOURNAL_STREAM, "device:inode", is this very stderr: a terminal's shell may have inherited the name."""
    try:
        found = os.fstat(stderr.fileno())
    except (OSError, ValueError):
        return False
    return stream == f"{found.st_dev}:{found.st_ino}"


def _words(event: Event) -> str:
    return in_one_line(sentence(event))


def _print(line: str, to: TextIO) -> None:
    # A terminal that was closed must not end the daemon; the log has it all.
    with suppress(OSError):
        print(line, file=to, flush=True)
