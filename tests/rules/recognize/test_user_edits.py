"""What the person did to memories in TypingMind is read off the export: edited, forgotten, recalled, and so on."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import Past, Place, group_by_memory
from rules.conversation.marker import known_markers
from rules.conversation.memory import Edition, Kind, Memory
from rules.output.assemble import Mode
from rules.recognize.known import Known
from rules.recognize.recognize import recognize
from rules.recognize.user_edits import PersonEdits, find_edits, find_memories_in_export
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.message import read_message
from tests.chats import Json
from tests.entries import UNTOUCHED, chat_of, fold_of, memory_of, past_of, said, with_edition
from tests.rules.output.finishing import CANNED, TALK, chunk, finish

M1, M2, M3 = (memory_of(number, chunk(2 * number - 2, 2 * number)) for number in (1, 2, 3))
ALL = [M1, M2, M3]
PAST = [
    old
    for number, memory in enumerate(ALL)
    for old in past_of(memory, chunk(2 * number, 2 * number + 2))
]
FOLD = fold_of(1, [M1, M2])

Change = Callable[[list[Json]], object]


def as_it_is(messages: list[Json]) -> None:
    """Nothing was done."""


def places_of(chat: Chat, memories: Sequence[Memory] = ALL) -> tuple[Place, ...]:
    digests = {old.key: old.digests for old in PAST}
    under = {memory.memory_id: {key: digests[key] for key in memory.keys} for memory in memories}
    known = known_markers({chat.chat_id: ()}, memories, editions_of(memories), CANNED)
    return recognize(read_messages(chat), known, under)


def editions_of(memories: Sequence[Memory]) -> Mapping[str, Sequence[Edition]]:
    both = {memory.memory_id: (memory.in_prompts, memory.edition) for memory in memories}
    return {
        name: list({edition.number: edition for edition in editions}.values())
        for name, editions in both.items()
    }


def exported(change: Change, shown: Sequence[Memory] = ALL, *, keep: bool = False) -> Chat:
    """The finished chat, after the person has changed something in it."""
    mode: Mode = "keep-originals" if keep else "replace"
    messages = finish(chat_of(TALK), [*ALL, FOLD], shown=shown, mode=mode).messages
    change(messages)
    return chat_of([read_message(json.dumps(message).encode()) for message in messages])


def done(
    change: Change,
    memories: Sequence[Memory] = ALL,
    *,
    shown: Sequence[Memory] = ALL,
    past: Sequence[Past] = PAST,
    keep: bool = False,
) -> PersonEdits:
    places = places_of(exported(change, shown, keep=keep), memories)
    return find_edits(
        Known("c", memories, editions_of(memories), past), places, group_by_memory(places)
    )


def edit(at: int, text: str) -> Change:
    """TypingMind keeps an answer's one text part."""
    return lambda m: m[at].update(
        content=text if m[at]["role"] == "user" else [{"type": "text", "text": text}]
    )


def nothing_but(hand: PersonEdits, **told: object) -> bool:
    return hand == replace(UNTOUCHED, **told)  # type: ignore[arg-type]


def test_an_export_as_it_was_written_says_that_nothing_was_done() -> None:
    assert done(as_it_is) == UNTOUCHED


def test_an_edited_memory_has_the_person_s_text_in_its_place() -> None:
    hand = done(edit(4, "what I want it to say"))
    texts = (*M1.edition.texts[:3], "what I want it to say", *M1.edition.texts[4:])
    assert nothing_but(hand, edited={"m1": replace(M1.edition, texts=texts)})


def test_a_text_that_was_edited_back_to_another_edition_is_that_edition() -> None:
    newer = with_edition(M1, 2)
    hand = done(edit(4, newer.edition.texts[3]), [newer, M2, M3])
    assert list(hand.edited) == ["m1"], "half of one edition and half of another is neither"
    assert hand.edited["m1"].number == 1, "the export has had the first one"

    def back(messages: list[Json]) -> None:
        for slot, text in enumerate(newer.edition.texts, 1):
            edit(slot, text)(messages)

    assert done(back, [newer, M2, M3]) == UNTOUCHED


