"""A round that was begun is known as it was begun until its last turn is over, and adopted memories had theirs."""

from dataclasses import replace

from daemon.archive.archive import Archive
from daemon.archive.memories import begin_round, end_turn, keep_memory, round_of
from rules.plan.work import Round
from rules.recognize.adopted import Adopted
from tests.daemon.archive.test_messages import CHAT, TALK, see
from tests.entries import entries, memory_of, with_edition


def made(archive: Archive) -> None:
    see(archive, TALK)
    for number in (1, 2, 3):
        keep_memory(archive, CHAT, memory_of(number, entries(TALK)[2 * number - 2 : 2 * number]))


def told(begun: Round) -> tuple[int, set[str], set[str]]:
    return begun.upto, set(begun.chosen), set(begun.had)


def test_a_chat_that_was_never_seen_has_no_round() -> None:
    with Archive.memory() as archive:
        assert told(round_of(archive, CHAT, frozenset())) == (0, set(), set())


def test_who_was_chosen_stays_chosen_until_the_turn_is_over() -> None:
    with Archive.memory() as archive:
        made(archive)
        assert told(round_of(archive, CHAT, frozenset())) == (0, set(), set())
        begin_round(archive, CHAT, Round(5, {"m2", "m3"}))
        assert told(round_of(archive, CHAT, frozenset())) == (5, {"m2", "m3"}, set())
        end_turn(archive, "m2")
        assert told(round_of(archive, CHAT, frozenset())) == (5, {"m3"}, {"m2"})
        end_turn(archive, "m3")
        assert told(round_of(archive, CHAT, frozenset())) == (5, set(), {"m2", "m3"})


def test_a_round_that_begins_again_forgets_no_turn() -> None:
    with Archive.memory() as archive:
        made(archive)
        begin_round(archive, CHAT, Round(5, {"m2"}))
        end_turn(archive, "m2")
        begin_round(archive, CHAT, Round(6, {"m3"}))
        assert told(round_of(archive, CHAT, frozenset())) == (6, {"m3"}, {"m2"})


def test_memories_that_come_with_a_hindsight_edition_have_had_their_turn() -> None:
    own = replace(with_edition(memory_of(1, entries(TALK)[:2]), 2), memory_id="own")
    adopted = Adopted((own,), {"own": (own.in_prompts, own.edition)})
    with Archive.memory() as archive:
        assert told(round_of(archive, "fork", adopted.had_hindsight)) == (0, set(), {"own"})
        see(archive, TALK)
        assert told(round_of(archive, CHAT, adopted.had_hindsight)) == (0, set(), {"own"})
