"""Operations become events; what is wrong in an answer is refused and counted, and the rest stands."""

from dataclasses import replace

import pytest

from rules.layers.fact_operations import MOST_CHARACTERS, carry_out
from rules.layers.facts import AskedEvent, FactEvent, Source
from tests.rules.layers.known import added, after, knowing, known_after, op

LYON, PORTO = "Ada lives in Lyon.", "Ada lives in Porto."
CRICKET = "Ada plays cricket with friends."


def test_an_added_fact_gets_a_new_number_whatever_its_id_and_the_date_of_its_message() -> None:
    outcome = carry_out([op("ADD", "0", CRICKET, message=1)], knowing(LYON))
    assert outcome.events == (FactEvent(12, "ADD", CRICKET, "2026-03-01T10:00:00.000Z", "m1"),)
    assert outcome.refused == ()


def test_several_additions_are_numbered_one_after_the_other() -> None:
    outcome = carry_out([op("ADD", text=CRICKET), op("ADD", text=PORTO)], knowing(LYON))
    assert [event.fact for event in outcome.events] == [12, 13]


def test_a_fact_without_a_named_message_comes_from_the_one_that_shares_most_words_with_it() -> None:
    for named in (None, 0, 4, -1):
        (event,) = carry_out([op("ADD", text="Ilse has two cats", message=named)], knowing()).events
        assert (event.source, event.said_at) == ("m3", "")


def test_an_update_keeps_the_number_and_says_what_it_replaces() -> None:
    known = knowing(CRICKET, LYON)
    (event,) = carry_out([op("UPDATE", "1", PORTO, LYON, message=1)], known).events
    assert (event.fact, event.event, event.text, event.source) == (12, "UPDATE", PORTO, "m1")
    assert event.why == f'in the place of "{LYON}"'
    assert after(known, [event]) == {11: CRICKET, 12: PORTO}


def test_a_deletion_says_by_which_message() -> None:
    (event,) = carry_out(
        [op("DELETE", "0", "Ada loves cheese pizza")], knowing("Ada loves cheese pizza")
    ).events
    assert (event.fact, event.event, event.text, event.source) == (11, "DELETE", "", "m2")
    assert event.why == "no longer so, by this message"


def test_a_fact_that_is_said_again_is_confirmed_once_an_answer() -> None:
    again = op("NONE", "0", message=1)
    outcome = carry_out([again, again, op("ADD", text=LYON.upper())], knowing(LYON))
    assert [(event.fact, event.event, event.source) for event in outcome.events] == [
        (11, "CONFIRM", "m1")
    ]
    assert outcome.refused == ()


def test_a_list_of_everything_that_stays_as_it_is_confirms_nothing() -> None:
    listed = [
        op("NONE", "0", LYON),
        op("NONE", "1", CRICKET, message=4),
        op("NONE", "1", CRICKET, message=0),
    ]
    outcome = carry_out(listed, knowing(LYON, CRICKET))
    assert (outcome.events, outcome.refused) == ((), ())


def test_nothing_comes_of_a_none_without_a_known_fact() -> None:
    outcome = carry_out([op("NONE", message=1), op("NONE", "7", LYON, message=1)], knowing(LYON))
    assert (outcome.events, outcome.refused) == ((), ())


def test_an_update_to_the_same_words_is_a_confirmation() -> None:
    (event,) = carry_out([op("UPDATE", "0", "ada  lives in LYON!")], knowing(LYON)).events
    assert (event.fact, event.event, event.text) == (11, "CONFIRM", "")


def test_an_update_to_what_another_fact_says_confirms_that_one_and_erases_none() -> None:
    known = knowing(LYON, PORTO)
    outcome = carry_out([op("UPDATE", "0", PORTO), op("DELETE", "1")], known)
    assert [(event.fact, event.event) for event in outcome.events] == [(12, "CONFIRM")]
    assert outcome.refused == ("changed twice",)
    assert len(after(known, outcome.events)) == 2


