"""A provider's token counts are believed only where they can be right."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.money.price import Price, Rates, Usage, cost
from rules.money.usage import (
    LARGEST_COUNT,
    can_be_learned,
    why_not_believed,
    with_readable_counts,
)

WINDOW, ROOM = 200_000, 2_000
PRICE = Price(Rates(3, 15, 1, 4), 100_000, Rates(6, 30, 2, 8))
counts = st.one_of(st.integers(-(10**6), 300_000), st.sampled_from([0, 10**9, 10**15, 10**25, -1]))


@given(st.builds(Usage, counts, counts, counts, counts))
def test_what_is_believed_costs_nothing_below_zero_and_no_more_than_the_window_and_the_room(
    usage: Usage,
) -> None:
    if not why_not_believed(usage, WINDOW, ROOM, prompt_has_words=True):
        assert 0 < cost(PRICE, usage) <= WINDOW * 8 + ROOM * 30


@pytest.mark.parametrize(
    ("usage", "why"),
    [
        (Usage(10, 0, 0, -1_000_000), "negative"),
        (Usage(-1, 0, 0, 5), "negative"),
        (Usage(10, -5, 0, 5), "negative"),
        (Usage(0, 0, 0, 5), "counts as none"),
        (Usage(200_001, 0, 0, 5), "window"),
        (Usage(10**15, 0, 0, 5), "window"),
        (Usage(10, 0, 0, 2_001), "room"),
        (Usage(10, 6, 5, 5), "cache"),
    ],
)
def test_a_count_that_cannot_be_has_its_reason(usage: Usage, why: str) -> None:
    assert why in why_not_believed(usage, WINDOW, ROOM, prompt_has_words=True)


def test_the_whole_window_and_a_full_room_are_believed() -> None:
    assert not why_not_believed(
        Usage(200_000, 100_000, 100_000, 2_000), WINDOW, ROOM, prompt_has_words=True
    )
    assert not why_not_believed(Usage(0, 0, 0, 0), WINDOW, ROOM, prompt_has_words=False)


def test_only_what_is_near_the_estimate_is_learned() -> None:
    assert [can_be_learned(factor, 1.35) for factor in (0.33, 0.34, 1.0, 5.4, 5.41, 520_833.0)] == [
        False, True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value", ["12", [12], float("nan"), 1.5, -3, 10**25, True, LARGEST_COUNT + 1]
)
@pytest.mark.parametrize("name", ["input_tokens", "output_tokens", "cache_read_input_tokens"])
def test_a_count_that_is_no_number_becomes_zero_and_is_named(name: str, value: object) -> None:
    usage = {"input_tokens": 7, "output_tokens": 8, "service_tier": "standard", name: value}
    read, odd = with_readable_counts({"type": "message", "usage": usage})
    assert read["usage"] == {
        "input_tokens": 7,
        "output_tokens": 8,
        "service_tier": "standard",
        name: 0,
    }
    assert odd.startswith(f"{name}: ")
    assert len(odd) < 80


def test_counts_inside_counts_are_read_too() -> None:
    answer = {"usage": {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": "all"}}}
    read, odd = with_readable_counts(answer)
    assert read["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}
    assert odd == "cached_tokens: 'all'"


@pytest.mark.parametrize("usage", [None, "none", [1], 7, {}, {"input_tokens": 3}])
def test_an_answer_of_anthropics_without_its_counts_can_be_read_all_the_same(usage: object) -> None:
    read, odd = with_readable_counts({"type": "message", "usage": usage})
    assert {"input_tokens", "output_tokens"} <= read["usage"].keys()
    assert odd


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["usage", "usageMetadata", "type", "content"]), values))
def test_whatever_an_answer_holds_nothing_but_its_counts_is_changed(answer: dict[str, Any]) -> None:
    read, odd = with_readable_counts(answer)
    before, after = (
        {key: value for key, value in one.items() if key[:5] != "usage"} for one in (answer, read)
    )
    assert json.dumps(before) == json.dumps(after)
    if not odd:
        assert read is answer
