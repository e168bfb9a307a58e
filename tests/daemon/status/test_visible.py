"""Nothing that somebody else wrote steers the terminal, turns a line around, or hides; what people need stays."""

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.status.printable import (
    columns_of,
    in_one_line,
    make_visible,
    padded,
    printable_json,
    wrap_lines,
)

HIDING = (
    0x00, 0x07, 0x1B, 0x0D, 0x7F, 0x85, 0x9B, 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x202A, 0x202E, 0x2028,
    0x2029, 0x2060, 0x2064, 0x2066, 0x2069, 0x206A, 0xFEFF, 0xFFF9, 0xD800, 0xE0001, 0xE0041,
)  # fmt: skip
NUMBER_SIGNS = frozenset(
    map(chr, (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD))
)
FLAG_OF_ENGLAND = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
)
RAW = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize("number", HIDING, ids=hex)
def test_a_character_that_steers_or_hides_is_written_out(number: int) -> None:
    text = f"a{chr(number)}b"
    assert make_visible(text) == f"a{chr(number).encode('unicode_escape').decode()}b"
    assert json.loads(printable_json([text])) == [text]


WRITTEN = {
    "Persian": "می\u200cخواهم",
    "Hindi": "क्\u200dष",
    "Sinhala": "ශ්\u200dරී",
    "an astronaut": "👩\u200d🚀",
    "a family": "👨\u200d👩\u200d👧",
    "a programmer": "🧑🏽\u200d💻",
    "a heart on fire": "\u2764\ufe0f\u200d🔥",
    "a flag": FLAG_OF_ENGLAND,
    "Hebrew": "שלום",
    "Japanese, with its own blank": "日本語\u3000です",
    "a blank that does not break": "naïve\u00a0café",
    "a number sign": "\u0600 12",
    "two lines": "two\nlines",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_people_write_with_stays(name: str) -> None:
    text = WRITTEN[name]
    assert make_visible(text) == text
    assert json.loads(printable_json(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "pay\u200dpal",
        "при\u200cвет",
        "\u200dstart",
        "🚀\u200c🚀",
        "می\u200c\u200cخ",
        "🚀\u200d",
        "\U000e0067 ",
    ],
    ids=ascii,
)
def test_a_joiner_or_a_tag_that_belongs_to_nothing_is_written_out(text: str) -> None:
    assert make_visible(text).isascii() or make_visible(text) != text


@given(st.text())
def test_nothing_raw_is_left_but_joiners_and_signs_that_are_seen(text: str) -> None:
    for printed in (make_visible(text), printable_json(text)):
        left = {letter for letter in printed if unicodedata.category(letter) in RAW}
        assert left <= {"\n", "\u200c", "\u200d", *NUMBER_SIGNS}
    assert json.loads(printable_json(text)) == text
    assert "\n" not in in_one_line(text)


def test_no_such_character_is_missed() -> None:
    every = (chr(number) for number in range(sys.maxunicode + 1))
    raw = [
        letter
        for letter in every
        if unicodedata.category(letter) in RAW and make_visible(letter) == letter
    ]
    assert {*raw} == {"\n", *NUMBER_SIGNS}


def test_wide_letters_and_emoji_are_counted_as_the_columns_that_they_take() -> None:
    assert [columns_of(text) for text in ("abc", "日本語", "👩\u200d🚀", "e\u0301")] == [3, 6, 2, 1]
    assert padded("日本", 6) == "日本  "
    assert wrap_lines("日本 日本 日本", 9) == "日本 日本\n  日本"


@given(st.text(alphabet="ab 日👍", max_size=60))
def test_a_folded_line_keeps_its_words_and_fits_unless_a_word_is_too_long(text: str) -> None:
    lines = wrap_lines(text, 10).splitlines()
    assert " ".join(lines).split() == text.split()
    assert all(columns_of(line) <= 10 or len(line.split()) == 1 for line in lines)


def test_words_in_bold_take_no_further_columns_and_a_lone_backtick_joins_nothing() -> None:
    assert wrap_lines("\x1b[1maa\x1b[0m bb cc", 8) == "\x1b[1maa\x1b[0m bb cc"
    assert wrap_lines("``` Use it in `a b` now", 9, further=0) == "``` Use\nit in\n`a b` now"
