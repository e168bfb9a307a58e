"""Ask a recall server in this process with the protocol's own client."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp import Client
from mcp.types import CallToolResult, TextContent

from daemon.cli.settings import Settings
from daemon.models.tokens import count
from daemon.recall.library import Library
from daemon.recall.server import recall_server
from tests.stories.person import Person


def library(person: Person, only: str = "") -> Library:
    """Return the library of a person's archive."""
    settings = Settings(person.toml, quiet=True)
    return Library(settings.config, settings.folders.state, only)


def ask(person: Person, asking: Callable[[Client], Awaitable[Any]], only: str = "") -> Any:
    """Return the result of asking a server for all chats, or for one."""
    return asyncio.run(asked(recall_server(library(person, only)), asking))


async def asked(server: Any, asking: Callable[[Client], Awaitable[Any]]) -> Any:
    """Return the result of asking this server."""
    async with Client(server) as client:
        return await asking(client)


def call(person: Person, tool: str, only: str = "", /, **arguments: object) -> CallToolResult:
    """Call a tool, and return its answer."""
    result = ask(person, lambda client: client.call_tool(tool, arguments), only)
    assert isinstance(result, CallToolResult)
    return result


def text_of(result: CallToolResult) -> str:
    """Return the only text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data_of(result: CallToolResult) -> Mapping[str, Any]:
    """Return the structured data of an answer."""
    data: Mapping[str, Any] | None = result.structured_content
    assert data is not None
    return data


def is_within(result: CallToolResult, tokens: int) -> bool:
    """Return whether the answer keeps to its limit in both forms."""
    data = json.dumps(result.structured_content, ensure_ascii=False)
    return count(text_of(result)) <= tokens and count(data) <= tokens
