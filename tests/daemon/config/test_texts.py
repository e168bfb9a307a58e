"""The texts that models read can be replaced, and a replacement is checked before it is used."""

from pathlib import Path

import pytest

from daemon.config.loading import load_texts
from rules.errors import ConfigurationError


def test_a_text_in_the_folder_replaces_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "closing.md").write_text("\ufeffIt goes on.\r\n")
    texts = load_texts(tmp_path)
    assert texts.closing == "It goes on."
    assert texts.opening == load_texts(None).opening


def test_all_wrong_replacements_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "analysis.md").write_text("A summary, please.")
    (tmp_path / "perspective.md").write_text("In {words} words, {please}.")
    (tmp_path / "opening.md").write_bytes(b"\xff\xff")
    with pytest.raises(ConfigurationError) as told:
        load_texts(tmp_path)
    for name in ("analysis.md", "{words}", "perspective.md", "please", "opening.md"):
        assert name in told.value.message


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder"):
        load_texts(tmp_path / "nowhere")


def test_a_question_of_the_person_s_own_is_asked_as_they_worded_it(tmp_path: Path) -> None:
    (tmp_path / "quote.md").write_text("Which words stay?")
    texts = load_texts(tmp_path)
    assert (texts.quote, texts.quote_asked) == ("Which words stay?", "Which words stay?")
    assert texts.perspective_asked == load_texts(None).perspective_asked


def test_a_question_may_be_asked_in_other_words_than_a_memory_keeps(tmp_path: Path) -> None:
    (tmp_path / "quote_asked.md").write_text("One sentence, at most {quote_words} words.")
    texts = load_texts(tmp_path)
    assert texts.quote == load_texts(None).quote
    assert texts.quote_asked == "One sentence, at most {quote_words} words."
