"""Check the setup, the service, the folders and what memproc keeps in them."""

import hashlib
import os
import platform
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import known_chats
from daemon.archive.jobs import structural_faults
from daemon.archive.outputs import standing_outputs
from daemon.archive.signs import Sign, all_signs
from daemon.files.backup import all_versions, check_backups
from daemon.files.clock import with_span
from daemon.files.lock import is_held
from daemon.files.packing import sha256_of
from daemon.files.paths import archive_path
from daemon.status.findings import Finding, Machine, Setup, error, ok, warning
from daemon.status.place import DaemonPlace, waits_for
from daemon.status.status import daemon_problems
from rules.errors import ArchiveError
from rules.typingmind.dates import write_date

LITELLM = ((1, 105, 7), (1, 110))
MALICIOUS = ("1.82.7", "1.82.8")
"""Versions of LiteLLM that stole keys from every machine that ran them, in March 2026."""
_AGAIN = "Install memproc again in an environment of its own: pipx install --force ."
_FULL_DISK_ACCESS = (
    "Choose an inbox outside Documents, Desktop and Downloads; or give memproc's Python "
    "Full Disk Access, in System Settings under Privacy & Security."
)
# tiktoken names a table by the SHA-1 of its address, and knows the SHA-256 of its bytes.
TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"

_OTHERS = 0o077
_TIGHT_BYTES, _FULL_BYTES = 1_000_000_000, 200_000_000
_COPY = (
    "Copy the state folder away, then put the newest copy of the archive, "
    "out of its folder copies, in its place."
)
_VERIFY_AGAIN = "Drop the chat's export into the inbox again, and it is made again."


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """An updated export as it is now; one that is gone may be the person's doing."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def versions(machine: Machine) -> Iterator[Finding]:
    """Report the versions of Python and SQLite; too old ones are refused elsewhere."""
    yield ok("Python", f"{platform.python_version()}.")
    yield ok("SQLite", f"{sqlite3.sqlite_version}.")


def litellm(machine: Machine) -> Iterator[Finding]:
    """Check that LiteLLM is there in a version that memproc was tried with, and not malicious."""
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
    """Check that the tokenizer's table is here whole, so that counting needs no network."""
    path = machine.tokenizers / TABLE
    if not path.is_file():
        yield error("tokenizer", f"Its table is not at {path}, so it would be downloaded.", _AGAIN)
    elif hashlib.sha256(path.read_bytes()).hexdigest() != TABLE_SHA256:
        yield error("tokenizer", f"Its table {path} is damaged.", _AGAIN)
    else:
        yield ok("tokenizer", "Its table is here; tokens are counted offline.")


def service(machine: Machine) -> Iterator[Finding]:
    """Check that the system's service is installed and runs."""
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
    """Check the running daemon by its own signs: it may not be allowed what a shell is."""
    if not is_held(DaemonPlace(setup.folders.state).lock):
        yield _absence(setup)
        return
    with Archive.read(setup.folders.state) as archive:
        signs = all_signs(archive)
    now = write_date(setup.machine.now)
    problems = [*daemon_problems(signs, now, True, setup.config.watch.rescan_seconds)]
    for problem in problems:
        is_denied = problem.what == "the inbox" and setup.machine.system == "darwin"
        remedy = _FULL_DISK_ACCESS if is_denied else problem.next_step
        finding = warning if problem.what == "the watch on the inbox" else error
        yield finding(problem.what, problem.reason, remedy)
    if not problems:
        yield ok("daemon", _last_look(signs, now))


def _absence(setup: Setup) -> Finding:
    if trouble := waits_for(setup.toml):
        return error("daemon", f"It waits and tries again: {trouble.message}", trouble.next_step)
    text = "No daemon is running, so this checks only what your shell can reach."
    return warning("daemon", text, "memproc service install, or in a terminal: memproc watch")


def _last_look(signs: Mapping[str, Sign], now: str) -> str:
    if "last_scan" not in signs:
        return "It runs, and has not looked through the inbox yet."
    watch = f" {signs['watch_note'].value}" if "watch_note" in signs else ""
    return f"It last looked through the inbox at {with_span(signs['last_scan'].at, now)}.{watch}"


def folders(setup: Setup) -> Iterator[Finding]:
    """Check that the four folders are there. All but the inbox come with the first run."""
    has_run = archive_path(setup.folders.state).exists()
    absent = [(name, path) for name, path in setup.named_folders.items() if not path.is_dir()]
    for name, path in absent:
        if path.exists():
            remedy = "Move it away, or choose another folder in memproc.toml, [folders]."
            yield error(f"folder {name}", f"{path} is not a folder.", remedy)
        elif has_run:
            text = f"{path} is not there. Was it moved, or its disk taken away?"
            yield error(f"folder {name}", text, "Put it back; to make a new one: memproc init")
        elif name == "inbox":
            yield error("folder inbox", f"{path} is not there yet.", "memproc init")
        else:
            yield warning(f"folder {name}", f"{path} is not there yet.", "memproc init")
    if not absent:
        yield ok(
            "folders", f"All four are there: {', '.join(map(str, setup.named_folders.values()))}."
        )


