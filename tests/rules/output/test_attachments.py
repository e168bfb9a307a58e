"""A message that names a file of TypingMind's own store stays in the chat: TypingMind deletes what nothing names."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.conversation.history import group_by_memory
from rules.conversation.memory import Memory
from rules.output.assemble import Mode
from rules.output.prove import verify
from rules.recognize.known import Known
from rules.recognize.user_edits import find_edits
from rules.typingmind import plain
from rules.typingmind.content import find_attachments
from rules.typingmind.message import Message, read_message
from rules.typingmind.originals import is_for_attachment, plain_original
from tests.entries import UNTOUCHED, chat_of, entries, memory_of, past_of, said, with_edition
from tests.rules.output.finishing import CANNED, Done, finish, kinds, looked_at, spoken

MODES: tuple[Mode, ...] = ("replace", "new-chat", "keep-originals")
BRANCH = [
    {"messages": [{"role": "user", "content": [{"metadata": {"localBlobID": "in a branch"}}]}]}
]
CALL: dict[str, Any] = {
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "paint", "arguments": "{}"}}],
}


def blob(name: str) -> dict[str, object]:
    return {"type": "tm_blob_file", "id": "p", "metadata": {"name": "sea.png", "localBlobID": name}}


SHAPES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an empty name": {"content": [{"type": "tm_blob_file", "metadata": {"localBlobID": ""}}]},
    "a zero": {"content": [{"type": "tm_blob_file", "metadata": {"localBlobID": 0}}]},
    "content": {"content": [{"type": "text", "text": "Look!"}, blob("in content")]},
    "synced": {
        "content": [{"type": "tm_image_file", "sync": {"blobID": "in the cloud", "url": "x"}}]
    },
    "metaBlobs": {"metaBlobs": [{"metadata": {"localBlobID": "in metaBlobs"}}]},
    "reasoning": {"reasoning_details": {"metaBlobID": "in reasoning"}},
    "tool": {"role": "tool", "pluginResponse": {"data": {"cards": [blob("in a card")]}}},
    "tool without": {"role": "tool"},
    "call": {"role": "assistant", **CALL},
    "call with": {"role": "assistant", **CALL, "metaBlobs": [blob("in a call")]},
    "branches": {"threads": BRANCH},
    "excluded": {
        "contextClearedAt": "2026-01-01T00:00:00.000Z",
        "content": [blob("in what was excluded")],
    },
    "answers": {
        "type": "tm_multi_responses",
        "responses": [{"messages": [{"metaBlobs": [blob("in an answer")]}]}],
    },
}
talks = st.lists(st.sampled_from(sorted(SHAPES)), min_size=8, max_size=8)


def talk(*shapes: str) -> list[Message]:
    """Eight messages in which shapes vary; ids are apart."""
    names = [*shapes, *["nothing"] * (8 - len(shapes))]
    return [_shaped(at, SHAPES[name]) for at, name in enumerate(names)]


def _shaped(at: int, fields: dict[str, Any]) -> Message:
    plain = said(("user", "assistant")[at % 2], f"message number {at}", at)
    spelled = json.dumps(json.loads(plain.raw) | fields)
    for name in list(files(fields)):
        spelled = spelled.replace(f'"{name}"', f'"{name} {at}"')
    return read_message(spelled.encode())


def files(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (
            name
            for key, name in value.items()
            if key in ("localBlobID", "metaBlobID", "blobID") and name
        )
        for inner in value.values():
            yield from files(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from files(inner)


def done(messages: list[Message], mode: Mode = "replace", *, upto: int = 6) -> Done:
    """Finished with two memories, of all that was lived among the first messages."""
    return finish(chat_of(messages), memories(messages, upto), mode=mode, archived=messages)


def memories(messages: list[Message], upto: int = 6) -> list[Memory]:
    lived = [one for one in entries(messages)[:upto] if not one.message.cleared]
    return [
        _unquoted(memory_of(number, part, "said"))
        for number, part in enumerate((lived[:2], lived[2:]), 1)
        if part
    ]


def _unquoted(memory: Memory) -> Memory:
    """Not every message of these has words that could be quoted."""
    return replace(memory, edition=replace(memory.edition, quotes=()))


@pytest.mark.parametrize("mode", MODES)
@given(talks)
def test_every_file_that_the_chat_named_is_named_in_the_finished_chat(
    mode: Mode, shapes: list[str]
) -> None:
    messages = talk(*shapes)
    finished = done(messages, mode)
    assert verify(finished.proof) == ()
    before = {name for one in messages for name in files(json.loads(one.raw))}
    assert set(files(finished.messages)) == before
    sync = finished.after.get("syncMetadata", {})
    assert not {one.get("uuid") for one in finished.messages} & set(
        sync.get("deletedMessageUUIDs", ())
    )


@pytest.mark.parametrize("mode", MODES)
@given(talks)
def test_a_finished_chat_with_attachments_comes_again_as_it_is(
    mode: Mode, shapes: list[str]
) -> None:
    messages = talk(*shapes)
    first = done(messages, mode)
    again = finish(first.again(), memories(messages), mode=mode, archived=messages)
    assert (again.assembled.changed, again.messages) == (False, first.messages)
    places, _ = looked_at(first.again(), memories(messages), messages)
    made = memories(messages)
    past = [
        old
        for one in made
        for old in past_of(one, [e for e in entries(messages) if e.key in one.keys])
    ]
    known = Known("c", made, {one.memory_id: [one.edition] for one in made}, past)
    assert find_edits(known, places, group_by_memory(places)) == UNTOUCHED


def test_it_stays_where_it_stood_shown_and_no_longer_sent() -> None:
    messages = talk("nothing", "nothing", "content", "nothing", "nothing", "nothing")
    finished = done(messages)
    (kept,) = [one for one in finished.messages if one.get("memproc", {}).get("kind") == "original"]
    assert kept["contextClearedAt"]
    assert (
        plain_original(json.dumps(kept).encode())
        == json.dumps(json.loads(messages[2].raw)).encode()
    )
    assert kinds(finished.messages) == [
        "opening",
        *["memory"] * 12,
        "closing",
        "original",
        "raw",
        "raw",
    ]
    assert messages[2].uuid not in finished.assembled.removed


@pytest.mark.parametrize(
    "shapes", [("call", "tool"), ("call with", "tool without"), ("call", "tool without", "tool")]
)
def test_a_tool_call_and_its_results_stay_together(shapes: tuple[str, ...]) -> None:
    messages = talk("nothing", "nothing", *shapes, "nothing")
    stayed = [
        one["uuid"]
        for one in done(messages).messages
        if one.get("memproc", {}).get("kind") == "original"
    ]
    assert stayed == [one.uuid for one in messages[2 : 2 + len(shapes)]]


def test_a_tool_call_without_files_goes_although_the_next_one_stays() -> None:
    messages = talk("nothing", "call", "tool without", "call", "tool", "nothing")
    stayed = [
        one["uuid"]
        for one in done(messages).messages
        if one.get("memproc", {}).get("kind") == "original"
    ]
    assert stayed == [one.uuid for one in messages[3:5]]


def after(first: Done, messages: list[Message], change: Any, mode: Mode = "replace") -> Done:
    """The finished chat once more, after the person has changed something in it."""
    exported = first.messages
    change(exported)
    chat = chat_of([read_message(json.dumps(one).encode()) for one in exported])
    return finish(chat, memories(messages), mode=mode, archived=messages)


@pytest.mark.parametrize("before", MODES)
@pytest.mark.parametrize("later", MODES)
def test_another_mode_keeps_the_files(before: Mode, later: Mode) -> None:
    messages = talk("content", "nothing", "metaBlobs", "nothing")
    again = after(done(messages, before), messages, lambda m: None, later)
    assert verify(again.proof) == ()
    assert {"in content 0", "in metaBlobs 2"} == set(files(again.messages))


def test_what_stands_there_for_its_file_does_not_say_that_the_others_were_deleted() -> None:
    messages = talk("nothing", "nothing", "content", "nothing", "content", "nothing")
    made = memories(messages)
    kept_all = done(messages, "keep-originals")
    for change, gone in (
        (lambda m: None, ()),
        (lambda m: m.pop(_original(m)), (messages[2].uuid,)),
    ):
        later = after(
            after(done(messages), messages, lambda m: None, "keep-originals"), messages, change
        )
        places = later.proof.places
        past = [
            old
            for one in made
            for old in past_of(one, [e for e in entries(messages) if e.key in one.keys])
        ]
        known = Known("c", made, {one.memory_id: [one.edition] for one in made}, past)
        hand = find_edits(known, places, group_by_memory(places))
        assert hand.deleted == gone
    assert kinds(kept_all.messages).count("original") == 6


def _original(messages: list[Any]) -> int:
    return kinds(messages).index("original")


@pytest.mark.parametrize(
    ("at", "stands"),
    [
        (0, ["opening", "m1", "m2", "closing", "(opening)", "6", "7"]),
        (4, ["opening", "m1", "m2", "closing", "(Perspective 1)", "6", "7"]),
        (10, ["opening", "m1", "m2", "closing", "(Perspective 2)", "6", "7"]),
        (13, ["opening", "m1", "m2", "m3", "closing", f"({CANNED.closing})"]),
    ],
)
def test_a_message_of_ours_to_which_a_file_was_attached_stays_too(
    at: int, stands: list[str]
) -> None:
    """The opening, an answer of each memory, the closing: another text takes the place of each."""
    messages = talk()
    exported = done(messages).messages
    exported[at]["threads"] = BRANCH
    if at == 0:
        exported[at]["content"] = "opening"
    first, second = memories(messages)
    third = _unquoted(memory_of(3, entries(messages)[6:], "said"))
    shown = {
        0: [first, second],
        4: [with_edition(first, 2), second],
        10: [first, with_edition(second, 2)],
        13: [first, second, third],
    }[at]
    chat = chat_of([read_message(json.dumps(one).encode()) for one in exported])
    renewed = finish(chat, shown, archived=messages)
    assert verify(renewed.proof) == ()
    assert list(files(renewed.messages)) == ["in a branch"]
    (kept,) = [message for message in renewed.messages if is_for_attachment(message.get("memproc"))]
    assert (kept["uuid"], kept["threads"]) == (exported[at]["uuid"], BRANCH)
    assert kept["memproc"]["memory"] == ("m2" if at == 10 else "m1")
    assert kept["contextClearedAt"]
    again = finish(renewed.again(), shown, archived=messages)
    assert (verify(again.proof), again.messages) == ((), renewed.messages)
    assert spoken(renewed.messages) == stands


def test_a_message_of_ours_with_a_picture_in_itself_stays_too() -> None:
    messages = talk()
    exported = done(messages).messages
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    exported[4]["content"] = [{"type": "text", "text": "The sea"}, picture]
    first, second = memories(messages)
    shown = [with_edition(first, 2), second]
    chat = chat_of([read_message(json.dumps(one).encode()) for one in exported])
    renewed = finish(chat, shown, archived=messages)
    assert verify(renewed.proof) == ()
    (kept,) = [message for message in renewed.messages if is_for_attachment(message.get("memproc"))]
    assert kept["content"] == exported[4]["content"]
    again = finish(renewed.again(), shown, archived=messages)
    assert (verify(again.proof), again.messages) == ((), renewed.messages)


def test_the_proof_finds_a_file_that_is_named_no_more() -> None:
    messages = talk("content")
    good = done(messages)
    chat = good.after
    chat["messages"].pop(_original(chat["messages"]))
    faults = verify(replace(good.proof, after=json.dumps(chat).encode()))
    assert (
        "an attachment is no longer named by any message, so TypingMind would delete it" in faults
    )


def test_a_zero_names_no_file() -> None:
    zero = said("user", "", 1, **SHAPES["a zero"])
    assert (
        find_attachments(zero.raw) == plain.files_of(plain.parse_json(zero.raw.decode())) == set()
    )
    assert spoken(done(talk("a zero")).messages) == spoken(done(talk()).messages)


def test_the_same_file_in_another_place_is_the_same_message() -> None:
    here, there = (said("user", "", 1, content=[blob(name)]) for name in ("here", "there"))
    other = said(
        "user",
        "",
        1,
        content=[blob("here") | {"metadata": {"name": "land.png", "localBlobID": "here"}}],
    )
    assert here.digest == there.digest != other.digest


def test_spoken_is_as_before_where_nothing_names_a_file() -> None:
    assert spoken(done(talk()).messages) == ["opening", "m1", "m2", "closing", "6", "7"]