BEFORE, SINCE = "2026-03-31T12:00:00.000Z", "2026-04-02T12:00:00.000Z"


@pytest.mark.parametrize(
    ("when", "kind", "is_edit"),
    [(SINCE, "person", True), (BEFORE, "person", False), (SINCE, "hindsight", False)],
)
def test_words_of_before_are_an_edit_where_the_person_wrote_them_after_words_of_their_own(
    when: str, kind: Kind, is_edit: bool
) -> None:
    """An older copy, as another device may have, was not edited since; and what memproc wrote was never theirs."""
    own = with_edition(M1, 2, kind)
    own = replace(own, edition=replace(own.edition, written_at="2026-04-01T12:00:00.000Z"))
    hand = done(lambda messages: messages[4].update(updatedAt=when), [own, M2, M3])
    assert hand.edited == ({"m1": M1.edition} if is_edit else {})


def test_the_person_s_own_words_are_no_edit_again() -> None:
    own = with_edition(M1, 2, "person")
    own = replace(own, edition=replace(own.edition, written_at="2026-04-01T12:00:00.000Z"))
    hand = done(
        lambda messages: messages[4].update(updatedAt=SINCE), [own, M2, M3], shown=[own, M2, M3]
    )
    assert hand.edited == {}


def test_a_memory_that_lost_a_message_is_not_edited() -> None:
    assert done(lambda m: m.pop(4)) == UNTOUCHED


def test_a_memory_that_was_edited_and_lost_a_message_keeps_the_written_text_for_that() -> None:
    hand = done(lambda m: [edit(4, "mine")(m), m.pop(6)])
    assert hand.edited["m1"].texts == (*M1.edition.texts[:3], "mine", *M1.edition.texts[4:])


def test_a_memory_that_was_excluded_or_pinned_there_is_touched() -> None:
    assert nothing_but(done(lambda m: m[2].update(contextClearedAt="x")), touched=frozenset({"m1"}))
    assert nothing_but(done(lambda m: m[8].update(isPinned=True)), touched=frozenset({"m2"}))
    assert done(lambda m: m[8].update(isPinned=False)) == UNTOUCHED


def test_a_memory_that_was_deleted_is_forgotten_and_stays_so_without_being_told_again() -> None:
    def delete(messages: list[Json]) -> None:
        del messages[7:13]

    assert nothing_but(done(delete), forgotten=("m2",))
    assert done(delete, [M1, replace(M2, forgotten=True), M3]) == UNTOUCHED


def test_a_fold_that_was_made_of_recalled_memories_is_not_forgotten_before_an_export_has_had_it() -> (
    None
):
    recalled = [replace(M1, recalled=True), replace(M2, recalled=True), M3]
    without = done(as_it_is, [*recalled, FOLD], shown=[M3])
    assert without.forgotten == ()
    one_deleted = done(as_it_is, [recalled[0], M2, M3, FOLD], shown=[M3])
    assert one_deleted.forgotten == ("m2", FOLD.memory_id)


def test_a_memory_that_stands_there_again_is_recalled() -> None:
    assert nothing_but(done(as_it_is, [M1, replace(M2, forgotten=True), M3]), recalled=("m2",))


def test_a_memory_that_was_recalled_is_not_forgotten_before_an_export_has_had_it() -> None:
    recalled = [M1, replace(M2, recalled=True), M3]

    def without(messages: list[Json]) -> None:
        del messages[7:13]

    assert done(without, recalled) == UNTOUCHED
    assert nothing_but(done(as_it_is, recalled), recalled=("m2",)), (
        "from now on it can be forgotten again"
    )


def test_a_forgotten_fold_comes_back_with_the_last_of_what_it_stands_for() -> None:
    forgotten = [replace(M1, forgotten=True), M2, M3, replace(FOLD, forgotten=True)]
    assert nothing_but(done(as_it_is, forgotten), recalled=("m1", FOLD.memory_id))
    both = [
        replace(M1, forgotten=True),
        replace(M2, forgotten=True),
        M3,
        replace(FOLD, forgotten=True),
    ]
    assert nothing_but(done(lambda m: m.__delitem__(slice(1, 7)), both), recalled=("m2",))


