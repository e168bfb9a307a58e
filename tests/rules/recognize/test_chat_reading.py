"""An export is read against what is known of its chat, and what the person did is told in words."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rules.conversation.memory import Memory
from rules.output.assemble import Mode
from rules.recognize.absent import Absent, find_absent
from rules.recognize.adopted import Adopted, with_adopted
from rules.recognize.chat_reading import (
    ChatReading,
    build_reading,
    describe_edits,
    describe_missing,
)
from rules.recognize.known import Known, KnownMessage, Recognized, recognize_export
from rules.recognize.loss import find_loss
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.message import read_message
from tests.chats import Json, json_bytes
from tests.entries import chat_of, with_edition
from tests.rules.output.finishing import CANNED, NOW, TALK, finish
from tests.rules.recognize.test_user_edits import (
    ALL,
    FOLD,
    M1,
    M2,
    M3,
    PAST,
    Change,
    as_it_is,
    edit,
    editions_of,
)

SEEN = {str(message.uuid): f"2026-03-0{2 + at}" for at, message in enumerate(TALK)}


def of_memory(number: int) -> slice:
    """The places of the six messages of a memory in the export."""
    return slice(6 * number - 5, 6 * number + 1)


def without(*slices: slice | int) -> Change:
    def change(messages: list[Json]) -> None:
        for place in slices:
            del messages[place]

    return change


def exported(
    change: Change,
    shown: Sequence[Memory] = ALL,
    *,
    keep: bool = False,
    deleted: Sequence[str | None] = (),
    lists: Sequence[str] = (),
) -> Chat:
    """The finished chat after `change`; it names these uuids as deleted, in lists of these names."""
    mode: Mode = "keep-originals" if keep else "replace"
    messages = finish(chat_of(TALK), [*ALL, FOLD], shown=shown, mode=mode).messages
    change(messages)
    sync = {"syncMetadata": {key: [*deleted] for key in lists}} if lists else {}
    return chat_of([read_message(json_bytes(message)) for message in messages], **sync)


def known_of(memories: Sequence[Memory]) -> Known:
    """What the archive knows: six messages of the talk under three memories, and the last two live."""
    live = [
        KnownMessage(str(old.uuid), old.uuid, old.digest, old.role, old.created_at)
        for old in TALK[6:]
    ]
    return Known("c", memories, editions_of(memories), PAST, live=live, seen=SEEN)


def recognized(chat: Chat, known: Known) -> tuple[Recognized, Absent]:
    openings = {chat.chat_id: ()}
    export = recognize_export(replace(known, openings=openings), chat, read_messages(chat), CANNED)
    return export, find_absent(export)


def read(chat: Chat, memories: Sequence[Memory] = ALL) -> ChatReading:
    export, absent = recognized(chat, known_of(memories))
    return build_reading(export, Adopted(), absent, len, NOW)


def lost(chat: Chat, memories: Sequence[Memory] = ALL) -> bool:
    return find_loss(*recognized(chat, known_of(memories))) is not None


NEW_LISTS = "deletedMessageUUIDs", "deletedSyncedBlobIDs"


def test_an_export_as_it_was_written_has_all_and_tells_nothing() -> None:
    reading = read(exported(as_it_is))
    assert [entry.key for entry in reading.entries] == [message.uuid for message in TALK]
    assert [entry.memory for entry in reading.entries] == [1, 1, 2, 2, 3, 3, None, None]
    assert reading.memories == tuple(ALL)
    assert (reading.person, reading.first_seen) == ({}, SEEN)
    assert (describe_edits(reading), describe_missing(reading.absent)) == ("", "")
    assert not lost(exported(as_it_is))


def test_the_person_s_words_are_an_edition_of_their_own_which_is_shown_from_now_on() -> None:
    before = replace(M1.edition, requests=("asked",))
    one = replace(M1, edition=before, in_prompts=before)
    reading = read(exported(edit(4, "what I want it to say"), [one, M2, M3]), [one, M2, M3])
    texts = (*M1.edition.texts[:3], "what I want it to say", *M1.edition.texts[4:])
    own = reading.person["m1"]
    assert (own.texts, own.kind, own.number, own.written_at) == (texts, "person", 2, NOW)
    assert (own.requests, own.wishes, own.tokens) == ((), (), sum(map(len, texts)))
    memory = reading.memories[0]
    assert (memory.edition, memory.in_prompts, memory.chosen, memory.pinned) == (own, own, 2, True)
    assert reading.memories[1:] == (M2, M3)
    assert describe_edits(reading) == "1 memory stays as you wrote it"


def test_a_further_edition_of_the_person_follows_the_newest() -> None:
    newest = with_edition(M1, 5)
    reading = read(exported(edit(4, "mine"), [newest, M2, M3]), [newest, M2, M3])
    assert reading.person["m1"].number == 6


def test_what_the_person_did_is_told_in_numbers() -> None:
    def edit_two(messages: list[Json]) -> None:
        edit(4, "mine")(messages)
        edit(10, "mine, too")(messages)

    def told(change: Change, memories: Sequence[Memory] = ALL) -> str:
        return describe_edits(read(exported(change), memories))

    assert told(edit_two) == "2 memories stay as you wrote it"
    assert told(without(4)) == "1 put back"
    assert told(without(5, 4)) == "2 put back"
    assert told(without(of_memory(1))) == "1 forgotten: memproc recall m1"
    assert told(without(of_memory(2), of_memory(1))) == "2 forgotten: memproc recall m1 m2"
    forgotten = replace(M2, forgotten=True)
    assert told(as_it_is, [M1, forgotten, M3]) == "1 back again"


@pytest.mark.parametrize("forgotten", [True, False])
def test_of_a_forgotten_fold_its_own_name_alone_is_told(forgotten: bool) -> None:
    fold = exported(without(of_memory(1)) if forgotten else as_it_is, [FOLD, M3])
    told = describe_edits(read(fold, [*ALL, FOLD]))
    assert told == (f"2 forgotten: memproc recall {FOLD.memory_id}" if forgotten else "")


def test_a_recalled_memory_is_no_longer_forgotten_and_a_deleted_one_is() -> None:
    assert read(exported(without(of_memory(2)))).forgotten == {2}
    assert read(exported(as_it_is), [M1, replace(M2, forgotten=True), M3]).forgotten == frozenset()
    still = read(exported(without(of_memory(2))), [M1, replace(M2, forgotten=True), M3])
    assert still.forgotten == {2}


def test_edited_and_deleted_originals_make_their_memory_due() -> None:
    def edit_originals(messages: list[Json]) -> None:
        for message in messages:
            if message["uuid"] == TALK[0].uuid:
                message["content"] = "other words"
        messages[:] = [message for message in messages if message["uuid"] != TALK[3].uuid]

    chat = exported(edit_originals, keep=True, deleted=[TALK[3].uuid], lists=NEW_LISTS)
    reading = read(chat)
    assert [memory.due for memory in reading.memories] == [
        "1 of its messages edited",
        "1 deleted",
        M3.due,
    ]
    assert describe_edits(reading) == "2 memories have messages that were edited or deleted"
    assert reading.entries[0].newest is not None
    assert reading.entries[0].newest.words == "other words"


def test_a_message_that_is_gone_is_told_by_what_the_list_says() -> None:
    def told(*deleted: str | None) -> tuple[str, str]:
        reading = read(exported(without(-1), deleted=deleted, lists=NEW_LISTS))
        return describe_edits(reading), describe_missing(reading.absent)

    gone, kept = "1 message of the last time is missing, and", "keep what was said"
    in_full = "the archive and memproc expand"
    assert told(TALK[7].uuid) == ("1 deleted message", "")
    assert told() == ("", f"{gone} TypingMind does not name it as deleted: {in_full} {kept}")
    assert told(*map(str, range(100))) == (
        "",
        f"{gone} whether you deleted it cannot be told, since TypingMind names only the last 100: "
        f"{in_full} {kept}",
    )


def test_an_answer_that_was_made_anew_is_told_as_replaced() -> None:
    def regenerate(messages: list[Json]) -> None:
        messages[-1] |= {"uuid": "anew", "content": [{"type": "text", "text": "Another answer."}]}

    reading = read(exported(regenerate, lists=NEW_LISTS))
    assert (describe_edits(reading), describe_missing(reading.absent)) == ("1 answer replaced", "")
    twice = replace(reading, absent=replace(reading.absent, replaced=2, deleted=1))
    assert describe_edits(twice) == "1 deleted message, 2 answers replaced"


def test_several_that_are_gone_are_told_together() -> None:
    both = without(-1, -1)
    assert describe_missing(read(exported(both, lists=NEW_LISTS)).absent) == (
        "2 messages of the last time are missing, and TypingMind does not name them as deleted: "
        "the archive and memproc expand keep what was said"
    )
    named = exported(both, deleted=[TALK[6].uuid, TALK[7].uuid], lists=NEW_LISTS)
    assert describe_edits(read(named)) == "2 deleted messages"


def test_an_original_that_is_gone_is_missed_unless_it_is_named() -> None:
    def gone(messages: list[Json]) -> None:
        messages[:] = [message for message in messages if message["uuid"] != TALK[3].uuid]

    assert read(exported(gone, keep=True, lists=NEW_LISTS)).absent.under == {TALK[3].uuid}
    named = exported(gone, keep=True, deleted=[TALK[3].uuid], lists=NEW_LISTS)
    assert read(named).absent.under == frozenset()
    assert read(exported(as_it_is, keep=True, lists=NEW_LISTS)).absent.under == frozenset()
    assert read(exported(as_it_is, lists=NEW_LISTS)).absent.under == frozenset(), "none stayed"


def test_of_a_memory_that_is_not_shown_all_messages_are_expected_once_one_is_there() -> None:
    raw = [message for at, message in enumerate(TALK) if at != 3]
    sync: dict[str, dict[str, list[str]]] = {"syncMetadata": {key: [] for key in NEW_LISTS}}
    reading = read(chat_of(raw, **sync))
    assert reading.absent.under == {TALK[3].uuid}
    assert describe_missing(reading.absent).startswith("1 message of the last time is missing")
    assert read(chat_of(TALK[4:], **sync)).absent.under == frozenset(), "of these two none is"


def test_an_export_without_most_of_its_memories_waits_for_the_person() -> None:
    assert not lost(exported(without(of_memory(2))))
    assert lost(exported(without(of_memory(2), of_memory(1))))
    assert not lost(chat_of(TALK)), "their raw messages are all there"
    assert lost(chat_of(TALK[6:]))


def test_what_was_forgotten_or_recalled_before_is_not_lost() -> None:
    chat = exported(without(of_memory(2), of_memory(1)))
    assert not lost(chat, [M1, replace(M2, forgotten=True), M3])
    assert not lost(chat, [M1, replace(M2, recalled=True), M3])


def test_a_fold_that_typingmind_names_as_deleted_counts_once() -> None:
    whole = exported(as_it_is, [FOLD, M3])
    of_fold = [message.uuid for message in read_messages(whole)[of_memory(1)]]

    def is_lost(deleted: Sequence[str | None]) -> bool:
        chat = exported(without(of_memory(1)), [FOLD, M3], deleted=deleted, lists=NEW_LISTS)
        return lost(chat, [*ALL, FOLD])

    assert not lost(whole, [*ALL, FOLD])
    assert not is_lost(of_fold), "it is one memory of two"
    assert is_lost([]), "it stands for two of three"


def test_what_a_chat_takes_over_stands_in_order_and_folds_come_last() -> None:
    adopted = Adopted((M3, FOLD), {"m3": (M3.edition,)}, tuple(PAST[4:]))
    known = with_adopted(
        Known("c", [M2, M1], {"m1": (M1.edition,)}, PAST[:4]), replace(adopted, kin="a")
    )
    assert list(known.memories) == [M1, M2, M3, FOLD]
    assert set(known.editions) == {"m1", "m3"}
    assert known.past == tuple(PAST)
