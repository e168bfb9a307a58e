"""How many tokens a text has at most, without the tokenizer."""

import hashlib
import inspect

import pytest
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from daemon.models import tokens
from daemon.models.tokens import TABLE, count, tables, tokens_at_most
from rules.errors import ModelError


@pytest.mark.full
def test_words_that_are_tokens_count_one_each() -> None:
    assert tokens_at_most("the harbour and the storm") <= 7
    assert count("the harbour and the storm") <= tokens_at_most("the harbour and the storm")


def test_the_table_is_the_one_that_counts() -> None:
    assert TABLE in inspect.getsource(openai_public.o200k_base)
    assert (tables() / hashlib.sha1(TABLE.encode()).hexdigest()).is_file()


def test_a_missing_table_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "TABLE", "elsewhere")
    tokens._token_bits.cache_clear()
    tokens._is_token.cache_clear()
    with pytest.raises(ModelError, match="table is missing or damaged"):
        tokens_at_most("word")
    monkeypatch.undo()
    assert tokens_at_most("word") >= 1
