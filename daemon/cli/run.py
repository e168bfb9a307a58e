"""`memproc run`: compress the exports in the inbox, or those named, once; the daemon starts it for a dropped file."""

import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic, sleep

import click

from daemon.chat.deliver import Outcome, SetAside
from daemon.cli import INTERRUPTED
from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, json_option, wanted_exports
from daemon.cli.supervised import as_events
from daemon.context import Context
from daemon.events import Alive, ChatIs, Event, ExportWritten, RunDone, Tell
from daemon.models.ask import Unsent
from daemon.models.completion import TIMEOUT_SECONDS, Completion
from daemon.status.sentences import printable_json
from daemon.trip import go_round
from primer.reply import ENGINE, Request
from rules.errors import OverBudget
from rules.plan.chat_plan import LeftAlone

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
