"""Standing wishes are told from what only sounds like one."""

import pytest

from rules.extract.wishes import asked_frame, find_wishes, is_same_matter


@pytest.mark.parametrize(
    "wish",
    [
        "Always format dates as 5 March when I ask about meetings.",
        "Never call me sir.",
        "From now on, answer in two sentences.",
        "I prefer short answers.",
        "Call me Ada.",
        "Nenn mich ab jetzt bitte Ada.",
        "Réponds toujours en français.",
        "Responde siempre en español.",
        "请总是用中文回答。",
    ],
)
def test_an_order_or_a_preference_that_holds_for_good_is_found_word_for_word(wish: str) -> None:
    assert find_wishes(f"The train was late. {wish}") == (wish,)


@pytest.mark.parametrize(
    "text",
    [
        "I always loved the sea.",
        "Never mind, it works.",
        "Why do you never answer in French?",
        'My teacher wrote: "Always format dates as 5 March."',
        "> Always format dates as 5 March.",
        "```\nAlways format dates as 5 March.\n```",
        "Here is my draft email:\n\nAlways call me before nine.",
    ],
)
def test_what_only_sounds_like_one_or_is_quoted_or_drafted_is_none(text: str) -> None:
    assert find_wishes(text) == ()


def test_a_list_belongs_to_the_wish_that_announces_it() -> None:
    wishes = find_wishes("From now on, always keep to these rules:\n- Short words.\n- No jokes.")
    assert wishes[1:] == ("Short words.", "No jokes.")


def test_the_words_before_them_are_in_the_language_of_the_conversation() -> None:
    german = ["Ich habe dir doch gesagt, dass wir am Freitag nicht nach Wien fahren können."]
    assert asked_frame(["I told you that we cannot go to Vienna on Friday."]) == "You asked me:"
    assert asked_frame(german) != "You asked me:"


def test_a_later_wish_on_the_same_case_or_object_is_about_the_same() -> None:
    dates = "Always format dates as 5 March when I ask about meetings."
    assert is_same_matter(dates, "Always format dates as 2026-03-05 when I ask about meetings.")
    assert not is_same_matter(dates, "Always give prices in euros when I ask about hotels.")
    assert is_same_matter("I prefer short answers.", "From now on I prefer long answers.")
    assert not is_same_matter("Call me Ada.", "I prefer short answers.")


def test_of_a_very_long_sentence_the_clause_between_its_commas_is_the_wish() -> None:
    before = "can you look at this, " * 30
    assert find_wishes(f"{before}and I prefer short answers, {before}please.") == (
        "and I prefer short answers",
    )
