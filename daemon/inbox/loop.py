"""Run the daemon's one loop: sleep until something is queued, take it, start the next work.

    take    a change in the inbox, the clock, an event of the child, a signal
    scan    compare the folder with the archive
    next    have a child process do one thing at a time: inbox/dispatch

Everything here runs in one thread, which alone uses the archive, and the state is in the archive.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign, sign
from daemon.config.key_stores import keys_file
from daemon.events import DaemonIs, Note, Trouble
from daemon.files.reasons import unforeseen
from daemon.inbox.child import (
    ChildEnded,
    ChildSaid,
    Due,
    FolderChanged,
    PageWaits,
    Reload,
    Stop,
    Wake,
)
from daemon.inbox.dispatch import BEAT_SECONDS, Dispatch
from daemon.inbox.folder_watch import POLL_SECONDS, FolderWatch
from daemon.inbox.scanner import Scanner
from daemon.inbox.schedule import Schedule, Telling
from daemon.inbox.watch_plan import fingerprint
from daemon.status.place import RESCAN_SECONDS
from rules.errors import FileTrouble, MemprocError

_DEBOUNCE_SECONDS = 0.25
_AFTER_TROUBLE_SECONDS = 10.0
_STOP_SECONDS = 30.0
_MISSED_BEATS = 4
_PAGE_IS_UP = "its port is free, and the daemon shows it from now on."


class Loop:
    """The running daemon: its queue, its scanner and its one task."""

    def __init__(
        self,
        archive: Archive,
        dispatch: Dispatch,
        schedule: Schedule,
        queue: "SimpleQueue[Wake]",
        telling: Telling,
        prove: Callable[[], None],
        now: Callable[[], str],
    ) -> None:
        """Set up the loop, which calls `prove` after every turn that went without an error."""
        self._archive = archive
        self._dispatch = dispatch
        self._schedule = schedule
        self._queue = queue
        self._telling = telling
        self._prove = prove
        self._now = now
        self._wakes: deque[Wake] = deque()
        self._plan = plan = dispatch.plan
        self._watch = FolderWatch(plan.inbox, plan.mode, plan.subfolders, queue.put)
        self._has_said_how = False
        self._scan_at: float | None = None
        self._scanner = Scanner(archive)
        self._fingerprints = self._fingerprint()
        self._rest_until = 0.0
        self._stop_at: float | None = None

    def run(self) -> None:
        """Run until a Stop, and then until the child has ended, for half a minute at most."""
        self._set_clock()
        self._wakes.append(Due("rescan"))
        try:
            while not self._is_over():
                try:
                    self._turn()
                except (MemprocError, OSError) as trouble:
                    # A full disk, or a locked archive: nothing is lost, and the wake is taken
                    # again.
                    self._rest_until = monotonic() + _AFTER_TROUBLE_SECONDS
                    self._tell_trouble(trouble)
        finally:
            self._watch.stop()
            self._dispatch.kill()
        try:
            self._gather()
            while self._wakes:  # the child's last events still count
                self._take(self._wakes.popleft())
        except (MemprocError, OSError) as trouble:
            self._tell_trouble(trouble)
        self._telling.stop()

    def _turn(self) -> None:
        """Sleep, take what has happened, and start the next work; after trouble only wait."""
        if not self._wakes or monotonic() < self._rest_until:
            seconds = _MISSED_BEATS * BEAT_SECONDS
            if self._stop_at:
                seconds = max(0.0, self._stop_at - monotonic())
            try:
                self._append(self._queue.get(timeout=seconds))
            except Empty:
                self._set_clock()  # beats are missing, so the computer's clock was set back
        self._gather()
        if monotonic() < self._rest_until and self._stop_at is None:
            return
        if not self._has_said_how:
            self._tell_watch()
        while self._wakes:
            self._take(self._wakes[0])
            self._wakes.popleft()  # last, so that a wake is taken again after an error
        self._dispatch.next()
        self._prove()

    def _gather(self) -> None:
        """Append all queued wakes, without waiting for more."""
        while not self._queue.empty():
            self._append(self._queue.get())

    def _append(self, wake: Wake) -> None:
        """Append a wake. A Stop acts at once, since the others may have to wait for a full disk."""
        if isinstance(wake, Stop):
            if self._stop_at is None:
                self._stop_at = monotonic() + _STOP_SECONDS
                self._dispatch.stop()
            return
        last = self._wakes[-1] if self._wakes else None
        is_repeated = last == wake == FolderChanged()
        if not is_repeated:
            self._wakes.append(wake)

    def _take(self, wake: Wake) -> None:
        """Do what a wake asks for."""
        match wake:
            case FolderChanged():
                set_sign(self._archive, "last_event", "the inbox has changed", self._now())
                self._scan_in(_DEBOUNCE_SECONDS)
            case Due("beat"):
                self._beat()
            case Due("rescan"):
                self._look_at_watch(again=True)
                self._scan()
            case Due("scan"):
                self._scan_at = None
                self._scan()
            case ChildSaid(event):
                self._dispatch.take(event)
            case ChildEnded(code):
                self._dispatch.ended(code)
            case PageWaits(reason, next_step):
                self._tell_page(reason, next_step)
            case Reload():
                self._dispatch.reload = True
            case _:
                pass  # a timed job: the archive knows what is due

    def _beat(self) -> None:
        """Check everything that no event reports."""
        self._look_at_watch()
        fingerprints = self._fingerprint()
        if fingerprints != self._fingerprints:
            self._fingerprints = fingerprints
            self._dispatch.reload = True
        if self._dispatch.plan != self._plan:
            self._plan = self._dispatch.plan
            self._set_clock()
        self._dispatch.beat()
        self._telling.step()

    def _fingerprint(self) -> tuple[object, object]:
        """Return what changes with memproc.toml or the file of keys; both are then read again."""
        plan = self._dispatch.plan
        return fingerprint(plan.config), fingerprint(keys_file(plan.state))

    def _set_clock(self) -> None:
        """Schedule beats, and rescans as often as the settings say."""
        polls = self._dispatch.plan.mode == "poll"
        self._schedule.every("beat", BEAT_SECONDS)
        self._schedule.every("rescan", POLL_SECONDS if polls else RESCAN_SECONDS)

    def _scan_in(self, seconds: float) -> None:
        """Scan after `seconds`, unless a scan is due earlier."""
        when = monotonic() + seconds
        if self._scan_at is None or when < self._scan_at:
            self._scan_at = when
            self._schedule.soon("scan", seconds)

    def _scan(self) -> None:
        """Scan the inbox, report what has changed, and schedule the next scan."""
        if self._stop_at is not None:
            return
        try:
            scanned = self._scanner.scan(self._dispatch.plan, self._now(), monotonic())
        except FileTrouble as trouble:
            self._tell_inbox(trouble.message, trouble.next_step)
            self._scan_in(_AFTER_TROUBLE_SECONDS)
            return
        for change in scanned.changes:
            self._telling.say(change)
        if scanned.next_look_seconds is not None:
            self._scan_in(scanned.next_look_seconds)
        set_sign(self._archive, "last_scan", "", self._now())
        self._tell_inbox(" ".join(scanned.notes))

    def _tell_inbox(self, note: str, next_step: str = "") -> None:
        """Report a note about the inbox, if it is new."""
        stored = sign(self._archive, "inbox_note")
        before = stored.value if stored else ""
        if note == before:
            return
        set_sign(self._archive, "inbox_note", note, self._now())
        if note:
            self._telling.tell(Trouble("the inbox", note, next_step))

    def _tell_page(self, reason: str, next_step: str) -> None:
        """Report why the page's port is taken, or that the daemon has it now."""
        set_sign(self._archive, "page_note", reason, self._now())
        set_sign(self._archive, "page_step", next_step, self._now())
        if next_step:
            self._telling.tell(Trouble("the page", reason, next_step))
        else:
            self._telling.tell(Note(f"The page: {reason or _PAGE_IS_UP}"))

    def _look_at_watch(self, *, again: bool = False) -> None:
        """Renew the watch where it no longer works, and scan at once."""
        if self._stop_at is None and self._watch.look(again=again):
            self._tell_watch()
            self._scan_in(0)

    def _tell_watch(self) -> None:
        """Record how the inbox is watched, in the log and for status."""
        set_sign(self._archive, "watch_mode", self._watch.mode, self._now())
        set_sign(self._archive, "watch_note", self._watch.why, self._now())
        self._telling.tell(DaemonIs("watching", self._watch.why, self._watch.mode))
        self._has_said_how = True

    def _tell_trouble(self, trouble: MemprocError | OSError) -> None:
        """Report trouble if possible: the archive, to which that writes, may be the trouble."""
        sentence = unforeseen(trouble)
        event = Trouble("the daemon's own work", sentence.message, sentence.next_step)
        with suppress(MemprocError):
            self._telling.tell(event)

    def _is_over(self) -> bool:
        """Return whether the loop was stopped, and its child has ended or used up its time to."""
        if self._stop_at is None:
            return False
        return not self._dispatch.busy or monotonic() > self._stop_at
