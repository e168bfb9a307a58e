"""Several chunks at once: how long a run takes where each call takes 300 ms, beside what the chunks' depth allows."""

import json
import os
import subprocess
import time
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, Table
from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.server.log import read_events
from tests.server.setup import KEY

CALL_SECONDS = 0.3
CALLS_A_MEMORY = 4
TARGET = 1.3
_SETTINGS = (
    FOLDERS
    + """\
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
concurrency = {most}
[core]
enabled = false
[facts]
enabled = false
"""
)


@dataclass(frozen=True, slots=True)
class _Run:
    """Seconds until the first call arrived, from there to the last answer, and from there to the end; and the rest."""

    start: float
    calls: float
    end: float
    asked: int
    at_once: int
    billed: float
    """Tokens sent, as they are billed: a written one counts 1.25, and one that is read from the cache 0.1."""
    written: bytes


def measure(folder: Path) -> list[Table]:
    """One conversation of 114,000 tokens, with one call at a time and with several. Takes two minutes."""
    export = export_bytes(long_chat(114_000, tokens_each=1100))
    depth, chunks, tokens = _planned(folder / "plan", export)
    allowed = depth * CALLS_A_MEMORY * CALL_SECONDS
    runs = {most: _run(folder / str(most), export, most) for most in (1, 6, 16)}
    same = len({run.written for run in runs.values()}) == 1
    rows = tuple(
        (str(most), str(run.asked), str(run.at_once), f"{run.start:.1f}", f"{run.calls:.1f}", f"{run.end:.1f}",
         f"{run.calls / allowed:.2f}", f"{run.billed / tokens:.2f}")
        for most, run in runs.items()
    )  # fmt: skip
    return [
        Table(
            "Several chunks at once",
            (
                f"{tokens:,} tokens, {chunks} chunks, {depth} deep; a call takes {CALL_SECONDS * 1000:.0f} ms and what",
                f"the server itself needs. The depth times four calls is {allowed:.1f} s. With 16 calls at once the",
                f"target is {TARGET} times that. The updated exports are {'' if same else 'NOT '}the same bytes.",
            ),
            (
                "at once",
                "calls",
                "seen at once",
                "start, s",
                "calls, s",
                "end, s",
                "times depth",
                "billed a token",
            ),
            rows,
            {
                "same": same,
                "depth": depth,
                "runs": {most: _figures(run, allowed, tokens) for most, run in runs.items()},
            },
        )
    ]


def _figures(run: _Run, allowed: float, tokens: int) -> dict[str, float]:
    return {"seconds": run.calls, "ratio": run.calls / allowed, "billed": run.billed / tokens}


def _made(folder: Path, export: bytes, most: int) -> list[str | Path]:
    (folder / "inbox").mkdir(parents=True)
    (folder / "inbox" / "export.json").write_bytes(export)
    settings = folder / "memproc.toml"
    settings.write_text(_SETTINGS.format(most=most))
    return [COMMAND, "--config", settings]


def _planned(folder: Path, export: bytes) -> tuple[int, int, int]:
    """How deep the plan is, how many chunks it has, and how many tokens the conversation."""
    command = [*_made(folder, export, 1), "plan", "--json"]
    environment = {**os.environ, "ANTHROPIC_API_KEY": KEY}
    told = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout
    (plan,) = json.loads(told)["chats"]
    depths: list[int] = []
    for chunk in plan["chunks"]:
        depths.append(1 + max(depths[: chunk["memories_before"]], default=0))
    return max(depths), len(plan["chunks"]), plan["tokens"]


def _run(folder: Path, export: bytes, most: int) -> _Run:
    command = [*_made(folder, export, most), "run", "--json"]
    with serve(folder / "server", {"seconds": CALL_SECONDS}) as server:
        environment = {**os.environ, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.url}
        began = time.time()
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
        ended = time.time()
        events = list(read_events(server.log))
        usage = server.meter.usage
    first, last = events[0]["at"], events[-1]["at"]
    (path,) = (folder / "updated").glob("*.json")
    written = path.read_bytes()
    date = json.loads(written)["data"]["chats"][0]["updatedAt"]
    return _Run(
        start=first - began,
        calls=last - first,
        end=ended - last,
        asked=server.meter.calls,
        at_once=max(accumulate(1 if event["event"] == "arrived" else -1 for event in events)),
        billed=usage.fresh + 1.25 * usage.written + 0.1 * usage.read,
        written=written.replace(date.encode(), b""),
    )
