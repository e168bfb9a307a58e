"""Random lives of a chat: after every step nothing is lost, nothing stands twice, and frozen bounds stand."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.lives.machine import Lives

_LIFE = settings(deadline=None, stateful_step_count=15, suppress_health_check=list(HealthCheck))


@pytest.mark.timeout(300)
def test_a_hundred_lives_lose_nothing() -> None:
    run_state_machine_as_test(Lives, settings=settings(_LIFE, max_examples=100, derandomize=True))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_thousand_lives_lose_nothing() -> None:
    run_state_machine_as_test(Lives, settings=settings(_LIFE, max_examples=1000))
