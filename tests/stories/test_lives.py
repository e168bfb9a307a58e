"""Random lives of a chat: after every step nothing is lost, nothing stands twice, and frozen bounds stand.

Over and over: talk, run, import; with edits, deletions, forks, restores, a second device, kills and settings between.
"""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.lives.machine import Lives, Lives2024

MACHINES = pytest.mark.parametrize(
    "machine", [Lives, pytest.param(Lives2024, marks=pytest.mark.full)], ids=["2026", "2024"]
)


@MACHINES
def test_ten_lives(machine: type[Lives]) -> None:
    """Five with each client; the same ones every time."""
    run_state_machine_as_test(
        machine, settings=settings(max_examples=5, stateful_step_count=10, derandomize=True)
    )


@pytest.mark.long
@MACHINES
def test_a_thousand_lives(machine: type[Lives]) -> None:
    """Five hundred longer ones with each client, others every time."""
    run_state_machine_as_test(machine, settings=settings(max_examples=500, stateful_step_count=25))
