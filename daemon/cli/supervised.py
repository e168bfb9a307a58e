"""What a command does differently as the daemon's child: settings come from the daemon, and events go to it.

The daemon writes one line to standard input, its settings, and keeps the pipe open for as long as it lives. The end of
that pipe is the end of the child, however the daemon ended: the calls under way may finish within half a minute.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from time import sleep

import click

from daemon.cli import BUG, INTERRUPTED
from daemon.cli.settings import Settings, pass_settings
from daemon.events import Alive, Event, NoEvent, RunFailed, SettingsAre, Tell, of_line, to_line
from daemon.files.lock import Busy
from daemon.files.unforeseen import describe
from rules.errors import MemprocError, OverBudget

LIMIT_SECONDS = 30.0
TOO_LATE = 75
"""The exit code of a child that did not come to an end in time."""
_BLOCK_BYTES = 1 << 16
_LONGEST_JOB_SECONDS = 3600.0
"""The longest time for a job, which tells nothing on its way: backups of many gigabytes are read."""


def settings_from_daemon() -> SettingsAre:
    """Read the settings that the daemon has, and end with the daemon from now on. Raises UsageError without any."""
    # Python's own stdin is not used: a thread that reads it would hold its lock while Python ends.
    line = b""
    while not line.endswith(b"\n") and (block := os.read(0, _BLOCK_BYTES)):
        line += block
    settings: Event | None = None
    with suppress(NoEvent):
        settings, _ = of_line(line)
    if not isinstance(settings, SettingsAre):
        raise click.UsageError("--supervised is for the daemon, which hands over its settings.")
    threading.Thread(target=_end_with_daemon, name="daemon", daemon=True).start()
    return settings


def _end_with_daemon() -> None:
    while os.read(0, _BLOCK_BYTES):
        pass
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    sleep(LIMIT_SECONDS)
    os._exit(TOO_LATE)


def as_events(work: Callable[[Tell], int]) -> int:
    """Do the work, print all that it tells as lines of JSON, errors too, and return its exit code.

    Whatever else is printed meanwhile goes to the error output.
    """
    out, lock = sys.stdout, threading.Lock()

    def tell(event: Event) -> None:
        with lock:
            out.write(to_line(event))
            out.flush()

    with redirect_stdout(sys.stderr):
        try:
            return work(tell)
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            raise  # nobody reads any more
        except MemprocError as trouble:
            until = trouble.until if isinstance(trouble, OverBudget) else ""
            tell(
                RunFailed(
                    trouble.message,
                    trouble.next_step,
                    "busy" if isinstance(trouble, Busy) else "blocked",
                    until,
                )
            )
            return trouble.exit_code
        except Exception as fault:  # the boundary: whatever we did not foresee
            tell(RunFailed(*describe(fault), "mistake"))
            return BUG


@click.command(hidden=True)
@click.argument("name", type=click.Choice(("settings", "prune", "verify", "maintain", "retry")))
@pass_settings
def job_command(settings: Settings, name: str) -> int:
    """Do one of the daemon's timed jobs now, or read its settings, and print what came of it as a line of JSON."""

    def work(tell: Tell) -> int:
        if name == "settings":
            from daemon.inbox.watch_plan import read_settings_here

            tell(read_settings_here(settings.path))
            return 0
        from daemon.inbox.jobs import do_job

        with settings.context() as context:
            tell(Alive(_LONGEST_JOB_SECONDS))
            tell(do_job(name, context))
        return 0

    return as_events(work)
