"""Everything that happens goes into the log, and what is worth it onto the desktop."""

from collections.abc import Callable
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.jobs import set_sign
from daemon.events import Event
from daemon.status.log import Log
from daemon.status.notices import Notifier, notice_of


class Telling:
    """The daemon's listeners; `when` is what `[notify]` says, and may change while the daemon runs."""

    def __init__(self, archive: Archive, log: Log, notifier: Notifier, when: str, now: Callable[[], str]) -> None:
        self.when = when
        self._archive, self._log, self._notifier, self._now = archive, log, notifier, now
        self._log_note = ""

    def tell(self, event: Event) -> None:
        """Log what happened, print it, and show a notice of it where one is wanted."""
        self._log.log(event)
        if self._log.trouble != self._log_note:
            self._log_note = self._log.trouble
            set_sign(self._archive, "log_note", self._log_note, self._now())
        if notice := notice_of(event):
            self._notifier.give(notice, self.when, self._now(), monotonic())

    def step(self) -> None:
        """Look after notices that are being shown, by programs of their own; to be called every few seconds."""
        self._notifier.step(monotonic())

    def stop(self) -> None:
        """Leave no notice behind that is still on its way."""
        self._notifier.stop()
