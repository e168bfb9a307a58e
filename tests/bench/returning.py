"""A large export that comes again: unchanged, or with one chat of hundreds changed, and how soon its plan is there."""

import sys
from pathlib import Path

from tests.bench.exports import Mix, write_export
from tests.bench.measure import COMMAND, FOLDERS, ROOT, Cost, Table, median, run

MILLIONS = 300
CHANGED_SECONDS, UNCHANGED_SECONDS, MOST_BYTES = 12.0, 4.0, 400_000_000
_TIMES = 3
_SETTINGS = (
    FOLDERS
    + """\
[tail]
tokens = 1_000_000
"""
)
_HASH = "import hashlib, sys; hashlib.sha256(open(sys.argv[1], 'rb').read())"
_NOTES = (
    f"Each is a process of its own, start-up included; medians of {_TIMES}, what comes for the first time once."
    " `hash` reads the file and takes its SHA-256 with the standard library. In the changed export, one chat has two"
    " messages more. The tail is so large that no chat gets memories: to make them takes the engine a second or two a"
    " chat, and the next run with all of them made is as quick, because chats with nothing to do rest.",
)


def measure(folder: Path) -> list[Table]:
    """Write the exports into `folder`, and measure. Takes two minutes and 700 MB of disk."""
    export, changed = folder / "export.json", folder / "changed.json"
    mix = write_export(export, MILLIONS * 1_000_000)
    run(sys.executable, "-m", "tests.bench.child", "changed", export, folder, folder=ROOT)
    cold, warm = _home(folder, "cold"), _home(folder, "warm")
    costs = {
        "hash": median(
            [run(sys.executable, "-c", _HASH, export, folder=folder) for _ in range(_TIMES)]
        ),
        "cold": _memproc(cold, "plan", export),
        "first": _memproc(warm, "run", export),
        "unchanged": median([_memproc(warm, "plan", export) for _ in range(_TIMES)]),
        "unchanged run": median([_memproc(warm, "run", export) for _ in range(_TIMES)]),
        "changed": median([_memproc(warm, "plan", changed) for _ in range(_TIMES)]),
        "changed run": _memproc(warm, "run", changed),
    }
    for written in (export, changed):
        written.unlink()
    return [_table(mix, costs)]


def _table(mix: Mix, costs: dict[str, Cost]) -> Table:
    shown = (
        ("read and hash, standard library", "hash", None),
        ("memproc plan, the archive knows nothing", "cold", None),
        ("memproc run, the first time", "first", None),
        ("memproc plan, one chat changed", "changed", CHANGED_SECONDS),
        ("memproc run, one chat changed", "changed run", CHANGED_SECONDS),
        ("memproc plan, unchanged", "unchanged", UNCHANGED_SECONDS),
        ("memproc run, unchanged", "unchanged run", UNCHANGED_SECONDS),
    )
    rows = tuple(_row(label, costs[name], costs["hash"], seconds) for label, name, seconds in shown)
    figures = {
        name: {"wall": cost.wall, "cpu": cost.cpu, "peak": cost.peak}
        for name, cost in costs.items()
    }
    headings = ("", "seconds", "times hash", "of processor", "peak, MB", "target")
    return Table(
        f"The same {MILLIONS} MB again",
        (f"{mix}.", *_NOTES),
        headings,
        rows,
        figures | {"mix": str(mix)},
    )


def _row(label: str, cost: Cost, plain: Cost, seconds: float | None) -> tuple[str, ...]:
    is_kept = seconds is not None and cost.wall <= seconds and cost.peak <= MOST_BYTES
    said = (
        ""
        if seconds is None
        else f"{seconds:.0f} s, {MOST_BYTES / 1e6:.0f} MB: {'kept' if is_kept else 'missed'}"
    )
    return (
        label,
        f"{cost.wall:.2f}",
        f"{cost.wall / plain.wall:.1f}",
        f"{cost.cpu:.2f}",
        f"{cost.peak / 1e6:.0f}",
        said,
    )


def _home(folder: Path, name: str) -> Path:
    home = folder / name
    (home / "inbox").mkdir(parents=True)
    (home / "memproc.toml").write_text(_SETTINGS)
    return home


def _memproc(home: Path, command: str, export: Path) -> Cost:
    return run(COMMAND, "--config", home / "memproc.toml", command, "--json", export, folder=home)
