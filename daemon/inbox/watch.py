"""The daemon, from its start to its end: read this after process.py.

settings    memproc.toml, read by a short-lived process, since reading it takes more memory than watching
locks       one daemon for an archive, and one for an inbox
wait        what keeps it from beginning and may pass, as a full disk does, is said, and tried again
resume      what was being worked on when the last daemon ended is taken up again
loop        wake, look, hand on, hear: watching/loop
end         the call that is under way is let finish; everything else is taken up by the next daemon
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.arrivals import resume_after_restart
from daemon.archive.jobs import remove_signs, set_sign
from daemon.files.clock import now
from daemon.files.lock import Busy, hold
from daemon.files.paths import runtime_folder
from daemon.files.write import make_own, make_private, sweep, unforeseen
from daemon.inbox import wakes
from daemon.inbox.duties import Duties
from daemon.inbox.errands import Errands
from daemon.inbox.events import SettingsAre
from daemon.inbox.foreman import Foreman
from daemon.inbox.loop import Loop
from daemon.inbox.orders import in_words
from daemon.inbox.plain_settings import WatchPlan
from daemon.inbox.schedule import Schedule
from daemon.inbox.settings_reader import read_settings, watch_plan
from daemon.inbox.telling import Telling
from daemon.status import log as logged
from daemon.status.log import Log, known_titles
from daemon.status.notices import Notifier, speaker
from daemon.status.waiting import shown_as_waiting
from rules.errors import ArchiveError, ConfigurationError, ConfigurationOutOfReach, MemprocError
from service import notify
from service.desktop import commands
from service.notify import StallExit

_STALL_SECONDS = 120.0
_PAUSES = (2.0, 5.0, 10.0, 20.0, 40.0, 60.0)
_SIGN_OF_LIFE_SECONDS = 10.0
_SIGNS_OF_LIFE = ("pid", "started_at", "watch_mode", "watch_note", "inbox_note", "config_error")


def watch(config: Path | None) -> int:
    """Run the daemon until it is told to stop; the exit code of the process.

    Raises ConfigurationError where memproc.toml is wrong at the start, and Busy where another daemon is there already,
    unless a service manager has started this one. All else may pass: it is said, and the daemon begins once it can.
    """
    queue: SimpleQueue[wakes.Wake] = SimpleQueue()
    pauses, said = list(_PAUSES), ""
    with ExitStack() as shown:
        while True:
            plan = None
            try:
                settings = _settings(config)
                plan = watch_plan(settings)
                _look_after(plan, settings, queue, config, shown.close)
            except (MemprocError, OSError) as fault:
                trouble = unforeseen(fault)
            else:
                return 0
            if _is_final(trouble):
                raise trouble
            if trouble.message != said:
                said = trouble.message
                _say(plan, trouble)
                shown.close()
                shown.enter_context(shown_as_waiting(config, trouble))
            with _signals(queue):
                if _is_stopped(queue, pauses.pop(0) if len(pauses) > 1 else pauses[0]):
                    notify.stopping()
                    return 0


def _settings(config: Path | None) -> SettingsAre:
    settings = read_settings(config)
    if isinstance(settings, SettingsAre):
        return settings
    kind = ConfigurationOutOfReach if settings.may_pass else ConfigurationError
    raise kind(settings.message, settings.next_step)


def _is_final(trouble: MemprocError) -> bool:
    """Whether only a person can end it: then they are told at once, by the end of the process."""
    if isinstance(trouble, Busy):
        return "NOTIFY_SOCKET" not in os.environ
    return isinstance(trouble, ConfigurationError) and not isinstance(trouble, ConfigurationOutOfReach)


def _say(plan: WatchPlan | None, trouble: MemprocError) -> None:
    """Say what is waited for, to the service manager too, and into the log where it is known where that lies."""
    event = logged.Trouble("the start", trouble.message, f"{trouble.next_step} It is tried again.")
    speak = speaker(os.environ, sys.stdout, sys.stderr)
    if plan:
        Log(plan.state, speak).log(event)
    else:
        speak(now(), event)
    notify.ready()  # the service is up, and what it waits for is its status
    notify.status(f"waiting: {trouble.message}")


def _is_stopped(queue: "SimpleQueue[wakes.Wake]", seconds: float) -> bool:
    """Wait so long, or until memproc.toml is to be read again; whether the daemon was told to stop meanwhile."""
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        notify.watchdog()
        with suppress(Empty):
            wake = queue.get(timeout=min(left, _SIGN_OF_LIFE_SECONDS))
            if isinstance(wake, wakes.Stop | wakes.Reload):
                return isinstance(wake, wakes.Stop)
    return False


def _look_after(
    plan: WatchPlan,
    settings: SettingsAre,
    queue: "SimpleQueue[wakes.Wake]",
    config: Path | None,
    begins: Callable[[], None],
) -> None:
    """Be the daemon of these folders until told to stop. Raises MemprocError or OSError where it cannot be."""
    for folder in (plan.state, plan.updated, plan.backups, plan.inbox):
        make_private(folder)
    with _one_daemon(plan), _signals(queue), Archive.open(plan.state) as archive:
        begins()
        _run(archive, plan, settings, queue, config)


def _run(
    archive: Archive, plan: WatchPlan, settings: SettingsAre, queue: "SimpleQueue[wakes.Wake]", config: Path | None
) -> None:
    log = Log(plan.state, speaker(os.environ, sys.stdout, sys.stderr), partial(known_titles, archive))
    foreman = Foreman(queue.put, config)
    foreman.adopt(settings)
    sweep(plan.state / "arrivals")
    remove_signs(archive, *_SIGNS_OF_LIFE)
    resume_after_restart(archive, now())
    set_sign(archive, "pid", str(os.getpid()), now())
    set_sign(archive, "started_at", now(), now())
    log.log(logged.Started(version("memproc-daemon"), os.getpid(), str(plan.inbox)))
    stall = StallExit(_STALL_SECONDS)
    has_watchman = sys.platform in ("darwin", "win32")
    if has_watchman:
        stall.start()
    reason = "It met with a trouble that it cannot mend itself; the next one goes on with what is not finished."
    try:
        with Schedule(queue.put) as schedule:
            duties = Duties(archive, schedule, plan.night)
            telling = Telling(archive, log, Notifier(archive, commands, log.log), plan.notify, now)
            errands = Errands(archive, plan, foreman, duties, telling, now)
            loop = Loop(archive, errands, foreman, queue, telling, partial(_alive, stall, foreman), now)
            notify.ready()
            loop.run()
        reason = "It was told to stop; what is finished is kept."
        notify.stopping()
    finally:
        if has_watchman:
            stall.stop()
        with suppress(ArchiveError):  # on a full disk it stays, and the next one takes it down
            remove_signs(archive, "pid")
        log.log(logged.Stopped(reason))


def _alive(stall: StallExit, foreman: Foreman) -> None:
    """A turn of the loop is through: systemd, or the watchman of our own, may know it, and what is being done."""
    notify.watchdog()
    notify.status(in_words(foreman.doing) if foreman.doing else "at rest")
    stall.feed()


@contextmanager
def _one_daemon(plan: WatchPlan) -> Iterator[None]:
    """Hold the locks of a daemon. Raises Busy, which says who holds one."""
    archive, inbox = plan.state / "daemon.lock", _inbox_lock(plan.inbox)
    with hold(archive, "looks after this archive"), hold(inbox, "looks after this inbox"):
        yield


def _inbox_lock(inbox: Path) -> Path:
    """A lock file for an inbox, by its path: the inbox itself is the person's."""
    folder = runtime_folder()
    make_own(folder)
    return folder / f"inbox-{sha256(str(inbox).encode()).hexdigest()[:16]}.lock"


@contextmanager
def _signals(queue: "SimpleQueue[wakes.Wake]") -> Iterator[None]:
    """SIGTERM and Ctrl-C stop, SIGHUP reads memproc.toml again; as it was before, afterwards."""
    actions = {signal.SIGTERM: wakes.Stop(signal.SIGTERM), signal.SIGINT: wakes.Stop(signal.SIGINT)}
    wanted: dict[int, wakes.Wake] = {int(number): wake for number, wake in actions.items()}
    if hangup := getattr(signal, "SIGHUP", None):
        wanted[int(hangup)] = wakes.Reload()
    before = {number: signal.signal(number, lambda found, _: queue.put(wanted[found])) for number in wanted}
    try:
        yield
    finally:
        for number, action in before.items():
            with suppress(ValueError):
                signal.signal(number, action)
