"""Keep the jobs that devices give: each is a chat put into the inbox, as a person would drop it.

A job is a small file, so that it outlasts the page's process, which ends when it is idle. The
archive knows what became of it (job_report.py).
"""

import json
import re
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
from daemon.files.paths import Folders, sent_name
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import NotAnExport
from rules.typingmind.chat import Chat

_KEPT_SECONDS = 7 * 24 * 3600
_ID = 32  # hexadecimal digits
_LONGEST_ID = 200  # characters
_LONGEST_TITLE = 10_000  # characters
_NO_ID = re.compile(r"[/\\\x00-\x1f\x7f\ufffd]|^\.+$")
"""What is part of a path, or no character: half a surrogate pair is read as U+FFFD."""


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
    """Where the export lies in the inbox."""
    at: str
    after: int
    """Arrivals up to this number are older than the job."""
    starts: int = 0
    """How often the page has started a run for it, for want of a daemon."""
    started_at: str = ""


def only_chat(body: bytes) -> Chat:
    """Read an export that holds exactly one chat, whose id and title can be. Raises NotAnExport."""
    chats = chats_in("What was sent", body)
    if len(chats) != 1 or not chats[0].id_if_any:
        raise NotAnExport(
            "What was sent is not an export of one chat.", "Send one chat with its id."
        )
    chat_id, title = chats[0].id_if_any, chats[0].title
    if len(chat_id) > _LONGEST_ID or _NO_ID.search(chat_id):
        raise NotAnExport("This chat's id is none of TypingMind's.", "Export the chat by hand.")
    if len(title) > _LONGEST_TITLE or "\ufffd" in title:
        raise NotAnExport(
            f"This chat's title is longer than {_LONGEST_TITLE:,} characters, or holds half of one.",
            "Give it another title in TypingMind, then send it again.",
        )
    return chats[0]


def give_job(
    archive: Archive, folders: Folders, device: str, chat: Chat, body: bytes, now: str
) -> ChatJob:
    """Put a chat's export into the inbox, replacing what was sent of this chat before.

    Content that is being worked on already is not sent again. Raises FileTrouble.
    """
    digest = sha256(body).hexdigest()
    if arrival := in_hand(archive, digest):
        path, after = arrival.path, arrival.id - 1
    else:
        sent = folders.inbox / sent_name(chat.title, chat.chat_id)
        path, after = str(sent), newest_number(archive)
        make_private(folders.inbox)
        replace_file(sent, [body])
    job = ChatJob(token_hex(_ID // 2), device, chat.chat_id, digest, path, now, after)
    make_private(jobs_folder(folders.state))
    for old in jobs_folder(folders.state).glob("*.json"):
        if time() - old.stat().st_mtime > _KEPT_SECONDS:
            _remove(old)
    keep_job(folders.state, job)
    return job


def keep_job(state: Path, job: ChatJob) -> None:
    """Write the job's file. Raises FileTrouble."""
    replace_file(_file(state, job.id), [json.dumps(asdict(job)).encode()])


def find_job(state: Path, job_id: str, device: str) -> ChatJob | None:
    """Return the job if the device owns it, else None."""
    if len(job_id) != _ID or not job_id.isalnum():
        return None
    job = _read(_file(state, job_id))
    return job if job and job.device == device else None


def forget_jobs(state: Path, chat_ids: Collection[str]) -> None:
    """Remove all files of these chats' jobs, and every chat kept for a plan. Raises FileTrouble."""
    for path in lent_folder(state).glob("*"):
        _remove(path)
    for path in jobs_folder(state).glob("*.json"):
        job = _read(path)
        if job is None or job.chat_id in chat_ids:
            _remove(path)


def jobs_folder(state: Path) -> Path:
    """Return the folder of the jobs."""
    return bridge_folder(state) / "jobs"


def lent_folder(state: Path) -> Path:
    """Return the folder of chats that are being planned; they are removed afterwards."""
    return bridge_folder(state) / "planned"


def _remove(path: Path) -> None:
    """Remove a job."""
    with file_errors(path, "removed"):
        path.unlink(missing_ok=True)


def _read(path: Path) -> ChatJob | None:
    """Read a job; None where it is gone or cannot be read."""
    with suppress(FileNotFoundError, ValueError, TypeError):
        return ChatJob(**json.loads(path.read_bytes()))
    return None


def _file(state: Path, job_id: str) -> Path:
    return jobs_folder(state) / f"{job_id}.json"
