"""`memproc run`: process the exports in the inbox or those named, once, and show what happens."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from threading import get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Self

import click

from daemon import events
from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, RunProgress, keep_run, known_chats, seconds_left
from daemon.archive.outputs import INTENT
from daemon.archive.signs import signs_of
from daemon.chat.outcome import Outcome, Skipped
from daemon.cli import INTERRUPTED
from daemon.cli.settings import Settings, in_width, json_option, moment, other_files, wanted_exports
from daemon.cli.supervised import as_events
from daemon.files.clock import now
from daemon.models.ask import Unsent
from daemon.models.completion import TIMEOUT_SECONDS, Completion
from daemon.status.printable import in_one_line, printable_json, visible
from daemon.status.sentences import progress_line
from daemon.status.spans import span
from daemon.trip import go_round, run_export
from primer.models import ENGINE
from primer.request import Request
from rules.errors import MemprocError, OverBudget
from rules.plan.chat_plan import Unchanged
from rules.wording import counted

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.text import Text

    from daemon.models.context import Context


@dataclass(slots=True)
class Tally:
    """Counts for as long as a run goes on. Only calls that left the machine count."""

    calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    """Calls whose price nobody knows."""
    noted: dict[str, int] = field(default_factory=dict)
    user_edits: list[events.UserEdits] = field(default_factory=list)

    def add(self, answer: events.ModelAnswered) -> None:
        """Count one fresh reply."""
        self.calls += 1
        self.tokens_in += answer.tokens_in
        self.tokens_cached += answer.tokens_cached
        self.tokens_cache_written += answer.tokens_cache_written
        self.tokens_out += answer.tokens_out
        self.usd += answer.usd or 0.0
        self.unpriced_calls += answer.usd is None

    def as_json(self) -> dict[str, object]:
        """The counts under their names."""
        return {**asdict(self), "usd": round(self.usd, 6)}

    def so_far(self) -> str:
        """Calls, tokens of the cache and money, in a few words; empty before the first call."""
        if not self.calls:
            return ""
        cache = f"cache {self.tokens_cached:,} read and {self.tokens_cache_written:,} written"
        return f"{counted(self.calls, 'call')}, {cache}, {self.money()}"

    def money(self) -> str:
        """Dollars so far, and how many calls have no known price."""
        unpriced = (
            f" and {counted(self.unpriced_calls, 'call')} of unknown price"
            if self.unpriced_calls
            else ""
        )
        return f"${self.usd:,.4f}{unpriced}"

    def sentences(self) -> Iterator[str]:
        """The report at the end of a run."""
        if self.calls:
            yield (
                f"{counted(self.calls, 'call')}: {self.tokens_in:,} tokens sent "
                f"({self.tokens_cached:,} read from the cache, "
                f"{self.tokens_cache_written:,} written to it), {self.tokens_out:,} received, {self.money()}."
            )
        for edits in self.user_edits:
            yield f"{edits.title}, by your hand in TypingMind: {edits.text}"
        if self.noted:
            listed = ", ".join(f"{what} {times:,}" for what, times in sorted(self.noted.items()))
            yield f"Answers that could not be used at once, and what helped: {listed}."


def gone_on(run: RunProgress, event: events.Event, when: str) -> RunProgress:
    """The progress of the run after an event."""
    match event:
        case events.Planned():
            begun = replace(run, chat_id=event.chat_id, title=event.title, chat_began_at=when)
            return replace(begun, done=0, of=event.chunks, answered=0, calls=event.calls)
        case events.ModelAnswered() if not run.answered and run.done:
            # What was done till now had been asked before; from here on each call takes its time.
            calls = round(run.calls * (run.of - run.done) / run.of)
            return replace(
                run, answered=1, calls=calls, chat_began_at=when, usd=run.usd + (event.usd or 0.0)
            )
        case events.ModelAnswered():
            return replace(run, answered=run.answered + 1, usd=run.usd + (event.usd or 0.0))
        case events.MemoryMade():
            return replace(run, done=event.done, of=event.of)
        case events.ChatIs(kind="set aside", title=title, detail=detail, next_step=step):
            trouble = f"{run.trouble}\n{title}: {detail}".strip()
            return replace(run, trouble=trouble, next_step=step)
        case _:
            return run


class RunRecord:
    """Keeps in the archive how far a run is, about once a second, for `memproc status`; as a context, also its end."""

    def __init__(self, archive: Archive, *, by_hand: bool) -> None:
        self._archive, self._thread = archive, get_ident()
        self._run = RunProgress(by_hand, now())
        self._became = dict.fromkeys(_BECAME.values(), 0)
        self._kept = 0.0
        self._keep()

    def hear(self, event: events.Event) -> None:
        """Take note of an event; those that threads of calls tell are left out: the archive belongs to one thread."""
        if get_ident() != self._thread:
            return
        self._run = gone_on(self._run, event, now())
        if isinstance(event, events.ChatIs):
            self._became[_BECAME[event.kind]] += 1
        if monotonic() - self._kept >= _KEEP_SECONDS:
            self._keep()

    def _keep(self) -> None:
        keep_run(self._archive, self._run, now())
        self._kept = monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: object
    ) -> None:
        outcome = ", ".join(f"{number:,} {word}" for word, number in self._became.items() if number)
        self._run = replace(self._run, ended_at=now(), outcome=outcome or "nothing was to do")
        if isinstance(fault, MemprocError):
            self._run = replace(
                self._run, outcome="failed", trouble=fault.message, next_step=fault.next_step
            )
        elif isinstance(fault, Exception) and not isinstance(fault, Unsent):
            self._run = replace(
                self._run, outcome="failed", trouble=f"It ended with {kind and kind.__name__}."
            )
        elif fault is not None:
            self._run = replace(self._run, outcome="interrupted")
        with suppress(MemprocError):  # what ended the run is the error to tell
            self._keep()


class Progress:
    """Takes the events of a run, shows them, and counts; `bars` move as long as they are entered.

    What was skipped goes to the error output. `answered` are notices that the person has been asked about already,
    `known` the chats of the archive: those that share a title are told with their ids.
    """

    def __init__(
        self,
        *,
        quiet: bool,
        answered: frozenset[str] = frozenset(),
        known: Sequence[KnownChat] = (),
    ) -> None:
        # Loaded here: the daemon's child shows nothing.
        from rich.console import Console
        from rich.progress import BarColumn, RenderableColumn
        from rich.progress import Progress as Bars
        from rich.table import Column

        self.tally = Tally()
        self._quiet, self._answered = quiet, {_in_words(events.Note(notice)) for notice in answered}
        self._console = Console(soft_wrap=True, highlight=False)
        self.bars = Bars(
            RenderableColumn(self, table_column=Column(no_wrap=True)),
            BarColumn(bar_width=None, table_column=Column(ratio=1)),
            console=self._console, expand=True, transient=True, disable=quiet or not self._console.is_terminal,
        )  # fmt: skip
        self._task: TaskID | None = None
        self._ids: dict[str, list[str]] = {}
        self._told: set[str] = set()
        for chat in known:
            self._ids.setdefault(chat.title, []).append(chat.chat_id)
        self._run = RunProgress(by_hand=True, began_at=now())

    def tell(self, event: events.Event) -> None:
        """Show and count an event; chats that share a title are told with their ids."""
        if isinstance(event, _ABOUT_A_CHAT) and event.chat_id:
            event = replace(event, title=self._told_apart(event.chat_id, event.title))
        self._run = gone_on(self._run, event, now())
        if isinstance(event, events.ChatIs):
            self._end_bar()
        match event:
            case events.Planned():
                self._end_bar()
                self._task = self.bars.add_task("", total=event.chunks or None)
                words = (event.words, *(f"note: {warning}" for warning in event.warnings))
                self._line("\n".join(f"{event.title}: {line}" for line in words))
            case events.ModelAnswered():
                self.tally.add(event)
            case events.UserEdits():
                self.tally.user_edits.append(event)
            case events.Noted(what):
                self.tally.noted[what] = self.tally.noted.get(what, 0) + 1
            case events.MemoryMade():
                self._memory_made(event)
            case events.ChatIs(kind="set aside"):
                click.echo(
                    in_width(visible(f"{event.title}: skipped. {event.detail} {event.next_step}")),
                    err=True,
                )
            case _:
                self._line(_in_words(event))

    def _told_apart(self, chat_id: str, title: str) -> str:
        """Return the title, with the id where another chat has the same."""
        ids = self._ids.setdefault(title, [])
        if chat_id not in ids:
            ids.append(chat_id)
            if len(ids) == 2 and ids[0] in self._told:
                self._line(f'note: "{title}" above is the chat {ids[0]}.')
        self._told.add(chat_id)
        return f"{title} ({chat_id})" if len(ids) > 1 else title

    def _end_bar(self) -> None:
        """Take the bar away, at once: what is printed next goes in its place."""
        if self._task is not None:
            self.bars.remove_task(self._task)
            self.bars.refresh()
            self._task = None

    def _memory_made(self, event: events.MemoryMade) -> None:
        """Move the bar on, or print a line with about how long the rest takes, if it goes on as it has."""
        if self._task is not None:
            self.bars.update(self._task, completed=event.done)
        if not self._console.is_terminal:
            line = f"{event.title}: memory {event.number}, {event.done} of {event.of}"
            seconds = seconds_left(self._run, now())
            left = (
                f"about {span(seconds)} left"
                if event.done < event.of and seconds is not None
                else ""
            )
            self._line("; ".join(part for part in (line, self.tally.so_far(), left) if part))

    def __rich__(self) -> "Text":
        """The line beside the bar, which has room for the count and the time also where a title is long."""
        from rich.text import Text

        run = replace(self._run, seconds_left=seconds_left(self._run, now()))
        title = Text(in_one_line(run.title))
        room = self._console.width - len(progress_line(run, "-")) - _LEAST_BAR
        title.truncate(max(room, _LEAST_TITLE), overflow="ellipsis")
        return Text(progress_line(run, title.plain), no_wrap=True)

    def _line(self, text: str) -> None:
        if text and not self._quiet and text not in self._answered:
            self._console.print(in_width(visible(text)), markup=False)


def _in_words(event: events.Event) -> str:
    """The line that is printed of an event that is not counted; empty for one that only programs are told."""
    match event:
        case events.Note(text):
            return f"note: {text}"
        case events.TriesAgain():
            return event.sentence
        case events.ChatIs(title=title, kind="left alone", detail=detail):
            return f"{title}: unchanged: {detail}"
        case events.ChatIs(title=title, detail=detail, path=path):
            return f"{title}: {detail}\n  {path}"
        case events.Folded(title=title, memories=memories, level=level):
            return f"{title}: {memories} memories folded into one of level {level}"
        case events.BatchSent(requests, since):
            return (
                f"waiting for a batch ({requests:,} requests, since {moment(since)} UTC), which takes minutes, or up "
                "to a day; interrupted, memproc goes on with it the next time"
            )
        case _:
            return ""


_ABOUT_A_CHAT = (
    events.Planned | events.MemoryMade | events.Folded | events.UserEdits | events.ChatIs
)
_BECAME = {"written": "written", "left alone": "unchanged", "set aside": "skipped"}
_KEEP_SECONDS = 1.0
_LEAST_BAR = 12  # columns
_LEAST_TITLE = 8
_KINDS: dict[type[Outcome], str] = {
    events.ExportWritten: "written",
    Unchanged: "left_alone",
    Skipped: "set_aside",
}
_LOOK_SECONDS = 0.25


class ToldToStop(Unsent):
    """The command has been told to end, and this is a good place for it."""


class Stopping:
    """Whether a command has been told to end. It ends where no answer of a model can get lost, not anywhere."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        """Let it end soon; may be called by a signal, where a lock might be held."""
        self._is_asked = True

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


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--dry-run", is_flag=True, help="Only show what would be done, as `memproc plan` does."
)
@click.option(
    "--events",
    "for_programs",
    is_flag=True,
    help="Print, for programs, each event as a line of JSON.",
)
@click.option(
    "--yes", is_flag=True, help="Ask nothing: go on without a key, and spend what the caps allow."
)
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    paths: tuple[Path, ...],
    dry_run: bool,
    for_programs: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit.

    On a terminal it asks where a key is missing, and before more than a dollar is spent.
    """
    if dry_run:
        from daemon.cli.plan import plan

        return int(ctx.invoke(plan, paths=paths, as_json=as_json))
    settings = ctx.ensure_object(Settings)
    if for_programs:
        return as_events(lambda tell: _tell_events(settings, paths, tell))
    # Ending it is the same as interrupting it: the calls under way are waited for, and their answers kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _show(settings, paths, as_json, asks=not (yes or as_json or settings.quiet))


