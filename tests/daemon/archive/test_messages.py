"""Raw messages stay for ever, in every version, in the order of the conversation."""

import json
from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.archive.archive import Archive, check_integrity
from daemon.archive.chats import find_chat, known_chats
from daemon.archive.memories import editions, find_memory, keep_memory, memories
from daemon.archive.message_versions import remember
from daemon.archive.messages import past, raw_conversation
from daemon.archive.outputs import Output, last_output, record_output
from rules.errors import NotFound
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from rules.typingmind.message import Message
from tests.entries import chat_of, entries, memory_of, reading_of, said

WHEN = "2026-03-03T00:00:00.000Z"
LATER = "2026-04-03T00:00:00.000Z"
TALK = [
    said(("user", "assistant")[at % 2], f"message number {at} " * (at + 1), at) for at in range(6)
]
CHAT = "k3v9xq2m7p"


def see(archive: Archive, messages: Sequence[Message], when: str = WHEN) -> bool:
    chat = chat_of(messages)
    places = recognize(read_messages(chat), {})
    return remember(archive, chat, reading_of(places, past(archive, chat.chat_id)), when)


def raws(archive: Archive) -> list[bytes]:
    return [bytes(raw) for raw in raw_conversation(archive, CHAT).messages]


def test_what_was_seen_comes_back_byte_for_byte_in_its_order() -> None:
    with Archive.memory() as archive:
        assert see(archive, TALK)
        assert raws(archive) == [message.raw for message in TALK]
        found = raw_conversation(archive, CHAT)
        chat = json.loads(found.head + b",".join(found.messages) + found.tail)
        assert chat["messages"] == [json.loads(message.raw) for message in TALK]
        assert check_integrity(archive) == ()


def test_the_same_export_again_changes_nothing() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        before = archive.run("SELECT * FROM version"), archive.run("SELECT * FROM message")
        assert not see(archive, TALK, LATER)
        assert (
            archive.run("SELECT * FROM version"),
            archive.run("SELECT * FROM message"),
        ) == before


def test_an_edited_message_gets_another_version_and_keeps_the_old_one() -> None:
    edited = said("assistant", "another wording", 3)
    with Archive.memory() as archive:
        see(archive, TALK)
        assert see(archive, [*TALK[:3], edited, *TALK[4:]], LATER)
        assert raws(archive)[3] == edited.raw
        assert archive.one("SELECT count(*) FROM version") == (7,)


def test_a_deleted_message_is_marked_and_comes_back_unmarked() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        assert see(archive, TALK[:-1], LATER)
        assert raws(archive) == [message.raw for message in TALK[:-1]]
        assert not see(archive, TALK, LATER)
        assert raws(archive) == [message.raw for message in TALK]


def test_what_was_left_out_stands_where_it_stood_with_its_reason() -> None:
    cleared = said("user", "never mind", 91, contextClearedAt=WHEN)
    divider = said("user", "", 92, type="clear-context")
    with Archive.memory() as archive:
        see(archive, TALK)
        see(archive, [divider, *TALK[:2], cleared, *TALK[2:]], LATER)
        assert raws(archive) == [m.raw for m in (divider, *TALK[:2], cleared, *TALK[2:])]
        reasons = archive.run(
            "SELECT left_out FROM message WHERE left_out IS NOT NULL ORDER BY position"
        )
        assert len(reasons) == 2


def test_messages_under_a_memory_stay_when_the_export_no_longer_has_them() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, memory_of(1, entries(TALK)[:2]))
        assert not see(archive, TALK[2:], LATER)
        assert [(old.key, old.memory) for old in past(archive, CHAT)] == [
            (m.uuid, 1) for m in TALK[:2]
        ]
        assert raws(archive) == [message.raw for message in TALK]


def test_a_memory_remembers_the_wording_that_it_was_made_of() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        keep_memory(archive, CHAT, memory_of(1, entries(TALK)[:2]))
        see(archive, [said("user", "edited later", 0), *TALK[1:]], LATER)
        assert past(archive, CHAT)[0].message.raw == TALK[0].raw
        assert b"edited later" in raws(archive)[0]


def test_memories_come_back_as_they_were_kept() -> None:
    made = [memory_of(1, entries(TALK)[:2]), memory_of(2, entries(TALK)[2:4])]
    with Archive.memory() as archive:
        see(archive, TALK)
        for memory in made:
            keep_memory(archive, CHAT, memory)
        assert list(memories(archive, CHAT)) == made
        assert editions(archive, "m1") == (made[0].edition,)
        assert find_memory(archive, "m2") == (CHAT, made[1])
        assert memories(archive, "another") == ()
        for unknown in ("m", "x", ""):
            with pytest.raises(NotFound):
                find_memory(archive, unknown)


def test_a_chat_is_found_by_its_id_its_title_or_the_beginning_of_its_id() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        for name in (CHAT, "Aria", "ARIA", "k3v"):
            assert find_chat(archive, name).chat_id == CHAT
        with pytest.raises(NotFound, match="knows no chat") as told:
            find_chat(archive, "Ariel")
        assert "Aria" in told.value.next_step
        assert (known_chats(archive)[0].messages, known_chats(archive)[0].memories) == (6, 0)


def test_a_chat_that_is_only_shown_is_found_by_any_part_of_its_title() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        assert find_chat(archive, "RI", "part").chat_id == CHAT
        with pytest.raises(NotFound, match="knows no chat") as fault:
            find_chat(archive, "ri")
        assert fault.value.next_step == "Did you mean Aria?"


def test_what_takes_away_or_puts_back_asks_for_the_id_or_the_whole_title() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        assert find_chat(archive, "aria", "whole").chat_id == CHAT
        for part in ("k3v", "Ari", ""):
            with pytest.raises(NotFound, match="knows no chat"):
                find_chat(archive, part, "whole")


def test_a_title_that_two_chats_bear_is_asked_about() -> None:
    with Archive.memory() as archive:
        see(archive, TALK)
        archive.run(
            "INSERT INTO chat (chat_id, title, head, tail, last_seen) "
            "SELECT 'other', title, head, tail, last_seen FROM chat"
        )
        with pytest.raises(NotFound, match="any of 2 chats"):
            find_chat(archive, "Aria")


def test_the_newest_output_is_the_last_one_recorded_whatever_the_clock_said() -> None:
    with Archive.memory() as archive:
        assert last_output(archive, CHAT) is None
        for when in (LATER, WHEN):
            record_output(archive, Output(CHAT, "/u", "a", "b", "c", when))
        found = last_output(archive, CHAT)
        assert found is not None
        assert found.written_at == WHEN


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["", "edited "])), max_size=8),
        max_size=6,
    )
)
def test_every_wording_that_was_ever_seen_is_still_there(
    rounds: list[list[tuple[int, str]]],
) -> None:
    with Archive.memory() as archive:
        seen: set[bytes] = set()
        for lines in rounds:
            numbered = dict(lines)
            messages = [
                said(("user", "assistant")[n % 2], f"{edit}message {n}", n)
                for n, edit in numbered.items()
            ]
            see(archive, messages)
            seen |= {message.raw for message in messages}
            assert raws(archive) == [message.raw for message in messages], (
                "the present wording, in its order"
            )
        kept = {row[0] for row in archive.run("SELECT sha256 FROM version")}
        assert {sha256(raw).hexdigest() for raw in seen} <= kept
        assert check_integrity(archive) == ()
