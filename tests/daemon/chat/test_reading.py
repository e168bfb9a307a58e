"""An export is read against the archive: what is ours, what is inherited, what the person did, and what is lost."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chat
from daemon.archive.layers import KeptOpening, keep_opening
from daemon.archive.memories import keep_edition, keep_fold, keep_memory, memories
from daemon.archive.message_versions import remember
from daemon.chat.opening import canned
from daemon.chat.reading import read_archive, read_chat
from daemon.config.loading import load_texts
from daemon.config.memory_tables import MemorySettings
from daemon.config.settings import Config
from rules.conversation.history import INSERTED, Place
from rules.conversation.marker import text_digest
from rules.conversation.memory import Memory, Preferred
from rules.errors import ChatSkipped, DamagedChat, NotAccepted
from rules.recognize.chat_reading import ChatReading
from rules.recognize.copies import as_dated
from rules.typingmind.chat import Chat
from rules.typingmind.message import read_message
from tests.chats import Json
from tests.entries import chat_of, fold_of, memory_of, said, with_edition
from tests.rules.output.finishing import TALK, chunk
from tests.rules.output.finishing import finish as finish_with

NOW = "2026-04-01T12:00:00.000Z"
CHAT = "k3v9xq2m7p"
M1, M2, M3 = (memory_of(number, chunk(2 * number - 2, 2 * number)) for number in (1, 2, 3))
ALL = [M1, M2, M3]
FOLD = fold_of(1, [M1, M2])
finish = partial(finish_with, canned=canned(load_texts(None)))
DONE = finish(chat_of(TALK), ALL)
FOLDED = finish(chat_of(TALK), [*ALL, FOLD], shown=[FOLD, M3])


@pytest.fixture
def archive() -> Archive:
    """The archive knows the chat and its three memories."""
    made = Archive.memory()
    seen(made, chat_of(TALK))
    for memory in ALL:
        keep_memory(made, CHAT, memory)
    return made


def read(archive: Archive, chat: Chat, preferred: Preferred = "hindsight") -> ChatReading:
    config = Config(memory=MemorySettings(editions=preferred))
    return read_chat(archive, chat, config, NOW).reading


def seen(archive: Archive, chat: Chat) -> ChatReading:
    """Read, and kept."""
    reading = read(archive, chat)
    remember(archive, chat, reading, NOW)
    return reading


def changed(
    messages: Sequence[Json], change: Callable[[list[Json]], object], **fields: object
) -> Chat:
    now = [dict(message) for message in messages]
    change(now)
    return chat_of([read_message(json.dumps(message).encode()) for message in now], **fields)


def stripped(messages: list[Json]) -> None:
    for message in messages:
        message.pop("memproc", None)


def forked(messages: list[Json]) -> None:
    for at, message in enumerate(messages):
        message.update(uuid=f"{at:08d}-aaaa-4aaa-8aaa-aaaaaaaaaaaa", createdAt=NOW)


FORK = {"id": "a9b8c7d6e5", "chatID": "a9b8c7d6e5"}
OTHER = {"id": "z9y8x7w6v5", "chatID": "z9y8x7w6v5"}


def ours(place: Place) -> tuple[str, str, int] | None:
    return (place.ours.kind, place.ours.memory, place.ours.slot) if place.ours else None


def test_a_chat_that_was_never_seen_is_all_history() -> None:
    reading = read(Archive.memory(), chat_of(TALK))
    assert [entry.memory for entry in reading.entries] == [None] * 8
    assert (reading.memories, reading.adopted.memories) == ((), ())


def test_our_own_output_is_read_as_the_conversation_that_it_was(archive: Archive) -> None:
    reading = read(archive, DONE.again())
    assert [entry.message.raw for entry in reading.entries] == [message.raw for message in TALK]
    assert [entry.memory for entry in reading.entries] == [1, 1, 2, 2, 3, 3, None, None]
    assert reading.memories == memories(archive, CHAT)
    assert (reading.person, reading.adopted.memories, reading.edits.forgotten) == ({}, (), ())


def test_markers_that_another_tool_has_stripped_change_nothing(archive: Archive) -> None:
    plain = read(archive, DONE.again())
    bare = read(archive, changed(DONE.messages, stripped))
    assert [ours(place) for place in bare.places] == [ours(place) for place in plain.places]
    assert (bare.entries, bare.memories, bare.edits) == (plain.entries, plain.memories, plain.edits)


def test_messages_inserted_among_memories_are_left_out_and_said_to_be(archive: Archive) -> None:
    stray = json.loads(said("user", "a stray", 80).raw)
    reading = read(archive, changed(DONE.messages, lambda m: m.insert(7, stray)))
    assert [place.message.text for place in reading.places if place.left_out == INSERTED] == [
        "a stray"
    ]
    assert len(reading.entries) == 8


def test_a_fork_has_memories_of_its_own_and_the_same_history(archive: Archive) -> None:
    chat = changed(DONE.messages, forked, **FORK)
    reading = seen(archive, chat)
    assert [memory.origins[0] for memory in reading.adopted.memories] == ["m1", "m2", "m3"]
    assert [entry.message.text for entry in reading.entries] == [message.text for message in TALK]
    assert [entry.memory for entry in reading.entries] == [1, 1, 2, 2, 3, 3, None, None]
    again = read(archive, chat)
    assert (again.adopted.memories, again.entries) == ((), reading.entries)
    assert again.memories == reading.memories
    assert memories(archive, CHAT) == tuple(ALL), "the chat that it came from is as it was"


def test_originals_of_a_fork_of_a_fork_have_their_true_days_from_the_first_reading_on() -> None:
    archive, chat = Archive.memory(), chat_of(TALK)
    reading = read(archive, chat)
    dates = {place.key: "2020-01-01T00:00:00.000Z" for place in reading.places}
    places = tuple(as_dated(place, dates) for place in reading.places)
    remember(archive, chat, replace(reading, places=places), NOW)
    for memory in ALL:
        keep_memory(archive, CHAT, memory)
    done = finish(chat, ALL, mode="keep-originals")
    fork = changed(done.messages, forked, **FORK)
    first, second = seen(archive, fork), read(archive, fork)
    assert {place.message.created_at for place in first.places if place.original} == {
        "2020-01-01T00:00:00.000Z"
    }
    assert first.places == second.places


def test_a_fork_without_memories_has_no_opening_of_another_chat_in_its_history(
    archive: Archive,
) -> None:
    text = "<system>\nThis is what I keep.\n</system>"
    keep_opening(archive, CHAT, KeptOpening(text, "", "memproc", at=NOW))
    marker = {"v": 1, "kind": "opening", "text": text_digest(text)}
    opening = said("user", text, 90, memproc=marker)
    reading = read(archive, chat_of([opening, *TALK[6:]], **FORK))
    assert [ours(place) for place in reading.places] == [("opening", "", 0), None, None]


def test_an_original_that_was_edited_before_the_fork_is_known_by_what_it_says_now(
    archive: Archive,
) -> None:
    def edit(messages: list[Json]) -> None:
        originals = (
            one for one in messages if (one.get("memproc") or {}).get("kind") == "original"
        )
        next(originals)["content"] = "I had not said that the lamp was out."

    done = finish(chat_of(TALK), ALL, mode="keep-originals")
    seen(archive, changed(done.messages, edit))

    def fork(messages: list[Json]) -> None:
        edit(messages)
        forked(messages)

    copy = changed(done.messages, fork, **FORK)
    first, second = seen(archive, copy), read(archive, copy)
    assert first.edits.deleted == ()
    assert first.places == second.places


def nameless(messages: list[Json]) -> None:
    stripped(messages)
    forked(messages)


@pytest.mark.parametrize("fields", [{}, FORK], ids=["the chat", "a fork"])
def test_memories_without_markers_and_uuids_are_skipped(
    archive: Archive, fields: dict[str, str]
) -> None:
    chat = changed(DONE.messages, nameless, **fields)
    with pytest.raises(
        ChatSkipped, match="cannot be told from the conversation: another tool has taken away"
    ) as told:
        read(archive, chat)
    assert "message number" not in str(told.value)
    assert "3 memories" in str(told.value)
    assert isinstance(told.value, NotAccepted) == (not fields), (
        "memproc accept knows no chat that was never read"
    )
    assert memories(archive, CHAT) == tuple(ALL)


def damage(archive: Archive, table: str, column: str, where: str) -> None:
    """Change what a row says, and leave its seal as it was."""
    ((row, seal),) = archive.run(f"SELECT rowid, seal FROM {table} WHERE {where} LIMIT 1")
    archive.run(f"UPDATE {table} SET {column} = {column} || 'x' WHERE rowid = ?", (row,))
    archive.run(f"UPDATE {table} SET seal = ? WHERE rowid = ?", (seal, row))


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("message", "key"),
        ("version", "seen_at"),
        ("memory", "due"),
        ("edition", "agent"),
        ("output", "messages_sha256"),
    ],
)
def test_a_chat_of_which_a_row_is_damaged_is_not_read(
    archive: Archive, table: str, column: str
) -> None:
    digests = dict.fromkeys(("sha256", "messages_sha256", "source_sha256"), "a")
    archive.insert("output", {"chat_id": CHAT, "path": "a.json", "written_at": NOW, **digests})
    read(archive, chat_of(TALK))
    damage(archive, table, column, "true")
    with pytest.raises(DamagedChat, match=table):
        read(archive, chat_of(TALK))


@pytest.fixture
def two_chats(archive: Archive) -> Archive:
    """The archive knows another chat, too."""
    seen(archive, chat_of(TALK, **OTHER))
    keep_memory(archive, OTHER["chatID"], replace(memory_of(1, chunk(0, 2)), memory_id="other"))
    return archive


@pytest.mark.parametrize(
    ("table", "column", "where"),
    [
        ("memory", "due", "id = 'other'"),
        ("edition", "agent", "memory = 'other'"),
        ("version", "seen_at", "message = (SELECT max(message) FROM version)"),
    ],
)
def test_a_fork_of_a_whole_chat_is_read_whatever_is_damaged_in_another(
    two_chats: Archive, table: str, column: str, where: str
) -> None:
    damage(two_chats, table, column, where)
    reading = read(two_chats, changed(DONE.messages, forked, **FORK))
    assert [memory.origins[0] for memory in reading.adopted.memories] == ["m1", "m2", "m3"]


def test_a_fork_of_a_damaged_chat_is_not_read(two_chats: Archive) -> None:
    damage(two_chats, "edition", "agent", "memory = 'm1'")
    with pytest.raises(DamagedChat, match="edition"):
        read(two_chats, changed(DONE.messages, forked, **FORK))


def test_memories_of_nobody_are_not_taken_over_where_a_damaged_row_may_be_theirs(
    two_chats: Archive,
) -> None:
    damage(two_chats, "memory", "due", "id = 'other'")
    with pytest.raises(DamagedChat, match="memory"):
        read(
            two_chats,
            changed(
                finish(chat_of(TALK), [replace(M1, memory_id="lost")]).messages, forked, **FORK
            ),
        )


def test_a_fork_in_which_a_fold_stands_has_what_the_fold_stands_for(archive: Archive) -> None:
    keep_fold(archive, CHAT, FOLD)
    reading = seen(archive, changed(FOLDED.messages, forked, **FORK))
    assert [memory.origins[0] for memory in reading.memories] == ["m1", "m2", "m3", FOLD.memory_id]
    assert len(reading.entries) == 8
    assert reading.edits.forgotten == ()


def test_memories_of_a_lost_archive_are_kept_as_they_stand_and_the_work_goes_on_after_them() -> (
    None
):
    archive = Archive.memory()
    reading = seen(archive, DONE.again())
    assert [memory.edition.texts for memory in reading.memories] == [
        memory.edition.texts for memory in ALL
    ]
    assert [entry.message.text for entry in reading.entries] == [
        message.text for message in TALK[6:]
    ]
    again = read(archive, DONE.again())
    assert again.memories == reading.memories
    assert (again.adopted.memories, again.person, again.edits.forgotten) == ((), {}, ())


def test_a_fold_of_a_lost_archive_stays_before_the_memories_that_follow_it() -> None:
    archive = Archive.memory()
    for _ in range(2):
        reading = seen(archive, FOLDED.again())
        assert [(one.memory_id, one.level, one.number) for one in reading.memories] == [
            ("f2.1", 2, 1),
            ("m3", 1, 2),
        ]


def test_an_edited_memory_has_the_person_s_edition_which_is_pinned_and_told(
    archive: Archive,
) -> None:
    chat = changed(DONE.messages, lambda m: m[4].update(content="what I want it to say"))
    first, *others = seen(archive, chat).memories
    assert (first.edition.kind, first.edition.number, first.edition.texts[3]) == (
        "person",
        2,
        "what I want it to say",
    )
    assert (first.in_prompts, first.pinned, first.chosen) == (first.edition, True, 2)
    assert others == ALL[1:]
    assert memories(archive, CHAT) == (first, *others)
    assert read(archive, chat).person == {}, "it is an edition now, and nothing new"


def test_a_deleted_memory_is_forgotten_and_one_that_is_back_is_not(archive: Archive) -> None:
    def delete(messages: list[Json]) -> None:
        del messages[7:13]

    assert [
        memory.forgotten for memory in seen(archive, changed(DONE.messages, delete)).memories
    ] == [
        False,
        True,
        False,
    ]
    assert [memory.forgotten for memory in seen(archive, DONE.again()).memories] == [False] * 3


def test_an_older_export_in_which_a_message_was_edited_makes_a_new_edition_due(
    archive: Archive,
) -> None:
    edited = said("user", "now I say something else", 0)
    reading = seen(archive, chat_of([edited, *TALK[1:]]))
    assert [memory.due for memory in reading.memories] == ["1 of its messages edited", "", ""]
    assert reading.entries[0].message.raw == TALK[0].raw
    assert reading.entries[0].newest is not None
    assert reading.entries[0].newest.raw == edited.raw
    assert read(archive, chat_of([edited, *TALK[1:]])).edits.changed == {}, "it is known by now"


def test_the_edition_that_is_preferred_is_the_one_that_is_shown(archive: Archive) -> None:
    keep_edition(archive, "m1", with_edition(M1, 2).edition)
    shown = [
        read(archive, DONE.again(), preferred).memories[0].edition.number
        for preferred in ("as-of", "hindsight")
    ]
    assert shown == [1, 2]


def test_a_chat_that_has_suddenly_lost_its_memories_is_skipped(archive: Archive) -> None:
    with pytest.raises(ChatSkipped, match='"Aria": ') as told:
        read(archive, chat_of(TALK[6:]))
    assert "message number" not in str(told.value)


def test_the_same_uuids_in_another_chat_are_other_messages(archive: Archive) -> None:
    reading = seen(archive, chat_of(TALK, **FORK))
    assert [entry.memory for entry in reading.entries] == [None] * 8
    archived = read_archive(archive, known_chat(archive, CHAT), Config()).reading
    assert read(archive, DONE.again()).entries == archived.entries + tuple(
        replace(entry, at=at) for entry, at in zip(reading.entries[6:], (20, 21), strict=True)
    )


def test_the_archive_alone_knows_what_stands_under_memories(archive: Archive) -> None:
    reading = read_archive(archive, known_chat(archive, CHAT), Config()).reading
    assert [entry.message.raw for entry in reading.entries] == [message.raw for message in TALK[:6]]
    assert reading.memories == tuple(ALL)
    assert reading.places == ()


def names(found: Sequence[Memory]) -> list[str]:
    return [memory.memory_id for memory in found]


def test_memories_behind_those_that_the_archive_knows_are_taken_over_as_they_stand() -> None:
    """An older copy of the archive was put back: it knows the first memory only."""
    archive = Archive.memory()
    seen(archive, chat_of(TALK))
    keep_memory(archive, CHAT, M1)
    reading = seen(archive, DONE.again())
    assert names(reading.adopted.memories) == ["m2", "m3"]
    assert [memory.number for memory in reading.memories] == [1, 2, 3]
