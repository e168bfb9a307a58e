"""Whatever type a field of somebody's export has, nothing but our own errors comes of it, and the rest goes on."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.fields import KINDS, MODES, VALUES, goes_well, seed


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fields")


@pytest.mark.full
@settings(max_examples=settings().max_examples // 3)  # each is a whole run
@given(data=st.data())
def test_a_field_of_another_type_ends_in_no_mistake_of_ours(
    home: Path, data: st.DataObject
) -> None:
    known = seed(data.draw(st.sampled_from(KINDS)), home)
    place = data.draw(st.sampled_from(known.places))
    value = data.draw(st.sampled_from(sorted(VALUES)))
    goes_well(home, known, {place: VALUES[value]}, data.draw(st.sampled_from(MODES)))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_every_other_type(home: Path, kind: str) -> None:
    known = seed(kind, home)
    for place in known.places:
        for value in VALUES.values():
            goes_well(home, known, {place: value})


@pytest.mark.long
@settings(max_examples=2000)
@given(data=st.data())
def test_two_fields_of_other_types(home: Path, data: st.DataObject) -> None:
    known = seed(data.draw(st.sampled_from(KINDS)), home)
    places = data.draw(st.lists(st.sampled_from(known.places), min_size=2, max_size=2, unique=True))
    values = [VALUES[data.draw(st.sampled_from(sorted(VALUES)))] for _ in places]
    goes_well(
        home, known, dict(zip(places, values, strict=True)), data.draw(st.sampled_from(MODES))
    )


@pytest.mark.sampled
@pytest.mark.parametrize("value", [True, [1], 5, ""])
@pytest.mark.parametrize("kind", ["raw, odd messages first", "compressed"])
def test_two_messages_with_the_same_odd_uuid(home: Path, kind: str, value: object) -> None:
    known = seed(kind, home)
    last = len(known.chat["messages"]) - 1
    goes_well(home, known, {("messages", at, "uuid"): value for at in (2, 3, last - 1, last)})


def test_a_memory_whose_message_says_nothing_any_more_gets_it_back(home: Path) -> None:
    known = seed("a fork", home)
    at = next(
        at
        for at, one in enumerate(known.chat["messages"])
        if one.get("memproc", {}).get("slot") == 2
    )
    goes_well(home, known, {("messages", at, "content"): {}, ("messages", at, "createdAt"): [1]})


@pytest.mark.sampled
@pytest.mark.parametrize("listed", [[{"a": 1}], [["x"]], [None, 5, True]])
def test_deletions_that_name_no_uuid(home: Path, listed: list[object]) -> None:
    for kind in ("raw, odd messages first", "compressed"):
        goes_well(home, seed(kind, home), {("syncMetadata", "deletedMessageUUIDs"): listed})
