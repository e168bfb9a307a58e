"""What files show of a chat, and what is made of it where an archive was lost."""

import json
from dataclasses import replace
from zlib import crc32

import pytest

from daemon.config.texts import load_texts
from daemon.recovery.evidence import Evidence, Seen, look
from daemon.recovery.restored import (
    Known,
    Restored,
    editions_of,
    hindsight_question,
    members_of,
    quotes_in,
    restored,
    row_of,
)
from primer.hindsight import ask_perspective as ask_in_hindsight
from primer.prompt import ask_perspective, question
from rules.conversation.marker import Marker, text_digest, write_marker
from rules.conversation.memory import Memory, Six, fold_id, memory_id
from rules.typingmind.message import Message, read_message
from tests.entries import chat_of, said, talk

CHAT = "k3v9xq2m7p"
TEXTS = load_texts(None)
LOOKING_BACK = question(ask_in_hindsight(TEXTS, 120)).content
AS_OF = question(ask_perspective(TEXTS, 120)).content
SAID = [said(("user", "assistant")[at % 2], f"This is message {at}, word for word.", at) for at in range(12)]


def words(text: str) -> int:
    return len(text.split())


def texts_of(number: int, quote: str = "This is message 1, word for word.", asked: str = AS_OF) -> Six:
    return ("Which quote?", quote, asked, f"Perspective {number}", "Refine it?", f"Refinement {number}")


def shown(
    name: str, texts: Six, under: list[Message], *, edition: int = 1, level: int = 1, count: int = 0
) -> list[Message]:
    """The six messages of a memory as they stand in an updated export."""
    first, last = under[0].uuid or "", under[-1].uuid or ""
    found = []
    for slot, text in enumerate(texts, 1):
        marker = Marker(
            "memory", text_digest(text), name, level, edition, slot, "model", first, last, count or len(under)
        )
        role = "assistant" if slot % 2 == 0 else "user"
        found.append(
            said(role, text, 500 + slot + 10 * edition + 100 * crc32(name.encode()), memproc=write_marker(marker))
        )
    return found


def chunk_id(number: int, under: list[Message]) -> str:
    return memory_id(CHAT, number, [message.digest for message in under])


def from_files(*files: list[Message], own: bool = True) -> Evidence:
    evidence = Evidence(CHAT)
    for number, messages in enumerate(files):
        look(evidence, chat_of(messages), f"2026-03-0{number + 1}T00:00:00.000Z", is_own=own or number == 0)
    return evidence


def had_back(evidence: Evidence, kept: tuple[Memory, ...] = (), shown_now: tuple[str, ...] = ()) -> Restored:
    """With the messages from the fifth on in the newest file."""
    live = frozenset(message.uuid or "" for message in SAID[4:])
    return restored(evidence, Known(kept, (), shown_now, hindsight_question(TEXTS), (), live, words))


def test_a_memory_stands_for_the_run_of_messages_that_it_names() -> None:
    name = chunk_id(1, SAID[:4])
    found = had_back(from_files(SAID[:8], [*shown(name, texts_of(1), SAID[:4]), *SAID[4:]]))
    (memory,) = found.memories
    assert memory.keys == tuple(message.uuid for message in SAID[:4])
    assert (memory.number, memory.began_at, memory.ended_at) == (1, SAID[0].created_at, SAID[3].created_at)
    assert [(quote.text, quote.source) for quote in memory.edition.quotes] == [
        ("This is message 1, word for word.", SAID[1].uuid)
    ]


def test_a_run_of_another_length_is_not_believed() -> None:
    name = chunk_id(1, SAID[:4])
    found = had_back(from_files([*SAID[:2], *SAID[3:8]], [*shown(name, texts_of(1), SAID[:4]), *SAID[4:]]))
    (memory,) = found.memories
    assert memory.keys == ()
    assert memory.edition.quotes[0].source == ""
    assert found.left_over == {SAID[0].uuid, SAID[1].uuid, SAID[3].uuid}


def test_messages_without_a_uuid_are_known_by_the_name_of_their_memory() -> None:
    nameless = [without_uuid(message) for message in SAID]
    name = chunk_id(1, nameless[:4])
    found = had_back(from_files(nameless[:8], [*shown(name, texts_of(1), nameless[:4]), *nameless[4:]]))
    assert found.memories[0].keys == tuple(f"digest:{message.digest}" for message in SAID[:4])
    other = had_back(from_files(nameless[:8], [*shown("m-other", texts_of(1), nameless[:4]), *nameless[4:]]))
    assert other.memories[0].keys == ()


def without_uuid(message: Message) -> Message:
    fields = json.loads(message.raw)
    del fields["uuid"]
    return read_message(json.dumps(fields).encode())


