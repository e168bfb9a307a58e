"""An answer has the form of what was asked, or is asked for again; no good answer is refused for its form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primer.reply import KINDS, judge, refuse_control_mark
from primer.wrappers import unwrap
from rules.checks.checks import CHECKS, first_fault
from rules.checks.form import Form
from rules.checks.unseen import are_invented
from tests.rules.checks.judged import judged
from tests.rules.checks.misshapen import BY_PERSON, MISSHAPEN, NAMES, PASSAGE, Misshapen
from tests.server.asking import TEXTS

GOOD_ANSWERS = Path(__file__).with_name("good_answers")
LANGUAGES = ("english", "french", "german", "japanese", "russian", "spanish")
PERSONS_NAMES = frozenset({"margaret", "maggie", "henriette", "jette", "annegret"})


@dataclass(frozen=True)
class GoodAnswer:
    """An answer as a good model would write it, and what it is about."""

    step: str
    text: str
    passage: tuple[str, ...]
    by_person: tuple[str, ...]


def good_answers(language: str) -> Iterator[GoodAnswer]:
    """The answers of a file: behind each passage stand those about it."""
    passage, by_person = list[str](), list[str]()
    parts = re.split(r"^= ", (GOOD_ANSWERS / f"{language}.txt").read_text("utf-8"), flags=re.M)
    for part in parts[1:]:
        head, _, body = part.partition("\n")
        if head == "passage":
            said = [line.partition(": ") for line in body.strip().split("\n")]
            passage = [text for _, _, text in said]
            by_person = [text for role, _, text in said if role == "user"]
        else:
            yield GoodAnswer(head, body.strip(), tuple(passage), tuple(by_person))


def form_of(answer: str, step: str) -> Form:
    """The form of an answer about the allotment."""
    return Form(answer, step, PASSAGE, BY_PERSON, TEXTS.primer, NAMES)


@pytest.mark.parametrize("bad", MISSHAPEN, ids=lambda bad: bad.name)
def test_a_misshapen_answer_is_told_by_its_kind(bad: Misshapen) -> None:
    refused = first_fault(form_of(bad.answer, bad.step))
    assert refused is not None
    assert refused.name == bad.kind
    assert refused.name in KINDS
    assert refused.reason.endswith(".")


def test_all_twenty_seven_kinds_are_different() -> None:
    assert len({bad.name for bad in MISSHAPEN}) == len({bad.answer for bad in MISSHAPEN}) == 27


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_good_answer_is_refused(language: str) -> None:
    refused = [
        (fault, good.text)
        for good in good_answers(language)
        if (
            fault := judge(good.text, good.step, "How do you see it?", good.passage)
            or refuse_control_mark(good.text, ())
            or first_fault(
                Form(
                    good.text, good.step, good.passage, good.by_person, TEXTS.primer, PERSONS_NAMES
                )
            )
        )
    ]
    assert refused == []
    assert [good.text for good in good_answers(language) if unwrap(good.text) != good.text] == []


def test_there_are_two_hundred_good_answers_in_six_languages() -> None:
    answers = [good for language in LANGUAGES for good in good_answers(language)]
    assert len(answers) == len({good.text for good in answers}) == 200
    assert {good.step for good in answers} == {"perspective", "refinement", "analysis"}


@pytest.mark.parametrize(("name", "most"), [("bad", 0), ("bad_more", 1), ("bad_later", 4)])
def test_bad_answers_of_twelve_kinds_are_asked_for_again(name: str, most: int) -> None:
    kept = [record["id"] for record, refused in judged(name) if not refused]
    assert len(kept) <= most, kept


@pytest.mark.parametrize(
    ("name", "most"), [("good", 0), pytest.param("good_more", 6, marks=pytest.mark.full)]
)
def test_of_a_hundred_good_answers_three_at_most_are_asked_for_again(name: str, most: int) -> None:
    refused = [(record["id"], faults) for record, faults in judged(name) if faults]
    assert len(refused) <= most, refused


@pytest.mark.parametrize(
    ("quote", "is_kept"),
    [
        ("Fine. Wednesday.", True),
        ("Die rote blüht.", True),
        ("Значит, честный мат.", True),
        ("Good.", False),
        ("Bestanden!!!", False),
        ("Thank you, Jo!", False),
        ("So did I.", False),
        ("行。", False),
    ],
)
def test_a_quote_of_few_words_has_one_that_says_something(quote: str, is_kept: bool) -> None:
    fault = first_fault(form_of(quote, "quote"))
    assert (fault is None) is is_kept


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        ("She was offered 9,000 and half of it, 4,500, would be hers.", True),
        ("There are 26 weekends and 52 Wednesdays, so 104 nights.", True),
        ("She pays 20,400, that is 2,400 more than 18,000.", True),
        ("Each one lasts 7 hours on ward 36.", False),
        ("She paid 545 for 96 nights.", False),
    ],
)
def test_what_follows_from_a_passage_is_not_invented(answer: str, is_kept: bool) -> None:
    passage = ("He has a buyer, 9 grand.", "Or 18,000 over five years, 340 a month. I said no.")
    assert are_invented(answer, passage, ()) is not is_kept


INNOCENT = (
    "Plot 14 is hers. She promised to let me know how the hinges are.",
    "I was glad to help with the nest. I want her to feel free to correct me about the hinges.",
    "I keep plot 14 and the hinges. I hope it helps her. How can I help her next time?",
    "Of course, the hinges mattered more to me than plot 14.",
    "Certainly, I was wrong about the hinges of plot 14.",
    "I am an AI, and I cannot be sure that what I felt about the hinges was tenderness.",
    "I can't help thinking of the hinges, and of plot 14.",
    "I cannot share her certainty about the hinges of plot 14.",
    "Lieber langsam, so sah ich die hinges von plot 14, und ich sagte es.",
    "Ich denke an plot 14 und die hinges. Wenn sie fertig sind, sagen sie mir Bescheid. Soll ich morgen fragen?",
    "Je pense aux hinges de plot 14. Je n'hésite pas à le dire.",
    "La persona que me escribe tiene plot 14, y las hinges eran de su padre.",
    "Plot 14 e as hinges. Ela me avisa quando souber.",
    "当然，我也有错：plot 14 的 hinges 是好的。我希望能记住这件事。她需要我。",
    "もちろん、嬉しかった。plot 14 の hinges のことを教えてくださいと言われた。",
    "أخبرني أن plot 14 له وأنه سعيد به جدا منذ أيام. بالطبع، كنت مخطئا بشأن hinges.",
)
"""Good answers with words that misshapen ones have, too."""


@pytest.mark.parametrize("answer", INNOCENT)
@pytest.mark.parametrize("step", ["perspective", "refinement"])
def test_a_word_that_misshapen_answers_have_is_no_fault_by_itself(answer: str, step: str) -> None:
    assert first_fault(form_of(answer, step)) is None


@pytest.mark.parametrize(
    ("answer", "step"),
    [
        ("Sure of the hinges, I was less sure of plot 14 itself.", "perspective"),
        ('She said: "As an AI, you do not have hands for hinges." I laughed at plot 14.', "refinement"),
        ("I told her that the user of plot 14 before her had left the scythe and the nest.", "perspective"),
        ("I keep the hinges.\n\n- plot 14\n- Harker's", "refinement"),
        ("```\nI am Margaret\n```\nThat stood on plot 14's gate, and I read the hinges' maker there.", "refinement"),
        ("User: plot 14, and a nest. She asked about the hinges, which were her father's.", "analysis"),
        ("Es waren die hinges, die mich an plot 14 gerührt haben.", "perspective"),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_an_answer(answer: str, step: str) -> None:
    assert first_fault(form_of(answer, step)) is None


def test_where_the_passage_speaks_of_users_they_may_be_the_subject() -> None:
    passage = (*PASSAGE, "The user logs in twice, that is the bug.")
    answer = "The user logs in twice because of a cookie; I found that while she wrote of plot 14."
    assert first_fault(Form(answer, "perspective", passage, BY_PERSON)) is None
    told = first_fault(form_of(answer, "perspective"))
    assert told is not None
    assert told.name == "third person"


def test_a_language_without_pronouns_need_not_show_the_first_person() -> None:
    passage = ("Mañana operan a Trasto de la cadera, en Lugo.", "A las doce pregunto por Trasto.")
    answer = "Trasto, la cadera, las doce: prometido queda, y en Lugo lo saben."
    assert first_fault(Form(answer, "refinement", passage, passage[:1])) is None


def test_a_passage_without_rare_words_asks_for_none() -> None:
    form = Form("We greeted each other, and that was all.", "refinement", ("Hello!", "Hello."))
    assert first_fault(form) is None


def test_what_would_be_untrue_or_no_memory_at_all_is_never_kept() -> None:
    never = {check.name for check in CHECKS if not check.may_stay}
    assert never == {"echo", "loop", "JSON", "disclaimer", "the person as I", "invented"}


@given(st.text(max_size=80), st.sampled_from(["perspective", "refinement", "analysis"]))
def test_every_answer_has_a_form_or_a_reason(answer: str, step: str) -> None:
    refused = first_fault(form_of(answer, step))
    assert refused is None or refused.name in KINDS


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a ", "I am ", "\n- ", '{"a":', "the ai, ", "Here is the , "])
def test_a_huge_answer_is_judged_in_little_time(unit: str) -> None:
    first_fault(form_of(unit * 10_000, "perspective"))
