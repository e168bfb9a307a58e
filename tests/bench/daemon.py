"""The daemon: what it takes while nothing happens, how soon it sees a file, and how long its commands take to start."""

import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from tests.bench.measure import MIB, Cost, Table, median, run
from tests.chats import export_bytes, long_chat

SETTLE_SECONDS = 0.5
DROPS = 60
REST_SECONDS = 60.0
TIMES = 10
LARGEST_MIB = 40
LATEST_SECONDS = 3.0
START_SECONDS = 0.3
_LIMIT_SECONDS = 120.0
_COMMAND = Path(sys.executable).parent / "memproc"
_SETTINGS = f"""\
[folders]
inbox = "inbox"
updated = "updated"
backups = "backups"
state = "state"
[watch]
settle_seconds = {SETTLE_SECONDS}
[notify]
when = "never"
"""


def measure(folder: Path) -> list[Table]:
    """Run a daemon in `folder`, drop files into its inbox, and let it rest. Takes about three minutes; Linux alone."""
    settings = folder / "memproc.toml"
    settings.write_text(_SETTINGS)
    (folder / "inbox").mkdir()
    with _running(folder, settings) as pid:
        _until(
            lambda: _archive(folder, "SELECT 1 FROM sign WHERE name = 'last_scan'"),
            "the daemon is up",
        )
        fresh = _resident(pid)
        delays = [_delay(folder, number) for number in range(DROPS)]
        for child in _children(pid):
            os.kill(child, signal.SIGTERM)
        _until(lambda: not _children(pid), "no child is left")
        before, began = _processor(pid), time.monotonic()
        time.sleep(REST_SECONDS)
        used = (_processor(pid) - before) / (time.monotonic() - began)
        rested = _resident(pid)
        starts = _starts(folder, settings)
    return [_rest(fresh, rested, used), _soon(delays), _start(starts)]


def _rest(fresh: int, rested: int, used: float) -> Table:
    rows = (
        ("resident after the start, MiB", f"{fresh / MIB:.1f}", _kept(fresh / MIB <= LARGEST_MIB)),
        (
            f"resident after {DROPS} files, at rest, MiB",
            f"{rested / MIB:.1f}",
            _kept(rested / MIB <= LARGEST_MIB),
        ),
        ("processor at rest, % of one core", f"{used * 100:.2f}", ""),
    )
    return Table(
        "The daemon at rest",
        (f"No child process runs; {REST_SECONDS:.0f} s without a file. The target is {LARGEST_MIB} MiB.",),
        ("", "", "target"), rows, {"fresh_bytes": fresh, "rested_bytes": rested, "processor": used},
    )  # fmt: skip


def _soon(delays: list[float]) -> Table:
    late = statistics.quantiles(delays, n=20)[-1]
    rows = (
        ("median", f"{statistics.median(delays) * 1000:.0f}", ""),
        ("95 of 100", f"{late * 1000:.0f}", _kept(late <= LATEST_SECONDS)),
        ("slowest", f"{max(delays) * 1000:.0f}", ""),
    )
    return Table(
        "From closing a file to its plan",
        (f"{DROPS} files, one by one, each in a process of its own; beyond the {SETTLE_SECONDS} s of standing still.",),
        ("", "ms", "target"), rows, {"seconds": delays},
    )  # fmt: skip


def _start(starts: dict[str, list[Cost]]) -> Table:
    middle = {name: median(each) for name, each in starts.items()}
    rows = tuple(
        (name, f"{cost.wall * 1000:.0f}", f"{cost.cpu * 1000:.0f}", f"{cost.peak / MIB:.0f}",
         _kept(cost.wall <= START_SECONDS))
        for name, cost in middle.items()
    )  # fmt: skip
    return Table(
        "Commands beside a running daemon",
        (f"From a process's start to its end; medians of {TIMES}. The target is {START_SECONDS * 1000:.0f} ms.",),
        ("", "ms", "of them processor", "peak, MiB", "target"), rows,
        {name: {"seconds": [cost.wall for cost in each]} for name, each in starts.items()},
    )  # fmt: skip


def _delay(folder: Path, number: int) -> float:
    """Drop a short chat, and say how long it took until its plan was known, beyond the time of standing still."""
    name = f"bench{number}"
    content = export_bytes(long_chat(600, id=name, chatID=name, chatTitle=name))
    path = folder / "inbox" / f"{name}.json"
    path.write_bytes(content)
    closed = time.time()
    asked = "SELECT log.at FROM log JOIN arrival ON arrival.id = log.arrival WHERE path = ? "
    began = _until(
        lambda: _archive(
            folder, f"{asked} AND log.event ->> 'state' IN ('working', 'done')", str(path)
        ),
        name,
    )
    _until(
        lambda: _archive(
            folder, "SELECT 1 FROM arrival WHERE path = ? AND state = 'done'", str(path)
        ),
        name,
    )
    return _seconds(began) - closed - SETTLE_SECONDS


def _seconds(at: object) -> float:
    return datetime.fromisoformat(str(at)).timestamp()


def _starts(folder: Path, settings: Path) -> dict[str, list[Cost]]:
    asked = {
        "memproc --help": (_COMMAND, "--help"),
        "memproc status": (_COMMAND, "--config", settings, "status"),
        "memproc logs": (_COMMAND, "--config", settings, "logs"),
    }
    starts: dict[str, list[Cost]] = {name: [] for name in asked}
    for _ in range(TIMES):
        for name, command in asked.items():
            starts[name].append(run(*command, folder=folder))
    return starts


@contextmanager
def _running(folder: Path, settings: Path) -> Iterator[int]:
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [_COMMAND, "--config", settings, "watch"], cwd=folder, stdout=said, stderr=said
        )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(_LIMIT_SECONDS)


def _until(look: Callable[[], object], what: str) -> object:
    end = time.monotonic() + _LIMIT_SECONDS
    while not (found := look()):
        if time.monotonic() > end:
            raise RuntimeError(f"waited in vain: {what}")
        time.sleep(0.02)
    return found


def _archive(folder: Path, sql: str, *values: str) -> object:
    """The first value that the archive answers, or None; also where there is no archive yet."""
    path = folder / "state" / "archive.sqlite3"
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as archive:
            row = archive.execute(sql, values).fetchone()
    except sqlite3.OperationalError:
        return None
    return row[0] if row else None


def _resident(pid: int) -> int:
    """Bytes of memory that the process has now."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _processor(pid: int) -> float:
    """Seconds of processor that the process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _kept(kept: bool) -> str:
    return "kept" if kept else "missed"
