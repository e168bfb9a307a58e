"""Say what a look at everything that memproc needs has found, and what mends it."""

from collections.abc import Sequence

from daemon.reports.report import Card, Report, ReportTable, unmarked
from daemon.status.findings import Finding


def doctor_report(findings: Sequence[Finding], *, shows_all: bool) -> Report:
    """Return the findings, the worst last for a person, and how many there are of each kind.

    What is well is shown where that is wanted. Programs get all of them.
    """
    counts = dict.fromkeys(("error", "warning", "ok"), 0)
    for finding in findings:
        counts[finding.level] += 1
    shown = [each for each in reversed(findings) if shows_all or each.level != "ok"]
    more = "" if shows_all else " (memproc doctor --all)"
    errors, warnings, well = counts.values()
    return Report(
        (
            ReportTable("findings", findings, data=_data),
            ReportTable("", shown, card=_card),
        ),
        notes=(f"errors: {errors}, warnings: {warnings}, well: {well}{more}",),
        values={"errors": errors},
    )


def _card(finding: Finding) -> Card:
    if finding.level == "ok":
        return Card(f"ok  {finding.name}: {finding.text}", ())
    return Card(
        f"{finding.level}: {finding.name}", unmarked(f"{finding.text}\n{finding.remedy}".rstrip())
    )


def _data(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.name,
        "level": finding.level,
        "told": finding.text,
        "mend": finding.remedy,
    }
