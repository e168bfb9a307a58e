"""`memproc doctor`: what is wrong with installation, folders, keys, models and what is kept, and what mends it."""

from typing import TYPE_CHECKING

import click

from daemon.cli.settings import Settings, json_option, pass_settings, print_table
from daemon.status.sentences import printable_json

if TYPE_CHECKING:
    from daemon.status.findings import Finding


@click.command
@click.option("--thorough", is_flag=True, help="Read everything that is kept, however long that takes.")
@json_option
@pass_settings
def doctor(settings: Settings, thorough: bool, as_json: bool) -> int:
    """Look at everything that memproc needs, and say what mends what is wrong. Nothing is sent, and nothing changed.

    The exit code is 0 where nothing is an error, and 1 where something is.
    """
    from daemon.status.doctor import examine

    findings = examine(lambda: settings.config, lambda: (settings.found.path, settings.found.choice), thorough)
    errors = sum(finding.level == "error" for finding in findings)
    if as_json:
        rows = [
            {"name": finding.name, "level": finding.level, "told": finding.text, "mend": finding.remedy}
            for finding in findings
        ]
        click.echo(printable_json({"errors": errors, "findings": rows}))
    else:
        _print(findings)
    return 1 if errors else 0


def _print(findings: "list[Finding]") -> None:
    """Problems with what mends them, then what is well, then how many there are of each."""
    problems = [finding for finding in findings if finding.level != "ok"]
    well = [finding for finding in findings if finding.level == "ok"]
    if problems:
        rows = [(finding.level, finding.name, finding.text, finding.remedy) for finding in problems]
        print_table(("", "What", "What was found", "What mends it"), rows)
        click.echo()
    print_table(("", "What", "What was found"), [(finding.level, finding.name, finding.text) for finding in well])
    errors = sum(finding.level == "error" for finding in problems)
    click.echo(f"\nErrors: {errors}, warnings: {len(problems) - errors}, well: {len(well)}.")
