"""`memproc run`: compress the exports in the inbox, or those named, once."""

import json
from dataclasses import asdict
from pathlib import Path

import click

from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.files.inbox import exports_in
from daemon.house import Written
from daemon.round import Outcome, SetAside, go_round
from rules.errors import FileTrouble
from rules.plan.chat_plan import LeftAlone


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def run(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Compress the exports in the inbox, or the files and folders named, and exit."""
    exports = wanted_exports(settings, paths)
    outcomes: list[Outcome] = []
    if exports:
        quiet = settings.quiet or as_json
        with Progress(quiet=quiet) as progress, settings.house(progress.tell) as house:
            for outcome in go_round(house, exports):
                progress.tell_outcome(outcome)
                outcomes.append(outcome)
    aside = sum(isinstance(outcome, SetAside) for outcome in outcomes)
    if as_json:
        click.echo(json.dumps([_as_json(outcome) for outcome in outcomes], indent=2, ensure_ascii=False))
    elif not exports:
        settings.say(f"Nothing to do: there are no exports in {settings.folders.inbox}.")
    else:
        written = sum(isinstance(outcome, Written) for outcome in outcomes)
        settings.say(f"{written} written, {len(outcomes) - written - aside} left alone, {aside} set aside.")
    return 1 if aside else 0


def _as_json(outcome: Outcome) -> dict[str, object]:
    kind = {Written: "written", LeftAlone: "left_alone", SetAside: "set_aside"}[type(outcome)]
    return {"outcome": kind, **asdict(outcome)}


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The exports that a command is about: those named, or the inbox's. Raises FileTrouble without an inbox."""
    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path))
