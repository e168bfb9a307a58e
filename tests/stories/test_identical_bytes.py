"""The same input gives the same output and the same requests, byte for byte, whatever became of the code."""

from pathlib import Path
from typing import Any

import pytest

from tests.stories.identical import SAMPLE, by_a_model, by_the_engine, exports, fingerprint, record


def _real() -> list[Any]:
    recorded = [path for path in exports() if fingerprint(path) in record()]
    if not recorded:
        skip = pytest.mark.skip("none of the real conversations that were recorded is here")
        return [pytest.param(None, marks=skip)]
    shortest = min(path.stat().st_size for path in recorded)  # the others belong to the long suite
    return [
        pytest.param(
            path, id=path.stem, marks=[pytest.mark.long] if path.stat().st_size > shortest else []
        )
        for path in recorded
    ]


def test_the_sample_is_written_as_it_always_was(tmp_path: Path) -> None:
    assert by_the_engine(tmp_path, SAMPLE) == record()["sample"]


def test_three_rounds_with_a_model_ask_and_write_what_they_always_did(tmp_path: Path) -> None:
    assert by_a_model(tmp_path) == record()["model"]


@pytest.mark.full
@pytest.mark.parametrize("source", _real())
def test_a_real_conversation_is_written_as_it_always_was(tmp_path: Path, source: Path) -> None:
    assert by_the_engine(tmp_path, source) == record()[fingerprint(source)]
