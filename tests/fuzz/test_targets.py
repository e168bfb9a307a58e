"""What the fuzzer starts from goes through its targets in every run of the tests."""

import pytest

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
