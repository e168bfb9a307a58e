"""What was forgotten is known with all that it ever said, and all messages that said so."""

from rules.layers.fact_operations import ForgottenFact, forgotten, is_forgotten
from rules.layers.facts import FactEvent
from tests.rules.layers.known import added

EVENTS = (
    added(1, "Ada has a cat.", "m1"),
    added(2, "Ada has a dog.", "m1"),
    FactEvent(1, "CONFIRM", "", "", "m2"),
    FactEvent(1, "UPDATE", "Ada has two cats.", "", "m3"),
    FactEvent(1, "FORGET", "", "", "", "person"),
)


def test_a_forgotten_fact_is_known_with_all_its_texts_and_messages() -> None:
    assert forgotten(EVENTS) == (
        ForgottenFact(("Ada has a cat.", "Ada has two cats."), frozenset({"m1", "m2", "m3"})),
    )
    assert forgotten(EVENTS[:4]) == ()


def test_it_is_known_again_by_its_words_and_only_from_its_messages() -> None:
    known = forgotten(EVENTS)
    assert is_forgotten("ADA has a cat", "m2", known)
    assert is_forgotten("Cats", "m1", known)
    assert not is_forgotten("Ada has a cat", "m9", known)
    assert not is_forgotten("Porto in spring", "m1", known)
