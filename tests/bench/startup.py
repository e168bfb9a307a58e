"""Starting: how long commands take that only look, beside the bare interpreter."""

import sys
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, MIB, Cost, Table, median, run
from tests.chats import CHAT_ID, export_bytes, long_chat

TIMES = 10
TARGET = 0.3
_SETTINGS = (
    FOLDERS
    + """\
[tail]
tokens = 1600
step = 400
[chunk]
tokens = 400
"""
)


def measure(folder: Path) -> list[Table]:
    """Make a small archive in `folder`, and ask it things. Takes a minute."""
    settings = folder / "memproc.toml"
    settings.write_text(_SETTINGS)
    (folder / "inbox").mkdir()
    (folder / "inbox" / "export.json").write_bytes(export_bytes(long_chat(8_000)))
    run(COMMAND, "--config", settings, "run", folder=folder)
    asked: dict[str, tuple[str | Path, ...]] = {
        "the bare interpreter": (sys.executable, "-c", "pass"),
        "memproc --help": (COMMAND, "--help"),
        "memproc chats": (COMMAND, "--config", settings, "chats"),
        "memproc memories CHAT": (COMMAND, "--config", settings, "memories", CHAT_ID),
        "memproc versions CHAT": (COMMAND, "--config", settings, "versions", CHAT_ID),
    }
    costs: dict[str, list[Cost]] = {name: [] for name in asked}
    for _ in range(TIMES):
        for name, command in asked.items():
            costs[name].append(run(*command, folder=folder))
    found = {name: [cost.wall for cost in each] for name, each in costs.items()}
    middle = {name: median(each) for name, each in costs.items()}
    bare = middle["the bare interpreter"].wall
    rows = tuple(
        (name, f"{cost.wall * 1000:.0f}", f"{max(found[name]) * 1000:.0f}", f"{cost.wall / bare:.1f}",
         f"{cost.peak / MIB:.0f}", _kept(cost.wall))
        for name, cost in middle.items()
    )  # fmt: skip
    return [
        Table(
            "Start",
            (
                f"From a process's start to its end, in turn; medians of {TIMES}. The target is {TARGET * 1000:.0f} ms.",
            ),
            ("", "ms", "slowest", "times bare", "peak, MiB", "target"),
            rows,
            {name: {"seconds": each} for name, each in found.items()},
        )
    ]


def _kept(seconds: float) -> str:
    return "kept" if seconds <= TARGET else "missed"
