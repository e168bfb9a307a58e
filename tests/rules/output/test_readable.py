"""A difference reads as a person would tell it."""

from dataclasses import replace

from rules.output.difference import Difference, Field, How, MemoryChange, MessageChange
from rules.output.difference_lines import DifferenceLine, describe_difference
from tests.rules.output.test_difference import FOLD, KNOWN

NOTHING = Difference(8, 8, 1, 1, (), (), reordered=False, canned=(), fields=())


def told(*raw: MessageChange, memories: tuple[MemoryChange, ...] = ()) -> list[DifferenceLine]:
    found = Difference(8, 8, 1, 1, memories, raw, reordered=False, canned=(), fields=())
    return list(describe_difference(found, KNOWN, "Aria"))


def spoken(how: How, number: int, memory: str = "") -> MessageChange:
    return MessageChange(
        how, f"uuid {number}", "user", "2026-03-02T10:15:00.000Z", f"words {number}", memory
    )


def test_no_difference_has_no_lines() -> None:
    assert list(describe_difference(NOTHING, KNOWN, "Aria")) == []


def test_messages_stand_below_the_memory_that_they_went_into() -> None:
    lines = told(
        spoken("compressed", 1, "m1"), spoken("compressed", 2, "m2"), spoken("compressed", 3, "m2")
    )
    assert lines == [
        DifferenceLine(" ", "Compressed into memory 1, 1 message:"),
        DifferenceLine("-", "  2026-03-02 10:15 you: words 1"),
        DifferenceLine(" ", "Compressed into memory 2, 2 messages:"),
        DifferenceLine("-", "  2026-03-02 10:15 you: words 2"),
        DifferenceLine("-", "  2026-03-02 10:15 you: words 3"),
    ]


def test_each_kind_has_its_heading_and_its_mark() -> None:
    lines = told(*(spoken(how, 1, "m1") for how in ("gone", "new", "changed", "come back")))
    assert [(line.mark, line.text) for line in lines if line.mark == " "] == [
        (" ", "Come back from under memory 1, 1 message:"),
        (" ", "Changed, with the same words, 1 message:"),
        (" ", "New, 1 message:"),
        (" ", "Gone, 1 message:"),
    ]
    assert [line.mark for line in lines if line.mark != " "] == ["+", "~", "+", "-"]


def test_an_edited_message_shows_its_words_before_and_after() -> None:
    edited = MessageChange(
        "edited", "u", "user", "2026-03-02T10:15:00.000Z", "these words", was="those words"
    )
    assert told(edited)[1:] == [
        DifferenceLine("-", "  2026-03-02 10:15 you: those words"),
        DifferenceLine("+", "  2026-03-02 10:15 you: these words"),
    ]
    further = MessageChange(
        "edited", "u", "user", "", "the same beginning...", was="the same beginning..."
    )
    assert told(further)[1:] == [
        DifferenceLine("~", "  no date you: the same beginning... (further on)")
    ]


def test_the_middle_of_many_is_counted() -> None:
    texts = [line.text for line in told(*(spoken("new", number) for number in range(1, 21)))]
    assert texts[0] == "New, 20 messages:"
    assert texts[5] == "  ... 12 more ..."
    assert [text.rsplit(" ", 1)[1] for text in (*texts[1:5], *texts[6:])] == [
        "1",
        "2",
        "3",
        "4",
        "17",
        "18",
        "19",
        "20",
    ]
    assert [line.mark for line in told(*(spoken("new", number) for number in range(20)))][5] == " "
    nine = [line.text for line in told(*(spoken("new", number) for number in range(9)))]
    assert nine[5] == "  2026-03-02 10:15 you: words 4", "nothing is hidden to hide one"
    assert len(told(*(spoken("new", number) for number in range(10)))) == 10, "two are hidden"


def test_of_many_edited_messages_every_shown_one_has_both_lines() -> None:
    edits = [
        MessageChange("edited", f"uuid {number}", "user", "", f"now {number}", was=f"then {number}")
        for number in range(3)
    ]
    assert [line.text.rsplit(": ", 1)[1] for line in told(*edits)[1:]] == [
        "then 0", "now 0", "then 1", "now 1", "then 2", "now 2",
    ]  # fmt: skip


def test_messages_of_memories_that_nobody_knows_stand_below_a_memory() -> None:
    lines = told(MessageChange("compressed", "u", "", "", "words", "m9"))
    assert lines == [
        DifferenceLine(" ", "Compressed into a memory, 1 message:"),
        DifferenceLine("-", "  no date no role: words"),
    ]


def test_messages_that_are_gone_stand_together_whatever_memory_they_were_under() -> None:
    lines = told(spoken("gone", 1, "m1"), spoken("gone", 2, "m2"))
    assert [line.text for line in lines if line.mark == " "] == ["Gone, 2 messages:"]


def test_a_changed_message_names_its_fields() -> None:
    changed = replace(spoken("changed", 1), fields=("isPinned", "uuid"))
    assert told(changed)[1:] == [
        DifferenceLine("~", "  2026-03-02 10:15 you: words 1 (isPinned, uuid)")
    ]


def test_a_memory_that_the_person_forgot_is_forgotten_and_not_gone() -> None:
    forgotten = replace(KNOWN[0], forgotten=True)
    found = replace(NOTHING, memories=(MemoryChange("gone", "m1", 1, 0),))
    (line,) = describe_difference(found, [forgotten], "Aria")
    assert line == DifferenceLine("-", "memory 1, 2026-03-02: forgotten")


def test_every_fate_of_a_memory_has_its_words() -> None:
    lines = told(
        memories=(
            MemoryChange("new", "m1", 0, 1),
            MemoryChange("renewed", "m1", 1, 2),
            MemoryChange("edited", "m1", 2, 2),
            MemoryChange("incomplete", "m2", 1, 1),
            MemoryChange("completed", "m2", 1, 1),
            MemoryChange("folded", "m2", 1, 0, FOLD.memory_id),
            MemoryChange("unfolded", "m2", 0, 1, FOLD.memory_id),
            MemoryChange("gone", "m9", 1, 0),
        )
    )
    first, second = (f"memory {number}, 2026-03-02" for number in (1, 2))
    assert lines == [
        DifferenceLine("+", f"{first}: new, in edition 1"),
        DifferenceLine("~", f"{first}: from edition 1 to 2"),
        DifferenceLine("~", f"{first}: its text was edited"),
        DifferenceLine("~", f"{second}: messages of it are missing"),
        DifferenceLine("~", f"{second}: messages of it that were missing are back"),
        DifferenceLine("-", f"{second}: folded into fold f1"),
        DifferenceLine("+", f"{second}: unfolded from fold f1"),
        DifferenceLine("-", "m9: gone"),
    ]


def test_order_canned_messages_and_fields_come_last() -> None:
    found = Difference(
        8, 8, 1, 1, (), (), reordered=True, canned=("closing",),
        fields=(
            Field("preview", "changed"), Field("syncMetadata", "new"), Field("updatedAt", "changed"),
            Field("folderID", "gone"),
        ),
    )  # fmt: skip
    assert list(describe_difference(found, KNOWN, "Aria")) == [
        DifferenceLine("~", "the order of messages differs"),
        DifferenceLine("~", "the closing has changed"),
        DifferenceLine("~", "changed fields of the chat: preview, updatedAt"),
        DifferenceLine("~", "new fields of the chat: syncMetadata"),
        DifferenceLine("~", "gone fields of the chat: folderID"),
    ]
