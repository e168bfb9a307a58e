"""Questions are drawn by seed, and letters are read however a model writes them."""

from dataclasses import replace

import pytest

from rules.evaluate.questions import (
    EvalQuestion,
    draw,
    own_letter,
    pick_few,
    pose,
    read_letters,
    spread,
)

QUESTION = EvalQuestion(
    "m1", "k", "At five.", "When is tea?", ("At five.", "At four.", "At six.", "Never."), "s"
)


@pytest.mark.parametrize(
    "answer",
    [
        "1. B\n2. E\n3. A",
        "1) B 2) E 3) A",
        "B E A",
        "BEA",
        "**1.** b\n**2.** e\n**3.** a",
        "Question 1: B. At four.\nQuestion 2: E, never said.\nQuestion 3: A",
        "For 1 the answer is B, for 2 the answer is E, and for 3 the answer is A.",
        "For question 1 I choose B, for 2 I choose E, and for 3 I would say A.",
        "1: (B)\n2: not said\n3: [A]",
        "1. B\n2. E\n3. A\n\nOnce more:\n1. B\n2. E\n3. A",
        "Well, let me think about these three.\n\n1 - B\n2 - E\n3 - A\n",
    ],
)
def test_letters_are_read_in_any_usual_form(answer: str) -> None:
    assert read_letters(answer, 3) == ("B", "E", "A")


@pytest.mark.parametrize(
    "answer",
    [
        "I remember the lighthouse well, and a ferry.",
        "1. a lighthouse\n2. a ferry\n3. an oar",
        "1. B or C\n1. C\n2. F\n3. Adam",
        "",
    ],
)
def test_what_is_no_letter_or_two_of_them_is_none(answer: str) -> None:
    assert read_letters(answer, 3) == ("", "", "")


def test_the_order_of_choices_is_drawn_anew_and_read_back() -> None:
    orders = set()
    for asking in map(str, range(40)):
        posed = pose([QUESTION], asking)
        letter = next(line[0] for line in posed.splitlines() if line.endswith(" At five."))
        assert own_letter(QUESTION, asking, letter) == "A"
        assert own_letter(QUESTION, asking, "E") == "E"
        assert pose([QUESTION], asking) == posed
        orders.add(posed)
    assert len(orders) > 10


def test_a_draw_keeps_every_item_and_depends_on_the_seed_alone() -> None:
    items = list(range(20))
    assert sorted(draw(items, "a")) == items
    assert draw(items, "a") == draw(items, "a") != draw(items, "b")


def test_items_are_spread_over_all_ages_and_known_ones_come_first() -> None:
    assert spread(range(20), 4) == [2, 7, 12, 17]
    assert spread(range(20), 4, preferred=(0, 19)) == [0, 7, 12, 19]
    assert spread(range(3), 10) == [0, 1, 2]
    assert spread([], 10) == []


def test_no_chunk_is_asked_about_more_because_others_were_written_for_it() -> None:
    chunks = ["m1", "m2"]
    made = [
        replace(QUESTION, memory=name, text=f"{name} {at}") for name in chunks for at in range(4)
    ]
    others = [replace(QUESTION, memory="m2", text=f"another {at}") for at in range(4)]
    assert pick_few([*made, *others], chunks) == tuple(made)
    assert pick_few([*made[:6], *others], chunks) == (*made[:6], *others[:2])
    assert pick_few(made, ["m2"]) == tuple(made[4:])


@pytest.mark.parametrize("asking", ["first", "second", "third"])
def test_what_is_asked_has_each_choice_once_and_nothing_of_the_answer(asking: str) -> None:
    first, *choices, last = pose([QUESTION], asking).splitlines()
    assert (first, last) == ("1. When is tea?", "E. It was never said.")
    assert [line[:3] for line in choices] == ["A. ", "B. ", "C. ", "D. "]
    assert sorted(line[3:] for line in choices) == sorted(QUESTION.choices)
