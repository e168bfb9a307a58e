"""What becomes of each shape that Claude's export has for a message."""

from collections import Counter
from typing import Any

import pytest

from rules.bring.claude_ai import claude_text, project_instructions, read_claude
from rules.typingmind import spans
from tests.chats import json_bytes

BLOCKS: dict[str, tuple[Any, str]] = {
    "text": ({"type": "text", "text": "Hi", "citations": []}, "Hi"),
    "thinking": ({"type": "thinking", "thinking": "Hm."}, "[thinking]\nHm.\n[end of thinking]"),
    "summaries alone": (
        {"type": "thinking", "thinking": "", "summaries": [{"summary": "S"}]},
        "[thinking]\nS\n[end of thinking]",
    ),
    "redacted": ({"type": "redacted_thinking", "data": "x"}, "[thinking]"),
    "artifact": (
        {"type": "tool_use", "name": "artifacts", "input": {"title": "Poem", "content": "O sea"}},
        "[artifact: Poem]\nO sea\n[end of artifact: Poem]",
    ),
    "artifact's edit": (
        {"type": "tool_use", "name": "artifacts", "input": {"new_str": "O lake"}},
        "[artifact: without a name]\nO lake\n[end of artifact: without a name]",
    ),
    "tool call": (
        {"type": "tool_use", "name": "web_search", "input": {"query": "tide", "page": 2}},
        '[tool call: web_search]\n{"query": "tide", "page": 2}\n[end of tool call: web_search]',
    ),
    "result": (
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "low"}]},
        "[result of web_search]\nlow\n[end of result of web_search]",
    ),
    "voice": ({"type": "voice_note", "title": "V", "text": "spoken"}, "spoken"),
}


def parsed(value: Any) -> Any:
    return spans.value(json_bytes(value).decode(), 0)[0]


def rendered(**message: Any) -> tuple[str, dict[str, int]]:
    left: Counter[str] = Counter()
    return claude_text(parsed(message), left), dict(+left)


def blocks(*content: Any, **fields: Any) -> tuple[str, dict[str, int]]:
    return rendered(content=list(content), **fields)


@pytest.mark.parametrize("name", BLOCKS)
def test_what_has_text_comes_as_text(name: str) -> None:
    block, text = BLOCKS[name]
    assert blocks(block) == (text, {})


def test_blocks_count_before_the_older_text() -> None:
    assert blocks({"type": "text", "text": "new"}, text="old") == ("new", {})
    assert blocks(text="old") == ("old", {})
    assert rendered(content='[{"type":"text","text":"packed"}]', text="old") == ("packed", {})


@pytest.mark.parametrize("said", ["plain", "Привет", "5 apples", "[1] is where it says so", "{}"])
def test_a_plain_text_in_the_place_of_blocks_is_what_was_said(said: str) -> None:
    assert rendered(content=said, text="") == (said, {})


def test_what_the_app_put_there_and_unknown_blocks_are_counted_and_never_fatal() -> None:
    assert blocks(
        {"type": "injected_prompt_block", "prompt": "The date is ..."},
        {"type": "token_budget"},
        {"type": "dream", "text": "of sheep"},
        {"type": "image", "file_uuid": "1"},
        {"type": "text", "text": "", "citations": [{"url": "https://example.org"}]},
        7,
        None,
    ) == (
        "[dream]\nof sheep\n[end of dream]\n\n[picture]\n\n[unknown part]\n\n[unknown part]",
        {"hidden block": 2, "citation": 1, "part of an unknown kind": 3, "picture": 1},
    )


def test_attachments_come_as_text_and_files_as_a_line() -> None:
    assert rendered(
        text="See",
        attachments=[{"file_name": "a.txt", "extracted_content": "A"}, {"file_name": "b.txt"}],
        files=[{"file_name": "sea.png"}],
        files_v2=[{"file_name": "sea.png"}, {"file_uuid": "91aa"}],
    ) == (
        "See\n\n[file: a.txt]\nA\n[end of file: a.txt]\n\n[file: b.txt]\n\n[file: sea.png]"
        "\n\n[file: 91aa]",
        {"file": 3},
    )


def test_of_a_tree_the_branch_with_the_newest_leaf_comes_and_the_others_can_be_named() -> None:
    def message(key: str, parent: str, day: int) -> dict[str, Any]:
        date = f"2026-01-{day:02d}T00:00:00Z"
        return {
            "uuid": key, "parent_message_uuid": parent, "sender": "human", "text": key,
            "created_at": date,
        }  # fmt: skip

    fields = {
        "uuid": "c",
        "chat_messages": [
            message("a", "root", 1),
            message("b", "a", 2),
            message("c", "a", 4),
            message("b2", "b", 3),
            message("c2", "c", 5),
        ],
    }
    read = [read_claude(parsed(fields), branch) for branch in (1, 2, 3)]
    texts = ["".join(said.text for said in each.messages) for each in read]
    assert texts == ["acc2", "abb2", "abb2"]
    assert [end and end.day for end in read[0].branch_ends] == [5, 3]
    chosen = fields | {"current_leaf_message_uuid": "b2"}
    assert [said.text for said in read_claude(parsed(chosen)).messages] == ["a", "b", "b2"]


def test_projects_that_have_instructions_are_offered() -> None:
    projects = [
        {"name": "Aria", "prompt_template": "You are Aria."},
        {"name": "Empty", "prompt_template": " "},
        {"prompt_template": "nameless"},
        7,
    ]
    assert project_instructions(parsed(projects)) == {"Aria": "You are Aria."}
    assert project_instructions(parsed(projects[0])) == {"Aria": "You are Aria."}
