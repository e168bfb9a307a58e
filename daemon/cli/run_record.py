"""Keep a run's progress in the archive, and end it when it is told to stop.

Progress is kept about once a second, for `memproc status`. It ends where no answer of a model is lost.
"""

from contextlib import suppress
from dataclasses import replace
from threading import get_ident
from time import monotonic, sleep
from typing import Self, get_args

from daemon import events
from daemon.archive.archive import Archive
from daemon.archive.signs import RunProgress, is_told_to_stop, keep_run, memories_made
from daemon.files.clock import now
from daemon.models.ask import Unsent
from rules.errors import MemprocError
from rules.wording import about_it

_LOOK_SECONDS = 0.25

_KEEP_SECONDS = 1.0
_UNUSABLE = "the models' answers could not be used"
_NO_MODEL = "no model was asked"
_EXTRACTED = "memory extracted by the engine"
"""What is noted where no model's answer could be used."""
_MOST_TROUBLES = 20
"""Lines on skipped chats: an export may have thousands, and each is in the log."""


class ToldToStop(Unsent):
    """The command was told to end, and this is a good place for it."""


class Stopping:
    """Whether a command was told to end; it ends only where no answer of a model is lost."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        """Ask it to end soon. Takes no lock, so a signal handler may call it."""
        self._is_asked = True

    def check(self) -> None:
        """Raise ToldToStop if the end was asked for."""
        if self._is_asked:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait for `seconds`. Raises ToldToStop as soon as the end is asked for."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self.check()
            sleep(min(left, _LOOK_SECONDS))


def gone_on(run: RunProgress, event: events.Event, when: str) -> RunProgress:
    """Return the progress of the run after an event."""
    match event:
        case events.Planned():
            begun = replace(run, chat_id=event.chat_id, title=event.title, chat_began_at=when)
            return replace(begun, done=0, of=event.chunks, answered=0, calls=event.calls)
        case events.ModelAnswered():
            return _after_reply(run, event.usd or 0.0, when)
        case events.MemoryMade():
            return replace(run, done=event.done, of=event.of)
        case events.ChatIs(kind="skipped"):
            return _with_trouble(run, event)
        case events.Noted(what) if what == _EXTRACTED:
            return replace(run, why_extracted=_UNUSABLE)
        case _:
            return run


def _after_reply(run: RunProgress, usd: float, when: str) -> RunProgress:
    """Count a reply that cost `usd` dollars; the first sets from when on time is estimated."""
    counted = replace(run, answered=run.answered + 1, usd=run.usd + usd)
    if run.answered or not run.done:
        return counted
    # What was done till now had been asked before; from here on each call takes its time.
    left = run.of - run.done
    calls = round(run.calls * left / run.of)
    return replace(counted, calls=calls, chat_began_at=when)


def _with_trouble(run: RunProgress, skipped: events.ChatIs) -> RunProgress:
    """Add a line on a skipped chat, as long as there are not too many, and its next step."""
    if run.trouble.count("\n") >= _MOST_TROUBLES - 1:
        return replace(run, next_step=skipped.next_step)
    reason = about_it(skipped.detail, skipped.title)
    trouble = f"{run.trouble}\n{skipped.title}: {reason}".strip()
    return replace(run, trouble=trouble, next_step=skipped.next_step)


class RunRecord:
    """Keeps a run's progress in the archive about once a second; as a context, also its end."""

    def __init__(self, archive: Archive, *, by_hand: bool) -> None:
        self._archive, self._thread = archive, get_ident()
        self._run = RunProgress(by_hand, now())
        self._became = dict.fromkeys(get_args(events.OutcomeKind), 0)
        self._kept = 0.0
        self.is_told_to_stop = False
        """Whether the person has asked this run to end."""
        self._keep()

    def hear(self, event: events.Event) -> None:
        """Note an event. The archive belongs to one thread: events of others are left out."""
        if get_ident() != self._thread:
            return
        self._run = gone_on(self._run, event, now())
        if isinstance(event, events.ChatIs):
            self._became[event.kind] += 1
        if monotonic() - self._kept >= _KEEP_SECONDS:
            self._keep()

    def _keep(self) -> None:
        """Store the progress, and look whether the person has asked the run to end."""
        keep_run(self._archive, self._run, now())
        self.is_told_to_stop = is_told_to_stop(self._archive, self._run)
        self._kept = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: object
    ) -> None:
        with suppress(MemprocError):  # what ended the run is the error to tell
            self._run = self._with_memories(self._with_end(fault))
            self._keep()

    def _with_end(self, fault: BaseException | None) -> RunProgress:
        """Return the run with its outcome, and with the error that ended it, if one did."""
        counts = [f"{number:,} {word}" for word, number in self._became.items() if number]
        outcome = ", ".join(counts) or "nothing was to do"
        ended = replace(self._run, ended_at=now(), outcome=outcome)
        if fault is None:
            return ended
        if isinstance(fault, MemprocError):
            trouble, next_step = fault.message, fault.next_step
            return replace(ended, outcome="failed", trouble=trouble, next_step=next_step)
        if isinstance(fault, Exception) and not isinstance(fault, Unsent):
            trouble = f"It ended with {type(fault).__name__}."
            return replace(ended, outcome="failed", trouble=trouble)
        return replace(ended, outcome="stopped" if self.is_told_to_stop else "interrupted")

    def _with_memories(self, ended: RunProgress) -> RunProgress:
        """Return the run with the number of memories that it has made, and why some of no model."""
        written, extracted = memories_made(self._archive, ended.began_at)
        why = (ended.why_extracted or _NO_MODEL) if extracted else ""
        return replace(ended, written=written, extracted=extracted, why_extracted=why)
