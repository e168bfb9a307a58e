"""`memproc run`: process the exports in the inbox or those named, once, and show what happens."""

import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

import click

from daemon import events
from daemon.archive.chats import KnownChat, known_chats
from daemon.archive.outputs import INTENT
from daemon.archive.signs import signs_of
from daemon.chat.outcome import OUTCOME_KINDS, ExportWritten, Outcome, event_of
from daemon.cli.commands import INTERRUPTED
from daemon.cli.printing import print_error
from daemon.cli.progress import Progress
from daemon.cli.run_record import RunRecord, Stopping, ToldToStop
from daemon.cli.settings import Settings, other_files, paths_argument, wanted_exports
from daemon.models.ask import Unsent
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.models.patience import timeout_of
from daemon.reports.report import Report
from daemon.trip import go_round, run_export
from primer.reply import Request
from rules.errors import ArchiveError, MemprocError, OverBudget, ProviderRefuses


@dataclass(slots=True)
class _Ends:
    """The outcomes of a run's chats, counted; their rows are kept only for JSON."""

    keeps_rows: bool
    rows: list[dict[str, object]] = field(default_factory=list)
    counts: Counter[events.OutcomeKind] = field(default_factory=Counter)
    written: dict[str, None] = field(default_factory=dict)
    """The paths of the updated exports, in order, each once."""

    def add(self, outcome: Outcome) -> None:
        """Count the outcome of a chat or a file."""
        kind = OUTCOME_KINDS[type(outcome)]
        self.counts[kind] += 1
        if isinstance(outcome, ExportWritten):
            self.written[outcome.path] = None
        if self.keeps_rows:
            self.rows.append({"outcome": kind, **asdict(outcome)})

    @property
    def exit_code(self) -> int:
        """Return 1 where anything was skipped, else 0."""
        return 1 if self.counts["skipped"] else 0


