"""A report on the page: its table with links and counts, its notes and buttons, or what is said of none."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader

import daemon.page
from daemon.reports.report import Column, Link, Report, ReportTable, Step

TEMPLATES = Path(daemon.page.__file__).parent / "templates"
SHOW = '{% from "report.html" import shown %}{{ shown(report, "token") }}'
COLUMNS: tuple[Column[int], ...] = (
    Column("Version", lambda row: Link(f"version {row}", f"/versions/{row}")),
    Column("Bytes", lambda row: row * 1_000, "number"),
)


def page_of(report: Report) -> str:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    environment.filters |= dict.fromkeys(
        ("as_sentence", "capital", "day", "minute", "time", "tokens"), str
    )
    return environment.from_string(SHOW).render(report=report)


def test_rows_are_a_table_and_what_can_be_pressed_is_a_button() -> None:
    table = ReportTable("versions", (1, 2), COLUMNS)
    step = Step("Undo", "undo Aria", "/chat/aria/undo")
    page = page_of(Report((table,), notes=("They are <kept>.",), next=(step,)))
    assert '<a href="/versions/2">version 2</a>' in page
    assert '<td class="number">2,000</td>' in page
    assert "They are &lt;kept&gt;." in page
    assert 'action="/chat/aria/undo"' in page
    assert '<button class="">Undo</button>' in page


def test_where_there_are_no_rows_a_sentence_says_so() -> None:
    page = page_of(Report((ReportTable("versions", (), COLUMNS, "None yet."),)))
    assert "<p>None yet.</p>" in page
    assert "<table>" not in page