def test_an_unknown_id_is_refused_and_the_others_stand() -> None:
    answer = [
        op("UPDATE", "1", PORTO),
        op("DELETE", "x"),
        op("UPDATE", "", PORTO),
        op("UPDATE", "0", PORTO),
    ]
    outcome = carry_out(answer, knowing(LYON))
    assert [event.event for event in outcome.events] == ["UPDATE"]
    assert outcome.refused == ("unknown id",) * 3


def test_of_two_operations_on_one_fact_the_first_stands() -> None:
    for second in (op("UPDATE", "0", CRICKET), op("DELETE", "0")):
        outcome = carry_out([op("UPDATE", "0", PORTO), second], knowing(LYON))
        assert [event.text for event in outcome.events] == [PORTO]
        assert outcome.refused == ("changed twice",)


def test_an_operation_that_gives_the_text_of_another_fact_is_refused() -> None:
    known = knowing(LYON, CRICKET)
    outcome = carry_out([op("UPDATE", "0", PORTO, CRICKET), op("DELETE", "0", old=CRICKET)], known)
    assert (outcome.events, outcome.refused) == ((), ("old_memory is not its text",) * 2)


def test_an_operation_whose_old_text_nobody_knows_is_refused() -> None:
    pizza = "Loves cheese pizza"
    answer = [
        op("UPDATE", "0", "Hates trains", "Likes trains"),
        op("DELETE", "0", old="Likes trains"),
        op("DELETE", "0", old="?"),
    ]
    outcome = carry_out(answer, knowing(pizza))
    assert (outcome.events, outcome.refused) == ((), ("old_memory is not its text",) * 3)


@pytest.mark.parametrize(
    "old",
    ["", "ada lives  in\tLyon", "Ada lives in “Lyon”…", "Ada lives in Lyon", "ADA LIVES IN LYON!"],
)
def test_an_old_text_may_differ_in_case_white_space_and_punctuation_or_be_left_out(
    old: str,
) -> None:
    assert carry_out([op("UPDATE", "0", PORTO, old)], knowing(LYON)).refused == ()
    assert carry_out([op("DELETE", "0", old=old or LYON)], knowing(LYON)).refused == ()


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ("DELETE", CRICKET),
        ("DELETE", ""),
        ("DELETE", "Ada lives in Rome"),
        ("UPDATE", "Owns a dog"),
    ],
)
def test_what_names_a_fact_by_its_id_alone_changes_none(event: AskedEvent, text: str) -> None:
    outcome = carry_out([op(event, "0", text)], knowing(LYON, CRICKET))
    assert (outcome.events, outcome.refused) == ((), ("another fact than its id says",))


def test_an_update_without_the_old_text_shares_half_of_the_words_that_tell() -> None:
    for text in (
        "Ada lives in Porto now",
        "Lives with her sister in Lyon",
        LYON + " and works there",
    ):
        (event,) = carry_out([op("UPDATE", "0", text)], knowing(LYON, CRICKET)).events
        assert (event.event, event.text) == ("UPDATE", text)


