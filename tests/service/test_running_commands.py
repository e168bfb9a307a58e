"""Commands of the system: run, missing, refused, too slow."""

import sys
from pathlib import Path

from service.command import NOT_HERE, TOO_SLOW, run_program


def test_what_a_command_says_and_how_it_ends_is_the_answer() -> None:
    answer = run_program(
        [sys.executable, "-c", "import sys; print('out'); sys.exit('\\n bad \\nmore')"]
    )
    assert (answer.code, answer.out, answer.first_line) == (1, "out\n", "bad")


def test_a_command_that_is_not_here_is_an_answer(tmp_path: Path) -> None:
    assert run_program([str(tmp_path / "nothing")]).code == NOT_HERE
    assert run_program([str(tmp_path)]).code == NOT_HERE


def test_a_command_that_does_not_end_is_not_waited_for() -> None:
    answer = run_program([sys.executable, "-c", "import time; time.sleep(60)"], limit_seconds=0.2)
    assert answer.code == TOO_SLOW


def test_a_command_that_says_nothing_is_told_by_its_code() -> None:
    assert (
        run_program([sys.executable, "-c", "raise SystemExit(3)"]).first_line == "it ended with 3"
    )
