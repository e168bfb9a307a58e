"""Where everything stands in the finished chat: each kept message once and in its order, memories where they belong."""

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.marker import Draft, Marker
from rules.conversation.memory import Memory
from rules.output.arrange import MemorySection, Original, Part, arrange
from rules.output.assemble import Mode
from rules.output.prove import verify
from rules.typingmind.chat import Chat
from rules.typingmind.message import read_message
from tests.chats import Json
from tests.entries import chat_of, entries, fold_of, memory_of, said, with_edition
from tests.rules.output.finishing import CANNED, TALK, Done, chunk, finish, looked_at, spoken

M1, M2, M3 = (memory_of(number, chunk(2 * number - 2, 2 * number)) for number in (1, 2, 3))
ALL = [M1, M2, M3]
SIX = ["m1.1", "m1.2", "m1.3", "m1.4", "m1.5", "m1.6"]


def laid_out(
    chat: Chat,
    memories: Sequence[Memory],
    shown: Sequence[Memory] | None = None,
    touched: Collection[str] = (),
    *,
    keep: bool = False,
) -> list[str]:
    places, found = looked_at(chat, memories)
    section = MemorySection(memories, memories if shown is None else shown, touched)
    return [
        _name(part) for part in arrange(chat.chat_id, places, found, section, CANNED, keep=keep)
    ]


def _name(part: Part) -> str:
    """What is new stands with a plus; an original in brackets."""
    if isinstance(part, Memory):
        return f"+{part.memory_id}"
    if isinstance(part, Original):
        return f"({_number(part.place.message.text)}) of {part.memory.memory_id}"
    if isinstance(part, Draft):
        return "+" + _ours(part.marker)
    return _ours(part.ours) if part.ours else _number(part.message.text)


def _ours(marker: Marker) -> str:
    return f"{marker.memory}.{marker.slot}" if marker.memory else marker.kind


def _number(text: str) -> str:
    return text.removeprefix("message number ")


def changed(done: Done, change: Callable[[list[Json]], object]) -> Chat:
    """The finished chat as an export in which somebody has moved or taken messages."""
    messages = done.messages
    change(messages)
    return chat_of([read_message(json.dumps(message).encode()) for message in messages])


def slots(memory: Memory) -> list[str]:
    return [f"{memory.memory_id}.{slot}" for slot in range(1, 7)]


def test_canned_messages_bear_the_names_that_recognition_knows_them_by() -> None:
    places, found = looked_at(chat_of(TALK), ALL)
    section = MemorySection(ALL, ALL)
    for has_layers in (False, True):
        canned = replace(CANNED, has_layers=has_layers)
        parts = arrange("k3v9xq2m7p", places, found, section, canned, keep=False)
        opening = Draft.opening("k3v9xq2m7p", CANNED.opening, layers=has_layers)
        assert [part for part in parts if isinstance(part, Draft)] == [
            opening,
            Draft.closing("m3", CANNED.closing),
        ]


def test_a_memory_stands_where_its_messages_stood() -> None:
    training = said("user", "training", 90, type="training-message")
    cleared = said("user", "cleared", 91, contextClearedAt="2026-01-01T00:00:00.000Z")
    chat = chat_of([training, *TALK[:1], cleared, *TALK[1:]])
    assert laid_out(chat, [M1]) == ["training", "+opening", "+m1", "+closing", "cleared", *"234567"]


def test_what_the_export_shows_already_stays_as_it_stands() -> None:
    assert laid_out(finish(chat_of(TALK), [M1]).again(), [M1]) == [
        "opening",
        *SIX,
        "closing",
        *"234567",
    ]


def test_a_new_memory_goes_behind_the_others_and_the_closing_behind_it() -> None:
    again = finish(chat_of(TALK), [M1]).again()
    assert laid_out(again, [M1, M2]) == ["opening", *SIX, "+m2", "+closing", *"4567"]


def test_the_persons_words_in_the_closing_go_with_it_behind_each_new_memory() -> None:
    own = "From here on we talk."
    chat = changed(finish(chat_of(TALK), [M1]), lambda m: m[7].update(content=own))
    for memories in ([M1, M2], ALL):
        done = finish(chat, memories)
        contents = [message["content"] for message in done.messages]
        assert (contents.index(own), contents.count(own)) == (1 + 6 * len(memories), 1)
        assert CANNED.closing not in contents
        assert not verify(done.proof)
        chat = done.again()


def test_a_chat_without_memories_stays_as_it_is() -> None:
    assert laid_out(chat_of(TALK), []) == [*"01234567"]


def test_a_memory_that_lost_messages_gets_them_back_in_their_places() -> None:
    chat = changed(finish(chat_of(TALK), [M1]), lambda m: [m.pop(6), m.pop(3)])
    expected = ["opening", "m1.1", "m1.2", "+m1.3", "m1.4", "m1.5", "+m1.6", "closing", *"234567"]
    assert laid_out(chat, [M1]) == expected


