"""The command line on a terminal, in a process that is forked from this one and so has every module loaded.

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


def fork_memproc(arguments: Sequence[str], home: Path, environment: Mapping[str, str], terminal: int) -> int:
    """Begin the command in the folder `home`, with the terminal as its three streams; the number of its process."""
    child = os.fork()
    if child == 0:
        _become_memproc(arguments, home, environment, terminal)
    return child


def exit_code(child: int) -> int:
    """Wait for the end of a process; minus the signal's number where one has ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become_memproc(arguments: Sequence[str], home: Path, environment: Mapping[str, str], terminal: int) -> NoReturn:
    code = _CRASHED
    try:
        os.setsid()
        os.chdir(home)
        os.environ.clear()
        os.environ.update(environment)
        for stream in range(3):
            os.dup2(terminal, stream)
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = main(arguments)
        sys.stdout.flush()
    finally:
        os._exit(code)
