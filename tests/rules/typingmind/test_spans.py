"""The span walker reads what JSON is, refuses what it is not, and says where."""

import json
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.typingmind import spans
from rules.typingmind import spans as walk
from rules.typingmind.spans import DEEPEST, BadJson, Reel, TooDeep
from tests.exports.generated import values


class _Everywhere(Mapping[str, walk.Walker]):
    """Walkers for an object in which every value is walked."""

    def __getitem__(self, key: str) -> walk.Walker:
        return _walk

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _walk(reel: Reel, at: int) -> int:
    sign = reel.sign(at)
    if sign == "{":
        return walk.read_members(reel, at, _Everywhere())[1]
    return walk.walk_items(reel, at, _walk) if sign == "[" else reel.value(at)[1]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(name: str) -> None:
    raise ValueError(name)


def _is_json(text: str) -> bool:
    decoder = json.JSONDecoder(
        object_pairs_hook=_once, parse_constant=_refuse, parse_int=str, parse_float=str
    )
    try:
        decoder.decode(text)
    except ValueError:
        return False
    return True


def _is_walked(text: str) -> bool:
    latin = text.encode().decode("latin-1")
    try:
        reel = Reel(latin)
        walk.end(reel, _walk(reel, reel.blank(0)))
    except BadJson:
        return False
    return True


@given(values)
def test_the_walker_and_the_standard_library_agree_on_json(text: str) -> None:
    assert _is_walked(text) == _is_json(text)


@given(values, st.data())
def test_they_agree_on_damaged_json(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    stop = min(len(text), at + data.draw(st.integers(0, 3)))
    damaged = (
        text[:at] + data.draw(st.text('[]{},:"\\0e.-tn \x0b\ufeffé/', max_size=2)) + text[stop:]
    )

    assert _is_walked(damaged) == _is_json(damaged)


@given(values)
def test_a_span_holds_exactly_one_value(text: str) -> None:
    latin = text.encode().decode("latin-1")
    found, stop = walk.read_items(Reel(f"[ {latin} , 1]"), 0)

    assert stop == len(latin) + 7
    assert [f"[ {latin} , 1]"[span.start : span.stop] for span in found] == [latin, "1"]


def test_numbers_stay_their_own_text() -> None:
    assert spans.value('[69.2240, 1E400, -0, 9007199254740993, ' + "1" * 5000 + "]", 0)[0] == [
        "69.2240", "1E400", "-0", "9007199254740993", "1" * 5000,
    ]  # fmt: skip


def test_members_know_where_their_keys_and_values_stand() -> None:
    text = '{ "a" : [1] ,"b":"x"}'
    found, stop = walk.read_members(Reel(text), 0)

    assert [
        (one.key, text[one.start :][:3], text[one.value.start : one.value.stop]) for one in found
    ] == [
        ("a", '"a"', "[1]"),
        ("b", '"b"', '"x"'),
    ]
    assert stop == len(text)


def test_a_walker_is_asked_for_its_own_key_alone() -> None:
    walked = []

    def note(reel: Reel, at: int) -> int:
        walked.append(at)
        return reel.value(at)[1]

    walk.read_members(Reel('{"a":{"b":1},"b":2}'), 0, {"b": note})
    assert walked == [17]


@pytest.mark.parametrize("text", ['{"é":1,"\\u00e9":2}', '{"a":1,"a":1}'])
def test_a_key_that_stands_twice_is_refused_however_it_is_spelled(text: str) -> None:
    with pytest.raises(BadJson, match="stands twice"):
        walk.read_members(Reel(text.encode().decode("latin-1")), 0)


def test_keys_are_read_as_people_wrote_them() -> None:
    found, _ = walk.read_members(Reel('{"schlüssel":1}'.encode().decode("latin-1")), 0)
    assert [one.key for one in found] == ["schlüssel"]


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a":-Infinity}'])
def test_what_only_python_takes_for_a_number_is_refused(text: str) -> None:
    with pytest.raises(BadJson, match="is not a JSON value"):
        spans.value(text, 0)


@pytest.mark.parametrize(
    ("text", "at", "reason"),
    [
        ("[1 2]", 3, "\",\" was expected, but '2' stands there"),
        ("[é]", 1, "a value was expected, but 'é' stands there"),
        ("[1,]", 3, "a value was expected, but ']' stands there"),
        ("{1:2}", 1, "a key in double quotes was expected, but '1' stands there"),
        ('{"a" 1}', 5, "\":\" was expected, but '1' stands there"),
        ('["\t"]', 2, "invalid control character"),
        ('["\\u12"]', 3, "invalid \\uXXXX escape"),
    ],
)
def test_a_fault_says_where_it_stands_and_what_was_expected(
    text: str, at: int, reason: str
) -> None:
    with pytest.raises(BadJson) as caught:
        _walk(Reel(text.encode().decode("latin-1")), 0)
    assert (caught.value.at, caught.value.reason, caught.value.open_ended) == (at, reason, False)


def test_a_fault_in_a_text_that_was_decoded_before_is_told_too() -> None:
    with pytest.raises(BadJson, match="'П' stands there"):
        spans.value("Привет", 0)


def test_text_behind_the_end_is_refused() -> None:
    with pytest.raises(BadJson, match="more text follows"):
        walk.end(Reel("{} x"), 2)


@given(values.filter(lambda text: text[0] in '[{"'), st.data())
def test_a_text_that_just_stops_is_known_as_cut_off(text: str, data: st.DataObject) -> None:
    whole = f"[{text}]"
    latin = whole[: data.draw(st.integers(1, len(whole) - 1))].encode().decode("latin-1")

    for walker in (_walk, lambda reel, at: reel.value(at)[1]):
        with pytest.raises(BadJson) as caught:
            walker(Reel(latin), 0)
        assert caught.value.open_ended or "twice" in caught.value.reason


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_what_is_nested_too_deep_is_refused(opening: str, levels: int) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(TooDeep):
        spans.value(opening * levels + "1" + closing * levels, 0)


def test_what_is_nested_to_the_bound_is_read() -> None:
    assert spans.value("[" * DEEPEST + "]" * DEEPEST, 0)[1] == 2 * DEEPEST


def test_brackets_in_words_are_not_depth() -> None:
    assert spans.value('["' + "[{" * 1000 + '"]', 0)[1] == 2004


def test_one_emoji_does_not_make_a_large_text_four_times_as_large() -> None:
    raw = json.dumps(
        {"a": "\U0001f30a é \u2028 \\n", "b": "x" * (2 << 20)}, ensure_ascii=False
    ).encode()
    text = spans.decode_json(raw)
    assert text.isascii()
    assert json.loads(text) == json.loads(raw)
    wide = json.dumps(["Маяк" * (1 << 18)], ensure_ascii=False).encode()
    assert spans.decode_json(wide) == wide.decode()


@given(st.text(), st.integers(0, 3))
def test_bytes_that_are_made_narrow_read_as_they_did(said: str, images: int) -> None:
    raw = json.dumps([said, "A" * images * 600_000], ensure_ascii=False).encode("utf-8", "replace")
    assert json.loads(spans.decode_json(raw)) == json.loads(raw)
