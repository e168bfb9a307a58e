"""How far the work on a file is, by the events of its run, and how long it will still take."""

from dataclasses import dataclass, replace
from datetime import timedelta

from daemon.events import Alive, Event, MemoryMade, ModelAnswered, Note, Planned, TriesAgain
from rules.typingmind.dates import parse_date, write_date

UNUSABLE = "memory extracted by the engine"
"""The note that is posted where no model's answer could be used."""
_TOO_EARLY = 0.05
"""Below this share of the work, the time so far says nothing about the rest."""
_LEAST_LEFT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class FileProgress:
    """How far the work on a file is: `done` of `total` memories of its chat in hand."""

    chat_id: str = ""
    title: str = ""
    chat_began_at: str = ""
    done: int = 0
    total: int = 0
    answered: int = 0
    calls: int = 0
    """About how many calls the chat takes; `answered` of them are answered."""
    usd: float = 0.0
    """The cost of all calls for the file so far, as far as prices are known."""
    unusable: int = 0
    retries: int = 0
    """How often a model was asked again in this run because no answer came."""
    waits: str = ""
    """Why a model is being asked again, as a sentence; empty once it has answered."""
    answered_at: str = ""
    asked: str = ""
    """The model that was asked last."""
    asked_at: str = ""
    asked_until: str = ""
    """When its answer is due at the latest."""
    limited: str = ""
    """Why a model is asked for the analysis alone; empty where it also writes."""


def gone_on(before: FileProgress, event: Event, when: str) -> FileProgress:
    """Return the progress after an event."""
    match event:
        case Planned(chat_id, title, chunks, calls, limited=limited):
            return replace(
                FileProgress(chat_id, title, when, 0, chunks, 0, calls, limited=limited),
                usd=before.usd,
                unusable=before.unusable,
                retries=before.retries,
            )
        case Alive(seconds, model) if model:
            time = parse_date(when)
            until = write_date(time + timedelta(seconds=seconds)) if time else ""
            return replace(before, asked=model, asked_at=when, asked_until=until)
        case TriesAgain():
            return replace(before, retries=before.retries + 1, waits=event.sentence)
        case ModelAnswered(usd=usd):
            after = replace(
                before,
                answered=before.answered + 1,
                usd=before.usd + (usd or 0.0),
                waits="",
                answered_at=when,
            )
            if before.answered or not before.done:
                return after
            # What was done so far came from the journal; from now on calls take time.
            memories_left = before.total - before.done
            calls = round(before.calls * memories_left / before.total)
            return replace(after, calls=calls, chat_began_at=when)
        case MemoryMade(done=done, of=total) if total:
            return replace(before, done=done, total=total)
        case Note(text, is_remedy=True) if text == UNUSABLE:
            return replace(before, unusable=before.unusable + 1)
    return before


def seconds_left(chat: FileProgress, now: str) -> float | None:
    """Estimate the seconds that the chat will still take; None while it is too early to say.

    Calls are counted rather than memories, since several memories are written at once and the last
    ones alone. The time since the last answer is subtracted, but at least the time of one call is
    left. None, too, if that is less than a second.
    """
    began, current = parse_date(chat.chat_began_at), parse_date(now)
    if began is None or current is None:
        return None
    answered = parse_date(chat.answered_at) or current
    of_calls = 0 < chat.answered < chat.calls
    share = chat.answered / chat.calls if of_calls else chat.done / chat.total if chat.total else 0
    if share < _TOO_EARLY:
        return None
    elapsed = max(0.0, (answered - began).total_seconds())
    remaining = elapsed * (1 - share) / share
    one_call = min(remaining, elapsed / chat.answered) if chat.answered else 0.0
    remaining = max(remaining - (current - answered).total_seconds(), one_call)
    return remaining if remaining >= _LEAST_LEFT_SECONDS else None