def test_new_messages_go_where_they_stand() -> None:
    welcome = said("assistant", "Welcome!", 90, type="character-welcome-message")
    name = chunk_id(1, SAID[:4])
    memory = shown(name, texts_of(1), SAID[:4])
    files = [welcome, *SAID[:6]], [welcome, *memory, *SAID[4:6], *SAID[8:10]], [welcome, *memory, *SAID[7:]]
    assert from_files(*files).order == [one.uuid for one in (welcome, *SAID[:6], *SAID[7:])]


def test_every_edition_that_a_file_shows_comes_back_with_its_kind() -> None:
    name = chunk_id(1, SAID[:4])
    first = shown(name, texts_of(1), SAID[:4])
    later = shown(name, texts_of(2, asked=LOOKING_BACK), SAID[:4], edition=2)
    found = had_back(from_files(SAID[:8], [*first, *SAID[4:]], [*later, *SAID[4:]]))
    assert [(one.number, one.kind) for one in found.editions[name]] == [(1, "as-of"), (2, "hindsight")]
    assert (found.memories[0].told.number, found.memories[0].edition.number) == (1, 2)


def test_an_edition_that_stands_alone_is_as_of_whatever_was_asked() -> None:
    name = chunk_id(1, SAID[:4])
    later = shown(name, texts_of(2, asked=LOOKING_BACK), SAID[:4], edition=2)
    found = had_back(from_files(SAID[:8], [*later, *SAID[4:]]))
    assert [(one.number, one.kind) for one in found.editions[name]] == [(2, "as-of")]


def test_what_the_person_once_wrote_is_an_edition_of_theirs() -> None:
    seen = Seen("m1", Marker("memory", "", "m1", made="model"), None, None)
    seen.editions[1] = (seen.marker, texts_of(1), "2026-03-01T00:00:00.000Z")
    seen.edited += [(texts_of(7), "2026-03-02T00:00:00.000Z"), (texts_of(8), "2026-03-03T00:00:00.000Z")]
    found = editions_of(seen, (), hindsight_question(TEXTS), [texts_of(8)], words)
    assert [(one.number, one.kind, one.texts) for one in found] == [
        (1, "as-of", texts_of(1)),
        (2, "person", texts_of(7)),
    ]


def test_the_quotes_of_a_fold_are_found_one_by_one() -> None:
    chunk = talk("I was afraid of the fog.\n\nIt came in at four.", "The bell rang twice.")
    found = quotes_in(
        "I was afraid of the fog.\n\nIt came in at four.\n\nThe bell rang twice.\n\nNobody said this.", chunk
    )
    assert [(quote.text, quote.source) for quote in found] == [
        ("I was afraid of the fog.\n\nIt came in at four.", chunk[0].key),
        ("The bell rang twice.", chunk[1].key),
        ("Nobody said this.", ""),
    ]
    assert [quote.source for quote in quotes_in("Nobody.\n\nNothing.", chunk)] == [""]


def test_a_quote_that_reads_otherwise_in_its_message_has_no_source() -> None:
    """The proof of an updated export would refuse it."""
    chunk = talk("It\u2019s the fog, he said.")
    assert [quote.source for quote in quotes_in("It's the fog, he said.", chunk)] == [""]


def folded(under: list[list[Message]]) -> tuple[list[str], str]:
    """Ids of the chunks, and of their fold."""
    names = [chunk_id(number, one) for number, one in enumerate(under, 1)]
    found = had_back(from_files(SAID, [*six(names, under), *SAID[9:]]))
    return names, fold_id(CHAT, found.memories)


def six(names: list[str], under: list[list[Message]]) -> list[Message]:
    return [message for name, one in zip(names, under, strict=True) for message in shown(name, texts_of(1), one)]


CHUNKS = [SAID[:3], SAID[3:6], SAID[6:9]]


def test_the_members_of_a_fold_are_those_that_its_name_is_made_of() -> None:
    names, fold = folded(CHUNKS)
    as_fold = shown(fold, texts_of(9), SAID[:9], level=2)
    found = had_back(from_files(SAID, [*six(names, CHUNKS), *SAID[9:]], [*as_fold, *SAID[9:]]), shown_now=(fold,))
    assert found.memories[-1].members == tuple(names)
    assert found.memories[-1].keys == tuple(message.uuid for message in SAID[:9])
    assert [memory.number for memory in found.memories[:-1]] == [1, 2, 3]


def test_a_fold_with_a_forgotten_memory_in_it_has_the_others_for_members() -> None:
    names, _ = folded(CHUNKS)
    as_fold = shown("f-some", texts_of(9), SAID[:9], level=2, count=6)
    found = had_back(from_files(SAID, [*six(names, CHUNKS), *SAID[9:]], [*as_fold, *SAID[9:]]))
    assert found.memories[-1].members == (names[0], names[2])