def _tell_events(settings: Settings, paths: tuple[Path, ...], tell: events.Tell) -> int:
    stopping = Stopping()
    signal.signal(signal.SIGTERM, stopping.ask)
    try:
        outcomes = list(
            _process(
                settings,
                wanted_exports(settings, paths),
                other_files(settings, paths),
                tell,
                stopping,
            )
        )
    except Unsent:
        return INTERRUPTED
    tell(events.RunDone())
    return _exit_code(outcomes)


def _show(settings: Settings, paths: tuple[Path, ...], as_json: bool, asks: bool) -> int:
    exports, others = wanted_exports(settings, paths), other_files(settings, paths)
    if not as_json:
        settings.say_what_counts()
    answered = frozenset[str]()
    if asks and exports and sys.stdin.isatty() and sys.stdout.isatty():
        from daemon.cli.agree import agreed  # the daemon's child does without planning twice

        answers = agreed(settings, exports)
        if answers is None:
            return 0
        answered = answers
    outcomes: list[Outcome] = []
    over: OverBudget | None = None
    with settings.archive() as archive:
        known = known_chats(archive)
    progress = Progress(quiet=settings.quiet or as_json, answered=answered, known=known)
    with progress.bars:
        try:
            # One by one: what was done before a cap is reached is reported too.
            for outcome in _process(settings, exports, others, progress.tell, Stopping()):
                outcomes.append(outcome)
        except OverBudget as reached:
            over = reached
    if as_json:
        paused = (
            {"paused": {"reason": over.message, "next_step": over.next_step, "until": over.until}}
            if over
            else {}
        )
        rows = [{"outcome": _KINDS[type(outcome)], **asdict(outcome)} for outcome in outcomes]
        click.echo(printable_json({"outcomes": rows, **progress.tally.as_json(), **paused}))
    elif not exports and not others:
        settings.say(f"Nothing to do: there are no exports in {settings.folders.inbox}.")
    else:
        for line in (*progress.tally.sentences(), *_summary(outcomes)):
            settings.say(line)
    if over:
        raise over  # at the end, as every error: the report is of what was done before
    return _exit_code(outcomes)


