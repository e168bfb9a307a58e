"""`memproc doctor`: what is wrong with installation, folders, keys, models and what is kept, and what mends it."""

import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.status.sentences import printable_json

if TYPE_CHECKING:
    from daemon.status.doctor import Finding


@click.command
@click.option("--thorough", is_flag=True, help="Read everything that is kept, however long that takes.")
@json_option
@pass_settings
def doctor(settings: Settings, thorough: bool, as_json: bool) -> int:
    """Look at everything that memproc needs, and say what mends what is wrong. Nothing is sent, and nothing changed.

    The exit code is 0 where nothing is an error, and 1 where something is.
    """
    from daemon.status.checks import worst_first

    findings = worst_first(tuple(_findings(settings, thorough)))
    errors = sum(finding.level == "error" for finding in findings)
    if as_json:
        report = {"errors": errors, "findings": [asdict(finding) for finding in findings]}
        click.echo(printable_json(report))
    else:
        _print(findings)
    return 1 if errors else 0


def _findings(settings: Settings, thorough: bool) -> "Iterator[Finding]":
    from daemon.status.checks import OF_HOUSE, OF_MACHINE, carry_out
    from daemon.status.doctor import Usable, house, machine
    from daemon.status.doctor import settings as read

    computer = machine(os.environ)
    found = read(lambda: settings.config, lambda: settings.found.path)
    if isinstance(found, Usable):
        yield replace(found.finding, told=f"{found.finding.told} {settings.found.choice}".rstrip())
        yield from carry_out(OF_HOUSE, house(computer, found, thorough))
    else:
        yield found
    yield from carry_out(OF_MACHINE, computer)


def _print(findings: "tuple[Finding, ...]") -> None:
    """Problems with what mends them, then what is well, then how many there are of each."""
    problems = [finding for finding in findings if finding.level != "ok"]
    well = [finding for finding in findings if finding.level == "ok"]
    if problems:
        rows = [(finding.level, finding.name, finding.told, finding.mend) for finding in problems]
        print_table(("", "What", "What was found", "What mends it"), rows)
        click.echo()
    print_table(("", "What", "What was found"), [(finding.level, finding.name, finding.told) for finding in well])
    errors = sum(finding.level == "error" for finding in problems)
    click.echo(f"\nErrors: {errors}, warnings: {len(problems) - errors}, well: {len(well)}.")
