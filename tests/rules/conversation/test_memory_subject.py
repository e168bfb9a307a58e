"""The subject in a memory's name tells its passage from those before it, by raw words alone."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.models.tokens import count
from primer import prompt
from rules.conversation.memory_subject import find_subjects
from rules.conversation.memory_title import write_title
from tests.chats import texts
from tests.rules.checks.test_checks import LANGUAGES, good_answers
from tests.server.asking import TEXTS

SAMPLE = Path(__file__).parents[3] / "daemon" / "files" / "sample.json"
DAYS = ["2023-11-28", "2024-12-13"]
SHOES = [
    (True, "My sneakers are worn out. Which sneakers last longest?"),
    (False, "Sneakers with a stitched sole. You run a lot."),
]
FESTIVAL = [
    (True, "The festival in Galway begins on Friday. I need no new sneakers for it."),
    (False, "The festival has a list of what to bring: boots, a tent."),
]
EVERYDAY = [(True, "Yes, thank you, that was good."), (False, "You are welcome.")]
Passage = Sequence[tuple[bool, str]]
MESSAGE = st.tuples(st.booleans(), st.text(max_size=60))


def question(subject: str, *, extracted: bool = True) -> str:
    """The first question of a memory with the longest title, or nearly so."""
    title = write_title(1234, 1234, DAYS, extracted=extracted, subject=subject)
    return prompt.question(f"{title} {TEXTS.quote}").content


def test_what_many_messages_of_a_passage_and_few_before_it_hold_is_its_subject() -> None:
    shoes, festival = find_subjects([SHOES, FESTIVAL])
    assert shoes.startswith("sneakers")
    assert festival.startswith("festival")
    assert "sneakers" not in festival, "the passage before had them"


def test_what_the_person_says_counts_more_than_the_answer() -> None:
    (subject,) = find_subjects(
        [[(True, "The ferry to Oban."), (False, "A harbour, a lighthouse.")]]
    )
    assert subject == "Oban, ferry, harbour"


@given(st.lists(st.lists(MESSAGE, max_size=4), max_size=5), st.lists(MESSAGE, max_size=4))
def test_what_comes_later_changes_no_subject(passages: list[Passage], later: Passage) -> None:
    assert list(find_subjects([*passages, later]))[:-1] == list(find_subjects(passages))


@given(st.lists(st.lists(MESSAGE, max_size=4), max_size=4))
def test_a_subject_has_two_to_four_words_of_letters_or_there_is_none(
    passages: list[Passage],
) -> None:
    for subject in find_subjects(passages):
        words = re.split(", | ", subject) if subject else []
        assert len(words) in (0, 2, 3, 4)
        assert len({word.casefold() for word in words}) == len(words)
        assert not any(mark in word for word in words for mark in " .,:;!?\"'*_`#<>(){}[]\n")


def test_code_addresses_numbers_and_quotations_are_no_subject() -> None:
    code = "```python\nimport frobnicate\n```\nSee https://example.org/frobnicate and `frobnicate`."
    (subject,) = find_subjects([[(True, f'{code} "Frobnicate!" 1843 lighthouse Oban.')]])
    assert subject == "Oban, lighthouse"


def test_a_passage_of_everyday_words_has_no_subject() -> None:
    assert list(find_subjects([EVERYDAY, []])) == ["", ""]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_with_a_subject_has_at_most_sixty_tokens_in_any_language(language: str) -> None:
    passages = dict.fromkeys((good.passage, good.by_person) for good in good_answers(language))
    told = find_subjects(
        [(text in by_person, text) for text in passage] for passage, by_person in passages
    )
    named = [subject for subject in told if subject]
    assert named
    assert all(count(question(subject)) <= 60 for subject in named)


def test_the_sample_s_memories_are_told_apart_within_sixty_tokens() -> None:
    (chat,) = json.loads(SAMPLE.read_bytes())["data"]["chats"]
    said = [(each["role"] == "user", *texts([each])) for each in chat["messages"]]
    named = list(find_subjects(said[at : at + 12] for at in range(0, len(said), 12)))
    assert len(set(named)) == len(named)
    assert all(count(question(subject)) <= 60 for subject in named)


def test_nouns_are_chosen_before_verbs_and_what_qualifies_a_noun() -> None:
    said = (
        "I keep implementing the potential fallback for the boundary. I test the fallback annually. "
        "Implementing a fallback seems potential."
    )
    (subject,) = find_subjects([[(True, said), (True, said)]])
    assert subject == "fallback, boundary"


def test_words_of_headings_and_labels_are_no_names() -> None:
    reply = "## The Project Overview\n\n**Daily Routine:** You walk by the harbour with Wendy.\n- Morning Pages"
    (subject,) = find_subjects([[(True, "I walk with Wendy by the harbour."), (False, reply)]])
    assert subject == "Wendy, harbour"


def test_names_that_follow_one_another_stay_together() -> None:
    (subject,) = find_subjects([[(True, "We met at the Blue Lagoon, for lunch with Sharon.")]])
    assert "Blue Lagoon" in subject


def test_a_name_that_is_always_there_gives_way_to_what_is_new() -> None:
    long_ago = [(True, "I ask Sharon about it, for Sharon knows.")] * 8
    now = [
        *[(True, "I ask Sharon about it, for Sharon knows.")] * 3,
        *[(True, "The roof is leaking into the attic.")] * 2,
    ]
    *_, subject = find_subjects([long_ago, now])
    assert subject.startswith("roof, attic")
