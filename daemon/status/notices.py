"""Tell the person what happens: on the desktop if worth it, always in the journal or terminal."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Literal, TextIO

from daemon.archive.archive import Archive
from daemon.archive.jobs import notice_is_due
from daemon.events import ChatIs, Event, FileIs, Note, Trouble, UserEdits
from daemon.files.clock import at, in_full
from daemon.files.paths import is_sent
from daemon.status.printable import in_one_line
from daemon.status.sentences import is_problem, sentence
from rules.typingmind.dates import write_date

Kind = Literal["problem", "ready", "edits", "missing", "begun"]
_WANTED: dict[str, frozenset[Kind]] = {
    "problems": frozenset({"problem", "ready", "edits", "missing"}),
    "all": frozenset({"problem", "ready", "edits", "missing", "begun"}),
    "never": frozenset(),
}
_TITLES: dict[Kind, str] = {
    "problem": "memproc needs you",
    "ready": "An updated export is ready",
    "edits": "memproc has seen what you changed",
    "missing": "Messages of a chat are missing",
    "begun": "memproc has begun to work",
}
Speak = Callable[[str, Event], None]
"""Prints an event, given its time."""
FindCommand = Callable[[str, str], Sequence[str] | None]
"""Returns the command that shows a title and a text; None where there is no desktop."""
MOST_AN_HOUR = 12
"""The most notices in an hour: more do not help, and `memproc status` tells all."""
_HOUR = timedelta(hours=1)
_LONGEST_SECONDS = 20.0
_WARNING, _INFORMATION = "<4>", "<6>"


@dataclass(frozen=True, slots=True)
class DesktopNotice:
    """A notice for the desktop; notices of the same kind and `cause` count as repetitions."""

    kind: Kind
    cause: str
    text: str


def notice_of(event: Event) -> DesktopNotice | None:
    """Return the notice that an event is worth; None for most events.

    The notice of a file covers its chats. Several files whose trouble has the same remedy share a
    cause.
    """
    match event:
        case FileIs(state="written", file=file):
            # A file that the extension sent needs nothing of the person.
            return None if is_sent(file) else _notice("ready", file, event)
        case FileIs(state="working", file=file):
            return _notice("begun", file, event)
        case FileIs(reason=reason, next_step=next_step) if is_problem(event):
            return _notice("problem", next_step or reason, event)
        case FileIs() | ChatIs() | Trouble(next_step=""):
            return None  # without a next step, memproc goes on by itself
        case UserEdits(chat_id=chat_id, text=text, by_person=by_person):
            return _notice("edits" if by_person else "missing", f"{chat_id} {text}", event)
        case Trouble(what=what):
            return _notice("problem", what, event)
        case _:
            return _notice("problem", type(event).__name__, event) if is_problem(event) else None


def _notice(kind: Kind, cause: str, event: Event) -> DesktopNotice:
    return DesktopNotice(kind, cause, in_one_line(sentence(event)))


class Notifier:
    """Shows notices while the daemon runs, by commands that it never waits for."""

    def __init__(
        self, archive: Archive, find_command: FindCommand, tell: Callable[[Event], None]
    ) -> None:
        self._archive, self._find_command, self._tell = archive, find_command, tell
        self._running: list[tuple[subprocess.Popen[bytes], float]] = []
        """The commands that are showing notices, each with its start by the monotonic clock."""
        self._has_complained = False

    def give(self, notice: DesktopNotice, when: str, now: str, monotonic: float) -> bool:
        """Show a notice, unless `when` of `[notify]` or the number in the last hour forbids it.

        Return whether its command was started.
        """
        if notice.kind not in _WANTED[when]:
            return False
        cause = f"{notice.kind} {sha256(notice.cause.encode('utf-8', 'replace')).hexdigest()[:16]}"
        if not notice_is_due(self._archive, cause, write_date(at(now) - _HOUR), now, MOST_AN_HOUR):
            return False
        argv = self._find_command(_TITLES[notice.kind], notice.text)
        nowhere = subprocess.DEVNULL
        with suppress(OSError):
            if argv is not None:
                process = subprocess.Popen(  # noqa: S603  the arguments are ours
                    argv, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
                )
                self._running.append((process, monotonic))
                return True
        self._complain()
        return False

    def step(self, monotonic: float) -> None:
        """End commands that hang, and report if one failed, without waiting.

        To be called regularly.
        """
        for entry in self._running[:]:
            process, since = entry
            code = process.poll()
            if code is not None:
                self._running.remove(entry)
            if code:
                self._complain()
            elif code is None and monotonic - since > _LONGEST_SECONDS:
                process.kill()

    def stop(self) -> None:
        """End all commands, as the daemon ends."""
        for process, _ in self._running:
            process.kill()
            process.wait()
        self._running = []

    def _complain(self) -> None:
        """Tell once that notices cannot be shown."""
        if not self._has_complained:
            self._has_complained = True
            self._tell(
                Note("No notices can be shown on this desktop: look at memproc status instead.")
            )


def speaker(environ: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> Speak:
    """Return a speaker that writes to systemd's journal if stderr leads there, else to stdout.

    Lines on stdout begin with the local time; the journal adds its own.
    """
    is_journal = False
    with suppress(OSError, ValueError):
        status = os.fstat(stderr.fileno())  # the variable alone may have been inherited
        is_journal = environ.get("JOURNAL_STREAM", "") == f"{status.st_dev}:{status.st_ino}"

    def speak(at: str, event: Event) -> None:
        before = f"{in_full(at)} "
        if is_journal:
            before = _WARNING if is_problem(event) else _INFORMATION
        # A closed terminal must not end the daemon; the log has everything.
        with suppress(OSError):
            text = f"{before}{in_one_line(sentence(event))}"
            print(text, file=stderr if is_journal else stdout, flush=True)

    return speak
