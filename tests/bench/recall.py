"""Looking things up in an archive of 500,000 tokens: how long an answer takes, and what the server's process holds."""

import json
import socket
import statistics
import subprocess
import sys
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, ROOT, Table, ended, run
from tests.chats import export_bytes, long_chat

TOKENS = 500_000
SEARCH_MS, PEAK = 50.0, 90e6


def measure(folder: Path) -> list[Table]:
    """Have the conversation compressed, then ask `memproc mcp` over HTTP, one question after the other."""
    (folder / "inbox").mkdir()
    (folder / "memproc.toml").write_text(
        FOLDERS + '[models]\nagent = "memproc/extractive"\n', encoding="utf-8"
    )
    (folder / "inbox" / "export.json").write_bytes(export_bytes(long_chat(TOKENS)))
    command = (COMMAND, "--config", folder / "memproc.toml")
    run(*command, "run", folder=folder)
    token = run(*command, "mcp", "token", folder=folder).told.strip()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([*map(str, command), "mcp", "--http", str(port)], cwd=folder)
    try:
        asked = run(
            sys.executable, "-m", "tests.bench.recall_client", str(port), token, folder=ROOT
        )
    finally:
        peak = ended(server)
    seconds: dict[str, list[float]] = json.loads(asked.told)
    milliseconds = {tool: [1000 * each for each in taken] for tool, taken in seconds.items()}
    rows = tuple(
        (tool, f"{statistics.median(taken):.1f}", f"{max(taken):.1f}", _kept(tool, taken))
        for tool, taken in milliseconds.items()
    )
    notes = (
        f"A conversation of {TOKENS:,} tokens, and `memproc mcp --http` in a process of its own, asked 50 times",
        "by the SDK's client; the first question, which makes the index, apart. The process took",
        f"{peak / 1e6:.0f} MB at most. Targets: {SEARCH_MS:.0f} ms for a search, {PEAK / 1e6:.0f} MB.",
    )
    figures = {"milliseconds": milliseconds, "peak": peak}
    return [
        Table("Looking things up", notes, ("", "ms, median", "ms, most", "target"), rows, figures)
    ]


def _kept(tool: str, taken: list[float]) -> str:
    if tool != "recall_search":
        return ""
    return "kept" if statistics.median(taken) <= SEARCH_MS else "missed"
