"""The protocol's own client, in a process of its own: `python -m tests.bench.recall_client PORT TOKEN`.

It prints the seconds of each call as JSON, by the tool.
"""

import asyncio
import json
import sys
import time
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

TIMES = 50
_QUERIES = (
    "what did we say about the harbour",
    "the storm and the lamp",
    "who mends the nets",
    "when was the sea calm",
)
_LIMIT_SECONDS = 60.0


async def _asked(port: int, token: str) -> dict[str, list[float]]:
    """Seconds of each call, by the tool."""
    await _is_there(port)
    async with (
        httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {token}"}, timeout=_LIMIT_SECONDS
        ) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
    ):
        first = await _timed(client, "recall_search", query="the first question")
        seconds = {"the first search": [first]}
        (memory, *_) = (await client.call_tool("recall_timeline", {})).structured_content[
            "memories"
        ]
        for number in range(TIMES):
            calls: dict[str, dict[str, object]] = {
                "recall_search": {"query": _QUERIES[number % len(_QUERIES)], "limit": 10},
                "recall_open": {"record": memory["id"], "what": "raw"},
                "recall_timeline": {},
                "facts": {"words": "lamp"},
            }
            for tool, arguments in calls.items():
                seconds.setdefault(tool, []).append(await _timed(client, tool, **arguments))
    return seconds


async def _timed(client: Client, tool: str, **arguments: Any) -> float:
    began = time.perf_counter()
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool} was refused: {result.content}")
    return time.perf_counter() - began


async def _is_there(port: int) -> None:
    until = time.monotonic() + _LIMIT_SECONDS
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(_asked(int(sys.argv[1]), sys.argv[2]))) + "\n")
