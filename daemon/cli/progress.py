"""Shows in the terminal what a run does: a bar for each chat, a line for each thing that happened, and the counts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from time import monotonic
from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from daemon.events import BatchSent, ChatIs, Event, Folded, MemoryMade, ModelAnswered, Note, Noted, Planned, UserEdits
from daemon.status.sentences import in_one_line, visible


@dataclass(slots=True)
class Tally:
    """Counts for as long as a run goes on. Only calls that left the machine count."""

    calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Calls whose price nobody knows."""
    noted: Counter[str] = field(default_factory=Counter)
    user_edits: list[UserEdits] = field(default_factory=list)

    def add(self, answer: ModelAnswered) -> None:
        """Count one fresh reply."""
        self.calls += 1
        self.tokens_in += answer.tokens_in
        self.tokens_cached += answer.tokens_cached
        self.tokens_cache_written += answer.tokens_cache_written
        self.tokens_out += answer.tokens_out
        self.usd += answer.usd or 0.0
        self.unpriced += answer.usd is None

    def as_json(self) -> dict[str, object]:
        """The counts under their names."""
        return {
            "calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_cached": self.tokens_cached,
            "tokens_cache_written": self.tokens_cache_written,
            "tokens_out": self.tokens_out,
            "usd": round(self.usd, 6),
            "unpriced_calls": self.unpriced,
            "noted": dict(self.noted),
            "user_edits": [asdict(edits) for edits in self.user_edits],
        }

    def so_far(self) -> str:
        """Calls, tokens of the cache and money, in a few words; empty before the first call."""
        if not self.calls:
            return ""
        return (
            f"{self.calls:,} calls, cache {self.tokens_cached:,} read and {self.tokens_cache_written:,} written, "
            f"{self.money()}"
        )

    def money(self) -> str:
        """Dollars so far, and how many calls have no known price."""
        return f"${self.usd:,.4f}" + (f" and {self.unpriced:,} calls of unknown price" if self.unpriced else "")

    def sentences(self) -> Iterator[str]:
        """The report at the end of a run."""
        if self.calls:
            yield (
                f"{self.calls:,} calls: {self.tokens_in:,} tokens sent ({self.tokens_cached:,} read from the cache, "
                f"{self.tokens_cache_written:,} written to it), {self.tokens_out:,} received, {self.money()}."
            )
        for edits in self.user_edits:
            yield f"{edits.title}, by your hand in TypingMind: {edits.text}"
        if self.noted:
            listed = ", ".join(f"{what} {times:,}" for what, times in sorted(self.noted.items()))
            yield f"Answers that could not be used at once, and what helped: {listed}."


class Progress:
    """Takes the events of a run, shows them, and counts. What was skipped goes to the error output."""

    def __init__(self, *, quiet: bool) -> None:
        self.tally = Tally()
        self._quiet = quiet
        self._console = Console(soft_wrap=True, highlight=False)
        self._bars = Bars(
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn("memories"),
            TextColumn("{task.fields[so_far]}", markup=False), TimeElapsedColumn(), TimeRemainingColumn(),
            console=self._console, transient=True, disable=quiet or not self._console.is_terminal,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}
        self._began = monotonic()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def tell(self, event: Event) -> None:
        """Show and count an event."""
        match event:
            case Planned():
                self._begin(event)
            case Note(text):
                self._line(f"note: {text}")
            case ModelAnswered():
                self.tally.add(event)
                for task in self._bars.task_ids:
                    self._bars.update(task, so_far=self.tally.so_far())
            case UserEdits():
                self.tally.user_edits.append(event)
            case Noted(what):
                self.tally.noted[what] += 1
            case MemoryMade():
                self._memory_made(event)
            case ChatIs():
                self._chat_is(event)
            case BatchSent() | Folded():
                self._line(_in_words(event))

    def _begin(self, event: Planned) -> None:
        self._began = monotonic()
        self._tasks[event.chat_id] = self._bars.add_task(in_one_line(event.title), total=event.chunks, so_far="")
        self._line(f"{event.title}: {event.words}")
        for warning in event.warnings:
            self._line(f"{event.title}: note: {warning}")

    def _memory_made(self, event: MemoryMade) -> None:
        self._bars.update(self._tasks[event.chat_id], completed=event.done)
        if not self._console.is_terminal:
            parts = [f"{event.title}: memory {event.number}, {event.done} of {event.of}"]
            parts += [part for part in (self.tally.so_far(), self._time_left(event)) if part]
            self._line("; ".join(parts))

    def _time_left(self, event: MemoryMade) -> str:
        """About how long the rest of the chat takes, if it goes on as it has; empty at the end."""
        rest = event.of - event.done
        seconds = (monotonic() - self._began) / event.done * rest
        return f"about {_span(seconds)} left" if rest else ""

    def _chat_is(self, event: ChatIs) -> None:
        if event.kind == "set aside":
            click.echo(visible(f"{event.title}: skipped. {event.detail} {event.next_step}"), err=True)
        elif event.kind == "left alone":
            self._line(f"{event.title}: unchanged: {event.detail}")
        else:
            self._line(f"{event.title}: {event.detail}\n  {event.path}")

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._console.print(visible(text), markup=False)


def _in_words(event: BatchSent | Folded) -> str:
    if isinstance(event, Folded):
        return f"{event.title}: {event.memories} memories folded into one of level {event.level}"
    since = event.since[:19].replace("T", " ")
    batch = f"waiting for a batch ({event.requests:,} requests, since {since} UTC), which takes minutes, or up to a day"
    return f"{batch}; interrupted, memproc goes on with it the next time"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
