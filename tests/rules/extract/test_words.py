"""What counts as a word, for comparing texts and for measuring them."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rules.extract.words import count_terms, length, shorten, split_terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'll see Zoë, i.e. soon", ["i", "ll", "see", "zoë", "i.e", "soon"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("пам'ять и ім’я", ["пам'ять", "и", "ім'я"]),
        ("我爱你 ok 好", ["我爱", "爱你", "ok", "好"]),
        ("...", []),
    ],
)
def test_terms_are_the_words_of_each_script(text: str, expected: list[str]) -> None:
    assert list(split_terms(text)) == expected


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["< ", "' ", "’ ", "a.", "- x’", "ก' "])
def test_the_words_of_an_endless_run_are_found_in_one_pass(unit: str) -> None:
    """A pattern that begins anew at each character would take hours for this; one pass takes a second."""
    assert len(count_terms([unit * 1_000_000])) <= 3


@given(st.text(alphabet="abIE xé'’._-3,\n我爱ก", max_size=40))
@example("i.e. A.B.C a.bc 1a.b a_b x.y'z")
def test_terms_are_counted_as_they_are_read(text: str) -> None:
    assert count_terms([text, text]) == Counter([*split_terms(text), *split_terms(text)])


@given(st.text(alphabet="abIE1_x'’ʼ“”—…🌊\u200d\xa0.-\n", max_size=40))
@example("i.e. A.B.C a.bc 1a.b a_b x.y'z “so”—it’s")
def test_a_letter_beyond_ascii_leaves_the_words_before_it_as_they_are(text: str) -> None:
    assert [*split_terms(f"{text} é")] == [*split_terms(text), "é"]
    assert length(f"{text} é") == length(text) + 1


def test_length_counts_what_spaces_part() -> None:
    assert length("one two, three - four") == 5


def test_length_counts_han_by_characters() -> None:
    assert length("我" * 17) == pytest.approx(10)


def test_an_endless_run_is_not_one_word() -> None:
    assert length("a" * 24_000) > 1000


@given(st.text(alphabet="ab 我ก\n", max_size=60), st.integers(1, 20))
def test_what_is_shortened_is_a_beginning_within_the_limit(text: str, words: int) -> None:
    short = shorten(text, words)

    assert text.lstrip().startswith(short.lstrip())
    assert length(short) <= words + 1e-9


def test_shortening_cuts_between_words() -> None:
    assert shorten("one two three four", 2) == "one two"
