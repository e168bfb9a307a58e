"""Tokens are counted offline, and each text once."""

from daemon.archive.archive import Archive
from daemon.models import tokens


def test_tokens_are_those_of_o200k() -> None:
    assert tokens.count("hello world") == 2
    assert tokens.count("") == 0


def test_a_tokenizer_s_own_tags_in_somebody_s_text_are_text() -> None:
    assert tokens.count("<|endoftext|>") > 1


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
