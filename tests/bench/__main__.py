"""Measure, and print tables: `python -m tests.bench [--only NAME] [--json FILE] [--exports FOLDER]`."""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench import (
    daemon,
    growth,
    large,
    layers,
    money,
    page,
    real,
    recall,
    returning,
    startup,
    wavefront,
)
from tests.bench.measure import Table, as_json

NAMES = (
    "startup",
    "daemon",
    "wavefront",
    "money",
    "layers",
    "large",
    "growth",
    "returning",
    "recall",
    "page",
    "real",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for, one thing after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=NAMES, help="measure this alone")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--exports", type=Path, metavar="FOLDER", default=os.environ.get("MEMPROC_BENCH_EXPORTS"),
                        help="real exports, for `money`, `layers` and `real`; also $MEMPROC_BENCH_EXPORTS")  # fmt: skip
    chosen = parser.parse_args(arguments)
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # whoever installs memproc has its bytecode kept
    sys.stdout.write(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}\n\n"
    )
    tables: list[Table] = []
    for name in NAMES if chosen.only is None else (chosen.only,):
        with tempfile.TemporaryDirectory(prefix="memproc-bench-") as folder:
            for table in _measure(name, Path(folder), chosen.exports):
                tables.append(table)
                sys.stdout.write(f"{table}\n")
                sys.stdout.flush()
    if chosen.json:
        chosen.json.write_text(as_json(tables), encoding="utf-8")
    return 0


def _measure(name: str, folder: Path, exports: Path | None) -> list[Table]:
    if name == "money":
        return money.measure(folder, exports)
    if name == "layers":
        return layers.measure(folder, exports)
    if name == "real":
        return real.measure(folder, exports)
    measures = {"startup": startup.measure, "daemon": daemon.measure, "wavefront": wavefront.measure,
                "large": large.measure, "growth": growth.measure, "returning": returning.measure, "recall": recall.measure,
                "page": page.measure}  # fmt: skip
    return measures[name](folder)


if __name__ == "__main__":
    sys.exit(main())
