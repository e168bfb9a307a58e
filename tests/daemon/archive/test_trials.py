"""The trial of a model is kept with its day, for the server that was asked, and nothing odd is believed."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from daemon.archive.archive import Archive
from daemon.archive.signs import set_sign
from daemon.archive.trials import Trial, keep_trial, trial_of, trials

NOW = "2026-11-28T05:00:00.000Z"
BASE = "http://127.0.0.1:8080/v1"
TRIAL = Trial(BASE, 8192, 250.0, 12.5, copies_a_quote=True, keeps_apart=False)


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive.memory() as archive:
        yield archive


def test_the_last_trial_of_a_model_is_kept_with_its_day(archive: Archive) -> None:
    assert trial_of(archive, "hosted_vllm/qwen", BASE) is None
    keep_trial(archive, "hosted_vllm/qwen", TRIAL, "2026-11-27T05:00:00.000Z")
    keep_trial(archive, "hosted_vllm/qwen", replace(TRIAL, keeps_apart=True), NOW)
    kept = trial_of(archive, "hosted_vllm/qwen", BASE)
    assert kept == replace(TRIAL, keeps_apart=True, at=NOW)
    assert trials(archive) == {"hosted_vllm/qwen": kept}
    assert not kept.is_missed
    assert TRIAL.is_missed


def test_what_another_server_did_says_nothing(archive: Archive) -> None:
    keep_trial(archive, "hosted_vllm/qwen", TRIAL, NOW)
    assert trial_of(archive, "hosted_vllm/qwen", "http://127.0.0.1:9999/v1") is None


def test_a_call_takes_the_time_of_what_it_reads_and_writes() -> None:
    assert TRIAL.seconds(prompt=5000, answer=250) == 20 + 20


@pytest.mark.parametrize(
    "value", ["", "[]", "{}", '{"address": "", "window": 0}', '{"address": 1e400}', "1"]
)
def test_a_sign_that_is_no_trial_is_none(archive: Archive, value: str) -> None:
    set_sign(archive, "trial hosted_vllm/qwen", value, NOW)
    assert trials(archive) == {}
