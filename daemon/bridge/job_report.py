"""Report to the extension what became of a job.

With a daemon, the file was taken out of the inbox and the archive's arrivals tell its progress.
Without one, the page has started `memproc run` on the file, which writes its events next to the
job.

    waiting     not taken yet, or put off
    running     being worked on
    done        its updated export is ready
    unchanged   there was nothing to do
    skipped     the chat needs a person first; the sentence says what to do
    failed      the work could not be done
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, arrivals_of_job, outcome_of_content
from daemon.archive.journal import spent_on
from daemon.archive.outputs import last_output
from daemon.archive.signs import kept_run
from daemon.bridge.chat_jobs import ChatJob, events_file
from daemon.events import ChatIs, Event, NoEvent, RunDone, RunFailed, of_line
from daemon.files.clock import in_full, seconds_between
from daemon.files.lock import daemon_runs, is_held
from daemon.files.packing import sha256_of
from daemon.status.place import current_pause
from daemon.status.status import run_progress
from rules.arrival import IN_HAND, MOST_FAILURES, UNTAKEN
from rules.money.price import dollars
from rules.typingmind.dates import write_date

MOST_STARTS = 3
_STARTING_SECONDS = 60.0
"""How long a run may take to write its first event."""
_AGAIN = "Send the chat again."


@dataclass(frozen=True, slots=True)
class JobReport:
    """A job's progress: `done` of `total` memories, `usd` dollars so far.

    Without trouble, no `reason`.
    """

    state: Literal["waiting", "running", "done", "unchanged", "skipped", "failed"]
    reason: str = ""
    done: int = 0
    total: int = 0
    usd: float = 0.0
    path: str = ""
    """The updated export, once it is done."""
    at: str = ""
    """When that was reported."""
    needs_run: bool = False
    """True if the page has to start a run: no daemon takes the job, and no run is at work."""


def report_job(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """Report the job's progress. Raises ArchiveError or FileTrouble."""
    progress = _progress(archive, state, job, now)
    fault = _fault_of_result(archive, job, progress)
    if fault:
        progress = JobReport("failed", fault)
    run = kept_run(archive, now)
    if run and run.chat_id == job.chat_id and run.kept_at >= job.at:
        progress = replace(progress, done=run.done, total=run.of)
    spent = dollars(spent_on(archive, job.chat_id, job.at))
    return replace(progress, usd=round(spent, 6))


def started(state: Path, job: ChatJob, now: str) -> ChatJob:
    """Count the start of a run for the job. A run that found the archive busy does not count."""
    found_it_busy = _is_busy(_events(state, job))
    return replace(job, starts=job.starts + (not found_it_busy), started_at=now)


