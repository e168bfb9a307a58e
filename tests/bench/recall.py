"""Looking things up in an archive of 500,000 tokens: how long an answer takes, and what the server's process holds."""

import asyncio
import os
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.bench.measure import COMMAND, FOLDERS, Table, run
from tests.chats import export_bytes, long_chat

TOKENS = 500_000
TIMES = 50
SEARCH_MS, PEAK = 50.0, 90e6
_QUERIES = (
    "what did we say about the harbour",
    "the storm and the lamp",
    "who mends the nets",
    "when was the sea calm",
)
_LIMIT_SECONDS = 60.0


def measure(folder: Path) -> list[Table]:
    """Have the conversation compressed, then ask `memproc mcp` over HTTP, one question after the other."""
    (folder / "inbox").mkdir()
    (folder / "memproc.toml").write_text(FOLDERS + '[models]\nagent = "memproc/extractive"\n', encoding="utf-8")
    (folder / "inbox" / "export.json").write_bytes(export_bytes(long_chat(TOKENS)))
    command = (COMMAND, "--config", folder / "memproc.toml")
    run(*command, "run", folder=folder)
    token = run(*command, "recall", "token", folder=folder).told.strip()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([*map(str, command), "mcp", "--http", str(port)], cwd=folder)
    try:
        seconds = asyncio.run(_asked(port, token))
    finally:
        server.terminate()
        used = os.wait4(server.pid, 0)[2]
    peak = used.ru_maxrss * 1024
    milliseconds = {tool: [1000 * each for each in taken] for tool, taken in seconds.items()}
    rows = tuple(
        (tool, f"{statistics.median(taken):.1f}", f"{max(taken):.1f}", _kept(tool, taken))
        for tool, taken in milliseconds.items()
    )
    notes = (
        f"A conversation of {TOKENS:,} tokens, and `memproc mcp --http` in a process of its own, asked {TIMES} times",
        "by the SDK's client; the first question, which makes the index, apart. The process took",
        f"{peak / 1e6:.0f} MB at most. Targets: {SEARCH_MS:.0f} ms for a search, {PEAK / 1e6:.0f} MB.",
    )
    figures = {"milliseconds": milliseconds, "peak": peak}
    return [Table("Looking things up", notes, ("", "ms, median", "ms, most", "target"), rows, figures)]


def _kept(tool: str, taken: list[float]) -> str:
    if tool != "recall_search":
        return ""
    return "kept" if statistics.median(taken) <= SEARCH_MS else "missed"


async def _asked(port: int, token: str) -> dict[str, list[float]]:
    """Seconds of each call, by the tool."""
    await _is_there(port)
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=_LIMIT_SECONDS) as http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
    ):
        first = await _timed(client, "recall_search", query="the first question")
        seconds = {"the first search": [first]}
        (memory, *_) = (await client.call_tool("recall_timeline", {})).structured_content["memories"]
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
