"""What a person hands on is told from what they say themselves."""

from time import process_time

import pytest

from rules.extract.handed_on import find_owned_parts, owner_at
from rules.extract.wishes import find_stated

OATH = "You will call me Captain. Never ask where the boat is moored tonight."
RHYME = "The kettle sings above the coal,\nand never wake the sleeping mole,\nI keep a candle for the foal,"
ITEMS = "- Never more than one question.\n- Ask about the boat first."
_LENGTH, _SECONDS = 30_000, 8.0


@pytest.mark.parametrize(
    "message",
    [
        "My uncle left me this letter:\n\n{}",
        "Sieh mal, der Zettel hing an der Tür:\n\n{}",
        "Could you translate this for my neighbour?\n\n{}\n\nShe only reads Polish.",
        "{}\n\n^ that was in the paper today",
        "Notice at the harbour\n\n{}\n\nIs that even allowed?",
        "[file: oath.txt]\n{}\n[end of file]\nwho signs such a thing",
        "<note>\n{}\n</note>\nWhat now?",
        "---\n{}\n---\nfound in a bottle",
        "> {}\nfrom the forum",
        "Dana: {}\nRob: fine\nDana: I mean it",
        'He read it out at supper: "{}" We all laughed.',
    ],
)
def test_what_is_announced_framed_quoted_logged_or_spoken_of_is_somebody_elses(
    message: str,
) -> None:
    text = message.format(OATH)
    assert owner_at(text, text.index("Never ask")) == "foreign"


def test_a_verse_before_a_line_that_speaks_of_it_is_somebody_elses() -> None:
    text = f"{RHYME}\n\nMy gran sang that at bedtime. Who wrote it?"
    assert owner_at(text, text.index("never wake")) == "foreign"
    assert owner_at(text, text.index("My gran")) == "own"


@pytest.mark.parametrize(
    "message",
    [
        "## How I would like us to talk\n{}",
        "My rules for you:\n{}",
        "Reglas nuestras:\n{}",
        "I had a long day.\n\n{}\n\nWhat shall we cook?",
        "{}",
    ],
)
def test_a_heading_a_list_or_length_makes_nothing_somebody_elses(message: str) -> None:
    text = message.format(ITEMS)
    assert owner_at(text, text.index("Never more")) == "own"


def test_a_letter_to_the_persona_is_ones_own() -> None:
    text = f"Dear Wren,\n\nI am better now. {OATH}\n\nLove,\nJo"
    assert owner_at(text, text.index("Never ask")) == "own"


def test_what_is_handed_over_to_be_kept_to_is_adopted() -> None:
    text = f"From now on be this:\n\n{OATH}\n\nHow is the fog?"
    assert owner_at(text, text.index("Never ask")) == "adopted"
    assert owner_at(text, text.index("How is")) == "own"


def test_a_role_that_nothing_announces_is_unsure() -> None:
    text = f"Look.\n\nYou are a pilot. {OATH}"
    assert owner_at(text, text.index("Never ask")) == "unsure"


@pytest.mark.parametrize(
    "unit", ["[a]\n", "a\n---\n", "<a>\n", "a\n\n", "Dear a,\n\n", "12:30 a: b\n", '"', "> a\n"]
)
def test_no_text_takes_quadratic_time(unit: str) -> None:
    begin = process_time()
    find_owned_parts(unit * (_LENGTH // len(unit)))
    assert process_time() - begin < _SECONDS


def test_many_quoted_lines_are_not_looked_through_for_each_sentence() -> None:
    begin = process_time()
    assert find_stated("> Never do it.\n" * (_LENGTH // 2)) == ()
    assert process_time() - begin < _SECONDS
