"""`memproc run`: process the exports in the inbox or those named, once, and show what happens."""

import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from daemon.chat.deliver import Outcome, SetAside
from daemon.cli import INTERRUPTED
from daemon.cli.settings import Settings, json_option, wanted_exports
from daemon.context import Context
from daemon.events import (
    Alive,
    BatchSent,
    ChatIs,
    Event,
    ExportWritten,
    Folded,
    MemoryMade,
    ModelAnswered,
    Note,
    Noted,
    Planned,
    RunDone,
    Tell,
    UserEdits,
)
from daemon.models.ask import Unsent
from daemon.models.completion import TIMEOUT_SECONDS, Completion
from daemon.status.sentences import in_one_line, printable_json, visible
from daemon.trip import go_round
from primer.reply import ENGINE, Request
from rules.errors import OverBudget
from rules.plan.chat_plan import LeftAlone

if TYPE_CHECKING:
    from rich.progress import TaskID


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
        # Loaded here: the daemon's child shows nothing.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

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


_LOOK_SECONDS = 0.25


class ToldToStop(Unsent):
    """The command has been told to end, and this is a good place for it."""


class Stopping:
    """Whether a command has been told to end. It ends where no answer of a model can get lost, not anywhere."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask_by_signal(self) -> None:
        """Let SIGTERM ask, from now on."""
        signal.signal(signal.SIGTERM, self._ask)

    def check(self) -> None:
        """Raise ToldToStop where that has happened."""
        if self._is_asked:
            raise ToldToStop

    def pause(self, seconds: float) -> None:
        """Wait so long, but not longer than until the command is to end: then ToldToStop is raised."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            self.check()
            sleep(min(left, _LOOK_SECONDS))

    def _ask(self, *_: object) -> None:
        self._is_asked = True  # nothing else: a lock might be held where the signal comes


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only show what would be done, as `memproc plan` does.")
@click.option("--events", is_flag=True, help="Print what happens as it happens, for programs: one JSON object a line.")
@json_option
@click.pass_context
def run(ctx: click.Context, paths: tuple[Path, ...], dry_run: bool, events: bool, as_json: bool) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit."""
    if dry_run:
        from daemon.cli.plan import plan

        return int(ctx.invoke(plan, paths=paths, as_json=as_json))
    settings = ctx.ensure_object(Settings)
    if events:
        from daemon.cli.supervised import as_events

        return as_events(lambda tell: _tell_events(settings, paths, tell))
    # Ending it is the same as interrupting it: the calls under way are waited for, and their answers kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _show(settings, paths, as_json)


def _tell_events(settings: Settings, paths: tuple[Path, ...], tell: Tell) -> int:
    stopping = Stopping()
    stopping.ask_by_signal()
    try:
        outcomes = list(_process(settings, wanted_exports(settings, paths), tell, stopping))
    except Unsent:
        return INTERRUPTED
    tell(RunDone())
    return _exit_code(outcomes)


def _show(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    exports = wanted_exports(settings, paths)
    if not as_json:
        settings.say_which_file()
    outcomes: list[Outcome] = []
    over: OverBudget | None = None
    with Progress(quiet=settings.quiet or as_json) as progress:
        try:
            # One by one: what was done before a cap is reached is reported too.
            for outcome in _process(settings, exports, progress.tell, Stopping()) if exports else ():
                outcomes.append(outcome)
        except OverBudget as reached:
            over = reached
    if as_json:
        paused = {"paused": {"reason": over.message, "next_step": over.next_step, "until": over.until}} if over else {}
        report = {"outcomes": [_as_json(outcome) for outcome in outcomes], **progress.tally.as_json(), **paused}
        click.echo(printable_json(report))
    elif not exports:
        settings.say(f"Nothing to do: there are no exports in {settings.folders.inbox}.")
    else:
        for line in (*progress.tally.sentences(), _counted(outcomes)):
            settings.say(line)
    if over:
        raise over  # at the end, as every error: the report is of what was done before
    return _exit_code(outcomes)


def _process(settings: Settings, exports: Sequence[Path], tell: Tell, stopping: Stopping) -> Iterator[Outcome]:
    """Take every export through the trip; `tell` hears everything, and what became of each chat.

    Raises ToldToStop between two calls where the run is to end.
    """

    def hear(event: Event) -> None:
        tell(event)
        stopping.check()

    with settings.context(hear) as context:
        for outcome in go_round(_with_signs_of_life(context, tell, stopping), exports):
            hear(_chat_is(outcome))
            yield outcome


def _with_signs_of_life(context: Context, tell: Tell, stopping: Stopping) -> Context:
    """The same, but before each call and each pause it is told how long nothing may be heard; good places to end."""

    def complete(request: Request) -> Completion:
        stopping.check()
        if request.model != ENGINE:
            tell(Alive(_longest(request)))
        return context.complete(request)

    def pause(seconds: float) -> None:
        tell(Alive(seconds))
        stopping.pause(seconds)

    return replace(context, complete=complete, pause=pause)


def _longest(request: Request) -> float:
    """How many seconds a call may take; its limit counts for connecting and for answering."""
    timeout = float(str(request.route.get("timeout", TIMEOUT_SECONDS)))
    return 2 * timeout


def _chat_is(outcome: Outcome) -> ChatIs:
    if isinstance(outcome, ExportWritten):
        return ChatIs(outcome.plan.chat_id, outcome.plan.title, "written", outcome.sentence, path=outcome.path)
    if isinstance(outcome, LeftAlone):
        return ChatIs(outcome.chat_id, outcome.title, "left alone", outcome.reason)
    return ChatIs(outcome.chat_id, outcome.what, "set aside", outcome.reason, outcome.next_step, later=outcome.later)


def _exit_code(outcomes: Sequence[Outcome]) -> int:
    return 1 if any(isinstance(outcome, SetAside) for outcome in outcomes) else 0


def _counted(outcomes: Sequence[Outcome]) -> str:
    written, alone, aside = (
        sum(isinstance(outcome, kind) for outcome in outcomes) for kind in (ExportWritten, LeftAlone, SetAside)
    )
    return f"{written} written, {alone} unchanged, {aside} skipped."


def _as_json(outcome: Outcome) -> dict[str, object]:
    kind = {ExportWritten: "written", LeftAlone: "left_alone", SetAside: "set_aside"}[type(outcome)]
    return {"outcome": kind, **asdict(outcome)}
