"""Check the folders, their rights and their room, and what memproc keeps in them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Literal

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import known_chats
from daemon.archive.jobs import structural_faults
from daemon.archive.outputs import standing_outputs
from daemon.files.backup import all_versions, check_backups
from daemon.files.candidates import describe_unpacked
from daemon.files.packing import sha256_of
from daemon.files.paths import archive_path
from daemon.status.findings import Finding, Setup, error, ok, warning
from rules.errors import ArchiveError
from rules.wording import cut_title

_OTHERS = 0o077
_TIGHT_BYTES = 1_000_000_000
_FULL_BYTES = 200_000_000
_COPY = (
    "Copy the state folder away, then put the newest copy of the archive, "
    "out of its folder copies, in its place."
)
_KEEP_WHOLE = (
    "Nothing has to be done. To have Safari leave ZIPs as they are, untick in its settings, under "
    'General: Open "safe" files after downloading.'
)
_VERIFY_AGAIN = "Drop the chat's export into the inbox again, and it is made again."


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """An updated export and its present state; the person may have removed it."""

    title: str
    path: Path
    state: Literal["as written", "changed", "gone"]


def folders(setup: Setup) -> Iterator[Finding]:
    """Check that the four folders exist. The first run makes all but the inbox."""
    named = asdict(setup.folders)
    absent = {name: path for name, path in named.items() if not path.is_dir()}
    for name, path in absent.items():
        if path.exists():
            remedy = "Move it away, or choose another folder in memproc.toml, [folders]."
            yield error(f"folder {name}", f"{path} is not a folder.", remedy)
        elif archive_path(setup.folders.state).exists():  # after a run, something is lost
            text = f"{path} is not there. Was it moved, or its disk taken away?"
            yield error(f"folder {name}", text, "Put it back; to make a new one: memproc init")
        else:
            finding = error if name == "inbox" else warning
            yield finding(f"folder {name}", f"{path} is not there yet.", "memproc init")
    if not absent:
        paths = ", ".join(map(str, named.values()))
        yield ok("folders", f"All four are there: {paths}.")
    for name, sentence in describe_unpacked(setup.folders.inbox):
        yield warning(f"inbox: {name}", sentence, _KEEP_WHOLE)


def rights(setup: Setup) -> Iterator[Finding]:
    """Check that the account owns the folders and can use them, and others cannot (0700, 0600)."""
    if setup.machine.system == "win32":
        yield ok("rights", "On Windows, a person's own folders are private.")
        return
    findings: list[Finding] = []
    for name, path in setup.present_folders.items():
        findings += _rights(setup, name, path)
    yield from findings or [ok("rights", "Only you can read what memproc keeps.")]


def _rights(setup: Setup, name: str, path: Path) -> Iterator[Finding]:
    """Yield the first fault of a folder's rights, if there is one."""
    status = path.stat()
    folder, in_shell = f"folder {name}", quote(str(path))
    if status.st_uid != setup.machine.user:
        text = f"{path} belongs to another account (number {status.st_uid})."
        yield error(folder, text, f"sudo chown -R {setup.machine.user} {in_shell}")
        return
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        text = f"{path} cannot be read and written by your account, or its disk is read-only."
        yield error(folder, text, f"chmod u+rwx {in_shell}")
        return
    if status.st_mode & _OTHERS:
        text = f"Other accounts can look into {path}, where your conversations lie."
        yield warning(folder, text, f"chmod 700 {in_shell}")
        return
    open_files = []
    for inside in path.rglob("*") if name != "inbox" else ():
        with suppress(FileNotFoundError):  # removed meanwhile
            if inside.lstat().st_mode & _OTHERS and not inside.is_symlink():
                open_files.append(inside)
    if open_files:
        text = f"In {path}, other accounts have rights to {open_files[0]} "
        text += f"({len(open_files):,} in all)."
        yield warning(folder, text, f"chmod -R go= {in_shell}")


