"""Messages of two lists are matched by their surest name, each once, and by order where several share it."""

from collections import Counter
from collections.abc import Hashable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from rules.recognize.align import align, keep_one_order

uuids = st.sampled_from([*"abcde", None])
words = st.sampled_from(["ok", "yes", "rain?", None])
talks = st.lists(st.tuples(uuids, words), max_size=12)


def numbered(names: Sequence[Sequence[Hashable]], first: int = 0) -> dict[int, Sequence[Hashable]]:
    return dict(enumerate(names, first))


def test_the_example_of_the_module() -> None:
    old = [("a", "hello"), ("b", "ok"), ("c", "rain?"), ("d", "ok"), ("e", "sun?")]
    new = [("p", "hello"), ("q", "rain?"), ("r", "ok"), ("e", "snow?"), ("s", "fog?")]
    aligned = align(numbered(old, 1), numbered(new, 1))
    assert aligned.pairs == {1: 1, 3: 2, 4: 3, 5: 4}
    assert (aligned.gone, aligned.new) == ((2,), (5,))


@given(talks, talks)
def test_every_message_is_in_one_pair_or_gone_or_new(
    old: list[tuple[str | None, str | None]], new: list[tuple[str | None, str | None]]
) -> None:
    aligned = align(numbered(old), numbered(new, 100))
    assert list(aligned.pairs) == sorted(aligned.pairs)
    assert sorted([*aligned.pairs, *aligned.gone]) == list(range(len(old)))
    assert sorted([*aligned.pairs.values(), *aligned.new]) == list(range(100, 100 + len(new)))


@given(talks, talks)
def test_what_is_paired_shares_a_name_and_nothing_is_left_that_does(
    old: list[tuple[str | None, str | None]], new: list[tuple[str | None, str | None]]
) -> None:
    aligned = align(numbered(old), numbered(new))
    for was, now in aligned.pairs.items():
        assert any(name and name == other for name, other in zip(old[was], new[now], strict=True))
    for kind in (0, 1):
        left = {old[at][kind] for at in aligned.gone} & {new[at][kind] for at in aligned.new}
        assert left <= {None}


@given(talks, talks)
def test_a_surer_name_decides_first(
    old: list[tuple[str | None, str | None]], new: list[tuple[str | None, str | None]]
) -> None:
    pairs = align(numbered(old), numbered(new)).pairs
    by_uuid = Counter(
        old[was][0] for was, now in pairs.items() if old[was][0] and old[was][0] == new[now][0]
    )
    mine = Counter(uuid for uuid, _ in old if uuid)
    assert by_uuid == mine & Counter(uuid for uuid, _ in new if uuid)


@given(talks)
def test_a_list_is_itself_where_all_have_a_name(talk: list[tuple[str | None, str | None]]) -> None:
    named = [names for names in talk if any(names)]
    assert align(numbered(named), numbered(named)).pairs == {at: at for at in range(len(named))}


@given(st.lists(st.booleans(), max_size=20))
def test_the_answer_ok_goes_with_its_question(stays: list[bool]) -> None:
    old = [(said,) for turn in range(len(stays)) for said in (f"question {turn}", "ok")]
    kept = [at for at in range(len(old)) if stays[at // 2]]
    new = {number: old[at] for number, at in enumerate(kept)}
    assert align(numbered(old), new).pairs == {at: number for number, at in enumerate(kept)}


@given(st.permutations(range(8)))
def test_the_longest_row_in_one_order_is_found(order: list[int]) -> None:
    pairs = dict(enumerate(order))
    row = keep_one_order(pairs)
    assert list(row.values()) == sorted(row.values())
    assert row.items() <= pairs.items()
    longest = [0] * len(order)
    for at, new in enumerate(order):
        longest[at] = 1 + max((longest[i] for i in range(at) if order[i] < new), default=0)
    assert len(row) == max(longest)