def test_a_forgotten_fold_that_is_shown_again_comes_back_with_all_that_it_stands_for() -> None:
    forgotten = [replace(memory, forgotten=True) for memory in (M1, M2, FOLD)]
    hand = done(as_it_is, [*forgotten[:2], M3, forgotten[2]], shown=[FOLD, M3])
    assert nothing_but(hand, recalled=("m1", "m2", FOLD.memory_id))


def test_a_memory_whose_raw_messages_are_in_the_export_is_not_forgotten() -> None:
    """An older export, or one that another device's sync has merged."""
    places = places_of(chat_of(TALK))
    assert (
        find_edits(Known("c", ALL, editions_of(ALL), PAST), places, group_by_memory(places))
        == UNTOUCHED
    )


def test_a_memory_without_its_six_is_forgotten_though_its_originals_are_kept() -> None:
    """The person deletes the memory, and never sees that the originals are still of it."""
    assert nothing_but(done(lambda m: m.__delitem__(slice(1, 7)), keep=True), forgotten=("m1",))


def test_what_stands_in_a_fold_is_not_forgotten() -> None:
    assert done(as_it_is, [*ALL, FOLD], shown=[FOLD, M3]) == UNTOUCHED


def test_a_fold_that_is_not_shown_is_not_forgotten_while_something_of_it_is_there() -> None:
    assert done(as_it_is, [*ALL, FOLD]) == UNTOUCHED
    hand = done(lambda m: m.__delitem__(slice(1, 7)), [*ALL, FOLD])
    assert hand.forgotten == ("m1",)


def test_a_fold_that_was_deleted_is_forgotten_with_all_that_it_stands_for() -> None:
    hand = done(lambda m: m.__delitem__(slice(1, 7)), [*ALL, FOLD], shown=[FOLD, M3])
    assert nothing_but(hand, forgotten=("m1", "m2", FOLD.memory_id))


@pytest.mark.parametrize("level", [1, 4, 5])
def test_a_memory_in_a_fold_of_folds_is_there_whatever_the_level_of_that_fold(level: int) -> None:
    """A fold keeps the level at which it was made; at another budget it is in a lower one."""
    higher = replace(fold_of(1, [FOLD, M3]), level=4)
    memories = [*ALL, replace(FOLD, level=level), higher]
    messages = finish(chat_of(TALK), memories, shown=[higher]).again()
    places = places_of(messages, memories)
    assert find_memories_in_export(
        Known("c", memories, past=PAST), places, group_by_memory(places)
    ) == {memory.memory_id for memory in memories}


def test_an_edited_message_under_a_memory_that_is_not_shown_asks_for_a_new_edition() -> None:
    """An older export: the memories are not in it yet, the raw messages are, and one was edited."""
    edited = said("user", "now I say something else", 0)
    places = places_of(chat_of([edited, *TALK[1:]]))
    hand = find_edits(Known("c", ALL, editions_of(ALL), PAST), places, group_by_memory(places))
    assert nothing_but(hand, changed={"m1": "1 of its messages edited"})


def test_a_deleted_message_under_a_memory_asks_for_a_new_edition_and_is_named() -> None:
    places = places_of(chat_of([*TALK[:3], *TALK[4:]]))
    hand = find_edits(Known("c", ALL, editions_of(ALL), PAST), places, group_by_memory(places))
    assert nothing_but(hand, changed={"m2": "1 deleted"}, deleted=(PAST[3].key,))


def test_what_was_told_once_is_not_told_again() -> None:
    edited = said("user", "now I say something else", 0)
    known = [replace(PAST[0], newest=edited), *PAST[1:3], replace(PAST[3], newest=None), *PAST[4:]]
    places = places_of(chat_of([edited, *TALK[1:3], *TALK[4:]]))
    assert (
        find_edits(Known("c", ALL, editions_of(ALL), known), places, group_by_memory(places))
        == UNTOUCHED
    )


def test_a_deleted_message_that_came_back_asks_for_a_new_edition() -> None:
    known = [replace(PAST[0], newest=None), *PAST[1:]]
    hand = find_edits(Known("c", ALL, editions_of(ALL), known), places_of(chat_of(TALK)), {})
    assert nothing_but(hand, changed={"m1": "1 of its messages edited"})


