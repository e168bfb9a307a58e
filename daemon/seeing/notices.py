"""Shows notices on the desktop: of problems, of finished exports, and where it is wanted of work that begins.

At most one for each cause and hour, also through a restart. Nothing here makes the loop wait.
"""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign
from daemon.seeing.logged import Logged, Said
from daemon.seeing.notice import Notice, is_wanted
from rules.typingmind.dates import parse_date, write_date

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

    def __init__(self, archive: Archive, ways: Ways, tell: Callable[[Logged], None]) -> None:
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
            self._tell(Said("No notices can be shown on this desktop: look at memproc status instead."))
        return False


def _an_hour_before(now: str) -> str:
    when = parse_date(now)
    return write_date(when - QUIET) if when else ""
