"""The work on one file, by the daemon or by hand: what a run's events change in the file's row.

    Planned, ModelAnswered ...    the file is in work, and how far
    BatchSent                     the same, and a batch is waited for
    ChatIs                        the outcome of one of its chats
    RunDone                       written, done or skipped, by the outcomes of its chats
    RunFailed, retry_or_skip      tried again later, in the end skipped; or it waits for the person
    stopped                       the next daemon goes on with it

Each step is one transaction. After a run by hand nothing is tried again by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

from daemon.archive.archive import Archive
from daemon.archive.arrivals import change_state, find_arrival
from daemon.archive.log import note, times_in
from daemon.archive.outputs import last_output
from daemon.archive.progress import FileProgress, gone_on
from daemon.archive.work import (
    Ended,
    begin_run,
    end_by_hand,
    end_run,
    keep_progress,
    record_outcome,
)
from daemon.events import (
    BatchSent,
    ChatIs,
    Event,
    MemoryMade,
    ModelAnswered,
    Note,
    Planned,
    RunDone,
    RunFailed,
    TriesAgain,
    UserEdits,
)
from daemon.files.clock import at
from daemon.files.paths import is_sent
from rules.arrival import State, after_failure, after_outage
from rules.typingmind.dates import write_date

_BLOCKED_MINUTES = 30
_BY_ITSELF = "It is tried again by itself."
_KEEP_SECONDS = 1.0
"""The least time between two writes of the progress."""


@dataclass(slots=True)
class FileWork:
    """The work on one file in progress; `run` is the time at which its run began."""

    archive: Archive
    arrival: int
    copy: Path
    """The file that is read: memproc's own copy, or in a run by hand the file itself."""
    file: str
    """The file's name, as the person knows it."""
    now: Callable[[], str]
    run: str
    by_hand: bool = False
    is_waiting: bool = False
    """Whether a run by hand works on a file of which the daemon has a copy that waits."""
    progress: FileProgress = field(default_factory=FileProgress)
    stored: FileProgress = field(default_factory=FileProgress)
    unnoted: list[tuple[Event, str]] = field(default_factory=list)
    """Events that are not in the log yet, each with its time."""
    stored_at: float = 0.0
    """When the progress was stored last, by the monotonic clock."""
    state: State = "copied"
    awaits_batch: bool = False
    chats: list[ChatIs] = field(default_factory=list)
    has_begun: bool = False
    """Whether any event about it has come."""
    is_over: bool = False
    """Whether its end is recorded."""

    def __post_init__(self) -> None:
        if not self.by_hand:
            begin_run(self.archive, self.arrival, self.run)

    def take(self, event: Event) -> list[Event]:
        """Record what an event says about the file. Return the events to be told."""
        self.has_begun = True
        self.progress = gone_on(self.progress, event, self.now())
        is_news = self.unnoted or self.progress != self.stored
        is_time = monotonic() - self.stored_at >= _KEEP_SECONDS
        if isinstance(event, Planned) or (is_news and is_time):
            self._keep_progress()
        match event:
            case Planned():
                return [*self._goes_on(), self._noted(replace(event, arrival=self.arrival))]
            case BatchSent(requests):
                self.awaits_batch = True
                return [self._move("working", f"a batch of {requests:,} requests is waited for")]
            case ModelAnswered() | MemoryMade():
                return [*self._goes_on(), self._noted(event)]
            case ChatIs():
                return [self._keep_outcome(event)]
            case RunDone():
                return [self._done()]
            case RunFailed():
                return [self._failed(event)]
            case Note(is_remedy=False) | TriesAgain() | UserEdits():
                return [self._noted(event)]
            case _:
                return []

    def _noted(self, event: Event) -> Event:
        """Log an event.

        Answers and memories, which are many, are logged together with the progress.
        """
        if isinstance(event, ModelAnswered | MemoryMade):
            self.unnoted.append((event, self.now()))
            return event
        with self.archive.transaction():
            self._note_all()
            note(self.archive, event, self.now())  # if this fails, the event is taken once more
        return event

    def _note_all(self) -> None:
        with self.archive.transaction():
            for event, when in self.unnoted:
                note(self.archive, event, when)
        self.unnoted = []

    def _keep_progress(self) -> None:
        with self.archive.transaction():
            keep_progress(self.archive, self.arrival, self.progress, self.now())
            self._note_all()
        self.stored, self.stored_at = self.progress, monotonic()

    def _goes_on(self) -> list[Event]:
        """Record that the file is in work, if it was not; a batch that it waited for has ended."""
        if self.state == "working" and not self.awaits_batch:
            return []
        self.awaits_batch = False
        return [self._move("working")]

    def _keep_outcome(self, event: ChatIs) -> ChatIs:
        """Record the outcome of a chat. Return the event with the dropped file's name.

        In an outage there is no next step if the daemon tries again by itself.
        """
        title, detail, next_step = map(
            self._as_dropped, (event.title, event.detail, event.next_step)
        )
        if event.retry_after is not None and not self.by_hand:
            detail, next_step = f"{detail} {_BY_ITSELF}", ""
        chat = replace(event, title=title, detail=detail, next_step=next_step, arrival=self.arrival)
        event = replace(chat, file=self.file)
        with self.archive.transaction():
            record_outcome(self.archive, chat, self.now())
            self._note_all()
            note(self.archive, event, self.now())
        self.chats.append(
            chat
        )  # last: if the archive cannot be written, the event is taken once more
        return event

    def retry_or_skip(self, why: str) -> Event:
        """Record that the work broke off: it is tried again later, in the end skipped.

        `why` has no full stop.
        """
        failures = 1 + find_arrival(self.archive, self.arrival).tries
        again, reason, next_step = after_failure(failures, self._as_dropped(why), at(self.now()))
        state: State = "waiting" if again else "skipped"
        return self._end(state, reason, next_step, again, tries=failures, ended="failed")

    def stopped(self) -> Event:
        """Record that the daemon itself ends; the next one goes on with the file."""
        return self._end("copied", "the work on it was stopped, and goes on", ended="stopped")

    def break_off(self, reason: str, next_step: str) -> None:
        """Record that a run by hand ended early; `reason` is empty if no error was the cause."""
        self._end("stopped", reason, next_step)

    def _done(self) -> Event:
        """Record the outcome of the file, by those of its chats. Return the event."""
        skipped = [chat for chat in self.chats if chat.kind == "skipped"]
        later = [chat for chat in skipped if chat.later]
        if later and not self.by_hand:
            # Trouble that the person can mend, such as a full disk, is told first.
            shown = ([chat for chat in later if chat.next_step] or later)[0]
            asked = max(chat.retry_after or 0.0 for chat in later)
            return self._again_later(shown.detail, shown.next_step, asked)
        if skipped:
            return self._end("skipped", skipped[0].detail, skipped[0].next_step)
        if ready := [Path(path).name for path in self._exports_to_tell()]:
            fetched_back = "TypingMind takes it back by itself"
            what = fetched_back if is_sent(self.file) else "ready to be imported"
            return self._end("written", f"{what}: {', '.join(ready)}")
        return self._end("done", self.chats[0].detail if self.chats else "it holds no chats")

    def _exports_to_tell(self) -> list[str]:
        """Return the paths of the updated exports that this file has brought about.

        An earlier run on the file may have written one, and have ended before the person was told.
        A run by hand tells only what it has written itself.
        """
        written = [chat.path for chat in self.chats if chat.kind == "written"]
        in_place = [chat for chat in self.chats if chat.kind == "unchanged" and chat.path]
        if not in_place or self.by_hand or times_in(self.archive, self.arrival, "written"):
            return written
        content = find_arrival(self.archive, self.arrival).sha256
        outputs = (last_output(self.archive, chat.chat_id) for chat in in_place)
        return written + [last.path for last in outputs if last and last.source_sha256 == content]

    def _failed(self, event: RunFailed) -> Event:
        """Put the file off for as long as the trouble may last. Return the event."""
        if event.kind == "mistake":
            return self.retry_or_skip(event.message.rstrip("."))
        if event.kind == "busy":
            return self._again_later(f"{event.message} {_BY_ITSELF}")
        until = (
            at(event.until) if event.until else at(self.now()) + timedelta(minutes=_BLOCKED_MINUTES)
        )
        return self._end("paused", event.message, event.next_step, until, ended="failed")

    def _again_later(self, reason: str, next_step: str = "", asked_seconds: float = 0.0) -> Event:
        """Record that the file is tried again, without a limit, since nothing is wrong with it.

        It waits at least the `asked_seconds` of a provider, within the limit of `after_outage`.
        """
        outages = 1 + times_in(self.archive, self.arrival, "waiting")
        again = after_outage(outages, at(self.now()), asked_seconds)
        return self._end("waiting", reason, next_step, again)

    def _end(
        self,
        state: State,
        reason: str,
        next_step: str = "",
        again: datetime | None = None,
        tries: int | None = None,
        ended: Ended = "done",
    ) -> Event:
        """Move the file to a state that ends this work on it. Return the event."""
        with self.archive.transaction():
            self._keep_progress()
            step = self._move(state, reason, next_step, again, tries)
            if self.by_hand:
                end_by_hand(self.archive, self.arrival, is_waiting=self.is_waiting)
                if self.is_waiting:  # the daemon is to look at its own copy
                    self._move("copied")
            else:
                end_run(self.archive, self.run, ended)
        self.is_over = True
        return step

    def _move(
        self,
        state: State,
        reason: str = "",
        next_step: str = "",
        again: datetime | None = None,
        tries: int | None = None,
    ) -> Event:
        """Record the file's new state, with file names as the person knows them.

        Return the event.
        """
        reason, next_step = self._as_dropped(reason), self._as_dropped(next_step)
        look_at = write_date(again) if again else None
        self._note_all()
        event = change_state(
            self.archive, self.arrival, state, reason, next_step, self.now(), look_at, tries
        )
        self.state = state
        return event

    def _as_dropped(self, text: str) -> str:
        """Return the text with the dropped file's name in place of its copy's."""
        return text.replace(str(self.copy), self.file).replace(self.copy.name, self.file)
