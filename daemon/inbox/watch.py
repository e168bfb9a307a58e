"""Run the daemon, from its start to its end: READ THIS FIRST, then loop.py and dispatch.py.

settings   memproc.toml is read by a child process, since that takes more memory than watching
locks      one daemon for an archive, and one for an inbox
wait       trouble at the start that may pass, as a full disk, is reported; the start is repeated
resume     files that were in work when the last daemon ended are queued again
loop       sleep, take what has happened, start the next work: loop.py, dispatch.py
end        calls under way may finish; the next daemon continues everything else
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.arrivals import resume_after_restart
from daemon.archive.log import note
from daemon.archive.signs import remove_signs, set_sign
from daemon.events import DaemonIs, RunFailed, Trouble
from daemon.files.clock import now
from daemon.files.lock import Busy, daemon_lock, hold
from daemon.files.paths import runtime_folder
from daemon.files.private import make_own, make_private
from daemon.files.reasons import unforeseen
from daemon.files.write import sweep
from daemon.inbox.child import PageWaits, Reload, Stop, Wake
from daemon.inbox.dispatch import Dispatch
from daemon.inbox.loop import Loop
from daemon.inbox.page_port import CAN_HAND_OVER, PagePort
from daemon.inbox.schedule import Schedule, Telling
from daemon.inbox.watch_plan import SettingsAre, WatchPlan, plan_of, read_settings
from daemon.status.notices import speaker
from daemon.status.place import shown_as_waiting
from rules.errors import (
    ArchiveError,
    ConfigurationError,
    ConfigurationOutOfReach,
    FileTrouble,
    MemprocError,
)
from service import notify
from service.desktop import notice_command
from service.notify import StallExit

Queue = SimpleQueue[Wake]

_STALL_SECONDS = 120.0
_PAUSES = (2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
_SIGN_OF_LIFE_SECONDS = 10.0
_SIGNS_OF_LIFE = (
    *("pid", "started_at", "watch_mode", "watch_note", "inbox_note", "config_error"),
    *("page_note", "page_step", "stopped_at"),
)


def watch(config: Path | None) -> int:
    """Run the daemon until it is told to stop. Return the exit code of the process.

    Raise ConfigurationError where memproc.toml is wrong at the start, and Busy where another daemon
    runs, unless a service manager has started this one. Any other trouble may pass: it is reported,
    and the daemon begins once it can.
    """
    queue: Queue = SimpleQueue()
    with _Waiting(config) as waiting:
        while True:
            plan = None
            try:
                settings = read_settings(config)
                if isinstance(settings, RunFailed):
                    may_pass = settings.kind == "passing"
                    kind = ConfigurationOutOfReach if may_pass else ConfigurationError
                    raise kind(settings.message, settings.next_step)
                plan = plan_of(settings)
                _serve(plan, settings, queue, config, waiting.is_over)
            except (MemprocError, OSError) as fault:
                trouble = unforeseen(fault)
            else:
                return 0
            is_away = isinstance(trouble, ConfigurationOutOfReach)
            is_wrong = isinstance(trouble, ConfigurationError) and not is_away
            is_second = isinstance(trouble, Busy) and "NOTIFY_SOCKET" not in os.environ
            if is_wrong or is_second:  # this does not pass by itself
                raise trouble
            waiting.say(plan, trouble)
            with _signals(queue):
                if _is_stopped(queue, waiting.next_pause()):
                    notify.stopping()
                    return 0


class _Waiting:
    """Why a daemon cannot begin: reported once, and shown by `memproc status` meanwhile."""

    def __init__(self, config: Path | None) -> None:
        self._config = config
        self._shown = ExitStack()
        self._message = ""
        self._pauses = list(_PAUSES)

    def __enter__(self) -> "_Waiting":
        return self

    def __exit__(self, *fault: object) -> None:
        self.is_over()

    def say(self, plan: WatchPlan | None, trouble: MemprocError) -> None:
        """Report the trouble, also to the service manager and, if possible, in the log."""
        if trouble.message == self._message:
            return
        self._message = trouble.message
        event = Trouble("the start", trouble.message, f"{trouble.next_step} It is tried again.")
        speak = speaker(os.environ, sys.stdout, sys.stderr)
        speak(now(), event)
        with suppress(MemprocError, OSError):  # the archive itself may be the trouble
            if plan:
                with Archive.open(plan.state) as archive:
                    note(archive, event, now())
        notify.ready()  # the service is up; its status says what it waits for
        notify.tell_status(f"waiting: {trouble.message}")
        self._shown.close()
        self._shown.enter_context(shown_as_waiting(self._config, trouble))

    def next_pause(self) -> float:
        """Return the seconds until the next attempt; more each time."""
        return self._pauses.pop(0) if len(self._pauses) > 1 else self._pauses[0]

    def is_over(self) -> None:
        """Forget the reason once the daemon is up, so that a later one is reported again."""
        self._shown.close()
        self._message, self._pauses = "", list(_PAUSES)


def _is_stopped(queue: Queue, seconds: float) -> bool:
    """Wait for `seconds`, or until memproc.toml is to be read again. Return whether to stop."""
    end = monotonic() + seconds
    while (seconds_left := end - monotonic()) > 0:
        notify.watchdog()
        with suppress(Empty):
            wake = queue.get(timeout=min(seconds_left, _SIGN_OF_LIFE_SECONDS))
            if isinstance(wake, Stop | Reload):
                return isinstance(wake, Stop)
    return False


def _serve(
    plan: WatchPlan,
    settings: SettingsAre,
    queue: Queue,
    config: Path | None,
    is_up: Callable[[], None],
) -> None:
    """Serve these folders until told to stop.

    Raise MemprocError or OSError where that is impossible.
    """
    for folder in (plan.state, plan.updated, plan.backups, plan.inbox):
        make_private(folder)
    inbox_lock = _inbox_lock(plan.inbox)
    make_own(inbox_lock.parent)
    with ExitStack() as stack:
        stack.enter_context(hold(daemon_lock(plan.state), "is at work on this archive"))
        stack.enter_context(hold(inbox_lock, "is at work on this inbox"))
        stack.enter_context(_signals(queue))
        archive = stack.enter_context(Archive.open(plan.state))
        _begin_life(archive, plan.state)
        is_up()
        speak = speaker(os.environ, sys.stdout, sys.stderr)
        telling = Telling(archive, speak, notice_command, plan.notify, now)
        release = version("memproc-daemon")
        telling.tell(DaemonIs("started", str(plan.inbox), version=release, pid=os.getpid()))
        reason = (
            "It met with a trouble that it cannot mend itself; "
            "the next one goes on with what is not finished."
        )
        try:
            _run(archive, plan, settings, queue, config, telling)
            reason = "It was told to stop; what is finished is kept."
            set_sign(archive, "stopped_at", now(), now())
            notify.stopping()
        finally:
            with suppress(ArchiveError):  # on a full disk it stays, and the next daemon removes it
                remove_signs(archive, "pid")
            with suppress(ArchiveError):  # it is printed even if it cannot be logged
                telling.tell(DaemonIs("stopped", reason))


def _inbox_lock(inbox: Path) -> Path:
    """Return the path of the inbox's lock: outside the inbox, since that is the person's."""
    name = sha256(str(inbox).encode()).hexdigest()[:16]
    return runtime_folder() / f"inbox-{name}.lock"


def _begin_life(archive: Archive, state: Path) -> None:
    """Clean up after the last daemon, and set the signs of this one."""
    sweep(state / "arrivals")
    remove_signs(archive, *_SIGNS_OF_LIFE)
    resume_after_restart(archive, now())
    set_sign(archive, "pid", str(os.getpid()), now())
    set_sign(archive, "started_at", now(), now())


def _run(
    archive: Archive,
    plan: WatchPlan,
    settings: SettingsAre,
    queue: Queue,
    config: Path | None,
    telling: Telling,
) -> None:
    """Run the loop, with its clock, the page's port, and a guard against hanging."""
    with ExitStack() as stack:
        stall = StallExit(_STALL_SECONDS)
        if sys.platform in ("darwin", "win32"):
            stall.start()
            stack.callback(stall.stop)
        if plan.page_port and CAN_HAND_OVER:

            def tell(trouble: FileTrouble | None) -> None:
                reason, next_step = (trouble.message, trouble.next_step) if trouble else ("", "")
                queue.put(PageWaits(reason, next_step))

            stack.callback(PagePort(plan.page_port, config, plan.state, tell).stop)
        schedule = stack.enter_context(Schedule(queue.put))
        dispatch = Dispatch(archive, settings, config, schedule, telling, queue.put, now)

        def prove() -> None:
            """Tell systemd, or our own watchdog, that the loop is alive."""
            notify.watchdog()
            notify.tell_status(dispatch.doing or "at rest")
            stall.feed()

        notify.ready()
        Loop(archive, dispatch, schedule, queue, telling, prove, now).run()


@contextmanager
def _signals(queue: Queue) -> Iterator[None]:
    """Have SIGTERM and Ctrl-C queue a Stop, SIGHUP a Reload; restore the handlers at the end."""
    wakes: dict[int, Wake] = {int(signal.SIGTERM): Stop(), int(signal.SIGINT): Stop()}
    if hangup := getattr(signal, "SIGHUP", None):
        wakes[int(hangup)] = Reload()

    def put(number: int, frame: object) -> None:
        queue.put(wakes[number])

    before = {number: signal.signal(number, put) for number in wakes}
    try:
        yield
    finally:
        for number, action in before.items():
            with suppress(ValueError):
                signal.signal(number, action)
