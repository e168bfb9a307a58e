"""What the worker tells becomes rows of the archive and lines of the log: the state of a file, and of its chats.

    Planned          what to do with it is known
    Answered ...     it is being worked on
    Waiting          the same, and a batch has to end first
    OutcomeOf        what became of one of its chats
    Done             written, done, or set aside: whatever its chats have come to
    Failed, lost     tried again after a while, at last set aside; or all work waits until the person has acted
    Stopped          it is taken up again where it was left

Each step is one transaction.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.arrivals import ChatOutcome, change_state, find_arrival, record_outcome, times_in
from daemon.inbox import events
from daemon.inbox.orders import Work
from daemon.status import log as logged
from daemon.status.log import Logged, chat_is
from rules.arrival import Again, State, after_failure, after_outage
from rules.typingmind.dates import parse_date, write_date

_BLOCKED_MINUTES = 30


@dataclass(slots=True)
class Hearing:
    """The work on one file, while it goes on."""

    order: Work
    outcomes: list[events.OutcomeOf] = field(default_factory=list)
    chat_id: str = ""
    """The chat that is being worked on."""

    @property
    def arrival(self) -> int:
        """The file's row in the archive."""
        return self.order.arrival


def hear(archive: Archive, hearing: Hearing, event: events.Event, now: str) -> list[Logged]:
    """Take down what an event says about the file; what is to be logged comes back."""
    match event:
        case events.Planned(arrival, chat_id, _, chunks, calls):
            hearing.chat_id = chat_id
            known = f"{chunks:,} chunks of a chat become memories, with {calls:,} calls"
            return [_move(archive, hearing, "planned", known, "", now), logged.Planned(arrival, chat_id, chunks, calls)]
        case events.Answered() | events.Remembered():
            return [*_begun(archive, hearing, now), _told(hearing, event)]
        case events.Waiting(_, requests):
            return [_move(archive, hearing, "working", f"a batch of {requests:,} requests is waited for", "", now)]
        case events.OutcomeOf():
            return [_outcome(archive, hearing, event, now)]
        case events.Done():
            return [_finished(archive, hearing, now)]
        case events.Stopped():
            return [_move(archive, hearing, "copied", "the work on it was stopped, and goes on", "", now)]
        case events.Failed(_, message, next_step, True, until):
            return [_blocked(archive, hearing, message, next_step, now, until)]
        case events.Failed(_, message):
            return [lost(archive, hearing, message, now)]
        case events.Notice() | events.UserEdits():
            return [_said(event)]
        case _:
            return []


def _said(event: events.Notice | events.UserEdits) -> Logged:
    if isinstance(event, events.UserEdits):
        return logged.UserEdits(event.arrival, event.chat_id, event.text)
    return logged.Said(event.text)


def _begun(archive: Archive, hearing: Hearing, now: str) -> list[Logged]:
    """The first answer, also after a batch, or the first memory, shows that the work goes on; others change nothing."""
    arrival = find_arrival(archive, hearing.arrival)
    if (arrival.state, arrival.reason) == ("working", ""):
        return []
    return [_move(archive, hearing, "working", "", "", now)]


def _told(hearing: Hearing, event: events.Answered | events.Remembered) -> Logged:
    if isinstance(event, events.Remembered):
        return logged.Remembered(event.arrival, hearing.chat_id, event.done, event.of)
    used = (event.tokens_in, event.tokens_cached, event.tokens_out, event.usd)
    return logged.Answered(event.arrival, hearing.chat_id, event.step, event.model, *used)


def lost(archive: Archive, hearing: Hearing, why: str, now: str) -> Logged:
    """The work on the file has failed: it is tried again after a while, and at last set aside."""
    failures = 1 + find_arrival(archive, hearing.arrival).tries
    next_try = after_failure(failures, why.rstrip("."), _date(now))
    if isinstance(next_try, Again):
        at = write_date(next_try.at)
        return _move(archive, hearing, "waiting", next_try.reason, "", now, next_look_at=at, tries=failures)
    return _move(archive, hearing, "set aside", next_try.reason, next_try.next_step, now, tries=failures)


def _blocked(archive: Archive, hearing: Hearing, message: str, next_step: str, now: str, until: str) -> Logged:
    """Nothing can go on before `until`, or the person's next step; else it is looked at again in half an hour."""
    at = until or write_date(_date(now) + timedelta(minutes=_BLOCKED_MINUTES))
    return _move(archive, hearing, "paused", message, next_step, now, next_look_at=at)


def _put_off(archive: Archive, hearing: Hearing, why: events.OutcomeOf, now: str) -> Logged:
    """Nothing is wrong with the file, so it is tried again, as often as it takes."""
    at = write_date(after_outage(1 + times_in(archive, hearing.arrival, "waiting"), _date(now)))
    return _move(archive, hearing, "waiting", why.detail, why.next_step, now, at)


def _outcome(archive: Archive, hearing: Hearing, event: events.OutcomeOf, now: str) -> Logged:
    said = (event.title, event.kind, event.detail, event.next_step)
    record_outcome(archive, ChatOutcome(event.arrival, event.chat_id, *said, event.path, now))
    hearing.outcomes.append(event)  # only now: an event that could not be kept is heard again
    return chat_is(event.arrival, hearing.order.name, event.chat_id, *said)


def _finished(archive: Archive, hearing: Hearing, now: str) -> Logged:
    """What the file has come to, by what its chats have."""
    aside = [one for one in hearing.outcomes if one.kind == "set aside"]
    if passing := [one for one in aside if one.later]:
        return _put_off(archive, hearing, passing[0], now)
    if aside:
        return _move(archive, hearing, "set aside", aside[0].detail, aside[0].next_step, now)
    written = [one for one in hearing.outcomes if one.kind == "written"]
    if written:
        names = ", ".join(Path(one.path).name for one in written)
        return _move(archive, hearing, "written", f"ready to be imported: {names}", "", now)
    alone = hearing.outcomes[0].detail if hearing.outcomes else "it holds no chats"
    return _move(archive, hearing, "done", alone, "", now)


def _move(
    archive: Archive,
    hearing: Hearing,
    state: State,
    reason: str,
    next_step: str,
    now: str,
    next_look_at: str | None = None,
    tries: int | None = None,
) -> Logged:
    change_state(archive, hearing.arrival, state, reason, next_step, now, next_look_at, tries)
    return logged.FileIs(hearing.arrival, hearing.order.name, state, reason, next_step)


def _date(text: str) -> datetime:
    found = parse_date(text)
    if found is None:
        raise ValueError("the clock gives dates")
    return found
