"""The daemon, from its start to its end (D18): read this after process.py.

settings    memproc.toml, read by a short-lived process, since reading it takes more memory than watching
locks       one daemon for an archive, and one for an inbox
resume      what was being worked on when the last daemon ended is taken up again
loop        wake, look, hand on, hear: watching/loop
end         the call that is under way is let finish; everything else is taken up by the next daemon
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from tempfile import gettempdir

from daemon.archive.archive import Archive
from daemon.archive.arrivals import resume_after_restart
from daemon.archive.signs import set_sign, take_down
from daemon.clock import now
from daemon.files.folders import make_own, make_private
from daemon.files.lock import hold
from daemon.files.write import sweep
from daemon.seeing import logged
from daemon.seeing.aloud import speaker
from daemon.seeing.log import Log
from daemon.seeing.notices import Notifier
from daemon.seeing.titles import known_titles
from daemon.watching import wakes
from daemon.watching.duties import Duties
from daemon.watching.errands import Errands
from daemon.watching.loop import Loop
from daemon.watching.schedule import Schedule
from daemon.watching.settings import WatchPlan
from daemon.watching.telling import Telling
from daemon.worker.events import SettingsAre, SettingsWrong
from daemon.worker.foreman import Foreman
from daemon.worker.orders import in_words
from daemon.worker.settings import read_settings, watch_plan
from rules.errors import ArchiveError, ConfigurationError
from service import notify
from service.desktop import commands
from service.stall import StallExit

_STALL_SECONDS = 120.0
_SIGNS_OF_LIFE = ("pid", "started_at", "watch_mode", "watch_note", "inbox_note", "config_error")


def watch(config: Path | None) -> int:
    """Run the daemon until it is told to stop; the exit code of the process.

    Raises ConfigurationError where memproc.toml is wrong at the start, Busy where another daemon is there
    already, FileTrouble or ArchiveError where the folders or the archive cannot be used.
    """
    settings = read_settings(config)
    if isinstance(settings, SettingsWrong):
        raise ConfigurationError(settings.message, settings.next_step)
    plan = watch_plan(settings)
    for folder in (plan.state, plan.updated, plan.backups, plan.inbox):
        make_private(folder)
    queue: SimpleQueue[wakes.Wake] = SimpleQueue()
    with _one_daemon(plan), _signals(queue), Archive.open(plan.state) as archive:
        _run(archive, plan, settings, queue, config)
    return 0


def _run(
    archive: Archive, plan: WatchPlan, settings: SettingsAre, queue: "SimpleQueue[wakes.Wake]", config: Path | None
) -> None:
    log = Log(plan.state, speaker(os.environ, sys.stdout, sys.stderr), partial(known_titles, archive))
    foreman = Foreman(queue.put, config)
    foreman.adopt(settings)
    sweep(plan.state / "arrivals")
    take_down(archive, *_SIGNS_OF_LIFE)
    resume_after_restart(archive, now())
    set_sign(archive, "pid", str(os.getpid()), now())
    set_sign(archive, "started_at", now(), now())
    log.log(logged.Started(version("memproc-daemon"), os.getpid(), str(plan.inbox)))
    stall = StallExit(_STALL_SECONDS)
    if sys.platform in ("darwin", "win32"):
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
    finally:
        notify.stopping()
        with suppress(ArchiveError):  # on a full disk it stays, and the next one takes it down
            take_down(archive, "pid")
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
    """A lock file for an inbox, by its path: the inbox itself is the person's (D2)."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        folder = Path(runtime) / "memproc"
        make_private(folder)
    else:
        folder = Path(gettempdir()) / _own_name()
        make_own(folder)
    return folder / f"inbox-{sha256(str(inbox).encode()).hexdigest()[:16]}.lock"


def _own_name() -> str:
    return f"memproc-{os.getuid()}" if hasattr(os, "getuid") else "memproc"


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