def test_an_opening_or_a_closing_that_was_deleted_is_written_again() -> None:
    chat = changed(finish(chat_of(TALK), [M1]), lambda m: [m.pop(7), m.pop(0)])
    assert laid_out(chat, [M1]) == ["+opening", *SIX, "+closing", *"234567"]


def test_a_memory_that_is_shown_in_another_edition_is_renewed_and_its_neighbours_stay() -> None:
    again = finish(chat_of(TALK), [M1, M2]).again()
    assert laid_out(again, [M1, with_edition(M2, 2)]) == [
        "opening",
        *SIX,
        "+m2",
        "closing",
        *"4567",
    ]


def test_a_memory_that_the_person_has_touched_stays_as_it_stands_whatever_its_edition() -> None:
    again = finish(chat_of(TALK), [M1]).again()
    assert laid_out(again, [with_edition(M1, 2)], touched={"m1"}) == [
        "opening",
        *SIX,
        "closing",
        *"234567",
    ]


def test_a_memory_that_says_what_its_edition_says_stays_though_its_marker_is_of_another_edition() -> (
    None
):
    """The person has edited it: their text has become an edition, and stands there already."""
    same = replace(M1, edition=replace(M1.edition, number=2, kind="person"))
    assert laid_out(finish(chat_of(TALK), [M1]).again(), [same]) == [
        "opening",
        *SIX,
        "closing",
        *"234567",
    ]


def test_a_fold_stands_where_the_first_of_its_memories_stood() -> None:
    fold = fold_of(1, [M1, M2])
    training = said("user", "training", 90, type="training-message")
    again = finish(chat_of([training, *TALK]), ALL).again()
    expected = ["training", "opening", "+f2.1", *slots(M3), "closing", "6", "7"]
    assert laid_out(again, [*ALL, fold], [fold, M3]) == expected


def test_a_fold_of_folds_stands_there_too_also_where_the_raw_messages_are_still_in_the_export() -> (
    None
):
    fold = fold_of(1, [M1, M2])
    higher = fold_of(1, [fold, M3])
    training = said("user", "training", 90, type="training-message")
    chat = chat_of([training, *TALK])
    expected = ["training", "+opening", "+f3.1", "+closing", "6", "7"]
    assert laid_out(chat, [*ALL, fold, higher], [higher]) == expected


def test_memories_that_are_no_longer_folded_stand_where_the_fold_stood() -> None:
    fold = fold_of(1, [M1, M2])
    again = finish(chat_of(TALK), [*ALL, fold], shown=[fold, M3]).again()
    expected = ["opening", "+m1", "+m2", *slots(M3), "closing", "6", "7"]
    assert laid_out(again, [*ALL, fold], ALL) == expected


def test_a_recalled_memory_stands_between_its_neighbours() -> None:
    again = finish(chat_of(TALK), ALL, shown=[M1, M3]).again()
    assert laid_out(again, ALL) == ["opening", *SIX, "+m2", *slots(M3), "closing", "6", "7"]


def test_the_first_and_the_last_memory_too_come_back_in_their_order() -> None:
    again = finish(chat_of(TALK), ALL, shown=[M2]).again()
    assert laid_out(again, ALL) == ["opening", "+m1", *slots(M2), "+m3", "+closing", "6", "7"]


def test_where_nothing_of_them_is_left_memories_stand_before_the_first_live_message() -> None:
    training = said("user", "training", 90, type="training-message")
    assert laid_out(chat_of([training, *TALK[4:]]), [M1, M2]) == [
        "training", "+opening", "+m1", "+m2", "+closing", *"4567"
    ]  # fmt: skip


def test_a_memory_that_is_not_to_be_shown_leaves_nothing_behind() -> None:
    again = finish(chat_of(TALK), ALL).again()
    assert laid_out(again, ALL, [M1, M3]) == ["opening", *SIX, *slots(M3), "closing", "6", "7"]


def test_messages_that_were_put_between_the_six_are_moved_behind_them() -> None:
    stray = json.loads(said("user", "stray", 80).raw)
    chat = changed(finish(chat_of(TALK), [M1, M2]), lambda m: m.insert(3, stray))
    assert laid_out(chat, [M1, M2]) == ["opening", *SIX, "stray", *slots(M2), "closing", *"4567"]


def test_messages_between_two_memories_stay_between_them() -> None:
    stray = json.loads(said("user", "stray", 80).raw)
    chat = changed(finish(chat_of(TALK), [M1, M2]), lambda m: m.insert(7, stray))
    assert laid_out(chat, [M1, M2]) == ["opening", *SIX, "stray", *slots(M2), "closing", *"4567"]


