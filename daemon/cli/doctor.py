"""Look at everything that memproc needs, and print what was found: `memproc doctor`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from daemon.cli.printing import in_width, print_json, styled
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import in_one_line, visible

if TYPE_CHECKING:
    from daemon.status.findings import Finding


@click.command
@click.option(
    "--thorough", is_flag=True, help="Read everything that is kept, however long that takes."
)
@click.option("--all", "show_all", is_flag=True, help="List what is well, too.")
@json_option
@pass_settings
def doctor_command(settings: Settings, thorough: bool, show_all: bool, as_json: bool) -> int:
    """Look at everything that memproc needs, and say what mends what is wrong.

    Nothing is sent, and nothing changed. Errors come last, where a terminal shows them. The exit
    code is 0 where nothing is an error, and 1 where something is.
    """
    from daemon.remember.chat_notes import memories_of_ending_models, wishes_of_folds
    from daemon.status.doctor import examine

    findings = examine(
        lambda: settings.config,
        lambda: (settings.config_file.path, settings.config_file.choice),
        thorough,
        (memories_of_ending_models, wishes_of_folds),
    )
    errors = sum(finding.level == "error" for finding in findings)
    if as_json:
        rows = [
            {"name": each.name, "level": each.level, "told": each.text, "mend": each.remedy}
            for each in findings
        ]
        print_json({"errors": errors, "findings": rows})
    else:
        settings.say_which_file()
        _print_findings(findings, errors, show_all)
    return 1 if errors else 0


def _print_findings(findings: Sequence["Finding"], errors: int, show_all: bool) -> None:
    """Print the findings, the worst last, and how many there are of each kind."""
    well = [finding for finding in findings if finding.level == "ok"]
    if show_all:
        for finding in well:
            text = in_width(visible(f"ok  {finding.name}: {finding.text}"))
            click.echo(f"{styled('ok', 'green')}{text[2:]}")
    unwell = findings[: len(findings) - len(well)]
    for finding in reversed(unwell):
        colour = "red" if finding.level == "error" else "yellow"
        click.echo(f"\n{styled(finding.level, colour)}: {in_one_line(finding.name)}")
        click.echo(in_width(visible(finding.text), "    "))
        remedy, is_sentence = visible(finding.remedy), finding.remedy[:1].isupper()
        # A command stays in one line.
        click.echo(in_width(remedy, "    ") if is_sentence else f"    {remedy}")
    more = "" if show_all else " (memproc doctor --all)"
    warnings = len(unwell) - errors
    click.echo(f"\nErrors: {errors}, warnings: {warnings}, well: {len(well)}{more}.")
