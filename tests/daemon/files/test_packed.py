"""What is kept is packed the same way every time, and any program can unpack it."""

import gzip
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.files.packing import BLOCK, pack, unpack
from rules.errors import FileTrouble


@given(st.lists(st.binary(max_size=300)))
def test_what_is_packed_is_plain_gzip(blocks: list[bytes]) -> None:
    assert gzip.decompress(b"".join(pack(blocks))) == b"".join(blocks)


def test_neither_time_nor_name_stands_in_it() -> None:
    assert b"".join(pack([b"a"]))[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


@pytest.mark.parametrize("content", [b"", b"a", b"\0" * (5 * BLOCK), bytes(range(256)) * 9_000])
def test_what_is_unpacked_is_what_was_packed(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kept.gz").write_bytes(b"".join(pack([content])))

    blocks = list(unpack(tmp_path / "kept.gz", len(content), sha256(content).hexdigest()))

    assert b"".join(blocks) == content
    assert all(len(block) <= BLOCK for block in blocks)


def test_a_file_that_unpacks_to_more_than_was_kept_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "kept.gz").write_bytes(b"".join(pack([b"\0" * (50 * BLOCK)])))
    got = 0

    with pytest.raises(FileTrouble, match="is damaged"):
        for block in unpack(tmp_path / "kept.gz", BLOCK, "0" * 64):
            got += len(block)

    assert got <= BLOCK


def test_a_file_cut_short_anywhere_is_damaged(tmp_path: Path) -> None:
    packed = b"".join(pack([b"Good morning, Aria."]))

    for size in range(len(packed) - 8):
        (tmp_path / "kept.gz").write_bytes(packed[:size])
        with pytest.raises(FileTrouble, match="is damaged"):
            list(unpack(tmp_path / "kept.gz", 19, sha256(b"Good morning, Aria.").hexdigest()))
