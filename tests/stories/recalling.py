"""The protocol's own client asks a recall server in this process."""

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
    """What may be looked up at somebody's."""
    settings = Settings(person.toml, quiet=True)
    return Library(settings.config, settings.folders.state, only)


def ask(person: Person, asking: Callable[[Client], Awaitable[Any]], only: str = "") -> Any:
    """What comes of asking a server for all chats, or for one."""
    return asyncio.run(asked(recall_server(library(person, only)), asking))


async def asked(server: Any, asking: Callable[[Client], Awaitable[Any]]) -> Any:
    """What comes of asking this server."""
    async with Client(server) as client:
        return await asking(client)


def call(person: Person, tool: str, only: str = "", /, **arguments: object) -> CallToolResult:
    """The answer of one tool."""
    result = ask(person, lambda client: client.call_tool(tool, arguments), only)
    assert isinstance(result, CallToolResult)
    return result


def text_of(result: CallToolResult) -> str:
    """The one text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data_of(result: CallToolResult) -> Mapping[str, Any]:
    """The answer as data."""
    data: Mapping[str, Any] | None = result.structured_content
    assert data is not None
    return data


def is_within(result: CallToolResult, tokens: int) -> bool:
    """Whether the answer keeps to its bound in both forms."""
    data = json.dumps(result.structured_content, ensure_ascii=False)
    return count(text_of(result)) <= tokens and count(data) <= tokens
