"""`memproc run`: compress the exports in the inbox, or those named, once."""

import signal
from dataclasses import asdict
from pathlib import Path

import click

from daemon.chat.outcome import Outcome, SetAside
from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, json_option, wanted_exports
from daemon.events import Written
from daemon.status.sentences import printable_json
from daemon.trip import go_round
from rules.errors import OverBudget
from rules.plan.chat_plan import LeftAlone


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only show what would be done, as `memproc plan` does.")
@json_option
@click.pass_context
def run(ctx: click.Context, paths: tuple[Path, ...], dry_run: bool, as_json: bool) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit."""
    if dry_run:
        from daemon.cli.plan import plan

        return int(ctx.invoke(plan, paths=paths, as_json=as_json))
    return _go(ctx.ensure_object(Settings), paths, as_json)


def _go(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    exports = wanted_exports(settings, paths)
    if not as_json:
        settings.say_which_file()
    outcomes: list[Outcome] = []
    over: OverBudget | None = None
    # Ending it is the same as interrupting it: what is under way is waited for and kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Progress(quiet=settings.quiet or as_json) as progress:
        if exports:
            with settings.context(progress.tell) as context:
                try:
                    for outcome in go_round(context, exports):
                        progress.tell_outcome(outcome)
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
    return 1 if any(isinstance(outcome, SetAside) for outcome in outcomes) else 0


def _counted(outcomes: list[Outcome]) -> str:
    written, alone, aside = (
        sum(isinstance(outcome, kind) for outcome in outcomes) for kind in (Written, LeftAlone, SetAside)
    )
    return f"{written} written, {alone} left alone, {aside} set aside."


def _as_json(outcome: Outcome) -> dict[str, object]:
    kind = {Written: "written", LeftAlone: "left_alone", SetAside: "set_aside"}[type(outcome)]
    return {"outcome": kind, **asdict(outcome)}
