"""What becomes of each shape that DeepSeek's export has for a message."""

from datetime import UTC, datetime
from typing import Any

from rules.bring.conversation import Conversation
from rules.bring.deepseek import is_deepseek, read_deepseek, summarize_deepseek
from rules.typingmind import spans
from rules.typingmind.foreign_files import other_program
from tests.chats import json_bytes


def node(parent: str | None, minute: int, *fragments: dict[str, Any], **fields: Any) -> Any:
    when = f"2026-06-01T10:{minute:02}:00.000000+08:00"
    said = {"inserted_at": when, "model": "deepseek-reasoner", "files": [], **fields}
    return {"parent": parent, "children": [], "message": said | {"fragments": list(fragments)}}


def asked(words: str) -> dict[str, Any]:
    return {"type": "REQUEST", "content": words}


def answered(words: str) -> dict[str, Any]:
    return {"type": "RESPONSE", "content": words}


def exported(**nodes: Any) -> dict[str, Any]:
    root = {"root": {"parent": None, "children": ["1"], "message": None}}
    return {"id": "c", "title": "Aria", "inserted_at": "2026-06-01T10:00:00+08:00"} | {
        "mapping": root | {key.removeprefix("n"): value for key, value in nodes.items()}
    }


def read(conversation: dict[str, Any], branch: int = 1) -> Conversation:
    parsed, _ = spans.value(json_bytes(conversation).decode(), 0)
    assert isinstance(parsed, dict)
    return read_deepseek(parsed, branch)


def texts(conversation: Conversation) -> list[tuple[str, str]]:
    return [(said.role, said.text) for said in conversation.messages]


def test_thinking_and_searches_come_in_frames_in_the_order_in_which_they_happened() -> None:
    search = {"type": "SEARCH", "results": [{"title": "Tides", "url": "https://x.test/a"}]}
    conversation = read(
        exported(
            n1=node("root", 1, asked("When is high water?")),
            n2=node("1", 2, {"type": "THINK", "content": "The sea."}, search, answered("At six.")),
        )
    )
    assert texts(conversation) == [
        ("user", "When is high water?"),
        (
            "assistant",
            "[thinking]\nThe sea.\n[end of thinking]\n\n[result of search]\nTides: https://x.test/a\n"
            "[end of result of search]\n\nAt six.",
        ),
    ]
    assert conversation.model == "deepseek-reasoner"
    assert conversation.messages[0].when == datetime(2026, 6, 1, 2, 1, tzinfo=UTC)


def test_the_branch_that_ends_last_comes_and_the_others_by_number() -> None:
    conversation = exported(
        n1=node("root", 1, asked("A name?")),
        n2=node("1", 2, answered("Pip.")),
        n3=node("1", 4, answered("Juno.")),
    )
    assert [said.text for said in read(conversation).messages] == ["A name?", "Juno."]
    assert [said.text for said in read(conversation, 2).messages] == ["A name?", "Pip."]
    assert len(read(conversation).branch_ends) == 2


def test_files_and_unknown_fragments_come_as_lines_and_are_counted() -> None:
    conversation = read(
        exported(
            n1=node("root", 1, asked("Look."), files=[{"file_name": "boat.png"}]),
            n2=node("1", 2, {"type": "TOOL_OPEN"}, answered("A boat.")),
        )
    )
    assert [said.text for said in conversation.messages] == [
        "Look.\n\n[file: boat.png]",
        "[tool open]\n\nA boat.",
    ]
    assert conversation.left == {"file": 1, "part of an unknown kind": 1}


def test_it_is_told_from_a_chatgpt_export_by_its_fragments() -> None:
    conversation = exported(n1=node("root", 1, asked("Hello")))
    assert is_deepseek(conversation)
    assert not is_deepseek({"mapping": {"1": {"message": {"content": {"parts": ["Hello"]}}}}})
    foreign = other_program(json_bytes([conversation]))
    assert foreign is not None
    assert foreign.what == "a DeepSeek export"
    assert summarize_deepseek(conversation).messages == 1
