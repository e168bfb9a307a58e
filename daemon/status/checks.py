"""The checks of the setup, the service, the folders and what memproc keeps."""

import hashlib
import platform
import re
import sqlite3
from collections.abc import Iterator

from daemon.archive.archive import Archive
from daemon.archive.signs import all_signs
from daemon.files.lock import is_held
from daemon.status.findings import Finding, Machine, Setup, error, ok, warning
from daemon.status.folder_checks import archive, backups, disk, folders, outputs, rights
from daemon.status.place import DaemonPlace, waits_for
from daemon.status.spans import with_span
from daemon.status.status import daemon_problems
from rules.typingmind.dates import write_date

LITELLM = ((1, 105, 7), (1, 110))
MALICIOUS = ("1.82.7", "1.82.8")
"""Versions of LiteLLM that stole keys from every machine that ran them, in March 2026."""
_AGAIN = "Install memproc again in an environment of its own: pipx install --force ."
# tiktoken names a table by the SHA-1 of its address, and knows the SHA-256 of its bytes.
TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def versions(machine: Machine) -> Iterator[Finding]:
    """The versions of Python and SQLite, for a report: pip and the archive refuse those that are too old."""
    yield ok("Python", f"{platform.python_version()}.")
    yield ok("SQLite", f"{sqlite3.sqlite_version}.")


def litellm(machine: Machine) -> Iterator[Finding]:
    """LiteLLM is there in a version that memproc was tried with, and no malicious one."""
    version = machine.litellm
    parts = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    oldest, beyond = LITELLM
    if version in MALICIOUS:
        text = (
            f"LiteLLM {version} is malicious: it reads every key on this machine and sends it away."
        )
        remedy = (
            "Take the machine off the network, and change every key and password that was on it."
        )
        yield error("LiteLLM", text, f"{remedy} Then: {_AGAIN}")
    elif not version:
        yield error("LiteLLM", "It is not installed, so no model can be asked.", _AGAIN)
    elif not oldest <= parts < beyond:
        tried = " up to, but not including, ".join(".".join(map(str, bound)) for bound in LITELLM)
        yield warning("LiteLLM", f"It is {version}; memproc was tried with {tried}.", _AGAIN)
    else:
        yield ok("LiteLLM", f"{version}.")


def tokenizer(machine: Machine) -> Iterator[Finding]:
    """The tokenizer's table lies here whole, so that counting needs no network."""
    path = machine.tokenizers / TABLE
    if not path.is_file():
        yield error("tokenizer", f"Its table is not at {path}, so it would be downloaded.", _AGAIN)
    elif hashlib.sha256(path.read_bytes()).hexdigest() != TABLE_SHA256:
        yield error("tokenizer", f"Its table {path} is damaged.", _AGAIN)
    else:
        yield ok("tokenizer", "Its table is here; tokens are counted offline.")


def service(machine: Machine) -> Iterator[Finding]:
    """The system's service is installed and runs."""
    text = " ".join(machine.service.sentences)
    match machine.service.state:
        case "running":
            yield ok("service", text)
        case "troubled":
            yield error(
                "service", text, "memproc logs says what happened; then: memproc service install"
            )
        case _:
            yield warning("service", text, "memproc service install")


def daemon(setup: Setup) -> Iterator[Finding]:
    """The running daemon is well, by its own signs: a shell may be allowed what a service is not."""
    if not is_held(DaemonPlace(setup.folders.state).lock):
        if trouble := waits_for(setup.toml):
            yield error("daemon", f"It waits and tries again: {trouble.message}", trouble.next_step)
            return
        text = "No daemon runs, so this says only what your shell can reach."
        yield warning("daemon", text, "memproc service install, or in a terminal: memproc watch")
        return
    with Archive.read(setup.folders.state) as archive:
        signs = all_signs(archive)
    now = write_date(setup.machine.now)
    problems = [*daemon_problems(signs, now, True, setup.config.watch.rescan_seconds)]
    for problem in problems:
        remedy = problem.next_step
        if problem.what == "the inbox" and setup.machine.system == "darwin":
            remedy = (
                "Choose an inbox outside Documents, Desktop and Downloads; or give memproc's Python Full Disk Access, "
                "in System Settings under Privacy & Security."
            )
        finding = warning if problem.what == "the watch on the inbox" else error
        yield finding(problem.what, problem.reason, remedy)
    if not problems and "last_scan" in signs:
        watch = f" {signs['watch_note'].value}" if "watch_note" in signs else ""
        yield ok(
            "daemon",
            f"It last looked through the inbox at {with_span(signs['last_scan'].at, now)}.{watch}",
        )
    elif not problems:
        yield ok("daemon", "It runs, and has not looked through the inbox yet.")


OF_MACHINE = (versions, litellm, tokenizer, service)
"""They need no memproc.toml."""

OF_SETUP = (folders, rights, disk, daemon, archive, backups, outputs)
"""They need one that can be used."""
