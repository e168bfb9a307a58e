"""Whose voice a text has is told by its function words, without a model."""

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.files import candidates
from rules.voice import measure_distances, read_prose
from tests.stories.test_real_exports import FOUND
from tests.typingmind.texts import text_of

SAMPLE = Path(candidates.__file__).with_name("sample.json")
NO_EXPORTS: Any = pytest.param(
    None, marks=pytest.mark.skip("no real exports: set MEMPROC_EXPORTS to a folder of them")
)
# Exports called friends-* hold several pairs of people, one after another: no voice goes through them.
REAL: list[Any] = [path for path in FOUND if "friends" not in path.stem] or [NO_EXPORTS]
TALKS: list[Any] = [SAMPLE, *REAL]


def halves(path: Path, role: str) -> list[list[str]]:
    """What one of both said in all chats of an export, in two halves."""
    chats = json.loads(path.read_bytes())["data"]["chats"]
    texts = [
        text_of(message["content"])
        for chat in chats
        for message in chat["messages"]
        if message.get("role") == role
    ]
    return [texts[: len(texts) // 2], texts[len(texts) // 2 :]]


@pytest.mark.full
@pytest.mark.parametrize("path", TALKS)
def test_each_is_nearer_to_their_own_other_half_than_to_the_other(path: Path) -> None:
    persons, personas = (
        [read_prose(texts) for texts in halves(path, role)] for role in ("user", "assistant")
    )
    for own, others in ((persons, personas), (personas, persons)):
        for half, rest in ((0, 1), (1, 0)):
            apart = measure_distances(own[half], {"own": own[rest], "other": others[rest]})
            assert apart is not None
            assert apart["own"] < apart["other"]


def test_the_same_text_is_no_way_off_and_code_is_no_voice() -> None:
    said = [f"I think that you and the sea have much to say on day {day}." for day in range(50)]
    code = "```\nfor the and of to in is was that it\n```"
    apart = measure_distances(
        read_prose(said), {"same": read_prose([*said, code]), "none": read_prose([])}
    )
    assert apart == {"same": 0}


def test_of_a_language_that_is_not_known_nothing_is_said() -> None:
    assert (
        measure_distances(read_prose(["Xyz qwe rty."] * 20), {"other": read_prose(["Xyz."])})
        is None
    )
