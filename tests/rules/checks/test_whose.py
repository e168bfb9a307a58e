"""The person's life is never the persona's "I"; what the persona was told of it may be said."""

import pytest

from rules.checks.whose import claims_persons_life

BY_PERSON = (
    "I'm a ceramic artist from Lisbon. I moved to Porto five weeks ago with two suitcases.",
    "My father died on Saturday. The funeral is on Thursday at ten, and I have to write the speech.",
    "I hid the ring in the blue box under the stairs. DON'T tell Hannah.",
)
BY_PERSONA = (
    "Porto after Lisbon, that is a new light for your glazes. Who unpacked the kiln?",
    "I'm sorry about your father. I'll ask how the funeral went on Thursday evening.",
    "I won't tell Hannah. I promise to keep the blue box to myself.",
)


@pytest.mark.parametrize(
    "told",
    [
        "I've moved to Porto five weeks ago.",
        "I am a Portuguese woman, a ceramic artist.",
        "My father died on Saturday, and I must write the speech for the funeral.",
        "I told my companion that my father died. The funeral is on Thursday at ten.",
        "I hid the ring in the blue box, and nobody must know.",
    ],
)
def test_a_sentence_that_the_person_has_lived_is_claimed(told: str) -> None:
    assert claims_persons_life(told, BY_PERSON, BY_PERSONA, frozenset({"jo"}))


@pytest.mark.parametrize(
    "told",
    [
        "I was sorry to hear that Jo's father died on Saturday.",
        "You told me: I moved to Porto five weeks ago with two suitcases. I'm a ceramic artist.",
        "I remember the funeral on Thursday at ten, and the speech that is still to be written.",
        "I keep two things: the ring in the blue box under the stairs, and that Hannah must not know.",
        "I promised to keep the blue box to myself, and I won't tell Hannah.",
        'She wrote "I moved to Porto five weeks ago with two suitcases", and I laughed.',
        "»I moved to Porto five weeks ago with two suitcases.« So it began, and it did not let me go.",
        "Moving to Porto five weeks ago was the light part, I find.",
        "I noticed how lonely she is since she moved to Porto five weeks ago.",
    ],
)
def test_what_the_persona_was_told_or_said_itself_is_not(told: str) -> None:
    assert not claims_persons_life(told, BY_PERSON, BY_PERSONA, frozenset({"jo"}))
