"""What has become of a job, as the extension is told.

Where a daemon runs, it has taken the file out of the inbox, and the archive's arrivals say what happens. Where none
runs, the page has started `memproc run` on the file, which writes its events beside the job.

    waiting     the file is not taken yet, or its work was put off
    running     it is being worked on
    done        its updated export can be had
    unchanged   there was nothing to do
    skipped     something about the chat stands against it, and the sentence says what to do
    failed      the work could not be done
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from daemon.archive.archive import Archive
from daemon.archive.arrivals import Arrival, arrivals_of_job, outcome_of_content
from daemon.archive.chats import kept_run
from daemon.archive.journal import spent_on
from daemon.archive.outputs import last_output
from daemon.bridge.chat_jobs import ChatJob, events_file
from daemon.events import ChatIs, Event, NoEvent, RunDone, RunFailed, of_line
from daemon.files.lock import is_held
from daemon.files.packing import sha256_of
from daemon.status.pause import current_pause
from daemon.status.spans import in_full, seconds_between
from daemon.status.status import run_progress
from rules.arrival import IN_HAND, MOST_FAILURES, UNTAKEN
from rules.money.price import dollars
from rules.typingmind.dates import write_date

MOST_STARTS = 3
_STARTING_SECONDS = 60.0
"""So long a run that was started may say nothing."""
_AGAIN = "Send the chat again."


@dataclass(frozen=True, slots=True)
class JobReport:
    """The progress of a job: `done` of `total` memories, `usd` dollars so far; `reason` is empty while all is well."""

    state: Literal["waiting", "running", "done", "unchanged", "skipped", "failed"]
    reason: str = ""
    done: int = 0
    total: int = 0
    usd: float = 0.0
    path: str = ""
    """The path of the updated export, where it is done."""
    at: str = ""
    """The time at which that was found out."""
    needs_run: bool = False
    """Whether the page has to start a run for it: no daemon takes it, and nobody else is at work."""


def report_job(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """The progress of the job. Raises ArchiveError or FileTrouble."""
    progress = _as_it_stands(archive, state, job, now)
    if fault := _fault_of_result(archive, job, progress):
        progress = JobReport("failed", fault)
    run = kept_run(archive, now)
    if run and run.chat_id == job.chat_id and run.kept_at >= job.at:
        progress = replace(progress, done=run.done, total=run.of)
    return replace(progress, usd=round(dollars(spent_on(archive, job.chat_id, job.at)), 6))


def started(state: Path, job: ChatJob, now: str) -> ChatJob:
    """The job as it is when a run is started for it. One that found the archive busy does not count."""
    found_it_busy = _is_busy(_events(state, job))
    return replace(job, starts=job.starts + (not found_it_busy), started_at=now)


def _as_it_stands(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    ended = _of_run(state, job)
    if ended and ended.state in ("done", "unchanged") and not _fault_of_result(archive, job, ended):
        return ended
    arrival = _counting(arrivals_of_job(archive, job.after, job.sha256, job.path))
    is_at_work = is_held(state / "daemon.lock")
    is_open = arrival is None or arrival.state in (*UNTAKEN, *IN_HAND)
    if arrival and (is_at_work or not is_open):
        progress = _of_arrival(archive, job, arrival)
        # The daemon takes no content twice, so a result that does not stand any more is made by a run of the page's.
        if not _fault_of_result(archive, job, progress):
            return _or_paused(archive, progress, now)
    if ended:
        return ended
    if is_at_work and is_open:
        return _or_paused(archive, JobReport("waiting"), now)
    return _under_way(archive, state, job, now)


def _or_paused(archive: Archive, progress: JobReport, now: str) -> JobReport:
    """The same, or that the daemon takes up nothing now."""
    pause = current_pause(archive, now)
    if progress.state != "waiting" or progress.reason or pause is None:
        return progress
    until = f" until {in_full(pause.until)}" if pause.until else ""
    return replace(progress, reason=f"memproc is paused{until}. To go on at once: memproc resume")


def _of_arrival(archive: Archive, job: ChatJob, arrival: Arrival) -> JobReport:
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
        case "set aside":
            return JobReport("failed" if arrival.tries >= MOST_FAILURES else "skipped", sentence)
        case "gone":
            return JobReport("failed", f"{sentence} {_AGAIN}")
    outcome = outcome_of_content(archive, job.sha256, job.chat_id)
    if outcome is None:
        return JobReport("unchanged", "It stands as memproc wrote it, so there was nothing to do.")
    if outcome.path:
        return JobReport("done", path=outcome.path, at=outcome.at)
    return JobReport("unchanged", _sentences(outcome.detail))


def _counting(arrivals: Sequence[Arrival]) -> Arrival | None:
    """The arrival that says how the job is: the one that is worked on, else the newest with its content, else any."""
    taken = [arrival for arrival in arrivals if arrival.sha256]
    at_work = [arrival for arrival in taken if arrival.state in IN_HAND]
    for some in (at_work, taken, arrivals):
        if some:
            return some[-1]
    return None


def _of_run(state: Path, job: ChatJob) -> JobReport | None:
    """The outcome of the run that the page has started; None where it goes on, broke off, or found no room."""
    events = _events(state, job)
    chats = [
        event
        for event in events
        if isinstance(event, ChatIs) and event.chat_id in ("", job.chat_id)
    ]
    match events[-1] if events else None:
        case RunFailed(kind="busy"):
            return None
        case RunFailed(message=message, next_step=step):
            return JobReport("failed", _sentences(message, step))
        case RunDone() if chats:
            return _of_chat(
                chats[-1],
                write_date(datetime.fromtimestamp(events_file(state, job).stat().st_mtime, UTC)),
            )
        case _:
            return None


def _of_chat(chat: ChatIs, when: str) -> JobReport:
    if chat.kind == "set aside":
        return JobReport(
            "failed" if chat.later else "skipped", _sentences(chat.detail, chat.next_step)
        )
    return (
        JobReport("done", path=chat.path, at=when)
        if chat.path
        else JobReport("unchanged", _sentences(chat.detail))
    )


def _under_way(archive: Archive, state: Path, job: ChatJob, now: str) -> JobReport:
    """The state of a job that no daemon takes, so that the page has to start a run for it, or has done so."""
    run = run_progress(archive, now)
    if run and run.chat_id == job.chat_id:
        return JobReport("running")
    since = seconds_between(job.started_at, now)
    if since is not None and since < _STARTING_SECONDS and not _is_busy(_events(state, job)):
        return JobReport("running")
    if sha256_of(Path(job.path)) != job.sha256:
        return JobReport(
            "failed", f"Another version of this chat has taken its place in the inbox. {_AGAIN}"
        )
    if is_held(state / "lock"):
        return JobReport("waiting", "Another memproc is at work; this chat comes after it.")
    if job.starts >= MOST_STARTS:
        return JobReport(
            "failed", f"The work on it broke off {job.starts} times. See why with: memproc status"
        )
    return JobReport("waiting", needs_run=True)


def _is_busy(events: Sequence[Event]) -> bool:
    return bool(events) and isinstance(events[-1], RunFailed) and events[-1].kind == "busy"


def _events(state: Path, job: ChatJob) -> list[Event]:
    with suppress(FileNotFoundError):
        return list(_read_events(events_file(state, job)))
    return []


def _read_events(path: Path) -> Iterator[Event]:
    with path.open("rb") as lines:
        for line in lines:
            with suppress(NoEvent):  # the last line may be half written
                yield of_line(line)[0]


def _fault_of_result(archive: Archive, job: ChatJob, progress: JobReport) -> str:
    """Why the updated export that was made for the job must not be put into TypingMind any more; empty where it may."""
    if progress.state != "done":
        return ""
    last = last_output(archive, job.chat_id)
    if (
        last is None
        or last.path != progress.path
        or not (last.source_sha256 == job.sha256 or last.written_at <= progress.at)
    ):
        return f"A newer updated export of this chat was written since. {_AGAIN}"
    if sha256_of(Path(progress.path)) != last.sha256:
        return f"Its updated export was changed or removed since it was written. {_AGAIN}"
    return ""


def _sentences(*parts: str) -> str:
    """The parts as sentences, whether they came as such or not."""
    return " ".join(_sentence(part.strip()) for part in parts if part.strip())


def _sentence(part: str) -> str:
    begins = part if part.startswith("memproc") else f"{part[0].upper()}{part[1:]}"
    return begins if part.endswith((".", "!", "?")) or ": memproc " in part else f"{begins}."
