"""What can be a key, and that a key never shows itself."""

import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.key_stores import NotAKey
from daemon.config.keys import Key, read_key


def test_a_key_is_read_without_the_white_space_around_it() -> None:
    assert read_key("  sk-abc\r\n") == "sk-abc"


@pytest.mark.parametrize(
    "text",
    ["", " \n", "two words", "two\nlines", "a\x00b", "a\x1b[31mb", "ключ", "a\u200bb", "a\xa0b"],
)
def test_what_cannot_be_a_key_is_refused_without_being_repeated(text: str) -> None:
    found = read_key(text)
    assert isinstance(found, NotAKey)
    assert not text.strip() or text.strip() not in found.reason


@given(st.text())
def test_whatever_is_taken_as_a_key_fits_into_a_header(text: str) -> None:
    found = read_key(text)
    if isinstance(found, str):
        assert found
        assert found == text.strip()
        assert all("!" <= character <= "~" for character in found)


def test_a_key_shows_itself_in_no_words_about_it() -> None:
    key = Key("sk-canary", "file")
    assert "canary" not in f"{key} {key!r} {[key]} {traceback.format_exception(ValueError(key))}"
    assert "file" not in repr(key)