def disk(setup: Setup) -> Iterator[Finding]:
    """Check the free space on each folder's disk: an error below 200 MB, a warning below 1 GB."""
    on_disk: dict[int, dict[str, Path]] = {}
    for name, path in setup.present_folders.items():
        on_disk.setdefault(path.stat().st_dev, {})[name] = path
    for folders_on_it in on_disk.values():
        first = next(iter(folders_on_it.values()))
        free = setup.free(first)
        text = f"{free / 1e9:,.1f} GB are free for {', '.join(folders_on_it)}."
        if free < _FULL_BYTES:
            remedy = "Free some space: below 200 MB the next write may fail."
            yield error("disk space", text, remedy)
        elif free < _TIGHT_BYTES:
            yield warning("disk space", text, "Free some space before it runs out.")
        else:
            yield ok("disk space", text)


def archive(setup: Setup) -> Iterator[Finding]:
    """Check the archive's structure, and with `--thorough` each raw message against its hash."""
    state = setup.folders.state
    if not archive_path(state).exists():
        yield ok("archive", "There is none yet: it comes with the first run.")
        return
    extent = "its structure; more with --thorough"
    if setup.is_thorough:
        extent = "every message against its hash"
    try:
        with setup.archive() as opened:
            faults = check_integrity(opened) if setup.is_thorough else structural_faults(opened)
            zone = opened.zone
    except ArchiveError as fault:
        yield error("archive", fault.message, fault.next_step)
        return
    if faults:
        yield error("archive", f"It is damaged: {'; '.join(faults[:3])}.", _COPY)
    else:
        yield ok("archive", f"It is sound ({extent}). Its days are those of {zone}.")


def backups(setup: Setup) -> Iterator[Finding]:
    """Check that each chat's newest version can be read to the end; `--thorough`: every one."""
    folder = setup.folders.backups
    kept_versions = all_versions(folder).values()
    newest = {versions[-1].path.relative_to(folder).as_posix() for versions in kept_versions}
    damages = check_backups(folder, lambda file: setup.is_thorough or file in newest)
    for damage in damages:
        remedy = "Look at all that is kept: memproc verify. Keep what is whole in a second place."
        yield error("backups", f"{damage.path}: {damage.reason}", remedy)
    if damages:
        return
    number = sum(map(len, kept_versions))
    extent = "all of them" if setup.is_thorough else "the newest of each chat; all with --thorough"
    sound = f"Versions kept: {number:,}. They can be read ({extent})."
    yield ok("backups", sound if number else "Nothing is kept yet.")


def outputs(setup: Setup) -> Iterator[Finding]:
    """Check that each chat's newest updated export exists, as it was written."""
    name = "updated exports"
    with setup.archive() as opened:
        exports = tuple(written_exports(opened))
    changed = [export for export in exports if export.state != "as written"]
    for export in changed:
        if export.state == "gone":
            text = f'The one of "{cut_title(export.title)}" is not at {export.path} any more.'
            yield warning(name, text, _VERIFY_AGAIN)
        else:
            text = f"{export.path} was changed after memproc wrote it."
            yield error(name, text, _VERIFY_AGAIN)
    if not changed:
        sound = f"As they were written: {len(exports):,}."
        yield ok(name, sound if exports else "None is written yet.")


def written_exports(archive: Archive) -> Iterator[WrittenExport]:
    """Yield the present updated exports of all chats, each file once.

    Each is read to check its hash.
    """
    titles = {chat.chat_id: chat.title for chat in known_chats(archive)}
    for output in standing_outputs(archive):
        path = Path(output.path)
        title = titles.get(output.chat_id, output.chat_id)
        match sha256_of(path):
            case None:
                yield WrittenExport(title, path, "gone")
            case output.sha256:
                yield WrittenExport(title, path, "as written")
            case _:
                yield WrittenExport(title, path, "changed")
