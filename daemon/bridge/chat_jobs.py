"""The jobs that a device has given: each is a chat that was put into the inbox, as a person would drop it.

A job is a small file, so that it outlasts the page's process, which ends while nobody looks. What has become of it is
told by the archive (job_report.py).
"""

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from time import time

from daemon.archive.archive import Archive
from daemon.archive.arrivals import in_hand, newest_number
from daemon.bridge.devices import bridge_folder
from daemon.files.names import sent_name
from daemon.files.paths import Folders
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import NotAnExport
from rules.typingmind.chat import Chat

_KEPT_SECONDS = 7 * 24 * 3600
_ID = 32  # hexadecimal digits


@dataclass(frozen=True, slots=True)
class ChatJob:
    """A chat that a device has sent, and where it was put."""

    id: str
    device: str
    """The id of the device, which alone may ask about it."""
    chat_id: str
    sha256: str
    """The hash of the export that was sent."""
    path: str
    """The path of the export in the inbox."""
    at: str
    after: int
    """Arrivals up to this number in the archive are older, and say nothing of this job."""
    starts: int = 0
    """The number of times that the page has started a run for it, where no daemon was there."""
    started_at: str = ""


def only_chat(body: bytes) -> Chat:
    """The chat of an export with one chat. Raises NotAnExport."""
    chats = chats_in("What was sent", body)
    if len(chats) != 1 or not chats[0].id_if_any:
        raise NotAnExport(
            "What was sent is not an export of one chat.", "Send one chat with its id."
        )
    return chats[0]


def give_job(
    archive: Archive, folders: Folders, device: str, chat: Chat, body: bytes, now: str
) -> ChatJob:
    """Put the export of a chat into the inbox, in the place of what was sent of this chat before.

    Where the same content is worked on already, that counts. Raises FileTrouble.
    """
    digest, job_id = sha256(body).hexdigest(), token_hex(_ID // 2)
    if arrival := in_hand(archive, digest):
        job = ChatJob(job_id, device, chat.chat_id, digest, arrival.path, now, after=arrival.id - 1)
    else:
        path = folders.inbox / sent_name(chat.title, chat.chat_id)
        job = ChatJob(
            job_id, device, chat.chat_id, digest, str(path), now, after=newest_number(archive)
        )
        make_private(folders.inbox)
        replace_file(path, [body])
    make_private(jobs_folder(folders.state))
    _sweep(jobs_folder(folders.state))
    keep_job(folders.state, job)
    return job


def keep_job(state: Path, job: ChatJob) -> None:
    """Write the job down. Raises FileTrouble."""
    replace_file(_file(state, job.id), [json.dumps(asdict(job)).encode()])


def find_job(state: Path, job_id: str, device: str) -> ChatJob | None:
    """The device's own job of this id, or None."""
    if len(job_id) != _ID or not job_id.isalnum():
        return None
    job = _read(_file(state, job_id))
    return job if job and job.device == device else None


def forget_jobs(state: Path, chat_ids: Collection[str]) -> None:
    """Remove all that the jobs of these chats have left, and what was sent for a plan. Raises FileTrouble."""
    for path in lent_folder(state).glob("*"):
        _remove(path)
    for path in jobs_folder(state).glob("*.json"):
        job = _read(path)
        if job is None or job.chat_id in chat_ids:
            _remove(path)


def events_file(state: Path, job: ChatJob) -> Path:
    """The file in which the run that the page has started says what happens."""
    return jobs_folder(state) / f"{job.id}.events"


def jobs_folder(state: Path) -> Path:
    """The folder of the jobs."""
    return bridge_folder(state) / "jobs"


def lent_folder(state: Path) -> Path:
    """The folder of chats while they are planned; none of them is kept."""
    return bridge_folder(state) / "planned"


def _sweep(folder: Path) -> None:
    """Remove the jobs that nobody asks about any more."""
    for path in folder.glob("*.json"):
        if time() - path.stat().st_mtime > _KEPT_SECONDS:
            _remove(path)


def _remove(path: Path) -> None:
    with file_errors(path, "removed"):
        path.with_suffix(".events").unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def _read(path: Path) -> ChatJob | None:
    with suppress(FileNotFoundError, ValueError, TypeError):
        return ChatJob(**json.loads(path.read_bytes()))
    return None


def _file(state: Path, job_id: str) -> Path:
    return jobs_folder(state) / f"{job_id}.json"
