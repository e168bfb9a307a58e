"""Chats that a paired browser has sent. Each is a job, and forgotten a week later."""

from dataclasses import asdict, dataclass
from datetime import timedelta

from daemon.archive.archive import Archive
from daemon.archive.records import list_columns
from daemon.files.clock import at
from rules.typingmind.dates import write_date

_KEPT = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ChatJob:
    """A chat that a device has sent, and where it was put."""

    id: str
    device: str
    """The id of the only device that may ask about the job."""
    chat_id: str
    sha256: str
    """The hash of the export that was sent."""
    path: str
    """The path of the export in the inbox."""
    at: str
    after: int
    """The newest arrival's number when the job came: only later ones can be the job's."""
    starts: int = 0
    """How often the page has started a run for it, because no daemon was running."""
    started_at: str = ""


def keep_job(archive: Archive, job: ChatJob) -> None:
    """Store a job, and forget those older than a week."""
    with archive.transaction():
        archive.run("DELETE FROM sent WHERE at < ?", (write_date(at(job.at) - _KEPT),))
        archive.insert("sent", asdict(job))


def find_job(archive: Archive, job_id: str, device: str) -> ChatJob | None:
    """Return the job if the device owns it, else None."""
    sql = f"SELECT {list_columns(ChatJob)} FROM sent WHERE id = ? AND device = ?"  # noqa: S608
    return archive.first(ChatJob, sql, (job_id, device))


def count_start(archive: Archive, job: ChatJob, now: str) -> bool:
    """Record that a run is started for the job. Return False if another process has started one."""
    start = "UPDATE sent SET starts = ?, started_at = ? WHERE id = ? AND starts = ? RETURNING 1"
    return archive.value(start, (job.starts + 1, now, job.id, job.starts)) is not None