def test_a_text_that_is_empty_or_too_long_is_refused() -> None:
    long = "word " * (MOST_CHARACTERS // 5 + 1)
    answer = [
        op("ADD", text=" …!"),
        op("ADD", text=long),
        op("UPDATE", "0"),
        op("UPDATE", "0", long),
    ]
    assert carry_out(answer, knowing(LYON)).refused == ("no text", "too long") * 2


def test_a_fact_of_many_copied_words_is_none() -> None:
    said = " ".join(f"word{number}" for number in range(50))
    sources = (Source("m1", f"Listen: {said}. Yes.", ""),)
    known = replace(knowing(LYON), sources=sources)
    assert carry_out([op("ADD", text=said)], known).refused == ("copied from the passage",)
    short = " ".join(said.split()[:20])
    assert carry_out([op("ADD", text=short)], known).refused == ()


def test_an_answer_that_deletes_too_much_deletes_nothing() -> None:
    known = knowing(*(f"Fact of Ada's {number}" for number in range(8)))
    erasing = [op("DELETE", str(at), f"Fact of Ada's {at}") for at in range(3)]
    outcome = carry_out([*erasing, op("ADD", text=PORTO)], known)
    assert outcome.refused == ("too many deletions",) * 3
    assert [event.event for event in outcome.events] == ["ADD"]
    assert len(carry_out(erasing[:2], known).events) == 2
    many = knowing(*(f"Fact of Ada's {number}" for number in range(12)))
    assert len(carry_out(erasing, many).events) == 3


def test_the_same_fact_twice_in_an_answer_is_one_fact() -> None:
    outcome = carry_out([op("ADD", text=PORTO), op("ADD", text="ada lives in porto")], knowing())
    assert [(event.event, event.text) for event in outcome.events] == [("ADD", PORTO)]


def test_what_an_answer_has_just_replaced_does_not_come_back_beside_it() -> None:
    outcome = carry_out([op("UPDATE", "0", PORTO), op("ADD", text=LYON)], knowing(LYON))
    assert outcome.refused == ("just replaced",)


def test_a_contradiction_never_takes_both_sides() -> None:
    known = knowing(LYON, alike={PORTO: (LYON,)})
    for answer in (
        [op("ADD", text=PORTO), op("DELETE", "0")],
        [op("DELETE", "0"), op("ADD", text=PORTO)],
        [op("UPDATE", "0", PORTO), op("DELETE", "0")],
    ):
        assert list(after(known, carry_out(answer, known).events).values()) == [PORTO]


def test_a_fact_in_other_words_is_merged_and_the_richer_wording_stays() -> None:
    poor, rich = "Ada likes cricket", "Ada likes to play cricket with friends"
    (event,) = carry_out([op("ADD", text=rich)], knowing(poor, alike={rich: (poor,)})).events
    assert (event.fact, event.event, event.text, event.why) == (
        11,
        "UPDATE",
        rich,
        "merged with another wording",
    )
    (event,) = carry_out([op("ADD", text=poor)], knowing(rich, alike={poor: (rich,)})).events
    assert (event.fact, event.event) == (11, "CONFIRM")


def test_two_new_wordings_of_an_answer_are_merged_too() -> None:
    poor, rich = "Ada likes cricket", "Ada likes to play cricket with friends"
    known = knowing(alike={rich: (poor,), poor: (rich,)})
    assert after(known, carry_out([op("ADD", text=poor), op("ADD", text=rich)], known).events) == {
        11: rich
    }


def test_wordings_that_say_the_opposite_or_have_other_numbers_are_not_merged() -> None:
    for new, old in (
        ("Ada does not like tea", "Ada does like tea"),
        ("The ferry is on 15 March", "on 14 March"),
    ):
        (event,) = carry_out([op("ADD", text=new)], knowing(old, alike={new: (old,)})).events
        assert event.event == "ADD"


def test_of_several_like_wordings_the_nearest_that_is_not_opposed_is_merged() -> None:
    new, near, other = (
        "The ferry goes on 15 March",
        "The ferry goes on 14 March",
        "Ferry on 15 March",
    )
    (event,) = carry_out(
        [op("ADD", text=new)], knowing(near, other, alike={new: (near, other)})
    ).events
    assert (event.fact, event.event) == (12, "UPDATE")


def test_what_the_person_has_forgotten_never_comes_back_from_the_same_message() -> None:
    secret = "Ada plays cricket with friends"
    known = known_after(
        [added(1, secret, "m1"), added(2, LYON), FactEvent(1, "FORGET", "", "", "", "person")]
    )
    for text in (secret, "Ada and friends often play cricket with a red ball"):
        answer = [op("ADD", text=text, message=1), op("UPDATE", "0", text, message=1)]
        assert carry_out(answer, known).refused == ("forgotten before",) * 2
    assert carry_out([op("ADD", text=secret, message=2)], known).refused == ()
    assert carry_out([op("ADD", text="Porto is home now", message=1)], known).refused == ()