def _progress(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """Report the job by the page's run if that has ended it well, else by the daemon's work on it.

    Where neither has done anything, it is waiting, or a run is to be started.
    """
    by_run = _of_run(state, job)
    arrival = _deciding(arrivals_of_job(archive, job.after, job.sha256, job.path))
    if by_run and (arrival is None or _is_well(archive, job, by_run)):
        return by_run
    by_daemon = _of_daemon(archive, job, arrival, daemon_runs(state))
    if by_daemon:
        return _or_paused(archive, by_daemon, now)
    return by_run or _under_way(archive, state, job, now)


def _is_well(archive: Archive, job: ChatJob, ended: JobReport) -> bool:
    """Return whether the job was done, and its result still counts."""
    is_done = ended.state in ("done", "unchanged")
    return is_done and not _fault_of_result(archive, job, ended)


def _of_daemon(
    archive: Archive, job: ChatJob, arrival: Arrival | None, has_daemon: bool
) -> JobReport | None:
    """Report what the daemon makes or made of the job; None where it does nothing about it."""
    if arrival is None:
        return JobReport("waiting") if has_daemon else None
    is_open = arrival.state in (*UNTAKEN, *IN_HAND)
    if is_open and not has_daemon:
        return None
    report = _of_arrival(archive, job, arrival)
    # The daemon takes no content twice: where the result no longer counts, a run makes it again.
    return None if _fault_of_result(archive, job, report) else report


def _or_paused(archive: Archive, progress: JobReport, now: str) -> JobReport:
    """Add to a waiting job that the daemon is paused."""
    pause = current_pause(archive, now)
    if progress.state != "waiting" or progress.reason or pause is None:
        return progress
    until = f" until {in_full(pause.until)}" if pause.until else ""
    return replace(progress, reason=f"memproc is paused{until}. To go on at once: memproc resume")


def _of_arrival(archive: Archive, job: ChatJob, arrival: Arrival) -> JobReport:
    """Report the job by the state of its file in the inbox."""
    sentence = _sentences(arrival.reason, arrival.next_step)
    match arrival.state:
        case "seen" | "settling" | "copied":
            return JobReport("waiting", sentence if arrival.next_step else "")
        case "planned":
            return JobReport("running")
        case "working":
            return JobReport("running", sentence)
        case "waiting" | "paused":
            return JobReport("waiting", sentence)
        case "skipped":
            is_failure = arrival.tries >= MOST_FAILURES
            return JobReport("failed" if is_failure else "skipped", sentence)
        case "gone":
            return JobReport("failed", f"{sentence} {_AGAIN}")
    return _of_outcome(archive, job)


def _of_outcome(archive: Archive, job: ChatJob) -> JobReport:
    """Report what became of the chat, where the daemon has finished its file."""
    outcome = outcome_of_content(archive, job.sha256, job.chat_id)
    if outcome is None:
        return JobReport("unchanged", "It stands as memproc wrote it, so there was nothing to do.")
    if outcome.path:
        return JobReport("done", path=outcome.path, at=outcome.at)
    return JobReport("unchanged", _sentences(outcome.detail))


def _deciding(arrivals: Sequence[Arrival]) -> Arrival | None:
    """Choose the arrival that decides: one in hand, else the newest with the job's content."""
    taken = [arrival for arrival in arrivals if arrival.sha256]
    in_hand = [arrival for arrival in taken if arrival.state in IN_HAND]
    candidates = in_hand or taken or arrivals
    return candidates[-1] if candidates else None


def _of_run(state: Path, job: ChatJob) -> JobReport | None:
    """Report how the page's run ended; None while it goes on, broke off, or was refused as busy."""
    events = _events(state, job)
    ours = ("", job.chat_id)
    chats = [event for event in events if isinstance(event, ChatIs) and event.chat_id in ours]
    match events[-1] if events else None:
        case RunFailed(kind="busy"):
            return None
        case RunFailed(message=message, next_step=step):
            return JobReport("failed", _sentences(message, step))
        case RunDone() if chats:
            return _of_chat(chats[-1], events_file(state, job))
        case _:
            return None


def _of_chat(chat: ChatIs, told_in: Path) -> JobReport:
    """Report what the page's run told of the chat in its file of events."""
    if chat.kind == "skipped":
        sentence = _sentences(chat.detail, chat.next_step)
        return JobReport("failed" if chat.later else "skipped", sentence)
    if not chat.path:
        return JobReport("unchanged", _sentences(chat.detail))
    written = datetime.fromtimestamp(told_in.stat().st_mtime, UTC)
    return JobReport("done", path=chat.path, at=write_date(written))


def _under_way(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """Report a job that no daemon takes: a run of the page's does it, or has to be started."""
    run = run_progress(archive, now)
    if run and run.chat_id == job.chat_id:
        return JobReport("running")
    if _is_starting(state, job, now):
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


def _is_starting(state: Path, job: ChatJob, now: str) -> bool:
    """Return whether a run was started a moment ago, and has not found the archive busy."""
    since = seconds_between(job.started_at, now)
    if since is None or since >= _STARTING_SECONDS:
        return False
    return not _is_busy(_events(state, job))


def _is_busy(events: Sequence[Event]) -> bool:
    """Return whether a run ended because another memproc was at work."""
    if not events:
        return False
    last = events[-1]
    return isinstance(last, RunFailed) and last.kind == "busy"


def _events(state: Path, job: ChatJob) -> list[Event]:
    """Read the events that the page's run has written so far; none where it has not begun."""
    events = []
    with suppress(FileNotFoundError), events_file(state, job).open("rb") as lines:
        for line in lines:
            with suppress(NoEvent):  # the last line may be half written
                event, _ = of_line(line)
                events.append(event)
    return events


def _fault_of_result(archive: Archive, job: ChatJob, progress: JobReport) -> str:
    """Say why the updated export must not be imported any more; empty where it may."""
    if progress.state != "done":
        return ""
    last = last_output(archive, job.chat_id)
    newer = f"A newer updated export of this chat was written since. {_AGAIN}"
    if last is None or last.path != progress.path:
        return newer
    if last.source_sha256 != job.sha256 and last.written_at > progress.at:
        return newer
    if sha256_of(Path(progress.path)) != last.sha256:
        return f"Its updated export was changed or removed since it was written. {_AGAIN}"
    return ""


def _sentences(*parts: str) -> str:
    """Join the parts as sentences."""
    stripped = [part.strip() for part in parts]
    return " ".join(_sentence(part) for part in stripped if part)


def _sentence(part: str) -> str:
    """Begin a part with a capital letter and end it with a full stop, unless it has a command."""
    begins = part if part.startswith("memproc") else f"{part[0].upper()}{part[1:]}"
    is_ended = part.endswith((".", "!", "?")) or ": memproc " in part
    return begins if is_ended else f"{begins}."
