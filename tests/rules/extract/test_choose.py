"""Which sentences are kept when not all can be."""

from rules.extract.answers import choose
from rules.extract.weights import Said, Sentence, prose, rarity


def heard(*texts: str) -> tuple[Sentence, ...]:
    return prose([Said("user", text, "") for text in texts])


def test_what_says_something_new_is_kept_before_what_says_it_again() -> None:
    said = heard("The red boat sank early.", "The red boat sank again.", "Marta bought seven lemons.")

    assert choose(said, [1.0, 0.9, 0.6], rarity(said), 10) == [0, 2]


def test_equal_sentences_are_kept_once() -> None:
    said = heard("The boat sank.", "The boat sank.", "The boat sank.")

    assert choose(said, [1.0, 1.0, 1.0], rarity(said), 100) == [0]


def test_sentences_without_weight_are_never_kept() -> None:
    said = heard("The boat sank.", "Marta bought lemons.")

    assert choose(said, [0.0, 1.0], rarity(said), 100) == [1]


def test_each_new_message_costs_its_heading() -> None:
    said = heard("The boat sank.", "Marta bought lemons.")

    assert choose(said, [1.0, 0.9], rarity(said), 9, turn_cost=2) == [0]
    assert choose(said, [1.0, 0.9], rarity(said), 10, turn_cost=2) == [0, 1]


def test_what_was_said_beside_is_not_said_again_unless_nothing_else_is_there() -> None:
    said = heard("The boat sank.", "Marta bought lemons.")

    assert choose(said, [1.0, 0.1], rarity(said), 100, besides=["Oh! The boat sank."]) == [1]
    assert choose(said, [1.0, 0.0], rarity(said), 100, besides=["Oh! The boat sank."]) == [0]


def test_the_best_is_returned_even_where_nothing_fits() -> None:
    said = heard("Marta bought seven lemons.", "The boat sank in the sea.")

    assert choose(said, [0.5, 1.0], rarity(said), 2) == [1]