@click.command
@paths_argument
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
@click.pass_context
def run_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    dry_run: bool,
    for_programs: bool,
    yes: bool,
) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit.

    On a terminal it asks where a key is missing, and before more than a dollar is spent.
    """
    if dry_run:
        from daemon.cli.plan import plan_command

        return int(ctx.invoke(plan_command, paths=paths))
    settings = ctx.ensure_object(Settings)
    if for_programs:
        from daemon.cli.supervised import as_events  # late: by hand, no daemon is listened to

        stopping = Stopping()
        signal.signal(signal.SIGTERM, stopping.ask)
        further = ((path,) for path in settings.further_files)
        return as_events(
            partial(_tell_events, settings, named, stopping) for named in chain([paths], further)
        )
    # SIGTERM is an interruption, too: calls under way are waited for, and their answers kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    answered: frozenset[str] | None = frozenset()
    settings.say_what_counts(paths)
    if not (yes or settings.quiet):
        answered = agreed_at_terminal(settings, wanted_exports(settings, paths))
    return 0 if answered is None else run_agreed(settings, paths, answered)


def _tell_events(
    settings: Settings, paths: tuple[Path, ...], stopping: Stopping, tell: events.Tell
) -> int:
    """Process the exports as one run, with a cap of its own. Return the exit code."""
    tell(events.Alive(0.0))  # if the child dies before this, the file is not the cause
    ends = _Ends(keeps_rows=False)
    try:
        for outcome in _process(settings, paths, tell, stopping):
            ends.add(outcome)
    except Unsent:
        return INTERRUPTED
    tell(events.RunDone())
    return ends.exit_code


def agreed_at_terminal(settings: Settings, exports: Sequence[Path]) -> frozenset[str] | None:
    """Ask at a terminal what must be asked; return the notices answered by that, None for a no."""
    if not (exports and settings.can_ask):
        return frozenset()
    from daemon.cli.agree import agreed  # late: the daemon's child does not plan twice

    return agreed(settings, exports)


def run_agreed(settings: Settings, paths: tuple[Path, ...], answered: frozenset[str]) -> int:
    """Process the exports, show what happens, and report at the end. Return the exit code.

    `answered` are the notices that the person was asked about, so they are not told again.
    """
    is_silent = settings.quiet or settings.for_programs
    known: Sequence[KnownChat] = ()
    with settings.archive() as archive, suppress(ArchiveError):  # a damaged row hides the titles
        known = known_chats(archive)
    progress = Progress(quiet=is_silent, answered=answered, known=known)
    ends = _Ends(keeps_rows=settings.for_programs)
    early: OverBudget | ProviderRefuses | ToldToStop | None = None
    with progress.bar:
        try:
            for outcome in _process(settings, paths, progress.tell, Stopping()):
                ends.add(outcome)
        except (OverBudget, ProviderRefuses, ToldToStop) as fault:
            early = fault
    notes = (*progress.tally.sentences(), *_summary(ends))
    if not (ends.counts or early):
        notes = (f"Nothing to do: there are no exports in {settings.folders.inbox}.",)
    values = {"outcomes": ends.rows, **progress.tally.as_json(), **_paused(early)}
    settings.show(Report(notes=notes, values=values))
    if isinstance(early, MemprocError):
        raise early  # only now, after the report on what was done before
    if early:
        print_error("Stopped, as you asked. The next run goes on from here.")
        return INTERRUPTED
    return ends.exit_code


def _paused(early: Exception | None) -> dict[str, object]:
    """Return the value of a run in JSON that says where it has paused, if it has."""
    if not isinstance(early, OverBudget):
        return {}
    reached = {"reason": early.message, "next_step": early.next_step, "until": early.until}
    return {"paused": reached}


def _summary(ends: _Ends) -> Iterator[str]:
    """Yield sentences on how many chats had each outcome, and on what to import."""
    counts = ends.counts
    yield (
        f"{counts['written']:,} written, {counts['unchanged']:,} unchanged, "
        f"{counts['skipped']:,} skipped."
    )
    paths = list(ends.written)
    if len(paths) > 1:
        yield "\n  ".join(["Import these into TypingMind:", *paths])
    elif paths:
        yield f"Import this into TypingMind: {paths[0]}"


def _process(
    settings: Settings, paths: tuple[Path, ...], tell: events.Tell, stopping: Stopping
) -> Iterator[Outcome]:
    """Take every export through the trip; yield the outcome of each chat, and of other files.

    `tell` gets every event, and before each call and pause how long silence may last. Raises
    ToldToStop at these points if the run is to stop. Runs by hand are recorded here; the daemon
    records the events of its child itself.
    """
    exports, others = wanted_exports(settings, paths), other_files(settings, paths)
    if not exports and not others:
        return
    with settings.context(tell) as opened, ExitStack() as stack:
        by_hand = settings.handed_over is None
        record = stack.enter_context(RunRecord(opened.archive, settings.by)) if by_hand else None
        context = _in_run(opened, tell, record, stopping)
        if signs_of(context.archive, INTENT):  # left by a power cut during an undo or a restore
            from daemon.recovery.restore import finish_restores  # late: hardly any run has one

            for sentence in finish_restores(context):
                context.tell(events.Note(sentence))
        trips = ((path, go_round(context, path, run_export)) for path in exports)
        for path, outcomes in chain(trips, ((path, [skipped]) for path, skipped in others)):
            for outcome in record.on(path, outcomes) if record else outcomes:
                context.tell(replace(event_of(outcome), file=path.name))
                yield outcome


def _in_run(
    opened: Context, tell: events.Tell, record: RunRecord | None, stopping: Stopping
) -> Context:
    """Return a context that tells and records events, and raises ToldToStop as `_process` says."""

    def tell_of_call(event: events.Event) -> None:
        # This may run in a call's own thread, which must not end the run.
        tell(event)
        if record:
            record.hear(event)

    def hear(event: events.Event) -> None:
        tell_of_call(event)
        if record and record.is_told_to_stop:
            stopping.ask()
        stopping.check()

    def complete(request: Request) -> Completion:
        stopping.check()
        # The time-out applies to connecting, and again to the answer.
        tell_of_call(events.Alive(2 * timeout_of(request), request.model.name))
        return opened.complete(request)

    def pause(seconds: float) -> None:
        tell(events.Alive(seconds))
        stopping.pause(seconds)

    return replace(opened, tell=hear, complete=complete, pause=pause)
