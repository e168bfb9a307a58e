"""The five tools are said once, and what they cannot answer is told in a sentence."""

from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult, Tool

from daemon.config.settings import Config
from daemon.recall import tools
from daemon.recall.library import Library
from daemon.recall.toolbox import TOOLS, call_tool, list_tools
from daemon.recall.tools import timeline_entry
from tests.entries import memory_of, talk

SECRET = "the words of a message"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """An archive in which nothing is yet."""
    return Library(Config(), tmp_path)


def test_the_list_is_the_protocol_s_and_every_argument_says_what_it_takes(
    library: Library,
) -> None:
    for tool in list_tools(library):
        Tool.model_validate(tool)
        assert all(
            argument["description"] for argument in tool["inputSchema"]["properties"].values()
        ), tool["name"]
        assert "title" not in str(tool["inputSchema"]).lower().replace("title or id", "")
    assert [tool["name"] for tool in list_tools(library)] == list(TOOLS)


def test_a_program_can_read_the_bounds_of_numbers_in_the_schema(library: Library) -> None:
    search = next(tool for tool in list_tools(library) if tool["name"] == "recall_search")
    limit = search["inputSchema"]["properties"]["limit"]
    assert (limit["type"], limit["minimum"], limit["maximum"]) == ("integer", 1, 10)


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        (
            "recall_search",
            {},
            "The argument `query` is missing. Allowed is: Words to look for, 1 to 300 characters.",
        ),
        ("recall_search", {"query": ""}, 'The argument `query` cannot be "". Allowed is: Words'),
        (
            "recall_search",
            {"query": "x" * 400},
            "The argument `query` cannot be a text of 400 characters.",
        ),
        (
            "recall_search",
            {"query": "x", "limit": 50},
            "`limit` cannot be 50. Allowed is: How many places to give, 1",
        ),
        ("recall_search", {"query": "x", "limit": [1]}, "`limit` cannot be a list."),
        ("recall_search", {"query": "x", "limit": {}}, "`limit` cannot be an object."),
        ("recall_search", {"query": "x", "limit": 10**90}, "`limit` cannot be a huge number."),
        (
            "recall_search",
            {"query": "x", "among": "every\nthing"},
            '`among` cannot be "every thing". Allowed is: raw',
        ),
        ("recall_search", {"query": "x", "since": "yesterday"}, "Allowed is: A day as YYYY-MM-DD"),
        (
            "recall_search",
            {"query": "x", "from": "2024-01-01"},
            "recall_search has no argument from. It takes query,",
        ),
        (
            "recall_search",
            {"query": "x", "since": "2024-13-45"},
            '`since` cannot be "2024-13-45". Allowed is: A day',
        ),
        (
            "recall_search",
            {"query": "x", "until": "2023-02-29"},
            '`until` cannot be "2023-02-29". Allowed is: A day',
        ),
        (
            "recall_search",
            {"query": "x", "limit": True},
            "`limit` cannot be true. Allowed is: How many",
        ),
        ("recall_open", {"record": "r", "page": False}, "`page` cannot be false."),
        (
            "recall_open",
            {"record": "r", "page": 0},
            "`page` cannot be 0. Allowed is: Which page, from 1 on.",
        ),
        (
            "recall_everything",
            {},
            "There is no tool recall_everything. There are recall_search, recall_open,",
        ),
    ],
)
def test_an_argument_that_cannot_be_is_named_with_what_it_got_and_what_is_allowed(
    library: Library, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    answer = call_tool(library, tool, arguments)
    text = answer["content"][0]["text"]
    assert answer["isError"]
    assert sentence in text
    assert answer["structuredContent"]["error"] == text
    assert "pydantic" not in text.lower()
    assert len(text) < 300


def test_what_is_null_counts_as_not_there_and_numbers_as_they_are_meant(library: Library) -> None:
    answer = call_tool(
        library, "recall_search", {"query": "sea", "since": None, "chat": None, "limit": "3"}
    )
    assert not answer["isError"]
    CallToolResult.model_validate(answer)
    opened = call_tool(library, "recall_open", {"record": 7, "page": 1.0})
    assert "There is no record 7" in opened["content"][0]["text"]


def test_what_nobody_foresaw_is_told_without_the_words_it_was_about(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(tools.RecallCoreMemory, "look_up", fail)
    answer = call_tool(library, "recall_core_memory", {})
    assert answer["isError"]
    assert (
        "a mistake in memproc itself (ValueError in daemon/recall/toolbox.py"
        in answer["content"][0]["text"]
    )
    (report,) = tmp_path.glob("memproc-mistake-*")
    assert SECRET not in report.read_text() + str(answer)


def test_a_quote_on_the_line_of_time_ends_with_a_whole_word() -> None:
    text = "She said that the lighthouse would be lit again before the first of the winter storms came in"
    shown = "She said that the lighthouse would be lit again before the first of the winter …"
    for quote, on_the_line in ((text, shown), ("Short.", "Short."), ("x" * 200, "x" * 80)):
        assert timeline_entry(memory_of(1, talk(quote))).data["quote"] == on_the_line
