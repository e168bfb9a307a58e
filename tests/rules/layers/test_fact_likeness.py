"""Texts whose vectors point the same way say the same."""

import pytest

from rules.layers.likeness import alike, cosines


def test_cosines_are_those_of_each_text_with_all_behind_it() -> None:
    assert cosines([[1, 0], [3, 4], [0, 2]]) == [[0.6, 0.0], [0.8], []]
    assert cosines([[0, 0], [1, 0]]) == [[0.0], []]
    assert cosines([]) == []


@pytest.mark.parametrize(("cosine", "same"), [(0.9199, {}), (0.92, {"a": ("b",), "b": ("a",)})])
def test_texts_are_alike_from_a_bound_on(cosine: float, same: dict[str, tuple[str, ...]]) -> None:
    assert alike(["a", "b"], [[cosine], []]) == same


def test_the_nearest_stands_first() -> None:
    assert alike(["a", "b", "c"], [[0.93, 0.99], [0.5], []]) == {
        "a": ("c", "b"),
        "b": ("a",),
        "c": ("a",),
    }
