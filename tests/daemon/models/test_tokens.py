"""Tokens are counted offline, and each text once."""

import hashlib
from pathlib import Path

import pytest

from daemon.archive.archive import Archive
from daemon.models import tokens
from rules.errors import ModelError


def test_tokens_are_those_of_o200k() -> None:
    assert tokens.count("hello world") == 2
    assert tokens.count("") == 0


def test_a_tokenizer_s_own_tags_in_somebody_s_text_are_text() -> None:
    assert tokens.count("<|endoftext|>") > 1


@pytest.mark.parametrize("space", [" ", "\n", " \n"])
def test_a_run_of_white_space_of_any_length_is_counted(space: str) -> None:
    whole = tokens.count("x" + space * 120_000 + "y")
    assert (
        tokens.count("x" + space * 250_000 + "y")
        > whole
        > tokens.count("x" + space * 50_000 + "y")
        > 10
    )


def test_a_text_is_cut_only_where_tiktoken_would_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "So   it was.\n\n\n" * 100_000 + "x" + " " * 2_000 + "y"
    whole = tokens.count(text)
    monkeypatch.setattr(tokens, "_LONGEST_RUN", 2_000)
    assert tokens.count(text) == whole
    monkeypatch.setattr(tokens, "_LONGEST_RUN", 900)
    assert whole <= tokens.count(text) <= whole + 6


def test_a_text_that_was_counted_is_not_counted_again() -> None:
    with Archive.memory() as archive:
        tokens.keep(archive, tokens.Counts({}, {"known": 7}))
        found = tokens.count_once(archive, {"known": "never looked at", "new": "hello world"})
        assert found == tokens.Counts({"known": 7, "new": 2}, {"new": 2})


def test_many_texts_are_looked_up_at_once() -> None:
    with Archive.memory() as archive:
        tokens.keep(archive, tokens.Counts({}, {str(number): number for number in range(1, 2001)}))
        found = tokens.count_once(archive, {str(number): "" for number in range(1, 2001)})
        assert sum(found.all.values()) == 2001 * 1000


@pytest.mark.parametrize("content", [None, b"IQ== 0\n"])
def test_a_table_that_is_missing_or_damaged_is_an_error_that_says_so_and_nothing_is_downloaded(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    address = "https://example.org/table"
    if content is not None:
        (tmp_path / hashlib.sha1(address.encode()).hexdigest()).write_bytes(content)
    with pytest.raises(ModelError, match="table is missing or damaged"):
        tokens._ranks(address, "0" * 64)
