"""A chat whose folds were made under 16,000 tokens keeps to them until the person agrees to more."""

from daemon.archive.chats import FoldLimits
from daemon.chat.holding import bounds_of
from daemon.config.settings import Config

BEFORE = FoldLimits(budget=16_000, window=200_000)
RAW_TOKENS = 400_000


def test_without_a_word_in_the_settings_its_section_stays_as_large_as_before() -> None:
    assert bounds_of(Config(), BEFORE).at(RAW_TOKENS) == 16_000


def test_auto_that_is_written_lets_it_grow() -> None:
    agreed = Config.model_validate({"fold": {"budget": "auto"}})
    assert bounds_of(agreed, BEFORE).at(RAW_TOKENS) == 40_000


def test_a_number_that_is_written_counts_for_every_chat() -> None:
    numbered = Config.model_validate({"fold": {"budget": 9_000}})
    assert bounds_of(numbered, BEFORE).at(RAW_TOKENS) == 9_000
    assert bounds_of(numbered, FoldLimits()).at(RAW_TOKENS) == 9_000


def test_a_chat_without_folds_begins_with_one_that_grows() -> None:
    assert bounds_of(Config(), FoldLimits()).at(RAW_TOKENS) == 40_000
