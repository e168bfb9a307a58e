"""A text that comes in pieces is read as the same text in one piece is, with little of it in memory."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.errors import NotAnExport
from rules.typingmind.document import DocumentLayout, lay_out_document
from rules.typingmind.spans import BadJson, Reel
from tests.exports.files import CONTAINERS
from tests.exports.generated import exports


def _blocks(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    """The first block is as large as the first bytes that give a foreign file away, at least."""
    yield data[:64]
    at, number = 64, 0
    while at < len(data):
        yield data[at : at + sizes[number % len(sizes)]]
        at += sizes[number % len(sizes)]
        number += 1


def _outcome(blocks: Iterator[bytes]) -> DocumentLayout | tuple[object, ...]:
    try:
        return lay_out_document("x.json", blocks)
    except BadJson as fault:
        return type(fault), fault.at, fault.reason, fault.open_ended
    except NotAnExport as refusal:
        return refusal.message, refusal.next_step


_sizes = st.lists(st.integers(1, 60), min_size=1, max_size=5)


@given(exports | st.sampled_from(sorted(CONTAINERS.values())), _sizes)
def test_an_export_in_blocks_is_laid_out_as_the_whole(data: bytes, sizes: list[int]) -> None:
    layout = _outcome(_blocks(data, sizes))
    assert isinstance(layout, DocumentLayout)
    assert layout == _outcome(iter([data]))


@given(st.sampled_from(sorted(CONTAINERS.values())), _sizes, st.data())
def test_damage_is_found_at_the_same_place(
    data: bytes, sizes: list[int], draw: st.DataObject
) -> None:
    at = draw.draw(st.integers(0, len(data)))
    stop = min(len(data), at + draw.draw(st.integers(0, 3)))
    damaged = data[:at] + draw.draw(st.binary(max_size=2)) + data[stop:]
    if draw.draw(st.booleans()):
        damaged = damaged[: draw.draw(st.integers(0, len(damaged)))]
    assert _outcome(_blocks(damaged, sizes)) == _outcome(iter([damaged]))


def test_no_more_of_a_long_text_is_in_memory_than_what_is_looked_at() -> None:
    taken = 0

    def pieces() -> Iterator[str]:
        nonlocal taken
        while True:
            piece = '"a word",' * 40
            taken += len(piece)
            yield piece

    reel = Reel("", pieces())
    at = 0
    for _ in range(1000):
        _, stop = reel.value(at)
        at = stop + 1
    assert at == 9000
    assert taken <= 9000 + 3 * 9 * 40


def test_a_number_at_the_end_of_a_piece_may_go_on() -> None:
    assert Reel("[12", iter(["34", ",5]"])).value(0) == (["1234", "5"], 8)
    assert Reel("12", iter(["34"])).value(0) == ("1234", 4)


def test_a_text_without_a_single_piece_is_cut_off() -> None:
    with pytest.raises(BadJson) as caught:
        lay_out_document("x.json", iter([]))
    assert caught.value.open_ended
