"""Two exports of a chat compared: what went under a memory, what came back, what the person did."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.memory import Memory, with_members
from rules.output.assemble import Mode
from rules.output.difference import Difference, Field, MemoryChange, Side, compare_exports
from rules.typingmind.chat import Chat, parse_chat
from rules.typingmind.message import Message, read_message
from tests.entries import chat_of, fold_of, memory_of, said, with_edition
from tests.rules.output.finishing import TALK, chunk, finish, looked_at

MEMORIES = [memory_of(1, chunk(0, 2)), memory_of(2, chunk(2, 4))]
FOLD = fold_of(1, MEMORIES)
KNOWN = [*MEMORIES, FOLD]
UUIDS = [message.uuid for message in TALK]


def side(chat: Chat, memories: Sequence[Memory] = KNOWN) -> Side:
    return Side(chat, looked_at(chat, memories)[0])


def raw(messages: Sequence[Message], **fields: object) -> Side:
    return side(chat_of(messages, **fields))


def compressed(
    memories: Sequence[Memory], shown: Sequence[Memory] | None = None, mode: Mode = "replace"
) -> Side:
    """The same conversation with these memories, as an export that was written."""
    return side(finish(chat_of(TALK), memories, shown=shown, mode=mode).again(), memories)


def reworded(written: Side, before: str, after: str) -> Side:
    """The same export with other words in it."""
    text = written.chat.text.replace(before, after)
    assert text != written.chat.text
    return side(parse_chat(text.encode("latin-1")), MEMORIES)


def found_raw(found: Difference) -> list[tuple[str, str, str]]:
    return [(one.how, one.uuid, one.memory) for one in found.raw]


def test_an_export_differs_from_itself_in_nothing() -> None:
    for one in (raw(TALK), compressed(MEMORIES), raw([])):
        found = compare_exports(one, one, KNOWN)
        assert found.is_empty
        assert found.messages_before == found.messages_after


def test_messages_that_went_under_memories_say_under_which() -> None:
    found = compare_exports(raw(TALK), compressed(MEMORIES), KNOWN)
    assert found_raw(found) == [
        ("compressed", UUIDS[0], "m1"), ("compressed", UUIDS[1], "m1"),
        ("compressed", UUIDS[2], "m2"), ("compressed", UUIDS[3], "m2"),
    ]  # fmt: skip
    assert found.memories == (MemoryChange("new", "m1", 0, 1), MemoryChange("new", "m2", 0, 1))
    assert (
        found.messages_before,
        found.messages_after,
        found.memories_before,
        found.memories_after,
    ) == (8, 18, 0, 2)
    assert found.fields == (Field("syncMetadata", "new"),)


def test_the_other_way_round_they_come_back() -> None:
    found = compare_exports(compressed(MEMORIES), raw(TALK), KNOWN)
    assert found_raw(found) == [("come back", UUIDS[at], f"m{at // 2 + 1}") for at in range(4)]
    assert found.memories == (MemoryChange("gone", "m1", 1, 0), MemoryChange("gone", "m2", 1, 0))


def test_originals_that_are_kept_beside_their_memory_count_as_compressed() -> None:
    kept = compressed(MEMORIES[:1], mode="keep-originals")
    assert found_raw(compare_exports(raw(TALK), kept, KNOWN)) == [
        ("compressed", UUIDS[at], "m1") for at in range(2)
    ]
    assert found_raw(compare_exports(kept, raw(TALK), KNOWN)) == [
        ("come back", UUIDS[at], "m1") for at in range(2)
    ]


def test_folded_memories_say_into_what_and_back() -> None:
    two, one = compressed(KNOWN, shown=MEMORIES), compressed(KNOWN, shown=[FOLD])
    there = compare_exports(two, one, KNOWN)
    assert there.memories == (
        MemoryChange("folded", "m1", 1, 0, "f2.1"),
        MemoryChange("folded", "m2", 1, 0, "f2.1"),
        MemoryChange("new", "f2.1", 0, 1),
    )
    assert there.raw == ()
    back = compare_exports(one, two, KNOWN)
    assert back.memories == (
        MemoryChange("unfolded", "m1", 0, 1, "f2.1"),
        MemoryChange("unfolded", "m2", 0, 1, "f2.1"),
    )


def test_messages_under_a_fold_are_compressed_into_their_own_memory() -> None:
    found = compare_exports(raw(TALK), compressed(KNOWN, shown=[FOLD]), KNOWN)
    assert [(one.how, one.memory) for one in found.raw] == [
        ("compressed", f"m{at // 2 + 1}") for at in range(4)
    ]


def test_a_renewed_memory_says_from_which_edition_to_which() -> None:
    anew = [MEMORIES[0], with_edition(MEMORIES[1], 3)]
    found = compare_exports(compressed(MEMORIES), compressed(anew), anew)
    assert found.memories == (MemoryChange("renewed", "m2", 1, 3),)


def test_a_memory_that_the_person_edited_is_edited_and_not_renewed() -> None:
    written = compressed(MEMORIES)
    found = compare_exports(
        written, reworded(written, "Perspective 2", "My own perspective"), KNOWN
    )
    assert found.memories == (MemoryChange("edited", "m2", 1, 1),)


def test_a_memory_that_lost_a_message_is_incomplete_until_it_is_completed() -> None:
    whole = compressed(MEMORIES)
    at = next(place.at for place in whole.places if place.ours is not None and place.ours.slot == 4)
    less = side(chat_of([place.message for place in whole.places if place.at != at]), MEMORIES)
    assert compare_exports(whole, less, KNOWN).memories == (MemoryChange("incomplete", "m1", 1, 1),)
    assert compare_exports(less, whole, KNOWN).memories == (MemoryChange("completed", "m1", 1, 1),)


def test_what_is_new_edited_changed_and_gone_is_told_in_order() -> None:
    edited = said("user", "quite other words", 2)
    pinned = said("assistant", "message number 3", 3, isPinned=True)
    fresh = said("user", "one more", 90)
    found = compare_exports(raw(TALK), raw([*TALK[1:2], edited, pinned, *TALK[4:], fresh]), [])
    assert [(one.how, one.uuid) for one in found.raw] == [
        ("gone", UUIDS[0]), ("edited", UUIDS[2]), ("changed", UUIDS[3]), ("new", fresh.uuid),
    ]  # fmt: skip
    assert (found.raw[1].was, found.raw[1].begins) == ("message number 2", "quite other words")
    assert (found.raw[1].fields, found.raw[2].fields) == (("content",), ("isPinned",))
    assert {(change.memory, change.was) for change in (found.raw[0], *found.raw[2:])} == {("", "")}
    assert {(change.role, change.date) for change in found.raw[3:]} == {
        (fresh.role, fresh.created_at)
    }


def test_a_message_with_another_uuid_is_known_by_what_it_says() -> None:
    renamed = [
        said(message.role or "", f"message number {at}", at + 500)
        for at, message in enumerate(TALK)
    ]
    found = compare_exports(raw(TALK), raw(renamed), [])
    assert {one.how for one in found.raw} == {"changed"}
    assert {one.fields for one in found.raw} == {("createdAt", "uuid")}


def test_long_messages_are_told_by_their_first_words_in_one_line() -> None:
    long = said("user", "All\nof   this " + "is long. " * 40, 91)
    (one,) = compare_exports(raw([]), raw([long]), []).raw
    assert one.begins.startswith("All of this is long.")
    assert one.begins.endswith("...")
    assert len(one.begins) <= 45
    texts = ["a" * 45, "b" * 41 + " " + "c" * 9, "d" * 46]
    found = compare_exports(
        raw([]), raw([said("user", text, 92 + at) for at, text in enumerate(texts)]), []
    ).raw
    assert [change.begins for change in found] == ["a" * 45, "b" * 41 + "...", "d" * 42 + "..."]


def test_a_message_without_uuid_role_and_date_has_empty_ones() -> None:
    (change,) = compare_exports(raw([]), raw([read_message(b'{"content": "words"}')]), []).raw
    assert (change.how, change.uuid, change.role, change.date, change.begins) == (
        "new",
        "",
        "",
        "",
        "words",
    )


def test_memories_of_folds_within_a_fold_went_into_the_one_that_is_shown() -> None:
    others = [memory_of(3, chunk(4, 6)), memory_of(4, chunk(6, 8))]
    folds = [FOLD, fold_of(2, others)]
    top = replace(fold_of(3, folds), memory_id="f3.1", level=3)
    everything = [*MEMORIES, *others, *folds, top]
    inside = {memory.memory_id for memory in everything} - {"f3.1"}
    assert with_members(top.members, everything) == inside


def test_another_order_is_told() -> None:
    found = compare_exports(raw(TALK), raw([*TALK[2:], *TALK[:2]]), [])
    assert found.reordered
    assert found.raw == ()


def test_fields_of_the_chat_are_told_by_name() -> None:
    found = compare_exports(raw(TALK, a=1, b=2, c=[3]), raw(TALK, b=2, c=[4], d=5), [])
    assert found.fields == (Field("a", "gone"), Field("c", "changed"), Field("d", "new"))
    spelled = compare_exports(raw(TALK, a={"x": 1, "y": 2}), raw(TALK, a={"y": 2, "x": 1}), [])
    assert spelled.is_empty, "the order of keys says nothing"


def test_a_canned_message_that_reads_otherwise_is_told() -> None:
    one = compressed(MEMORIES)
    other = reworded(one, "Memories follow.", "What you remember follows.")
    assert compare_exports(one, other, KNOWN).canned == ("opening",)


WORDS = st.sampled_from(["ok", "yes", "no", "go on"])


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=12), st.booleans())
def test_every_message_of_both_is_in_both_new_or_gone(
    one: list[str], other: list[str], names: bool
) -> None:
    sides = [
        raw(
            [
                said("user", text, at, **({} if names else {"uuid": ""}))
                for at, text in enumerate(texts)
            ]
        )
        for texts in (one, other)
    ]
    found = compare_exports(sides[0], sides[1], [])
    gone, new = (sum(raw.how == how for raw in found.raw) for how in ("gone", "new"))
    assert len(one) - gone == len(other) - new
    back = compare_exports(sides[1], sides[0], [])
    assert [gone, new] == [sum(raw.how == how for raw in back.raw) for how in ("new", "gone")]
