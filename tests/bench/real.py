"""Real conversations: `memproc run` on each of them, with the built-in engine and the shipped sizes."""

import json
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, MIB, Table, run

SECONDS, BYTES = 30.0, 400 * MIB
"""What a conversation of 100,000 tokens may take, start-up included."""
_SHORT = 1_000_000


def measure(folder: Path, exports: Path | None) -> list[Table]:
    """Run memproc on every export in `exports`; without that folder, the table says that nothing was measured."""
    found = exports_in(exports) if exports else []
    if not found:
        return [
            Table(
                "Real conversations",
                ("Not measured: name a folder of exports with --exports.",),
                ("",),
                (),
            )
        ]
    figures = {path.name: _measure_one(folder / path.stem, path) for path in found}
    rows = tuple(
        (name, f"{one['size'] / 1e6:.2f}", f"{one['before']:,}", f"{one['after']:,}", f"{one['memories']:.0f}",
         f"{one['wall']:.1f}", f"{one['again']:.1f}", f"{one['peak'] / MIB:.0f}", _kept(one))
        for name, one in figures.items()
    )  # fmt: skip
    notes = (
        "`memproc run` on a folder with that one export, the built-in engine, shipped sizes, everything new;"
        " start-up is included. `again` is the same command once more, with nothing new.",
        f"The target, for the ones of 100,000 tokens: {SECONDS:.0f} s and {BYTES / MIB:.0f} MiB.",
    )
    headings = ("", "MB", "tokens", "after", "memories", "seconds", "again", "peak, MiB", "target")
    return [Table("Real conversations", notes, headings, rows, figures)]


def _measure_one(home: Path, export: Path) -> dict[str, float]:
    (home / "inbox").mkdir(parents=True)
    settings = home / "memproc.toml"
    settings.write_text(FOLDERS)
    (home / "inbox" / export.name).write_bytes(export.read_bytes())
    command = (COMMAND, "--config", settings, "run", "--json")
    cost, again = run(*command, folder=home), run(*command, folder=home)
    (written,) = json.loads(cost.told)["outcomes"]
    return {
        "size": export.stat().st_size, "wall": cost.wall, "cpu": cost.cpu, "peak": cost.peak, "again": again.wall,
        "before": written["tokens_before"], "after": written["tokens_after"], "memories": written["memories"],
    }  # fmt: skip


def exports_in(folder: Path) -> list[Path]:
    """The exports in a folder, by name; other JSON files are left out."""
    return sorted(path for path in folder.glob("*.json") if _is_export(path))


def _is_export(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"chats"' in file.read(200)


def _kept(one: dict[str, float]) -> str:
    if one["size"] > _SHORT:
        return ""
    return "kept" if one["wall"] <= SECONDS and one["peak"] <= BYTES else "missed"
