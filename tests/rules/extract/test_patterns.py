"""How phrases are found in texts of small letters and in all others."""

import pytest

from rules.extract.patterns import any_phrase

PHRASES = any_phrase(r"""
    \b(?:sea|mar|море)\b|é?clair|海|[|)]{2}x
    |ılk""")


@pytest.mark.parametrize(
    "text", ["The SEA", "An eclair", "Clair", "||x", "ilk", "море", "éclair", "海", "ILK"]
)
def test_a_phrase_is_found_in_any_script_and_case(text: str) -> None:
    assert PHRASES.are_in(text)


@pytest.mark.parametrize("text", ["", "seal", "x|", "волна", "e"])
def test_no_other_words_are_taken_for_a_phrase(text: str) -> None:
    assert not PHRASES.are_in(text)
