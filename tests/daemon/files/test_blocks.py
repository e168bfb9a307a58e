"""A text that is read again is proved to be the one that was read before, to the block."""

import io
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files import read as blocks
from daemon.files.read import OtherBytes, Reread, first_time
from rules.typingmind.spans import Span


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", 7)
        yield


def hashes_of(data: bytes) -> list[bytes]:
    hashes: list[bytes] = []
    assert b"".join(first_time(io.BytesIO(data), hashes)) == data
    assert hashes[-1] == sha256(data).digest()
    return hashes


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), min_size=2, max_size=8))
def test_any_spans_one_behind_the_other_are_had_again(data: bytes, bounds: list[int]) -> None:
    again = Reread(io.BytesIO(data), hashes_of(data))
    for start, stop in pairwise(sorted(min(bound, len(data)) for bound in bounds)):
        assert again.slice(Span(start, stop)) == data[start:stop]
    assert list(Reread(io.BytesIO(data), hashes_of(data))) == list(first_time(io.BytesIO(data), []))


@given(st.binary(min_size=1, max_size=60), st.data())
def test_another_byte_anywhere_before_is_found(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data) - 1))
    other = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    with pytest.raises(OtherBytes):
        Reread(io.BytesIO(other), hashes_of(data)).slice(Span(at, at + 1))
    with pytest.raises(OtherBytes):
        list(Reread(io.BytesIO(data[:at]), hashes_of(data)))
