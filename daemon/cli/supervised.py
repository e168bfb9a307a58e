"""What a command does as the daemon's child: it gets its orders from it, and sends it events.

The daemon writes a line of settings to standard input, then one for each further file that it hands
over, and keeps the pipe open while it runs. When the pipe ends, the child ends, however the daemon
ended: calls under way may finish within half a minute.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from queue import SimpleQueue
from time import sleep
from typing import Any, Literal

import click

from daemon.cli.commands import BUG, INTERRUPTED
from daemon.cli.settings import Settings, pass_settings
from daemon.events import Alive, Event, RunDone, RunFailed, Tell, format_event
from daemon.files.lock import Busy
from daemon.files.reasons import describe
from daemon.inbox.watch_plan import SettingsAre
from rules.errors import MemprocError, OverBudget

LIMIT_SECONDS = 30.0
TOO_LATE = 75
"""The exit code of a child that did not end in time."""
_BLOCK_BYTES = 1 << 16
_LONGEST_JOB_SECONDS = 3600.0
"""The longest that a job may take: silent meanwhile, it may read many gigabytes of backups."""


def read_orders() -> tuple[SettingsAre, Iterable[Path]]:
    """Read the daemon's settings. From now on this process ends when the daemon does.

    Return the settings, and an iterator that waits for each further file that the daemon hands
    over. Raises UsageError where no settings come.
    """
    orders = _orders()
    settings = next(orders, None)
    if not isinstance(settings, dict):
        raise click.UsageError("--supervised is for the daemon, which hands over its settings.")
    files: SimpleQueue[Path | None] = SimpleQueue()
    threading.Thread(
        target=_follow_daemon, args=(orders, files), name="daemon", daemon=True
    ).start()
    return SettingsAre(**settings), iter(files.get, None)


def _orders() -> Iterator[Any]:
    """Yield what the daemon writes to standard input, until it closes the pipe.

    Python's own stdin is not used, since a thread that reads it would hold its lock while Python
    ends.
    """
    line = b""
    while block := os.read(0, _BLOCK_BYTES):
        *lines, line = (line + block).split(b"\n")
        for complete in lines:
            with suppress(ValueError):
                yield json.loads(complete)


def _follow_daemon(orders: Iterator[Any], files: "SimpleQueue[Path | None]") -> None:
    """Queue each file that the daemon hands over; when the daemon ends, end this process."""
    for order in orders:
        files.put(Path(str(order)))
    files.put(None)
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    sleep(LIMIT_SECONDS)
    os._exit(TOO_LATE)


def as_events(works: Iterable[Callable[[Tell], int]]) -> int:
    """Do each work in turn, and print its events, including errors, as lines of JSON.

    An error ends only its own work. Return the last exit code. What libraries print goes to
    standard error.
    """
    out, lock = sys.stdout, threading.Lock()

    def tell(event: Event) -> None:
        with lock:
            out.write(format_event(event))
            out.flush()

    code = 0
    with redirect_stdout(sys.stderr):
        for work in works:
            code = _until_error(work, tell)
            if code == INTERRUPTED:
                break
    return code


def _until_error(work: Callable[[Tell], int], tell: Tell) -> int:
    """Do the work, and post the error that ends it, if any. Return the exit code."""
    try:
        return work(tell)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        raise  # the reader of the events is gone
    except MemprocError as trouble:
        until = trouble.until if isinstance(trouble, OverBudget) else ""
        kind: Literal["busy", "blocked"] = "busy" if isinstance(trouble, Busy) else "blocked"
        tell(RunFailed(trouble.message, trouble.next_step, kind, until))
        return trouble.exit_code
    except Exception as fault:  # the boundary for unforeseen errors
        tell(RunFailed(*describe(fault), "mistake"))
        return BUG


@click.command(hidden=True)
@click.argument(
    "name", type=click.Choice(("settings", "pressed", "prune", "verify", "maintain", "retry"))
)
@pass_settings
def job_command(settings: Settings, name: str) -> int:
    """Do one of the daemon's timed jobs, or read its settings, and print the result as JSON."""

    def work(tell: Tell) -> int:
        if name == "settings":
            from daemon.inbox.watch_plan import read_settings_here

            tell(read_settings_here(settings.path))
            return 0
        from daemon.inbox.jobs import do_job

        with settings.context(tell) as context:  # opening it carries out what was pressed
            tell(Alive(_LONGEST_JOB_SECONDS))
            if name != "pressed":
                tell(do_job(name, context))
        if name == "pressed":
            tell(RunDone(name))
        return 0

    return as_events([work])