def rights(setup: Setup) -> Iterator[Finding]:
    """Check that the account owns and can use the folders, and others cannot (0700, 0600)."""
    if setup.machine.system == "win32":
        yield ok("rights", "On Windows, a person's own folders are private.")
        return
    findings = [
        finding
        for name, path in setup.present_folders.items()
        for finding in _rights(setup, name, path)
    ]
    yield from findings or [ok("rights", "Only you can read what memproc keeps.")]


def _rights(setup: Setup, name: str, path: Path) -> Iterator[Finding]:
    status = path.stat()
    if status.st_uid != setup.machine.user:
        text = f"{path} belongs to another account (number {status.st_uid})."
        yield error(
            f"folder {name}", text, f"sudo chown -R {setup.machine.user} {quote(str(path))}"
        )
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        text = f"{path} cannot be read and written by your account."
        yield error(f"folder {name}", text, f"chmod u+rwx {quote(str(path))}")
    elif status.st_mode & _OTHERS:
        text = f"Other accounts can look into {path}, where your conversations lie."
        yield warning(f"folder {name}", text, f"chmod 700 {quote(str(path))}")
    elif name != "inbox":
        open_files = []
        for file in path.rglob("*"):
            with suppress(FileNotFoundError):  # it has just gone
                if file.lstat().st_mode & _OTHERS and not file.is_symlink():
                    open_files.append(file)
        if open_files:
            text = (
                f"In {path}, other accounts have rights to {open_files[0]} "
                f"({len(open_files):,} in all)."
            )
            yield warning(f"folder {name}", text, f"chmod -R go= {quote(str(path))}")


def disk(setup: Setup) -> Iterator[Finding]:
    """Check the room on each folder's disk: below 200 MB is an error, below 1 GB a warning."""
    on_disk: dict[int, list[tuple[str, Path]]] = {}
    for name, path in setup.present_folders.items():
        on_disk.setdefault(path.stat().st_dev, []).append((name, path))
    for folders_on_it in on_disk.values():
        free = setup.free(folders_on_it[0][1])
        text = f"{free / 1e9:,.1f} GB are free for {', '.join(name for name, _ in folders_on_it)}."
        if free < _FULL_BYTES:
            yield error(
                "disk space", text, "Free some space: below 200 MB the next write may fail."
            )
        elif free < _TIGHT_BYTES:
            yield warning("disk space", text, "Free some space before it runs out.")
        else:
            yield ok("disk space", text)


def archive(setup: Setup) -> Iterator[Finding]:
    """Check the archive's structure, and with `--thorough` each raw message against its hash."""
    if not archive_path(setup.folders.state).exists():
        yield ok("archive", "There is none yet: it comes with the first run.")
        return
    try:
        with Archive.read(setup.folders.state) as opened:
            faults = check_integrity(opened) if setup.is_thorough else structural_faults(opened)
    except ArchiveError as fault:
        yield error("archive", fault.message, fault.next_step)
        return
    if faults:
        yield error("archive", f"It is damaged: {'; '.join(faults[:3])}.", _COPY)
    else:
        extent = (
            "every message against its hash"
            if setup.is_thorough
            else "its structure; more with --thorough"
        )
        yield ok("archive", f"It is sound ({extent}).")


def backups(setup: Setup) -> Iterator[Finding]:
    """Check that each chat's newest version can be read to the end; `--thorough`: every one."""
    folder = setup.folders.backups
    kept_versions = all_versions(folder)
    newest = {of_chat[-1].path.relative_to(folder).as_posix() for of_chat in kept_versions.values()}
    damages = check_backups(folder, lambda file: setup.is_thorough or file in newest)
    for damage in damages:
        remedy = "Look at all that is kept: memproc verify. Keep what is whole in a second place."
        yield error("backups", f"{damage.path}: {damage.reason}", remedy)
    if not damages:
        number = sum(map(len, kept_versions.values()))
        extent = (
            "all of them" if setup.is_thorough else "the newest of each chat; all with --thorough"
        )
        text = (
            f"Versions kept: {number:,}. They can be read ({extent})."
            if number
            else "Nothing is kept yet."
        )
        yield ok("backups", text)


def outputs(setup: Setup) -> Iterator[Finding]:
    """Check that each chat's newest updated export is there, as it was written."""
    with Archive.read(setup.folders.state) as opened:
        exports = tuple(written_exports(opened))
    for export in exports:
        if export.state == "gone":
            text = f'The one of "{export.title}" is not at {export.path} any more.'
            yield warning("updated exports", text, _VERIFY_AGAIN)
        elif export.state == "changed":
            yield error(
                "updated exports",
                f"{export.path} was changed after memproc wrote it.",
                _VERIFY_AGAIN,
            )
    if all(export.state == "as written" for export in exports):
        yield ok(
            "updated exports",
            f"As they were written: {len(exports):,}." if exports else "None is written yet.",
        )


def written_exports(archive: Archive) -> Iterator[WrittenExport]:
    """Yield the updated exports that chats have now, each file once; each is read to its end."""
    titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    for output in standing_outputs(archive):
        path = Path(output.path)
        content = sha256_of(path)
        state: Literal["changed", "gone"] = "gone" if content is None else "changed"
        title = titles.get(output.chat_id, output.chat_id)
        yield WrittenExport(title, path, "as written" if content == output.sha256 else state)
