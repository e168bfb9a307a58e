"""The work on one dropped file, as the archive has it: what the child tells becomes the state of the file's row.

    Planned               what to do with it is known
    ModelAnswered ...     it is in progress
    BatchSent             the same, and a batch has to end first
    ChatIs                what became of one of its chats
    RunDone               written, done, or set aside: by what became of its chats
    RunFailed, lost       tried again after a while, at last set aside; or it waits until the person has acted
    stopped               it is taken up again where it was left

Each step is one transaction. What is to be logged is given back.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import ChatOutcome, change_state, find_arrival, record_outcome, times_in
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
    UserEdits,
)
from daemon.files.clock import at
from rules.arrival import Again, State, after_failure, after_outage
from rules.typingmind.dates import write_date

_BLOCKED_MINUTES = 30


@dataclass(slots=True)
class FileWork:
    """The work on one file, while it goes on."""

    archive: Archive
    arrival: int
    copy: Path
    """memproc's own copy of the file, which is worked on."""
    file: str
    """The dropped file's name, as the person knows it."""
    chats: list[ChatIs] = field(default_factory=list)
    is_over: bool = False
    """Whether the child has said how it ended."""

    def take(self, event: Event, now: str) -> list[Event]:
        """Keep what an event says about the file."""
        match event:
            case Planned(chunks=chunks, calls=calls):
                reason = f"{chunks:,} chunks of a chat become memories, with {calls:,} calls"
                return [self._move("planned", now, reason), replace(event, arrival=self.arrival)]
            case ModelAnswered() | MemoryMade():
                return [*self._in_progress(now), event]
            case BatchSent(requests):
                return [self._move("working", now, f"a batch of {requests:,} requests is waited for")]
            case ChatIs():
                return [self._chat_is(event, now)]
            case RunDone():
                return [self._done(now)]
            case RunFailed():
                return [self._failed(event, now)]
            case Note() | UserEdits():
                return [event]
            case _:
                return []

    def lost(self, why: str, now: str) -> Event:
        """The work has broken off: it is tried again after a while, and at last set aside. `why` has no full stop."""
        self.is_over = True
        failures = 1 + find_arrival(self.archive, self.arrival).tries
        following = after_failure(failures, self._as_dropped(why), at(now))
        if isinstance(following, Again):
            return self._move("waiting", now, following.reason, next_look_at=write_date(following.at), tries=failures)
        return self._move("set aside", now, following.reason, following.next_step, tries=failures)

    def stopped(self, now: str) -> Event:
        """The daemon itself ends: the next one goes on with the file."""
        self.is_over = True
        return self._move("copied", now, "the work on it was stopped, and goes on")

    def _in_progress(self, now: str) -> list[Event]:
        """The first answer, also after a batch, or the first memory, shows that the work goes on."""
        arrival = find_arrival(self.archive, self.arrival)
        return [] if (arrival.state, arrival.reason) == ("working", "") else [self._move("working", now)]

    def _chat_is(self, event: ChatIs, now: str) -> ChatIs:
        title, detail, next_step = map(self._as_dropped, (event.title, event.detail, event.next_step))
        outcome = ChatOutcome(self.arrival, event.chat_id, title, event.kind, detail, next_step, event.path, now)
        record_outcome(self.archive, outcome)
        chat = replace(event, title=title, detail=detail, next_step=next_step, arrival=self.arrival, file=self.file)
        self.chats.append(chat)  # only now: an event that could not be kept is taken again
        return chat

    def _done(self, now: str) -> Event:
        """What the file has come to, by what its chats have."""
        skipped = [chat for chat in self.chats if chat.kind == "set aside"]
        written = [chat for chat in self.chats if chat.kind == "written"]
        if later := [chat for chat in skipped if chat.later]:
            step = self._again_later(later[0].detail, later[0].next_step, now)
        elif skipped:
            step = self._move("set aside", now, skipped[0].detail, skipped[0].next_step)
        elif written:
            names = ", ".join(Path(chat.path).name for chat in written)
            step = self._move("written", now, f"ready to be imported: {names}")
        else:
            step = self._move("done", now, self.chats[0].detail if self.chats else "it holds no chats")
        self.is_over = True
        return step

    def _failed(self, event: RunFailed, now: str) -> Event:
        if event.kind == "mistake":
            return self.lost(event.message.rstrip("."), now)
        if event.kind == "busy":
            step = self._again_later(event.message, event.next_step, now)
        else:
            when = event.until or write_date(at(now) + timedelta(minutes=_BLOCKED_MINUTES))
            step = self._move("paused", now, event.message, event.next_step, next_look_at=when)
        self.is_over = True
        return step

    def _again_later(self, reason: str, next_step: str, now: str) -> Event:
        """Nothing is wrong with the file, so it is tried again, as often as it takes."""
        when = after_outage(1 + times_in(self.archive, self.arrival, "waiting"), at(now))
        return self._move("waiting", now, reason, next_step, next_look_at=write_date(when))

    def _move(
        self,
        state: State,
        now: str,
        reason: str = "",
        next_step: str = "",
        *,
        next_look_at: str | None = None,
        tries: int | None = None,
    ) -> FileIs:
        reason, next_step = self._as_dropped(reason), self._as_dropped(next_step)
        change_state(self.archive, self.arrival, state, reason, next_step, now, next_look_at, tries)
        return FileIs(self.arrival, self.file, state, reason, next_step)

    def _as_dropped(self, text: str) -> str:
        """The text with the file's own name where the copy's stands, which nobody has ever seen."""
        return text.replace(str(self.copy), self.file).replace(self.copy.name, self.file)
