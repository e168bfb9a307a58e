"""Render all that a command shows, or the error that ended it, as the one object of `--json`.

    {"memories": [...], "notes": [...], "next": ["To add one: memproc facts 1a2b add TEXT", ...]}
    {"error": "The archive is damaged.", "notes": [], "next": ["Rebuild it with: memproc rebuild"]}

The rows of each table are under its name. `notes` and `next` are always there, at the end.
"""

from collections.abc import Sequence

from daemon.reports.report import Report
from rules.wording import as_sentence


def as_one_object(reports: Sequence[Report], error: str, next_step: str) -> dict[str, object]:
    """Return the object of all reports, in order; `error` is what ended the command, if any did."""
    values: dict[str, object] = {}
    notes: list[str] = []
    steps: list[str] = []
    for report in reports:
        for table in report.tables:
            if table.name:
                values[table.name] = [table.data(row) for row in table.rows]
        values |= report.values
        notes += [*map(as_sentence, report.notes), *report.pressed]
        steps += [f"{step.words}: memproc {step.command}" for step in report.next]
    if error:
        values["error"] = error
    return {**values, "notes": notes, "next": [*steps, next_step] if next_step else steps}
