"""A conversation of 500,000 tokens is looked up within the same bounds."""

import asyncio
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from tests.chats import export_bytes, long_chat
from tests.stories.person import Person
from tests.stories.recalling import asked, data_of, is_within


@pytest.mark.long
def test_a_conversation_of_half_a_million_tokens_is_looked_up_within_the_same_bounds(
    tmp_path: Path,
) -> None:
    ada = Person(tmp_path / "ada", tail=30_000, step=24_000, chunk=4_000)
    ada.drop(export_bytes(long_chat(500_000)))
    assert ada.memproc("run").code == 0

    async def asking(client: Client) -> list[CallToolResult]:
        found = await client.call_tool(
            "recall_search", {"query": "the harbour and the storm", "limit": 10}
        )
        lines = await client.call_tool("recall_timeline", {})
        fold = next(line["id"] for line in data_of(lines)["memories"] if line["is_fold"])
        inside = await client.call_tool("recall_timeline", {"fold": fold})
        raw = {"record": fold, "what": "raw"}
        pages = [await client.call_tool("recall_open", {**raw, "page": page}) for page in (1, 2, 5)]
        return [found, lines, inside, *pages]

    command, *arguments = ada.argv("mcp")
    found, lines, inside, *pages = asyncio.run(
        asked(StdioServerParameters(command=command, args=arguments), asking)
    )
    assert len(data_of(found)["hits"]) == 10
    assert all(is_within(result, 1500) for result in (found, lines, inside))
    assert all(is_within(page, 4000) for page in pages)
    assert not any(data_of(page)["is_last"] for page in pages)