def test_a_fold_of_which_a_member_is_unknown_takes_the_place_of_the_others() -> None:
    names, fold = folded(CHUNKS)
    as_fold = shown(fold, texts_of(9), SAID[:9], level=2)
    files = from_files(SAID, [*six(names[:2], CHUNKS[:2]), *SAID[6:]], [*as_fold, *SAID[9:]])
    found = had_back(files, shown_now=(fold,))
    assert [(memory.memory_id, memory.members) for memory in found.memories] == [(fold, ())]
    assert found.memories[0].keys == tuple(message.uuid for message in SAID[:9])
    assert set(found.unplaced) == set(names[:2])


def test_before_a_fold_that_stands_for_itself_everything_stands_as_it_is_shown() -> None:
    names, fold = folded(CHUNKS[:2])
    members = six(names, CHUNKS[:2])
    one = shown(fold, texts_of(8), SAID[:6], level=2)
    lone = shown("f-lone-fold", texts_of(9), SAID[6:9], level=2)
    files = from_files(SAID, [*members, *SAID[6:]], [*one, *lone, *SAID[9:]])
    found = had_back(files, shown_now=(fold, "f-lone-fold"))
    assert [(memory.memory_id, memory.number, memory.members) for memory in found.memories] == [
        (fold, 1, ()),
        ("f-lone-fold", 2, ()),
    ]


def test_a_fold_of_many_levels_without_an_answer_is_given_up_in_time() -> None:
    chunks = [said("user", f"Message {at}", at) for at in range(120)]
    names = [chunk_id(number, [one]) for number, one in enumerate(chunks, 1)]
    evidence = from_files(chunks, six(names, [[one] for one in chunks]))
    row = row_of(had_back(evidence).memories)
    marker = Marker("memory", "", "f1", 2, 1, 1, "model", chunks[0].uuid or "", chunks[-1].uuid or "", 10_000)
    assert members_of(CHAT, row, Seen("f1", marker, None, None)) == ()


def test_what_only_another_chats_file_shows_must_be_proved_by_its_name() -> None:
    name = chunk_id(1, SAID[:4])
    file = [*shown(name, texts_of(1), SAID[:4]), *shown("m-strange", texts_of(2), SAID[4:6]), *SAID[6:]]
    found = had_back(from_files(SAID[:8], file, own=False))
    assert [memory.memory_id for memory in found.memories] == [name]


def test_between_memories_that_the_archive_has_no_other_is_added() -> None:
    names, _ = folded(CHUNKS)
    everything = had_back(from_files(SAID, [*six(names, CHUNKS), *SAID[9:]]))
    first, _, third = everything.memories
    files = from_files(SAID, [*six(names, CHUNKS), *SAID[9:]])
    found = had_back(files, (first, replace(third, number=2)))
    assert (found.memories, found.unplaced) == ((), (names[1],))
    behind = had_back(files, (first, everything.memories[1]))
    assert [(memory.memory_id, memory.number) for memory in behind.memories] == [(names[2], 3)]


def test_a_memory_that_the_archive_has_alone_gets_its_messages_back() -> None:
    name = chunk_id(1, SAID[:4])
    file = [*shown(name, texts_of(1), SAID[:4]), *SAID[4:]]
    (memory,) = had_back(from_files(SAID[:8], file)).memories
    found = had_back(from_files(SAID[:8], file), (replace(memory, keys=(), source_tokens=0),))
    assert [(one.memory_id, one.keys) for one in found.found_again] == [(name, memory.keys)]
    assert found.found_again[0].source_tokens == memory.source_tokens
    assert found.memories == ()


@pytest.mark.parametrize("slots", [range(1, 6), range(2, 7)])
def test_what_has_lost_one_of_its_messages_is_no_memory(slots: range) -> None:
    six_messages = shown(chunk_id(1, SAID[:4]), texts_of(1), SAID[:4])
    found = had_back(from_files(SAID[:8], [*(six_messages[slot - 1] for slot in slots), *SAID[4:]]))
    assert found.memories == ()


def test_the_version_under_a_memory_is_the_one_that_was_known_when_it_was_first_seen() -> None:
    name = chunk_id(1, SAID[:4])
    memory = shown(name, texts_of(1), SAID[:4])
    later = said("assistant", "Edited later.", 1)
    evidence = from_files(SAID[:8], [*memory, *SAID[4:]], [SAID[0], later, *SAID[2:8]])
    found = had_back(evidence)
    assert found.versions[name] == dict.fromkeys([message.uuid for message in SAID[:4]], 0)
    assert len(evidence.raw[later.uuid or ""].versions) == 2
    assert found.memories[0].edition.quotes[0].source == later.uuid
