"""Take the chat that a device sends as a job, and report the job's state to the extension.

The chat is put into the inbox, as a person would drop it. Its state is read from the row of its
file, whether a daemon has taken it or the page has started `memproc run` on it.

    waiting     not taken yet, or put off
    running     being worked on
    done        its updated export is ready
    unchanged   there was nothing to do
    skipped     the chat needs the person first; the sentence says what to do
    failed      the work could not be done
"""

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.arrivals import in_hand, newest_number
from daemon.archive.journal import spent_on
from daemon.archive.outputs import last_output
from daemon.archive.sent import ChatJob, keep_job
from daemon.archive.work import FileInWork, outcome_of_content, outcomes_in, work_of_job
from daemon.bridge.devices import bridge_folder
from daemon.files.clock import in_full, seconds_between
from daemon.files.lock import daemon_runs, is_held
from daemon.files.packing import sha256_of
from daemon.files.paths import Folders, sent_name
from daemon.files.private import make_private
from daemon.files.read import chats_in
from daemon.files.write import replace_file
from daemon.status.place import current_pause
from daemon.status.sentences import outcome_in_words
from daemon.status.status import present_run
from rules.arrival import IN_HAND, MOST_FAILURES, UNTAKEN
from rules.errors import NotAnExport
from rules.money.price import dollars
from rules.typingmind.chat import Chat
from rules.wording import as_sentence

MOST_STARTS = 3
_STARTING_SECONDS = 20.0
"""How long a run may take to get to its file."""
_AGAIN = "Send the chat again."
_LONGEST_ID = 200  # characters
_LONGEST_TITLE = 10_000  # characters
_NO_ID = re.compile(r"[/\\\x00-\x1f\x7f\ufffd]|^\.+$")
"""What no id may have: parts of a path, control characters, and U+FFFD, as which half a surrogate
pair is read."""


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job's state and progress: `done` of `total` memories, `usd` dollars so far.

    `reason` is empty where there is no trouble.
    """

    state: Literal["waiting", "running", "done", "unchanged", "skipped", "failed"]
    reason: str = ""
    done: int = 0
    total: int = 0
    usd: float = 0.0
    path: str = ""
    """The updated export, once it is done."""
    needs_run: bool = False
    """Whether the page must start a run: no daemon takes the job, and no run is at work."""


def only_chat(body: bytes) -> Chat:
    """Read an export of exactly one chat, with a possible id and title. Raises NotAnExport."""
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
    job = ChatJob(token_hex(16), device, chat.chat_id, digest, path, now, after)
    keep_job(archive, job)
    return job


def lent_folder(state: Path) -> Path:
    """Return the folder of chats that are being planned, which are removed afterwards."""
    return bridge_folder(state) / "planned"


def report_job(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """Report the job's progress. Raises ArchiveError or FileTrouble."""
    file = work_of_job(archive, job.after, job.sha256, job.path)
    progress = _of_file(archive, state, job, file) if file else None
    if progress is None and file is None and daemon_runs(state):
        progress = JobReport("waiting")
    if progress is None:
        progress = _to_be_run(state, job, now)
    if progress.state == "waiting" and not progress.reason and not progress.needs_run:
        pause = current_pause(archive, now)
        until = f" until {in_full(pause.until)}" if pause and pause.until else ""
        paused = f"memproc is paused{until}. To go on at once: memproc resume"
        progress = replace(progress, reason=paused if pause else "")
    if file and file.chat_id == job.chat_id:
        progress = replace(progress, done=file.done, total=file.total)
    spent = dollars(spent_on(archive, job.chat_id, job.at))
    return replace(progress, usd=round(spent, 6))


def _of_file(archive: Archive, state: Path, job: ChatJob, file: FileInWork) -> JobReport | None:
    """Report the job by the row of its file; None if a run must be started for it."""
    sentence = " ".join(map(as_sentence, filter(None, (file.reason, file.next_step))))
    by_hand = file.by != "daemon"
    if not by_hand and file.state in (*UNTAKEN, *IN_HAND) and not daemon_runs(state):
        return None
    match file.state:
        case "seen" | "settling" | "copied":
            return JobReport("waiting", sentence if file.next_step else "")
        case "working":
            goes_on = not by_hand or _is_at_work(archive, file)
            return JobReport("running", sentence) if goes_on else None
        case "waiting" | "paused":
            return JobReport("waiting", sentence)
        case "stopped":
            return JobReport("failed", sentence) if file.reason else None
        case "skipped":
            is_failure = file.tries >= MOST_FAILURES
            return JobReport("failed" if is_failure else "skipped", sentence)
        case "gone":
            return JobReport("failed", f"{sentence} {_AGAIN}")
    return _of_result(archive, job, file)


def _is_at_work(archive: Archive, file: FileInWork) -> bool:
    """Return whether the run by hand that took the file is still at work."""
    run = present_run(archive, file.changed_at)
    return run is not None and run.goes_on and run.began_at == file.run


def _of_result(archive: Archive, job: ChatJob, file: FileInWork) -> JobReport | None:
    """Report the outcome of the job's chat, whose file is done; None if a run must remake it."""
    outcomes = outcomes_in(archive, file.arrival)
    outcome = next((known for known in outcomes if known.chat_id == job.chat_id), None)
    outcome = outcome or outcome_of_content(archive, job.sha256, job.chat_id)
    if outcome is None:
        return JobReport("unchanged", "It is as memproc wrote it, so there was nothing to do.")
    if not outcome.path:
        return JobReport("unchanged", as_sentence(outcome_in_words(outcome)))
    last = last_output(archive, job.chat_id)
    if (
        last is None
        or last.path != outcome.path
        or (last.source_sha256 != job.sha256 and last.written_at > outcome.when)
    ):
        fault = "A newer updated export of this chat was written since."
    elif sha256_of(Path(outcome.path)) != last.sha256:
        fault = "Its updated export was changed or removed since it was written."
    else:
        return JobReport("done", path=outcome.path)
    # The daemon takes no content twice, so a run must make the result again.
    return None if file.by == "daemon" else JobReport("failed", f"{fault} {_AGAIN}")


def _to_be_run(state: Path, job: ChatJob, now: str) -> JobReport:
    """Report a job that no daemon takes: the page has started a run for it, or is to start one."""
    since = seconds_between(job.started_at, now)
    if since is not None and since < _STARTING_SECONDS:
        return JobReport("running")
    if sha256_of(Path(job.path)) != job.sha256:
        reason = f"Another version of this chat has taken its place in the inbox. {_AGAIN}"
        return JobReport("failed", reason)
    if is_held(state / "lock"):
        return JobReport("waiting", "Another memproc is at work; this chat comes after it.")
    if job.starts >= MOST_STARTS:
        reason = f"The work on it broke off {job.starts} times. See why with: memproc status"
        return JobReport("failed", reason)
    return JobReport("waiting", needs_run=True)
