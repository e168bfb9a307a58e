"""Check the installation, the system's service, and the daemon by the signs that it stores."""

import hashlib
import platform
import re
import sqlite3
from collections.abc import Iterator, Sequence

from daemon.archive.signs import all_signs
from daemon.files.clock import with_span
from daemon.files.lock import daemon_runs
from daemon.status.findings import Finding, Machine, Setup, error, ok, warning
from daemon.status.place import waits_for
from daemon.status.status import daemon_problems
from rules.typingmind.dates import write_date
from rules.wording import counted

LITELLM = ((1, 105, 7), (1, 110))
MALICIOUS = ("1.82.7", "1.82.8")
"""Versions of LiteLLM that stole keys from every machine that ran them, in March 2026."""
_AGAIN = (
    "In memproc's folder, install it again in an environment of its own: "
    'pipx install --force --pip-args="-c locks/tested.txt" .'
)
_MOST_NAMED = 6
_FULL_DISK_ACCESS = (
    "Choose an inbox outside Documents, Desktop and Downloads; or give memproc's Python "
    "Full Disk Access, in System Settings under Privacy & Security."
)
# tiktoken names a table by the SHA-1 of its address, and knows the SHA-256 of its bytes.
TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def versions(machine: Machine) -> Iterator[Finding]:
    """Report the versions of Python and SQLite; too old ones are refused elsewhere."""
    yield ok("Python", f"{platform.python_version()}.")
    yield ok("SQLite", f"{sqlite3.sqlite_version}.")


def litellm(machine: Machine) -> Iterator[Finding]:
    """Check that LiteLLM is installed, in a version tried with memproc and not malicious."""
    version = machine.litellm
    numbers = re.findall(r"\d+", version)
    parts = tuple(map(int, numbers[:3]))
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
    elif oldest <= parts < beyond:
        yield ok("LiteLLM", f"{version}.")
    else:
        tried = f"{_dotted(oldest)} up to, but not including, {_dotted(beyond)}"
        yield warning("LiteLLM", f"It is {version}; memproc was tried with {tried}.", _AGAIN)


def packages(machine: Machine) -> Iterator[Finding]:
    """Check that the packages under memproc have the versions that its tests ran with."""
    untested = machine.untested
    if not untested:
        yield ok("packages", "Each has the version that memproc was tested with.")
        return
    more = len(untested) - _MOST_NAMED
    named = "; ".join(untested[:_MOST_NAMED]) + (f"; and {more:,} more" if more > 0 else "")
    text = f"{counted(len(untested), 'package')} not in the version tested with memproc: {named}."
    yield warning("packages", text, _AGAIN)


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def tokenizer(machine: Machine) -> Iterator[Finding]:
    """Check that the tokenizer's table is here whole, so that counting needs no network."""
    path = machine.tokenizers / TABLE
    if not path.is_file():
        yield error("tokenizer", f"Its table is not at {path}, so it would be downloaded.", _AGAIN)
        return
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest == TABLE_SHA256:
        yield ok("tokenizer", "Its table is here; tokens are counted offline.")
    else:
        yield error("tokenizer", f"Its table {path} is damaged.", _AGAIN)


def service(machine: Machine) -> Iterator[Finding]:
    """Check that the system's service is installed and runs."""
    text = " ".join(machine.service.sentences)
    match machine.service.state:
        case "running" | "not installed":
            yield ok("service", text)
        case "troubled":
            yield error(
                "service", text, "memproc logs says what happened; then: memproc service install"
            )
        case "stopped":
            yield warning("service", text, "memproc service install")


def daemon(setup: Setup) -> Iterator[Finding]:
    """Check the running daemon by its own signs: it may lack permissions that a shell has."""
    if not daemon_runs(setup.folders.state):
        yield _absence(setup)
        return
    with setup.archive() as archive:
        signs = all_signs(archive)
    now = write_date(setup.machine.now)
    problems = list(daemon_problems(signs, now, True))
    for problem in problems:
        is_denied = problem.what == "the inbox" and setup.machine.system == "darwin"
        remedy = _FULL_DISK_ACCESS if is_denied else problem.next_step
        finding = warning if problem.what in ("the watch on the inbox", "the page") else error
        yield finding(problem.what, problem.reason, remedy)
    if not problems:
        text = "It runs, and has not looked through the inbox yet."
        if scan := signs.get("last_scan"):
            text = f"It last looked through the inbox at {with_span(scan.at, now)}."
            if watch := signs.get("watch_note"):
                text += f" {watch.value}"
        yield ok("daemon", text)
    page, step = signs.get("page_note"), signs.get("page_step")
    if page and page.value and not (step and step.value):
        yield warning("the page", page.value, "Nothing has to be done.")


def _absence(setup: Setup) -> Finding:
    """Return the finding that no daemon runs, or what it waits for before it can begin."""
    trouble = waits_for(setup.toml)
    if trouble:
        return error("daemon", f"It waits and tries again: {trouble.message}", trouble.next_step)
    with setup.archive() as archive:
        has_run = "started_at" in all_signs(archive)
    text = "No daemon is running, so this checks only what your shell can reach."
    remedy = "memproc service install, or in a terminal: memproc watch"
    return warning("daemon", text, remedy) if has_run else ok("daemon", text)
