"""Nothing is so deep that walking it could run out of stack."""

import json

import pytest

from rules.typingmind.spans import DEEPEST, is_too_deep


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_values_may_be_nested_to_the_bound_and_no_further(opening: str, closing: str) -> None:
    levels = DEEPEST // len(closing)
    deepest = json.loads(opening * levels + "1" + closing * levels)

    assert not is_too_deep(deepest)
    assert is_too_deep([deepest])
    assert is_too_deep({"beside": 1, "deep": deepest})


def test_a_plain_value_is_not_deep() -> None:
    assert not is_too_deep("[[[[")


def test_a_broad_value_is_not_deep() -> None:
    assert not is_too_deep([[[]]] * 1000)
