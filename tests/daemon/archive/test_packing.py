"""What was stored comes back as the same bytes, or not at all."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.packing import packed, unpacked
from rules.errors import ArchiveError


def hashed(raw: bytes) -> str:
    return sha256(raw).hexdigest()


@given(st.binary(max_size=600) | st.binary(max_size=20).map(lambda raw: raw * 100))
def test_every_byte_comes_back_and_nothing_grows(raw: bytes) -> None:
    stored, is_packed = packed(raw)
    assert len(stored) <= len(raw)
    assert unpacked(stored, is_packed, hashed(raw)) == raw


def test_a_long_message_is_packed_and_a_short_one_is_not() -> None:
    assert packed(b"a" * 5000)[1] == 1
    assert packed(b"a" * 20) == (b"a" * 20, 0)


@pytest.mark.parametrize("raw", [b'{"content":"short"}', b'{"content":"' + b"long " * 200 + b'"}'])
@given(data=st.data())
def test_bytes_that_are_no_longer_the_same_are_refused(raw: bytes, data: st.DataObject) -> None:
    stored, is_packed = packed(raw)
    at = data.draw(st.integers(0, len(stored) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != stored[at]))
    damaged = stored[:at] + bytes([other]) + stored[at + 1 :]
    try:
        found = unpacked(damaged, is_packed, hashed(raw))
    except ArchiveError as told:
        assert "memproc verify" in told.next_step
    else:
        assert found == raw, "only zlib's own marks may change unnoticed"
