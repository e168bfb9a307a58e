"""A model of one's own that fails often does the analysis alone, until model, sizes or trial change."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.trials import Trial, keep_trial
from daemon.config.settings import Config
from daemon.models.limited import count_answer, sizes_of, within_ability
from daemon.models.roles import Roles
from primer.models import ENGINE
from tests.daemon.models.test_scheduler import WHEN
from tests.known import known

BASE = "http://127.0.0.1:8080/v1"
NAME = "hosted_vllm/small"
SMALL = known(NAME, {"api_base": BASE})
ROLES = Roles(SMALL, SMALL, window=8192)
CONFIG = Config()
SIZES = sizes_of(CONFIG, ROLES)
GOOD = Trial(BASE, 8192, 100.0, 10.0, copies_a_quote=True, keeps_apart=True)
LATER = "2026-09-02T00:00:00.000Z"


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def answers(archive: Archive, unusable: int, good: int, step: str = "quote") -> None:
    for at in range(unusable + good):
        is_unusable = at < unusable
        count_answer(archive, NAME, step, SIZES, WHEN, is_unusable=is_unusable)


@pytest.mark.parametrize(("unusable", "limited"), [(3, False), (4, True), (10, True)])
def test_a_third_of_the_first_ten_answers_decides(
    archive: Archive, unusable: int, limited: bool
) -> None:
    answers(archive, min(unusable, 9), 0)
    assert within_ability(archive, CONFIG, ROLES) == ROLES, "not before there are ten"
    answers(archive, max(0, unusable - 9), 10 - unusable)
    answers(archive, 0, 20)
    answers(archive, 20, 0)
    roles = within_ability(archive, CONFIG, ROLES)
    assert bool(roles.limited) is limited
    assert (roles.agent, roles.context_manager) == (ENGINE if limited else SMALL, SMALL)
    assert roles.takes_facts is not limited


def test_only_answers_about_memories_count(archive: Archive) -> None:
    answers(archive, 10, 0, "facts")
    assert not within_ability(archive, CONFIG, ROLES).limited


def test_a_missed_trial_decides_at_once_and_a_new_one_begins_anew(archive: Archive) -> None:
    keep_trial(archive, NAME, replace(GOOD, keeps_apart=False), WHEN)
    assert "missed its trial on 2026-09-01" in within_ability(archive, CONFIG, ROLES).limited
    elsewhere = replace(SMALL, options={"api_base": "http://127.0.0.1:9999/v1"})
    other = replace(ROLES, agent=elsewhere)
    assert within_ability(archive, CONFIG, other) == other
    keep_trial(archive, NAME, GOOD, WHEN)
    assert not within_ability(archive, CONFIG, ROLES).limited
    answers(archive, 10, 0)
    limited = within_ability(archive, CONFIG, ROLES).limited
    assert "10 unusable ones among its first 10 answers" in limited
    assert f"memproc config fit {NAME}" in limited
    assert not within_ability(archive, CONFIG, replace(ROLES, window=16_384)).limited
    keep_trial(archive, NAME, GOOD, LATER)
    assert not within_ability(archive, CONFIG, ROLES).limited


def test_a_providers_model_is_never_limited(archive: Archive) -> None:
    agent = known("anthropic/claude-haiku-5-5")
    for _ in range(10):
        count_answer(archive, agent.name, "quote", SIZES, WHEN, is_unusable=True)
    roles = Roles(agent, agent, window=8192)
    assert within_ability(archive, CONFIG, roles) == roles
