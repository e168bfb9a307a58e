"""Render a report, or an error, as the one object that every command prints with `--json`.

    {"memories": [...], "notes": [...], "next": ["To add one: memproc facts 1a2b add TEXT", ...]}
    {"error": "The archive is damaged.", "notes": [], "next": ["Rebuild it with: memproc rebuild"]}

The rows of each table are under its name. `notes` and `next` are always there.
"""

from collections.abc import Mapping

from daemon.reports.report import Report
from rules.wording import as_sentence


def report_as_json(report: Report) -> dict[str, object]:
    """Return the object of a report."""
    named = (table for table in report.tables if table.name)
    rows = {table.name: [table.data(row) for row in table.rows] for table in named}
    steps = [f"{step.words}: memproc {step.command}" for step in report.next]
    notes = list(map(as_sentence, report.notes))
    return {**rows, **report.values, "notes": notes, "next": steps}


def error_as_json(message: str, next_step: str) -> dict[str, object]:
    """Return the object of an error."""
    return {"error": message, "notes": [], "next": [next_step] if next_step else []}


def in_shape(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values with `notes` and `next` at the end, empty ones where there are none."""
    last = {name: values.get(name, []) for name in ("notes", "next")}
    return {**{name: value for name, value in values.items() if name not in last}, **last}
