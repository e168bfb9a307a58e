"""The command line in a process that is forked from this one, and so has every module loaded.

It has a number of its own and can be killed, as any other; but a new Python loads memproc for a third of a second, and
LiteLLM for two more. What is about the start of the real command starts that.
"""

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from daemon.cli import main

_CRASHED = 70


def fork_memproc(
    arguments: Sequence[str],
    home: Path,
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
) -> int:
    """Begin the command in the folder `home`; the number of its process.

    `streams` are the descriptors of what it reads, prints and says of problems. It has no other of this process's.
    """
    child = os.fork()
    if child == 0:
        _become_memproc(arguments, home, environment, streams)
    return child


def exit_code(child: int) -> int:
    """Wait for the end of a process; minus the signal's number where one has ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become_memproc(
    arguments: Sequence[str],
    home: Path,
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
) -> NoReturn:
    code = _CRASHED
    try:
        os.setsid()
        os.chdir(home)
        os.environ.clear()
        os.environ.update(environment)
        for stream, descriptor in enumerate(streams):
            os.dup2(descriptor, stream)
        os.closerange(len(streams), os.sysconf("SC_OPEN_MAX"))
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main(arguments)
        sys.stdout.flush()
    finally:
        os._exit(code)