def test_memories_that_somebody_has_moved_stand_in_their_order_again() -> None:
    chat = changed(
        finish(chat_of(TALK), [M1, M2]), lambda m: m.__setitem__(slice(1, 13), [*m[7:13], *m[1:7]])
    )
    assert [name for name in laid_out(chat, [M1, M2]) if name[0] == "m"] == [*SIX, *slots(M2)]


def test_a_memory_that_nobody_knows_stays_where_it_stands() -> None:
    again = finish(chat_of(TALK), [M1, M2]).again()
    places, _ = looked_at(again, [M1, M2])
    _, found = looked_at(again, [M2])
    parts = [
        _name(part)
        for part in arrange(
            again.chat_id, places, found, MemorySection([M2], [M2]), CANNED, keep=False
        )
    ]
    assert parts == ["opening", *SIX, *slots(M2), "closing", *"4567"]


def test_in_a_fork_our_messages_keep_their_new_names() -> None:
    """Every uuid is new, and the opening and the closing are ours all the same."""
    forked = changed(
        finish(chat_of(TALK), [M1, M2]),
        lambda m: [one.update(uuid=f"new {at}") for at, one in enumerate(m)],
    )
    assert laid_out(forked, [M1, M2]) == ["opening", *SIX, *slots(M2), "closing", *"4567"]


def test_originals_stay_behind_the_memory_that_they_are_under() -> None:
    assert laid_out(chat_of(TALK), [M1, M2], keep=True) == [
        "+opening", "+m1", "(0) of m1", "(1) of m1", "+m2", "+closing", "(2) of m2", "(3) of m2", *"4567"
    ]  # fmt: skip
    again = finish(chat_of(TALK), [M1, M2], mode="keep-originals").again()
    assert laid_out(again, [M1, M2], keep=True) == [
        "opening", *SIX, "(0) of m1", "(1) of m1", *slots(M2), "closing", "(2) of m2", "(3) of m2", *"4567"
    ]  # fmt: skip


def test_originals_under_a_fold_stay_too_each_under_its_own_memory() -> None:
    fold = fold_of(1, [M1, M2])
    assert laid_out(chat_of(TALK), [M1, M2, fold], [fold], keep=True) == [
        "+opening", "+f2.1", "+closing", "(0) of m1", "(1) of m1", "(2) of m2", "(3) of m2", *"4567"
    ]  # fmt: skip


LONG = [said(("user", "assistant")[at % 2], f"message number {at}", at) for at in range(12)]
MADE = [memory_of(number, entries(LONG)[2 * number - 2 : 2 * number]) for number in range(1, 5)]
FOLD = fold_of(1, MADE[:2])
VIEWS = [
    MADE,
    [FOLD, *MADE[2:]],
    MADE[1:],
    [MADE[0], MADE[3]],
    [with_edition(MADE[0], 2), *MADE[1:]],
    [FOLD],
]
PLACES = st.lists(st.integers(0, 40), max_size=5)


def _one_each(messages: list[Json]) -> list[Json]:
    return list({message["uuid"]: message for message in messages}.values())


@given(st.integers(0, 4), PLACES, PLACES, PLACES, st.integers(0, len(VIEWS) - 1), st.booleans())
def test_whatever_was_taken_or_put_in_the_finished_chat_has_no_faults_and_a_second_run_changes_nothing(
    first: int, taken: list[int], strays: list[int], came_back: list[int], view: int, keep: bool
) -> None:
    def change(messages: list[Json]) -> None:
        for at in taken:
            if "memproc" in messages[at % len(messages)]:
                del messages[at % len(messages)]
        for number, at in enumerate(strays):
            messages.insert(
                at % len(messages), json.loads(said(role, f"stray {number}", 80 + number).raw)
            )
        for at in came_back:
            messages.insert(at % len(messages), json.loads(LONG[at % (2 * first or 1)].raw))
        messages[:] = _one_each(messages)

    shown = VIEWS[view]
    role = (
        "tool" if taken else "user"
    )  # a person's message where one of the six is missing could be that one, edited
    mode: Mode = "keep-originals" if keep else "replace"
    made = [shown[0], *MADE[1:]] if shown[0].memory_id == "m1" else MADE
    begun = finish(chat_of(LONG), MADE[:first], archived=LONG)
    export = changed(begun, change)
    done = finish(export, [*made, FOLD], shown=shown, mode=mode, archived=LONG)
    assert verify(done.proof) == ()
    kept = [name for name in spoken(done.messages) if not name.startswith("(")]
    live = [number for number in map(str, range(8, 12)) if number in kept]
    assert live == ["8", "9", "10", "11"]
    assert [name for name in kept if name[0] in "mf"] == [memory.memory_id for memory in shown]
    assert sorted(name for name in kept if name.startswith("stray")) == [
        f"stray {n}" for n in range(len(strays))
    ]
    again = finish(done.again(), [*made, FOLD], shown=shown, mode=mode, archived=LONG)
    assert not again.assembled.changed
