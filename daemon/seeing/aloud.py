"""Decides where the daemon says what happens while it runs: in the system's journal, or on the terminal."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from daemon.seeing.log import Speak
from daemon.seeing.logged import Logged
from daemon.seeing.moments import in_full
from daemon.seeing.sentences import is_problem, sentence
from daemon.seeing.visible import in_one_line

_WARNING, _INFORMATION = "<4>", "<6>"


def speaker(environ: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> Speak:
    """Sentences without a time into systemd's journal where stderr leads there, else with local time to stdout."""
    if _leads_to_journal(environ.get("JOURNAL_STREAM", ""), stderr):
        return lambda at, event: _print(f"{_WARNING if is_problem(event) else _INFORMATION}{_words(event)}", stderr)
    return lambda at, event: _print(f"{in_full(at)} {_words(event)}", stdout)


def _leads_to_journal(stream: str, stderr: TextIO) -> bool:
    """Whether $JOURNAL_STREAM, "device:inode", is this very stderr: a terminal's shell may have inherited the name."""
    try:
        found = os.fstat(stderr.fileno())
    except (OSError, ValueError):
        return False
    return stream == f"{found.st_dev}:{found.st_ino}"


def _words(event: Logged) -> str:
    return in_one_line(sentence(event))


def _print(line: str, to: TextIO) -> None:
    # A terminal that was closed must not end the daemon; the log has it all.
    with suppress(OSError):
        print(line, file=to, flush=True)
