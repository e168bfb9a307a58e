"""Where a JSON text that comes in blocks is closed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.arrival import Open, follow

values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='ab"\\{}[]ü\n/'),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='k"\\{]'), inner, max_size=4)
    ),
    max_leaves=12,
)
texts = (
    st.lists(values, max_size=4) | st.dictionaries(st.text(alphabet='k"\\}['), values, max_size=4)
).flatmap(
    lambda value: st.sampled_from(
        [json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False)]
    )
)


def read(text: bytes, block: int) -> Open | None:
    state: Open | None = Open()
    for begin in range(0, len(text), block):
        if state is None:
            return None
        state = follow(state, text[begin : begin + block])
    return state


@given(texts, st.integers(1, 9))
def test_a_whole_text_is_closed_and_no_beginning_of_it_is(text: str, block: int) -> None:
    data = text.encode()
    assert read(data, block) is None
    for end in range(1, len(data)):
        assert isinstance(read(data[:end], block), Open)


@given(texts, st.integers(1, 9), st.integers(1, 9))
def test_the_size_of_the_blocks_does_not_matter(text: str, one: int, other: int) -> None:
    data = text.encode()[:-1]
    last_one, last_other = read(data, one), read(data, other)
    assert isinstance(last_one, Open)
    assert isinstance(last_other, Open)
    assert (last_one.depth, last_one.in_string) == (last_other.depth, last_other.in_string)


@pytest.mark.parametrize("after", [b" ", b"\n\n", b"}", b"garbage", b'"'])
def test_what_follows_the_last_bracket_does_not_matter(after: bytes) -> None:
    assert read(b'{"a": [1]}' + after, 100) is None


def test_brackets_in_strings_do_not_count() -> None:
    assert read(rb'{"a": "}]\"}\\"', 100) == Open(1, False)
    assert isinstance(read(rb'{"a": "}]\\\"}', 100), Open)


@pytest.mark.parametrize("piece", [b"[", b"[]", b'"', b"\\", b'"\\', b"{", b'""', b'"\\"'])
@pytest.mark.timeout(60)  # what grows with the square of the text takes many minutes
def test_no_text_takes_longer_than_its_length(piece: bytes) -> None:
    text = b"[" + piece * (200_000 // len(piece))
    assert isinstance(follow(Open(), text), Open)