def _summary(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Sentences on how many chats were written, and what to do next with them."""
    written, unchanged, skipped = (
        sum(isinstance(outcome, kind) for outcome in outcomes) for kind in _KINDS
    )
    yield f"{written} written, {unchanged} unchanged, {skipped} skipped."
    paths = list(
        dict.fromkeys(
            outcome.path for outcome in outcomes if isinstance(outcome, events.ExportWritten)
        )
    )
    if len(paths) > 1:
        yield "\n  ".join(["Import these into TypingMind:", *paths])
    elif paths:
        yield f"Import this into TypingMind: {paths[0]}"


def _process(
    settings: Settings,
    exports: Sequence[Path],
    others: Sequence[Skipped],
    tell: events.Tell,
    stopping: Stopping,
) -> Iterator[Outcome]:
    """Take every export through the trip; `tell` hears everything, and what became of each chat and of `others`.

    Before each call and each pause it is told how long nothing may be heard. These are good places to end: raises
    ToldToStop there where the run is to end.
    """

    if not exports and not others:
        return

    def complete(request: Request) -> Completion:
        stopping.check()
        if request.model != ENGINE:
            timeout = float(str(request.route.get("timeout", TIMEOUT_SECONDS)))
            tell(events.Alive(2 * timeout))  # the limit counts for connecting and for answering
        return opened.complete(request)

    def pause(seconds: float) -> None:
        tell(events.Alive(seconds))
        stopping.pause(seconds)

    with (
        settings.context(tell) as opened,
        RunRecord(opened.archive, by_hand=settings.handed_over is None) as record,
    ):

        def hear(event: events.Event) -> None:
            tell(event)
            record.hear(event)
            stopping.check()

        context = replace(opened, tell=hear, complete=complete, pause=pause)
        for sentence in _finished_restores(context):
            hear(events.Note(sentence))
        for outcome in chain(go_round(context, exports, run_export), others):
            hear(_event_of(outcome))
            yield outcome


def _event_of(outcome: Outcome) -> events.ChatIs:
    """Return what the daemon, the log and the terminal are told of an outcome."""
    match outcome:
        case events.ExportWritten(plan=plan, path=path):
            return events.ChatIs(plan.chat_id, plan.title, "written", outcome.sentence, path=path)
        case Unchanged(chat_id=chat_id, title=title, reason=reason, path=path):
            return events.ChatIs(chat_id, title, "left alone", reason, path=path)
        case Skipped(chat_id=chat_id, what=title, reason=reason, next_step=next_step, later=later):
            return events.ChatIs(chat_id, title, "set aside", reason, next_step, later=later)


def _finished_restores(context: "Context") -> tuple[str, ...]:
    """Finish what a power cut has left of an undo or a restore, before any chat is looked at."""
    if not signs_of(context.archive, INTENT):
        return ()
    from daemon.recovery.restore import finish_restores  # late: hardly any run has one

    return finish_restores(context)


def _exit_code(outcomes: Sequence[Outcome]) -> int:
    return 1 if any(isinstance(outcome, Skipped) for outcome in outcomes) else 0
