"""Large exports: memproc's read, plan, splice and write beside a plain parse and dump of the same file."""

import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.exports import write_export
from tests.bench.measure import MIB, ROOT, Cost, Table, median, run

SIZES = (10, 100, 300)
"""In millions of bytes."""
TIMES = 3
_WORKS = ("plain", "trip", "parsed")
_NOTES = (
    "Both read the same file and write one of the same size, each in a process of its own, in turn; medians of"
    f" {TIMES}, the first trip once. `plain` is `json.loads` of the bytes, `json.dumps(ensure_ascii=False)`, a write."
    " `memproc` checks every byte, plans every chat with the archive, splices one chat, writes the whole export,"
    " flushes it to the disk and reads it back. Seconds are those of the work, without the interpreter's start"
    " and imports. The peak is the process's; in times of the file's size, less what it had after its imports.",
)
_ROWS = (
    ("plain: parse, dump, write", "plain", ("read", "write")),
    ("memproc: read, splice, write", "trip", ("read", "write")),
    ("memproc: plan every chat, besides", "trip", ("plan",)),
    ("memproc: the whole trip", "trip", ("read", "plan", "write")),
    ("memproc: the first trip, counting every token", "first", ("read", "plan", "write")),
    ("memproc: read, and hold every message parsed", "parsed", ("read", "parse")),
)
"""What each row is called, and the stages of which work it sums up."""
_HEADINGS = (
    "",
    "seconds",
    "times plain",
    "of processor",
    "times plain",
    "peak, MiB",
    "peak, times the file",
)
_Figures = dict[str, dict[str, float]]
"""Figures of each stage of a run, by their names."""
_Stages = dict[str, _Figures]
_Run = tuple[Cost, _Figures]


def measure(folder: Path) -> list[Table]:
    """Write the exports into `folder`, and measure. Takes a few minutes and 700 MB of disk."""
    return [_measure_one(folder, size) for size in SIZES]


def _measure_one(folder: Path, millions: int) -> Table:
    export = folder / f"{millions}.json"
    mix = write_export(export, millions * 1_000_000)
    state = folder / f"state-{millions}"
    state.mkdir()
    measured = _run_all(export, state)
    for written in (export, *state.iterdir()):
        written.unlink()
    stages = {work: _medians([stages for _, stages in runs]) for work, runs in measured.items()}
    costs = {work: _plain(median([cost for cost, _ in runs])) for work, runs in measured.items()}
    figures = {"mix": str(mix), "size": mix.size, "stages": stages, "processes": costs}
    notes = (f"{mix}.", *(_NOTES if millions == SIZES[0] else ()))
    rows = tuple(_row(label, stages, work, names, mix.size) for label, work, names in _ROWS)
    return Table(f"An export of {millions} MB", notes, _HEADINGS, rows, figures)


def _run_all(export: Path, state: Path) -> dict[str, list[_Run]]:
    """Run the first trip, then each kind of work several times, in turn."""
    measured = {"first": [_run_child("first", export, state)]}
    for work in _WORKS * TIMES:
        measured.setdefault(work, []).append(_run_child(work, export, state))
    return measured


def _row(
    label: str, stages: _Stages, work: str, names: Sequence[str], size: int
) -> tuple[str, ...]:
    plain_wall, plain_cpu = _sum(stages["plain"], ("read", "write"))
    wall, cpu = _sum(stages[work], names)
    peak = max(stages[work][name]["peak"] for name in names)
    peak_in_files = (peak - stages[work]["start"]["peak"]) / size
    return (
        label,
        f"{wall:.2f}",
        f"{wall / plain_wall:.2f}",
        f"{cpu:.2f}",
        f"{cpu / plain_cpu:.2f}",
        f"{peak / MIB:.0f}",
        f"{peak_in_files:.2f}",
    )


def _sum(stages: _Figures, names: Sequence[str]) -> tuple[float, float]:
    return sum(stages[name]["wall"] for name in names), sum(stages[name]["cpu"] for name in names)


def _run_child(work: str, export: Path, state: Path) -> _Run:
    cost = run(sys.executable, "-m", "tests.bench.child", work, export, state, folder=ROOT)
    return cost, json.loads(cost.told)


def _medians(runs: Sequence[_Figures]) -> _Figures:
    """Return the median of each figure of each stage."""
    medians: _Figures = {}
    for stage, figures in runs[0].items():
        each = {name: [run[stage][name] for run in runs] for name in figures}
        medians[stage] = {name: statistics.median(values) for name, values in each.items()}
    return medians


def _plain(cost: Cost) -> dict[str, float]:
    return {"wall": cost.wall, "cpu": cost.cpu, "peak": cost.peak}
