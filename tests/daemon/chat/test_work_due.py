"""Which memories are written again."""

from dataclasses import replace

from daemon.chat.work_due import due_memories
from rules.conversation.memory import Memory
from rules.recognize.adopted import Adopted
from rules.recognize.chat_reading import ChatReading
from tests.entries import UNTOUCHED, memory_of, talk

TALK = tuple(replace(entry, memory=1) for entry in talk("Who keeps the light?", "I keep it."))
EDITED = replace(memory_of(1, TALK), due="1 of its messages edited")


def due(memory: Memory) -> frozenset[int]:
    reading = ChatReading((), TALK, (memory,), Adopted(), UNTOUCHED, {})
    return due_memories(reading, (), engine_alone=False)


def test_a_fold_whose_members_are_lost_is_not_written_again_as_a_memory_is() -> None:
    assert due(EDITED) == {1}
    assert due(replace(EDITED, level=2)) == frozenset()
    assert due(replace(EDITED, pinned=True)) == frozenset()


def test_what_the_person_wrote_and_has_chosen_is_not_written_again_without_a_pin_either() -> None:
    by_hand = replace(EDITED.in_prompts, number=2, kind="person")
    assert due(replace(EDITED, in_prompts=by_hand, edition=by_hand, chosen=2)) == frozenset()
