"""What a run has asked and got: calls, tokens, money, and every answer that could not be used, counted."""

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

from daemon.archive.journal import Reply
from daemon.chat.outcome import Outcome, SetAside
from daemon.events import Answered, Event, Folded, Noted, Notice, Planned, Remembered, UserEdits, Waiting
from daemon.status.sentences import in_one_line, visible
from primer.request import EXTRACTIVE
from rules.plan.chat_plan import ChatPlan, LeftAlone


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

    def hear(self, reply: Reply) -> None:
        """Count one fresh reply; the built-in engine's cost nothing and go nowhere."""
        if reply.model == EXTRACTIVE:
            return
        self.calls += 1
        self.tokens_in += reply.tokens_in
        self.tokens_cached += reply.tokens_cached
        self.tokens_cache_written += reply.tokens_cache_written
        self.tokens_out += reply.tokens_out
        self.usd += reply.usd or 0.0
        self.unpriced += reply.usd is None

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
    """Tells what a round does, for as long as it goes on, and counts it."""

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
        """Show how far the work on a chat is."""
        match event:
            case Planned():
                self._begin(event)
            case Notice():
                self._line(f"note: {event.text}")
            case Answered():
                self.tally.hear(event.reply)
                for task in self._bars.task_ids:
                    self._bars.update(task, so_far=self.tally.so_far())
            case UserEdits():
                self.tally.user_edits.append(event)
            case Noted():
                self.tally.noted[event.what] += 1
            case Remembered():
                self._remembered(event)
            case Waiting():
                self._line(_waiting(event))
            case Folded():
                self._line(f"{event.plan.title}: {event.memories} memories folded into one of level {event.level}")

    def tell_outcome(self, outcome: Outcome) -> None:
        """Say what became of a chat or a file; what was set aside goes to the error output with its remedy."""
        if isinstance(outcome, SetAside):
            click.echo(visible(f"{outcome.what}: set aside. {outcome.reason} {outcome.next_step}"), err=True)
        elif isinstance(outcome, LeftAlone):
            self._line(f"{outcome.title}: left alone: {outcome.reason}")
        else:
            self._line(f"{outcome.plan.title}: {outcome.sentence}\n  {outcome.path}")

    def _begin(self, event: Planned) -> None:
        plan = event.plan
        self._began = monotonic()
        self._tasks[plan.chat_id] = self._bars.add_task(in_one_line(plan.title), total=len(plan.work), so_far="")
        self._line(f"{plan.title}: {_work(plan)}")
        for warning in plan.warnings:
            self._line(f"{plan.title}: note: {warning}")

    def _remembered(self, event: Remembered) -> None:
        plan = event.plan
        self._bars.update(self._tasks[plan.chat_id], completed=event.done)
        if not self._console.is_terminal:
            told = [f"{plan.title}: memory {event.number}, {event.done} of {len(plan.work)}"]
            told += [part for part in (self.tally.so_far(), self._time_left(event)) if part]
            self._line("; ".join(told))

    def _time_left(self, event: Remembered) -> str:
        """About how long the rest of the chat takes, if it goes on as it has; empty at the end."""
        rest = len(event.plan.work) - event.done
        seconds = (monotonic() - self._began) / event.done * rest
        return f"about {_span(seconds)} left" if rest else ""

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._console.print(visible(text), markup=False)


def _work(plan: ChatPlan) -> str:
    """What will be done, as half a sentence."""
    tokens = sum(chunk.tokens for chunk in plan.chunks)
    said = [f"{len(plan.chunks)} chunks become memories: {tokens:,} tokens"] if plan.chunks else []
    said += [f"{len(plan.again)} memories are written again"] if plan.again else []
    said += [f"{len(plan.hindsight)} get a hindsight edition"] if plan.hindsight else []
    after = len({chunk.number for chunk in plan.layers.core + plan.layers.facts})
    said += [f"core memory and facts are looked after behind {after} of them"] if after else []
    return "; ".join([*([", ".join(said)] if said else []), f"{plan.calls} calls"])


def _waiting(event: Waiting) -> str:
    since = event.since[:19].replace("T", " ")
    told = f"waiting for a batch ({event.requests:,} requests, since {since} UTC), which takes minutes, or up to a day"
    return f"{told}; interrupted, memproc goes on with it the next time"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
