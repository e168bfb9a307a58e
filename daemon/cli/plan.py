"""Show what a run would do, what it costs, and whether the caps allow it: `memproc plan`."""

from dataclasses import replace
from pathlib import Path

import click

from daemon.chat.outcome import Skipped
from daemon.cli.planned import caps_and_spent, planned_rows
from daemon.cli.settings import Settings, other_files, pass_settings, wanted_exports
from daemon.reports.plan import PlannedRow, plan_report


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@pass_settings
def plan_command(settings: Settings, paths: tuple[Path, ...]) -> int:
    """Show what `run` would do with the exports in the inbox, or those named.

    Sends and writes nothing. In the table, New is the memories to be made, by that many Calls, which
    send that many tokens (To send). Waiting are the tokens that have left the live tail and are too
    few for a memory yet; Live are the newest, which stay word for word.
    """
    rows = planned_rows(settings, wanted_exports(settings, paths))
    rows += [PlannedRow(path.name, other) for path, other in other_files(settings, paths)]
    report = plan_report(rows, *caps_and_spent(settings))
    if not rows:
        where = ", ".join(map(str, paths)) or str(settings.folders.inbox)
        report = replace(report, notes=(f"Nothing to plan: there are no chats in {where}.",))
    settings.say_what_counts(paths)
    settings.show(report)
    has_skipped = any(isinstance(row.outcome, Skipped) for row in rows)
    return 1 if has_skipped else 0
