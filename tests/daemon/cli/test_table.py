"""A table on a narrow terminal keeps its ids whole, and in a pipe nothing is cut off."""

import re

import pytest

from daemon.cli.printing import moment, print_table

HEADINGS = ("No.", "Memory", "From", "Tokens", "Edition", "State")
ROW = (
    "1",
    "m48dbaa85b4ccd05",
    "2026-03-08 to 2026-03-11",
    "1,510",
    "as-of 1 of 1",
    "folded_into_f1c0ffee00c0ffee0",
)


def lines(text: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.usefixtures("narrow")
def test_on_a_narrow_terminal_a_row_of_many_columns_becomes_lines_with_its_headings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(HEADINGS, [ROW], right=(0, 3))
    shown = lines(capsys.readouterr().out)
    assert shown == [
        "No. 1  Memory m48dbaa85b4ccd05",
        "    From 2026-03-08 to 2026-03-11  Tokens 1,510",
        "    Edition as-of 1 of 1",
        "    State folded_into_f1c0ffee00c0ffee0",
    ]


@pytest.mark.usefixtures("narrow")
def test_a_table_of_prose_is_folded_however_narrow_the_terminal_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_table(
        ("What", "Found"),
        [("folders", "All four are there, and each of them can be written to by you.")],
    )
    shown = lines(capsys.readouterr().out)
    assert shown[0].split() == ["What", "Found"]
    assert len(shown) == 3


def test_in_a_pipe_nothing_is_cut_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    print_table(HEADINGS, [ROW, ROW])
    heading, first, second = lines(capsys.readouterr().out)
    assert heading.split()[0] == "No."
    assert first == second
    assert all(cell in first for cell in ROW)


def test_a_very_long_table_says_what_a_short_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    few, many = [ROW, ("22", "夜 🌊", *ROW[2:])], 2_000
    print_table(HEADINGS, few, right=(0, 3))
    short = [line.rstrip() for line in lines(capsys.readouterr().out)]
    print_table(HEADINGS, few * many, right=(0, 3))
    assert lines(capsys.readouterr().out) == [short[0], *short[1:] * many]


@pytest.mark.usefixtures("narrow")
def test_on_a_narrow_terminal_its_prose_is_cut_after_columns_have_gone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    prose = (
        "1,000",
        "The lighthouse, and all that was said of it since " * 3,
        "2026-11-27",
        "x" * 20,
    )
    print_table(
        ("#", "Title", "Day", "Id"), [prose] * 2_000, right=(0,), prose=(1,), drop=(3,)
    )  # fmt: skip
    heading, first, *_ = lines(capsys.readouterr().out)
    assert heading.split() == ["#", "Title", "Day"]
    assert len(first) <= 60
    assert first.endswith("…  2026-11-27")


def test_a_moment_is_told_to_the_second() -> None:
    assert moment("2026-11-22T17:09:00.719Z") == "2026-11-22 17:09:00"
