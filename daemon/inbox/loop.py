"""The daemon's one loop: it sleeps until something wakes it, looks around, and hands on what is to be done.

    wake        a change in the inbox, a timer, the worker, a signal; at least every two seconds
    look        the folder compared with the archive; the watch itself; memproc.toml; orders to pause
    hand on     one order at a time to the worker, and hear what it tells: watching/errands

Everything here belongs to one thread, the archive too. What is true stands in the archive.
"""

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from queue import Empty, SimpleQueue
from time import monotonic, time

from daemon.archive.archive import Archive
from daemon.archive.jobs import set_sign, sign
from daemon.files.write import in_a_sentence
from daemon.inbox import wakes
from daemon.inbox.errands import Errands
from daemon.inbox.foreman import Foreman
from daemon.inbox.keeper import Keeper
from daemon.inbox.reload import stand_of
from daemon.inbox.scanner import Unreachable, scan
from daemon.inbox.suspend import Clocks, Suspended, between
from daemon.inbox.telling import Telling
from daemon.keys import keys_file
from daemon.status import log as logged
from daemon.status.log import Logged
from rules.arrival import Stillness
from rules.errors import MemprocError

_LONGEST_SLEEP = 2.0
_DEBOUNCE = 0.25
_AFTER_TROUBLE = 10.0
_STOP_SECONDS = 30.0


