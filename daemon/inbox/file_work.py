"""The work on one dropped file: what its child's events change in the archive."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import (
    ChatOutcome,
    change_state,
    find_arrival,
    record_outcome,
    times_in,
)
from daemon.events import (
    BatchSent,
    ChatIs,
    Event,
    FileIs,
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
from rules.wording import counted

_BLOCKED_MINUTES = 30
_BY_ITSELF = "It is tried again by itself."


@dataclass(slots=True)
class FileWork:
    """The work on one file, while it goes on."""

    archive: Archive
    arrival: int
    copy: Path
    """memproc's own copy of the file, which is worked on."""
    file: str
    """The dropped file's name, as the person knows it."""
    now: Callable[[], str]
    chats: list[ChatIs] = field(default_factory=list)
    has_begun: bool = False
    """Whether the child has told anything of it."""
    is_over: bool = False
    """Whether it is known how it ended."""

    def take(self, event: Event) -> list[Event]:
        """Keep what an event says about the file. Return the events to post."""
        self.has_begun = True
        match event:
            case Planned(chunks=chunks, calls=calls):
                become = counted(
                    chunks, "chunk of a chat becomes a memory", "chunks of a chat become memories"
                )
                reason = f"{become}, with {counted(calls, 'call')}"
                return [self._move("planned", reason), replace(event, arrival=self.arrival)]
            case BatchSent(requests):
                return [self._move("working", f"a batch of {requests:,} requests is waited for")]
            case ModelAnswered() | MemoryMade():
                # The first answer or memory, also after a batch, shows that the work goes on.
                arrival = find_arrival(self.archive, self.arrival)
                is_known = (arrival.state, arrival.reason) == ("working", "")
                return [event] if is_known else [self._move("working"), event]
            case ChatIs():
                return [self._keep_outcome(event)]
            case RunDone():
                return [self._done()]
            case RunFailed():
                return [self._failed(event)]
            case Note() | TriesAgain() | UserEdits():
                return [event]
            case _:
                return []

    def _keep_outcome(self, event: ChatIs) -> ChatIs:
        """Keep what became of a chat. Return the event with the dropped file's name.

        After an outage there is no next step, since the daemon tries again by itself.
        """
        title, detail, next_step = map(
            self._as_dropped, (event.title, event.detail, event.next_step)
        )
        if event.retry_after is not None:
            detail, next_step = f"{detail} {_BY_ITSELF}", ""
        chat = replace(event, title=title, detail=detail, next_step=next_step, arrival=self.arrival)
        record_outcome(
            self.archive,
            ChatOutcome(
                self.arrival,
                chat.chat_id,
                title,
                chat.kind,
                detail,
                next_step,
                chat.path,
                self.now(),
            ),
        )
        self.chats.append(chat)  # only now: an event that could not be kept is taken again
        return replace(chat, file=self.file)

    def lost(self, why: str) -> Event:
        """Note that the work broke off: try again later, at last skip. `why` has no full stop."""
        failures = 1 + find_arrival(self.archive, self.arrival).tries
        again, reason, next_step = after_failure(failures, self._as_dropped(why), at(self.now()))
        return self._end(
            "waiting" if again else "skipped", reason, next_step, again, tries=failures
        )

    def stopped(self) -> Event:
        """Note that the daemon itself ends; the next one goes on with the file."""
        return self._end("copied", "the work on it was stopped, and goes on")

    def _done(self) -> Event:
        """Return the outcome of a file by those of its chats."""
        skipped = [chat for chat in self.chats if chat.kind == "skipped"]
        written = [Path(chat.path).name for chat in self.chats if chat.kind == "written"]
        if later := [chat for chat in skipped if chat.later]:
            return self._wait_for(later)
        if skipped:
            return self._end("skipped", skipped[0].detail, skipped[0].next_step)
        if written:
            what = (
                "TypingMind takes it back by itself"
                if is_sent(self.file)
                else "ready to be imported"
            )
            return self._end("written", f"{what}: {', '.join(written)}")
        return self._end("done", self.chats[0].detail if self.chats else "it holds no chats")

    def _failed(self, event: RunFailed) -> Event:
        """Put the file off for as long as what stopped the run may last."""
        if event.kind == "mistake":
            return self.lost(event.message.rstrip("."))
        if event.kind == "busy":
            return self._again_later(f"{event.message} {_BY_ITSELF}")
        until = (
            at(event.until) if event.until else at(self.now()) + timedelta(minutes=_BLOCKED_MINUTES)
        )
        return self._end("paused", event.message, event.next_step, until)

    def _wait_for(self, later: Sequence[ChatIs]) -> Event:
        """Wait for what has kept these chats; what the person can mend, as a full disk, is told."""
        mendable = [chat for chat in later if chat.next_step]
        shown = (mendable or later)[0]
        asked = max(chat.retry_after or 0.0 for chat in later)
        return self._again_later(shown.detail, shown.next_step, asked)

    def _again_later(self, reason: str, next_step: str = "", asked_seconds: float = 0.0) -> Event:
        """Note that the file is tried again, as often as it takes: nothing is wrong with it.

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
    ) -> Event:
        """Move the file to a state in which this work on it is over."""
        step = self._move(state, reason, next_step, again, tries)
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
        """Record the file's new state, with the names that the person knows. Return the event."""
        reason, next_step = self._as_dropped(reason), self._as_dropped(next_step)
        look_at = write_date(again) if again else None
        change_state(
            self.archive, self.arrival, state, reason, next_step, self.now(), look_at, tries
        )
        return FileIs(self.arrival, self.file, state, reason, next_step)

    def _as_dropped(self, text: str) -> str:
        """Return the text with the dropped file's name instead of its copy's."""
        return text.replace(str(self.copy), self.file).replace(self.copy.name, self.file)
