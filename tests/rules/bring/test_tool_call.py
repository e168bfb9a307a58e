"""What the persona wrote through a tool comes as its lines, whatever the tool and its arguments are called."""

import json
from collections import Counter
from typing import Any

import pytest

from rules.bring.chatgpt import chatgpt_text
from rules.bring.claude_ai import claude_text
from rules.typingmind import spans
from tests.chats import json_bytes

POEM = '# The sea\n\nIt said "no".\n\n  And then:\tyes.\n'
LINES = POEM.splitlines()
ARGUMENTS: dict[str, Any] = {
    "create_file": {"description": "A poem", "path": "/outputs/sea.md", "file_text": POEM},
    "str_replace": {"path": "/outputs/sea.md", "old_str": "It said yes.", "new_str": POEM},
    "canmore.create_textdoc": {"name": "Sea", "type": "document", "content": POEM},
    "canmore.update_textdoc": {
        "updates": [{"pattern": ".*", "multiple": False, "replacement": POEM}]
    },
    "of a plugin": {"cells": {"rows": [["a", 1], [POEM, None]]}},
}


def claude(tool: str, given: Any, *, as_before: bool = False) -> str:
    block = {"type": "tool_use", "name": tool, "input": given}
    message = spans.value(json_bytes({"content": [block]}).decode(), 0)[0]
    assert isinstance(message, dict)
    return claude_text(message, Counter(), as_before=as_before)


def chatgpt(tool: str, said: str, *, as_before: bool = False) -> str:
    content = {"content_type": "code", "language": "json", "text": said}
    message = {"author": {"role": "assistant"}, "recipient": tool, "content": content}
    return chatgpt_text(message, Counter(), as_before=as_before)


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_long_text_comes_as_its_lines(tool: str) -> None:
    given = ARGUMENTS[tool]
    for text in (claude(tool, given), chatgpt(tool, json.dumps(given))):
        start = text.splitlines().index(LINES[0])
        assert text.splitlines()[start : start + len(LINES)] == LINES
        assert text.startswith(f"[tool call: {tool}]\n")


def test_what_is_beside_it_stays_json_and_goes_before_it() -> None:
    given = {"path": "/outputs/sea.md", "size": 2, "to": None, "file_text": POEM}
    assert claude("create_file", given).splitlines()[1:5] == [
        '{"path": "/outputs/sea.md", "size": 2, "to": null}',
        "",
        "file_text:",
        "# The sea",
    ]
    edit = {"old_str": "The dog slept.", "new_str": "The dog slept on her apron."}
    assert "new_str:\nThe dog slept on her apron.\n" in claude("str_replace", edit)


def test_names_of_files_stay_as_they_are() -> None:
    given = {"filepaths": ["/mnt/user-data/outputs/the-sea-and-other-poems.md"]}
    asked = claude("present_files", given)
    assert asked == claude("present_files", given, as_before=True)
    assert json.dumps(given) in asked


@pytest.mark.parametrize(
    "said", ["search('the sea in March, if any')", '{"content": "cut off at\\n', '["a\\nb"] x']
)
def test_what_is_no_json_of_arguments_stays_as_it_was_said(said: str) -> None:
    assert f"[code]\n{said}\n[end of code]" in chatgpt("a.tool", said)


def test_the_form_of_before_is_one_line_of_json() -> None:
    given = ARGUMENTS["create_file"]
    in_json = json.dumps(given)
    assert claude("create_file", given, as_before=True).splitlines()[1] == in_json
    assert chatgpt("create_file", in_json, as_before=True).splitlines()[2] == in_json


def test_what_a_tool_said_stays_as_it_was() -> None:
    author = {"role": "tool", "name": "canmore.create_textdoc"}
    said = json.dumps({"result": POEM})
    message = {"author": author, "content": {"content_type": "text", "parts": [said]}}
    assert said in chatgpt_text(message, Counter())
