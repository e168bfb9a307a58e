"""Do the timed jobs, in a child process.

prune      remove kept versions whose time is over; nothing, if any backup is damaged
verify     compare a part of the backups each day, and the updated exports, with their hashes
maintain   check the archive, merge its write-ahead log, and keep a copy of each of seven days
retry      find dropped files with postponed work that can be done now
"""

import json
from contextlib import suppress
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.archive import check_integrity as check_archive
from daemon.archive.arrivals import (
    is_needed,
    is_outdated,
    paused_arrivals,
    skipped_or_extracted,
)
from daemon.archive.jobs import part_to_verify, part_verified
from daemon.archive.signs import set_sign, sign
from daemon.archive.trouble import MEND
from daemon.chat.survey import survey
from daemon.events import RunDone
from daemon.files.backup import Version, all_versions, check_backups
from daemon.files.clock import here
from daemon.files.paths import Folders, arrivals_folder
from daemon.files.private import flush_folder, make_private
from daemon.files.read import read_export
from daemon.files.reasons import file_errors
from daemon.files.removal import finish_removals, remove_version
from daemon.files.write import flush_file, put_in_place, sweep, temporary_file
from daemon.inbox.intake import content_of
from daemon.models.context import Context
from daemon.remember.extracted import could_write
from daemon.status.folder_checks import written_exports
from rules.errors import ChatSkipped, FileTrouble, NotAnExport
from rules.plan.selection import why_excluded
from rules.retention import PARTS, Kept, choose_removals
from rules.typingmind.chat import Chat
from rules.typingmind.dates import parse_date, write_date

COPIES = 7
"""How many daily copies of the archive are kept."""
_DAY = timedelta(days=1)
_DAMAGED = "damaged_backups"


def do_job(name: str, context: Context) -> RunDone:
    """Do the job of this name. Raise FileTrouble or ArchiveError where it cannot be done."""
    match name:
        case "prune":
            return RunDone(name, prune(context.folders, here()))
        case "verify":
            return RunDone(name, verify_part(context.folders, context.archive, context.clock()))
        case "maintain":
            return RunDone(name, maintain(context.archive, context.folders.state, here()))
        case "retry":
            return RunDone(name, arrivals=postponed(context))
        case _:
            raise ValueError(f"there is no job {name}")


def prune(folders: Folders, now: datetime) -> str:
    """Remove the versions that `rules.retention` no longer keeps.

    Return why nothing was removed, else "". A version whose date cannot be read stays. All backups
    are read first: if one is damaged, the others may be needed. Raise FileTrouble.
    """
    backups = folders.backups
    finish_removals(backups)
    over: list[Version] = []
    for versions in all_versions(backups).values():
        dated = [
            Kept(version.number, version.kind == "original", when)
            for version in versions
            if (when := parse_date(version.written_at))
        ]
        numbers = choose_removals(dated, now)
        over += [version for version in versions if version.number in numbers]
    if over and (damages := check_backups(backups)):
        return (
            f"The backups are damaged ({damages[0].path}: {damages[0].reason}), "
            "so no old version was removed. Look at it with: memproc verify. "
            "A version that is lost for good goes out of INDEX.tsv by hand."
        )
    for version in over:
        remove_version(backups, version, write_date(now))
    return ""


def verify_part(folders: Folders, archive: Archive, now: str) -> str:
    """Verify the next part of the backups, those known to be damaged, and all updated exports.

    Return sentences on what is wrong, or "". A damaged backup is read again every day until it is
    mended, so the newest result always has everything that is known. Raise FileTrouble where the
    index of the backups cannot be read.
    """
    part, before = part_to_verify(archive), sign(archive, _DAMAGED)
    known_damaged = frozenset(json.loads(before.value)) if before else frozenset()
    damages = check_backups(
        folders.backups, lambda file: part_of(file) == part or file in known_damaged
    )
    files = [damage.path.relative_to(folders.backups).as_posix() for damage in damages]
    set_sign(archive, _DAMAGED, json.dumps(files), now)
    part_verified(archive, part, now)
    problems = []
    if damages:
        problems.append(
            f"{len(damages)} damaged in the backups, such as {damages[0].path}: {damages[0].reason}"
        )
        problems.append("See all with: memproc verify.")
    # A missing one is not damage: the person may remove it.
    changed = [export.path for export in written_exports(archive) if export.state == "changed"]
    if changed:
        problems.append(f"{changed[0]}: The updated export was changed after memproc wrote it.")
        problems.append("Drop the chat's export again to have it made anew.")
    return " ".join(problems)


