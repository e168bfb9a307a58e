"""What the fuzzer starts from, and what it found worth keeping, goes through its targets in every run of the tests."""

from pathlib import Path

import pytest

from tests.fuzz.corpus import keep, kept
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_every_seed_is_read_or_refused(target: str) -> None:
    found = seeds(target)
    assert len(found) > 5
    for data in found.values():
        TARGETS[target](data)
        for at in range(0, len(data), 199):
            TARGETS[target](data[:at] + b"\xff" + data[at + 1 :])
            TARGETS[target](data[:at] + data[at + 1 :])


@pytest.mark.parametrize("target", TARGETS)
def test_every_input_that_was_kept_is_read_or_refused(target: str) -> None:
    inputs = list(kept(target))
    assert len(inputs) > 20
    for data in inputs:
        TARGETS[target](data)


def test_what_is_kept_can_be_had_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.corpus._FOLDER", tmp_path / "corpus")
    for name, content in (("b", b"\0"), ("a", b"")):
        (tmp_path / name).write_bytes(content)
    assert keep("reader", [tmp_path / "b", tmp_path / "a"]) > 0
    assert list(kept("reader")) == [b"", b"\0"]
    assert list(kept("answers")) == []
