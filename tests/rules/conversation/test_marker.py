"""The marker comes back as it was written, and is never made up from what others wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.marker import (
    CLOSING,
    MEMORY,
    OPENING,
    Cited,
    Draft,
    Marker,
    passages_shown,
    read_marker,
    text_digest,
    uuid_stem,
    write_marker,
)
from rules.conversation.memory import BEFORE_WISH, BETWEEN_QUOTES
from rules.typingmind.spans import value
from tests.exports.generated import values

_words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
_counts = st.integers(1, 99_999)
memories = st.builds(
    Marker, kind=st.just(MEMORY), text=_words, memory=_words, level=_counts, edition=_counts,
    slot=st.integers(1, 6), made=_words, said_by=_words, first=_words, last=_words, messages=_counts,
    edition_kind=_words, cited=st.lists(st.builds(Cited, _words, _counts)).map(tuple),
)  # fmt: skip
openings = st.builds(
    Marker, kind=st.just(OPENING), text=_words,
    shows=st.tuples(*(st.lists(st.tuples(*[_words] * width)).map(tuple) for width in (2, 2, 3))),
)  # fmt: skip


def through_an_export(marker: Marker) -> object:
    return value(json.dumps(write_marker(marker)), 0)[0]


@given(memories)
def test_a_memorys_marker_survives_the_export(marker: Marker) -> None:
    found = through_an_export(marker)
    assert isinstance(found, dict)
    assert read_marker(found) == marker


@given(openings)
def test_what_an_opening_shows_survives_the_export(marker: Marker) -> None:
    found = through_an_export(marker)
    assert isinstance(found, dict)
    again = read_marker(found)
    assert again is not None
    assert (again.kind, again.text, again.shows) == (OPENING, marker.text, marker.shows)


@given(st.lists(_words, min_size=1), st.text(max_size=9), st.sampled_from(["\n\n", "\n- "]))
def test_passages_are_read_out_of_the_text_that_ends_with_them(
    passages: list[str], before: str, joint: str
) -> None:
    cited = [Cited(f"key {number}", len(words)) for number, words in enumerate(passages)]
    text = before + "".join(joint + words for words in passages)
    expected = tuple((words, f"key {number}") for number, words in enumerate(passages))
    assert passages_shown(text, cited, joint) == expected


@pytest.mark.parametrize("sizes", [[4], [6], [5, 5, 5], [0, 5], [5, 99], [5, 5, 10**9]])
def test_passages_of_other_sizes_than_the_text_shows_are_none(sizes: list[int]) -> None:
    cited = [Cited("key", size) for size in sizes]
    assert passages_shown("\n\nlight\n\nwaves", cited, BETWEEN_QUOTES) is None
    assert passages_shown("light\n\nwaves", cited, BEFORE_WISH) is None


@pytest.mark.parametrize(
    "rows",
    [
        "key",
        {"0": ["key", "5"]},
        ["key"],
        [["key"]],
        [["key", "5"], ["key"]],
        [["key", "5", "5"]],
        [["key", ["5"]]],
        [["key", None]],
        [["key", {"v": "1"}]],
    ],
)
def test_a_field_that_was_cut_or_made_up_tells_nothing_and_the_marker_stays_one(
    rows: object,
) -> None:
    memory = read_marker({"v": "1", "kind": MEMORY, "memory": "m1", "slot": "2", "cited": rows})
    assert memory is not None
    assert memory.cited == ()
    opening = read_marker({"v": "1", "kind": OPENING, "facts": rows})
    assert opening is not None
    assert opening.shows == ((), (), ())


@pytest.mark.parametrize("kind", [OPENING, CLOSING])
def test_a_canned_message_says_its_kind_and_text_alone(kind: str) -> None:
    marker = Marker(kind, "0123456789abcdef")
    found = through_an_export(marker)
    assert found == {"v": "1", "kind": kind, "text": "0123456789abcdef"}
    assert isinstance(found, dict)
    again = read_marker(found)
    assert again is not None
    assert (again.kind, again.text, again.memory) == (kind, marker.text, "")


@pytest.mark.parametrize(
    "field",
    [
        None,
        {},
        {"v": "2", "kind": OPENING},
        {"kind": OPENING},
        {"v": "1"},
        {"v": "1", "kind": "dream"},
        {"v": "1", "kind": ["memory"]},
        {"v": "1", "kind": MEMORY, "slot": "1"},
        {"v": "1", "kind": MEMORY, "memory": "m1"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "0"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "7"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "-1"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "1e0"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "٣"},
        {"v": "1", "kind": MEMORY, "memory": "m1", "slot": "1" * 5000},
        {"v": "1", "kind": MEMORY, "memory": [], "slot": "1"},
    ],
)
def test_what_we_could_not_have_written_is_no_marker(field: dict[str, object] | None) -> None:
    assert read_marker(field) is None


@given(values)
def test_no_field_is_too_odd_to_be_looked_at(text: str) -> None:
    found, _ = value(text, 0)
    if isinstance(found, dict):
        read_marker(found)
        read_marker({"v": "1", "kind": MEMORY, "memory": "m1", "slot": "1"} | found)


def test_an_edit_changes_the_digest() -> None:
    assert text_digest("I was calm.") != text_digest("I was calm!")
    assert len(text_digest("")) == 16


@given(name=_words, version=st.just("") | _words, times=st.integers(1, 9))
def test_a_message_of_ours_keeps_its_stem_however_often_its_uuid_was_taken(
    name: str, version: str, times: int
) -> None:
    first = Draft(name, "user", "", Marker(CLOSING, ""))
    draft, taken = Draft(name, "user", "", Marker(CLOSING, ""), version), set[str]()
    for _ in range(times):
        taken.add(draft.uuid)
        draft = draft.apart_from(taken)
    assert len(taken) == times and draft.uuid not in taken
    assert {uuid_stem(uuid) for uuid in (draft.uuid, *taken)} == {uuid_stem(first.uuid)}