def part_of(file: str) -> int:
    """Return the part that a kept file belongs to, by the hash of its path."""
    return int.from_bytes(sha256(file.encode()).digest()[:8], "big") % PARTS


def maintain(archive: Archive, state: Path, now: datetime) -> str:
    """Check the archive, and copy it to `state`/copies under the day's name.

    Return why it was not, else "". A damaged archive is not copied, and no copy is removed. Copies
    of dropped files that no arrival needs any more are removed after a day. Call it only while the
    archive's lock is held. Raise ArchiveError or FileTrouble.
    """
    # A daemon that was killed after its work may have left a dropped file's copy.
    oldest = (now - _DAY).timestamp()
    for path in sorted(arrivals_folder(state).glob("[!.]*")):
        with file_errors(path, "removed"):
            # Its access time is when it was copied or last read; its change time is the dropped
            # file's.
            if path.stat().st_atime < oldest and not is_needed(archive, path.stem):
                path.unlink(missing_ok=True)
    if faults := check_archive(archive):
        damage = f"The archive is damaged ({faults[0]}), so it was not copied."
        return f"{damage} The copies of the days before were kept. {MEND}"
    archive.fold_log()
    folder = state / "copies"
    make_private(folder)
    sweep(folder)
    place = folder / f"archive-{now:%Y-%m-%d}.sqlite3"
    # SQLite can copy into an existing empty file, so the copy is private from its first byte on.
    # Others may write to the archive meanwhile.
    with temporary_file(folder) as temp:
        archive.copy_to(str(temp))
        with file_errors(place, "written"):
            with temp.open("r+b") as file:
                flush_file(file.fileno())
            put_in_place(temp, place)
            flush_folder(folder)
    for path in sorted(folder.glob("archive-????-??-??.sqlite3"))[:-COPIES]:
        with file_errors(path, "removed"):
            path.unlink(missing_ok=True)
    return ""


def postponed(context: Context) -> tuple[int, ...]:
    """Return the numbers of the arrivals that are worth another attempt.

    These are the paused ones, and those skipped or written with extracted memories for which a
    model can be asked now. Waiting ones are left out: they have a time of their own. Nothing is
    asked or changed. Raise ArchiveError, or ConfigurationError for wrong texts.
    """
    archive = context.archive
    worth_it = [*paused_arrivals(archive)]
    for arrival in skipped_or_extracted(archive):
        path = content_of(context.folders.state, arrival)
        if path is None:
            continue
        with suppress(FileTrouble, NotAnExport):
            export = read_export(path)
            # If a chat has gone on in a newer file, it is processed from there.
            is_old = any(is_outdated(archive, arrival, chat_id) for chat_id in export.chat_ids)
            if not is_old and any(_has_work(context, chat) for chat in export.chats()):
                worth_it.append(arrival.id)
    return tuple(worth_it)


def _has_work(context: Context, chat: Chat) -> bool:
    """Return whether the chat's plan has work; False for a chat that cannot be processed."""
    config = context.config.of(chat)
    if why_excluded(chat, config.chats.include, config.chats.exclude):
        return False
    try:
        now = context.clock()
        surveyed = survey(context.archive, chat, config, context.key, now, could_write)
    except ChatSkipped:
        return False
    return bool(surveyed.plan.work) and surveyed.too_large is None
