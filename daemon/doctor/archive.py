"""What memproc keeps: the archive is sound, the backups can be read, the updated exports are as they were written."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from daemon.archive.archive import Archive, check
from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Place
from daemon.files.backup import all_versions
from daemon.files.backup import check as check_backups
from daemon.paths import archive_path
from daemon.standing import standing_exports
from rules.errors import ArchiveError
from rules.typingmind.dates import parse_date

_SLACK = timedelta(minutes=2)
_TIMES = (
    ("chat", "last_seen"),
    ("output", "written_at"),
    ("reply", "answered_at"),
    ("arrival", "changed_at"),
    ("sign", "at"),
)
_COPY = "Copy the state folder away, then put the newest copy of the archive, out of its folder copies, in its place."
_AGAIN = "Drop the chat's export into the inbox again to have it made anew."


def archive(place: Place) -> Iterator[Finding]:
    """The archive is whole: its structure, and with `--thorough` each raw message against its hash."""
    if not archive_path(place.folders.state).exists():
        yield ok("archive", "There is none yet: it comes with the first run.")
        return
    try:
        faults = _faults(place)
    except ArchiveError as trouble:
        yield error("archive", trouble.message, trouble.next_step)
        return
    if faults:
        yield error("archive", f"It is damaged: {'; '.join(faults[:3])}.", _COPY)
    else:
        how = "every message against its hash" if place.thorough else "its structure; more with --thorough"
        yield ok("archive", f"It is sound ({how}).")


def archive_clock(place: Place) -> Iterator[Finding]:
    """The clock does not stand before the newest row of the archive."""
    with Archive.read(place.folders.state) as kept:
        newest = max((_newest(kept, table, column) for table, column in _TIMES), default="")
    written = parse_date(newest) if newest else None
    if written and written.astimezone(UTC) > place.machine.now + _SLACK:
        told = f"It shows {_shown(place.machine.now)}, and the archive's newest row is of {_shown(written)}."
        yield error("clock and archive", told, "Set the clock: the order of what is kept goes by it.")
    else:
        yield ok("clock and archive", "Nothing in the archive is from the future.")


def backups(place: Place) -> Iterator[Finding]:
    """The newest kept version of each chat can be read to its last byte; with `--thorough` every one."""
    folder = place.folders.backups
    kept = all_versions(folder)
    newest = {of_chat[-1].path.relative_to(folder).as_posix() for of_chat in kept.values()}
    damages = check_backups(folder, lambda file: place.thorough or file in newest)
    for damage in damages:
        told = f"{damage.path}: {damage.reason}"
        yield error("backups", told, "Look at all that is kept: memproc verify. Keep what is whole in a second place.")
    if not damages:
        number = sum(map(len, kept.values()))
        looked_at = "all of them" if place.thorough else "the newest of each chat; all with --thorough"
        told = f"Versions kept: {number:,}. They can be read ({looked_at})." if number else "Nothing is kept yet."
        yield ok("backups", told)


def outputs(place: Place) -> Iterator[Finding]:
    """The newest updated export of each chat is there, as it was written."""
    with Archive.read(place.folders.state) as kept:
        written = tuple(standing_exports(kept))
    for export in written:
        if export.state == "gone":
            yield warning("updated exports", f'The one of "{export.title}" is not at {export.path} any more.', _AGAIN)
        elif export.state == "changed":
            yield error("updated exports", f"{export.path} was changed after memproc wrote it.", _AGAIN)
    if all(export.state == "as written" for export in written):
        yield ok("updated exports", f"As they were written: {len(written):,}." if written else "None is written yet.")


def _faults(place: Place) -> list[str]:
    with Archive.read(place.folders.state) as kept:
        if place.thorough:
            return list(check(kept))
        return [str(fault) for (fault,) in kept.run("PRAGMA quick_check") if fault != "ok"]


def _newest(kept: Archive, table: str, column: str) -> str:
    return str(kept.run(f"SELECT coalesce(max({column}), '') FROM {table}")[0][0])  # noqa: S608  the names are ours


def _shown(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