def test_raw_messages_that_came_back_beside_their_memory_say_nothing() -> None:
    """Another device's old copy: what is missing or older there was not done by the person."""

    def merge(messages: list[Json]) -> None:
        messages.append(json.loads(said("user", "older words", 0).raw))

    assert done(merge) == UNTOUCHED


def test_originals_are_the_person_s_to_edit_and_to_delete() -> None:
    def at(messages: list[Json], text: str) -> int:
        return next(
            at for at, one in enumerate(messages) if text in json.dumps(one["content"]) and at > 6
        )

    def change(messages: list[Json]) -> None:
        messages[at(messages, "message number 0")]["content"] = "other words"
        del messages[at(messages, "message number 3")]

    hand = done(change, keep=True)
    told = {"m1": "1 of its messages edited", "m2": "1 deleted"}
    assert nothing_but(hand, changed=told, deleted=(PAST[3].key,))
    assert done(as_it_is, keep=True) == UNTOUCHED


def test_the_messages_of_a_memory_are_found_by_slot_each_once() -> None:
    chat = exported(lambda m: m.insert(3, {**m[2], "uuid": "double"}))
    found = group_by_memory(places_of(chat))
    assert list(found) == ["m1", "m2", "m3"]
    assert [found["m1"][slot].at for slot in (1, 2, 3)] == [1, 2, 4]


@given(st.sets(st.integers(0, 2)), st.sets(st.integers(0, 2)), st.sets(st.integers(0, 2)))
def test_a_memory_is_edited_forgotten_or_as_it_was_and_never_two_of_these(
    deleted: set[int], edited: set[int], forgotten: set[int]
) -> None:
    memories = [replace(memory, forgotten=at in forgotten) for at, memory in enumerate(ALL)]

    def change(messages: list[Json]) -> None:
        for at in edited:
            edit(1 + 6 * at + 3, "mine")(messages)
        messages[:] = [
            one
            for at, one in enumerate(messages)
            if not (1 <= at <= 18 and (at - 1) // 6 in deleted)
        ]

    hand = done(change, memories)
    names = [memory.memory_id for memory in ALL]
    assert set(hand.edited) == {names[at] for at in edited - deleted}
    assert set(hand.forgotten) == {names[at] for at in deleted - forgotten}
    assert set(hand.recalled) == {names[at] for at in forgotten - deleted}


@pytest.mark.parametrize("excluded", [True, False])
def test_an_edited_original_without_our_field_stays_one_while_it_is_excluded_beside_another(
    excluded: bool,
) -> None:
    """It is known by its uuid, as long as another original of its memory stands there, too."""

    def strip_and_edit(messages: list[Json]) -> None:
        for message in messages:
            if message["uuid"] == TALK[2].uuid:
                del message["memproc"]
                message["content"] = "what I meant"
                message["contextClearedAt"] = "x" if excluded else None

    chat = exported(strip_and_edit, keep=True)
    places = {place.message.uuid: place for place in places_of(chat)}
    edited, neighbour = places[TALK[2].uuid], places[TALK[3].uuid]
    assert neighbour.original == "m2"
    if not excluded:
        assert (edited.original, edited.lived) == ("", True)
        return
    assert (edited.original, edited.for_attachment, edited.lived) == ("m2", True, False)
    assert edited.key == TALK[2].uuid
    assert edited.message == read_messages(chat)[edited.at]
    assert edited.written == edited.message.raw


def test_an_edited_original_alone_without_our_field_is_talk() -> None:
    def strip_and_edit(messages: list[Json]) -> None:
        beside = [at for at, message in enumerate(messages) if message["uuid"] == TALK[3].uuid]
        del messages[beside[0]]
        for message in messages:
            if message["uuid"] == TALK[2].uuid:
                del message["memproc"]
                message["content"] = "what I meant"

    places = {place.message.uuid: place for place in places_of(exported(strip_and_edit, keep=True))}
    assert places[TALK[2].uuid].original == ""
