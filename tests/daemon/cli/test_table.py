"""A table on a narrow terminal keeps its ids whole, and in a pipe nothing is cut off."""

from operator import itemgetter

from daemon.faces.table import table_lines
from daemon.files.clock import in_full
from daemon.reports.report import Column, Kind, ReportTable

Cells = tuple[str, ...]
HEADINGS = ("No.", "Memory", "From", "Tokens", "Edition", "State")
ROW = (
    "1",
    "m48dbaa85b4ccd05",
    "2026-03-08 to 2026-03-11",
    "1,510",
    "as-of 1 of 1",
    "folded_into_f1c0ffee00c0ffee0",
)


def column(at: int, heading: str, kind: Kind = "name", drop: int = 0) -> Column[Cells]:
    return Column(heading, itemgetter(at), kind, drop)


def lines(rows: list[Cells], columns: list[Column[Cells]], width: int | None) -> list[str]:
    return list(table_lines(ReportTable("rows", rows, columns), width))


ALL = [column(at, heading) for at, heading in enumerate(HEADINGS)]


def test_on_a_narrow_terminal_a_row_of_many_columns_becomes_lines_with_its_headings() -> None:
    assert lines([ROW], ALL, 60) == [
        "No. 1  Memory m48dbaa85b4ccd05",
        "    From 2026-03-08 to 2026-03-11  Tokens 1,510",
        "    Edition as-of 1 of 1",
        "    State folded_into_f1c0ffee00c0ffee0",
    ]


def test_prose_is_folded_however_narrow_the_terminal_is_and_letters_without_blanks_too() -> None:
    prose = "All four are there, and each of them can be written to by you."
    shown = lines(
        [("folders", prose), ("夜", "夜" * 40)],
        [column(0, "What"), column(1, "Found", "prose")],
        60,
    )
    assert shown == [
        "What     Found",
        "folders  All four are there, and each of them can be written",
        "         to by you.",
        f"夜       {'夜' * 25}",
        f"         {'夜' * 15}",
    ]


def test_in_a_pipe_nothing_is_cut_off() -> None:
    heading, first, second = lines([ROW, ROW], ALL, None)
    assert heading.split()[0] == "No."
    assert first == second
    assert all(cell in first for cell in ROW)


def test_columns_go_before_words_are_cut() -> None:
    row = ("1,000", "x" * 20, "The lighthouse " * 9)
    words = column(2, "Words", "line")
    heading, first = lines([row], [column(0, "#", "number"), column(1, "Id", drop=1), words], 40)
    assert heading == "    #  Words"
    assert first == "1,000  The lighthouse The lighthouse..."


def test_a_moment_is_told_to_the_second() -> None:
    assert in_full("2026-11-22T17:09:00.719Z") == "2026-11-22 17:09:00"
