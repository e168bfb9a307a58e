"""Check the folders and what memproc keeps in them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.jobs import structural_faults
from daemon.files.backup import all_versions, check_backups
from daemon.files.paths import archive_path
from daemon.status.findings import Finding, Setup, error, ok, warning
from daemon.status.written import written_exports
from rules.errors import ArchiveError

_OTHERS = 0o077
_TIGHT_BYTES, _FULL_BYTES = 1_000_000_000, 200_000_000
_COPY = (
    "Copy the state folder away, then put the newest copy of the archive, "
    "out of its folder copies, in its place."
)
_VERIFY_AGAIN = "Drop the chat's export into the inbox again, and it is made again."


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
