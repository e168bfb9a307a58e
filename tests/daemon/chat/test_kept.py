"""What a pin keeps of a message that an image parts."""

from daemon.archive.archive import Archive
from daemon.archive.keeping import store_passages, unproved_passages
from daemon.chat.kept import mark, read_pins
from rules.layers.kept_passages import notes_on
from rules.recognize.recognize import recognize
from rules.typingmind.chat import read_messages
from tests.daemon.archive.test_messages import CHAT, LATER, see
from tests.entries import chat_of, reading_of, said

PARTS = [
    {"type": "text", "text": "Look at the lamp."},
    {"type": "image_url", "image_url": {"url": "https://example.com/lamp.png"}},
    {"type": "text", "text": "It was out all night."},
]
PARTED = said("user", "", 0, content=PARTS, isPinned=True)
WHOLE = said("assistant", "I see it.", 1, isPinned=True)


def test_a_message_that_an_image_parts_keeps_its_first_part_and_says_so() -> None:
    chat = chat_of([PARTED, WHOLE])
    reading = reading_of(recognize(read_messages(chat), {}))
    with Archive.memory() as archive:
        see(archive, [PARTED, WHOLE])
        pins = read_pins(archive, chat, reading, LATER).would_keep
        marked = mark(archive, CHAT, "", str(PARTED.uuid))
    notes = [note for passage in (*pins, marked) for note in notes_on(passage)]
    assert [pin.text for pin in (*pins, marked)] == [
        "Look at the lamp.", "I see it.", "Look at the lamp."
    ]  # fmt: skip
    assert sum("before an image or a file; the rest is not kept" in note for note in notes) == 2


def test_a_passage_that_its_message_does_not_say_is_found_by_verify() -> None:
    with Archive.memory() as archive:
        see(archive, [PARTED, WHOLE])
        store_passages(archive, CHAT, [mark(archive, CHAT, "all night")], LATER)
        assert list(unproved_passages(archive)) == []
        archive.run("UPDATE kept_passage SET start = start + 1")  # sealed, as a mistake would be
        (problem,) = unproved_passages(archive)
    assert problem.startswith("archive: passage 1 (")
    assert problem.endswith(f"of the chat {CHAT} is not in its raw message")
