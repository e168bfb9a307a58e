"""Large exports: memproc's read, plan, splice and write beside a plain parse and dump of the same file."""

import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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


def measure(folder: Path) -> list[Table]:
    """Write the exports into `folder`, and measure. Takes a few minutes and 700 MB of disk."""
    return [table for size in SIZES for table in _measure_one(folder, size)]


def _measure_one(folder: Path, millions: int) -> list[Table]:
    export = folder / f"{millions}.json"
    mix = write_export(export, millions * 1_000_000)
    state = folder / f"state-{millions}"
    state.mkdir()
    first = _child("first", export, state)
    found: dict[str, list[tuple[Cost, dict[str, Any]]]] = {work: [] for work in _WORKS}
    for _ in range(TIMES):
        for work in _WORKS:
            found[work].append(_child(work, export, state))
    for written in (export, *state.iterdir()):
        written.unlink()
    stages = {work: _medians([stages for _, stages in each]) for work, each in found.items()} | {
        "first": first[1]
    }
    costs = {work: median([cost for cost, _ in each]) for work, each in found.items()} | {
        "first": first[0]
    }
    figures = {
        "mix": str(mix),
        "size": mix.size,
        "stages": stages,
        "processes": {k: _plain(c) for k, c in costs.items()},
    }
    return [
        Table(
            f"An export of {millions} MB",
            (f"{mix}.", *(_NOTES if millions == SIZES[0] else ())),
            (
                "",
                "seconds",
                "times plain",
                "of processor",
                "times plain",
                "peak, MiB",
                "peak, times the file",
            ),
            tuple(_rows(stages, mix.size)),
            figures,
        )
    ]


def _rows(stages: dict[str, Any], size: int) -> Iterator[tuple[str, ...]]:
    plain = _sum(stages["plain"], ("read", "write"))
    shown = (
        ("plain: parse, dump, write", "plain", ("read", "write")),
        ("memproc: read, splice, write", "trip", ("read", "write")),
        ("memproc: plan every chat, besides", "trip", ("plan",)),
        ("memproc: the whole trip", "trip", ("read", "plan", "write")),
        ("memproc: the first trip, counting every token", "first", ("read", "plan", "write")),
        ("memproc: read, and hold every message parsed", "parsed", ("read", "parse")),
    )
    for label, work, names in shown:
        wall, cpu = _sum(stages[work], names)
        peak = max(stages[work][name]["peak"] for name in names)
        times = (peak - stages[work]["start"]["peak"]) / size
        ratios = f"{wall / plain[0]:.2f}", f"{cpu / plain[1]:.2f}"
        yield (
            label,
            f"{wall:.2f}",
            ratios[0],
            f"{cpu:.2f}",
            ratios[1],
            f"{peak / MIB:.0f}",
            f"{times:.2f}",
        )


def _sum(stages: dict[str, Any], names: Sequence[str]) -> tuple[float, float]:
    return sum(stages[name]["wall"] for name in names), sum(stages[name]["cpu"] for name in names)


def _child(work: str, export: Path, state: Path) -> tuple[Cost, dict[str, Any]]:
    cost = run(sys.executable, "-m", "tests.bench.child", work, export, state, folder=ROOT)
    return cost, json.loads(cost.told)


def _medians(each: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        stage: {name: statistics.median(stages[stage][name] for stages in each) for name in figures}
        for stage, figures in each[0].items()
    }


def _plain(cost: Cost) -> dict[str, float]:
    return {"wall": cost.wall, "cpu": cost.cpu, "peak": cost.peak}