class Loop:
    """Everything that the daemon is between two wakes."""

    def __init__(
        self,
        archive: Archive,
        errands: Errands,
        foreman: Foreman,
        queue: "SimpleQueue[wakes.Wake]",
        telling: Telling,
        prove: Callable[[], None],
        now: Callable[[], str],
    ) -> None:
        """`telling` hears what happens; `prove` is called after every turn in which scanner and archive have worked."""
        self._archive, self._queue = archive, queue
        self._errands, self._foreman = errands, foreman
        self._telling, self._prove, self._now = telling, prove, now
        self._wakes: deque[wakes.Wake] = deque()
        self._rest_until = monotonic()
        plan = errands.plan
        self._keeper = Keeper(plan.inbox, plan.mode, plan.subfolders, queue.put, monotonic())
        self._clocks = Clocks(time(), monotonic())
        self._scan_at = monotonic()
        self._standings: Mapping[int, Stillness] = {}
        self._note = ""
        self._has_said_how = False
        self._stands = self._stands_now()
        self._stop_at: float | None = None

    def run(self) -> None:
        """Go on until a Stop, and until the worker has come to an end, half a minute later at most."""
        try:
            while not self._is_over():
                try:
                    self._turn()
                except (MemprocError, OSError) as trouble:
                    # A full disk, an archive that is locked: nothing is lost, and it is tried again.
                    self._rest_until = monotonic() + _AFTER_TROUBLE
                    self._in_trouble(in_a_sentence(trouble))
        finally:
            self._keeper.stop()
            self._foreman.stop(0)
        try:
            self._drain()
        except MemprocError as trouble:
            self._in_trouble(trouble)
        self._telling.stop()

    def _turn(self) -> None:
        self._sleep()
        now = monotonic()
        if now < self._rest_until and self._stop_at is None:
            return
        while self._wakes:
            self._take(self._wakes[0])
            self._wakes.popleft()  # only now: what could not be taken down is tried again
        if not self._has_said_how:
            self._watching()
        self._look(now)
        self._foreman.look(now)
        if self._stop_at is None:
            self._errands.next()
        self._telling.step()
        self._prove()

    def _sleep(self) -> None:
        """Wait for something to happen, and gather all that has happened by then."""
        # At the end no scan is begun any more, so none that is due is a reason to wake.
        at = self._stop_at or max(self._scan_at, self._rest_until)
        seconds = 0.0 if self._wakes and self._rest_until < monotonic() else max(0.0, at - monotonic())
        with suppress(Empty):
            self._gather(self._queue.get(timeout=min(_LONGEST_SLEEP, seconds)))
        while not self._queue.empty():
            self._gather(self._queue.get())

    def _gather(self, wake: wakes.Wake) -> None:
        """Put a wake behind the others; a Stop counts at once, since those may wait for a full disk."""
        if not isinstance(wake, wakes.Stop):
            self._wakes.append(wake)
        elif self._stop_at is None:
            self._stop_at = monotonic() + _STOP_SECONDS
            self._foreman.ask_to_stop()

    def _in_trouble(self, trouble: MemprocError) -> None:
        """Say it, if it can be said: notices are noted in the archive, which may be what is in trouble."""
        with suppress(MemprocError):
            self._tell(logged.Trouble("the daemon's own work", trouble.message, trouble.next_step))

    def _tell(self, event: Logged) -> None:
        self._telling.tell(event)

    def _take(self, wake: wakes.Wake) -> None:
        match wake:
            case wakes.FolderChanged():
                self._scan_at = min(self._scan_at, monotonic() + _DEBOUNCE)
                set_sign(self._archive, "last_event", "the inbox has changed", self._now())
            case wakes.EventsLost(reason) | wakes.WatcherDied(reason):
                self._tell(logged.Trouble("the watch on the inbox", reason))
                self._scan_at = monotonic()
            case wakes.Due():
                pass  # what is due stands in the archive, and is looked for at every turn
            case wakes.WorkerSaid(said):
                self._errands.heard(said)
            case wakes.WorkerEnded(code):
                self._errands.lost(code)
            case wakes.Reload():
                self._errands.reload = True

    def _look(self, now: float) -> None:
        """Compare the world with what is known of it."""
        clocks = Clocks(time(), now)
        slept, self._clocks = between(self._clocks, clocks), clocks
        kept = self._keeper.look(now)
        if kept.proved:
            set_sign(self._archive, "last_cookie", "the watch was proved", self._now())
        if kept.note is not None and kept.note != self._note:
            self._note = kept.note
            self._watching()
        if isinstance(slept, Suspended) or kept.rescan:
            self._scan_at = now
        if (stands := self._stands_now()) != self._stands:
            self._stands, self._errands.reload = stands, True
        if now >= self._scan_at and self._stop_at is None:
            self._scan(now)

    def _stands_now(self) -> tuple[object, object]:
        """By what a change of memproc.toml or of the keys is noticed: work that waits for them is tried again."""
        plan = self._errands.plan
        return stand_of(plan.config), stand_of(keys_file(plan.state))

    def _scan(self, now: float) -> None:
        found = scan(self._archive, self._errands.plan, self._now(), now, self._standings)
        if isinstance(found, Unreachable):
            self._scan_at = now + _AFTER_TROUBLE
            self._inbox_is(found.reason, found.next_step)
            return
        self._standings = found.standings
        for step in found.changes:
            name = PurePath(step.path).name
            self._tell(logged.FileIs(step.arrival, name, step.state, step.reason, step.next_step))
        rest = self._errands.plan.rescan_seconds
        self._scan_at = now + (rest if found.next_look_seconds is None else min(rest, found.next_look_seconds))
        set_sign(self._archive, "last_scan", "", self._now())
        self._inbox_is(" ".join(found.notes))

    def _inbox_is(self, note: str, next_step: str = "") -> None:
        """Say what is to be known of the inbox, where it is news."""
        before = sign(self._archive, "inbox_note")
        if note != (before.value if before else ""):
            set_sign(self._archive, "inbox_note", note, self._now())
            if note:
                self._tell(logged.Trouble("the inbox", note, next_step))

    def _watching(self) -> None:
        """Say how the inbox is watched, in the log and for status."""
        mode = self._keeper.mode
        why = self._note or mode.why
        set_sign(self._archive, "watch_mode", mode.used, self._now())
        set_sign(self._archive, "watch_note", why, self._now())
        self._tell(logged.Watching(mode.used, why))
        self._has_said_how = True

    def _is_over(self) -> bool:
        return self._stop_at is not None and (not self._foreman.busy or monotonic() > self._stop_at)

    def _drain(self) -> None:
        """What the worker said to the end still counts."""
        while not self._queue.empty():
            self._gather(self._queue.get())
        while self._wakes:
            self._take(self._wakes.popleft())
