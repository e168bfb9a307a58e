"""Measure memories, of lives and of conversations with questions: `python -m tests.bench.memory [--exports FOLDER]`.

Ends with 1 where something could not be measured, and says why.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from daemon.config.memory_tables import ChunkSettings
from daemon.models.splitting import splitter
from tests.bench.environment import NotMeasured, environment
from tests.bench.measure import ROOT, Table, as_json
from tests.bench.memory import tables
from tests.bench.memory.contexts import contexts
from tests.bench.memory.cuts import LENGTHS, score, splices
from tests.bench.memory.floor import MeasuredChat, measure_chat
from tests.bench.memory.lives import measure_lives, table
from tests.bench.memory.questions import read_questions

BOUNDS = get_args(ChunkSettings.model_fields["bounds"].annotation)
"""What `chunk.bounds` may be."""
REQUIREMENTS = Path(__file__).with_name("textrank.txt")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the lives, then every conversation that has questions, one after the other."""
    chosen = _parsed(arguments)
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # whoever installs memproc has its bytecode kept
    exports = list(_exports(chosen.exports))
    with tempfile.TemporaryDirectory(prefix="memproc-lives-") as temporary:
        lives = table(measure_lives(Path(temporary)))
    sys.stdout.write(f"{lives}\n")
    if not exports:
        sys.stderr.write(
            "Not measured: no NAME.json with a NAME.questions.json beside it; name a folder: --exports.\n"
        )
        return 1
    with tempfile.TemporaryDirectory(prefix="memproc-memory-") as temporary:
        textrank = environment(
            "textrank", REQUIREMENTS, (chosen.keep or Path(temporary)).absolute()
        )
        rows = contexts(None if isinstance(textrank, NotMeasured) else textrank)
        chats: list[MeasuredChat] = []
        for export in exports:
            sys.stderr.write(f"{export.stem} ...\n")
            questions = read_questions(export.with_suffix(".questions.json"))
            chats.append(measure_chat(Path(temporary) / export.stem, export, questions, rows))
        found = [
            tables.by_row(chats),
            tables.wishes(chats),
            tables.by_kind(chats),
            tables.by_chat(chats),
            tables.recall(chats),
        ]
        found += [tables.readability(chats), *_cuts(chats)]
    sys.stdout.write("\n".join(map(str, found)))
    if chosen.json:
        chosen.json.write_text(as_json([lives, *found]), encoding="utf-8")
    if isinstance(textrank, NotMeasured):
        sys.stderr.write(f"Not measured: {textrank.reason}\n")
    return 1 if isinstance(textrank, NotMeasured) else 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.memory", description=__doc__)
    parser.add_argument("--exports", type=Path, metavar="FOLDER", action="append",
                        help="exports with questions; else every folder `exports` beside the checkout")  # fmt: skip
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="install sumy there, and leave it for the next time",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser.parse_args(arguments)


def _exports(folders: Sequence[Path] | None) -> Iterable[Path]:
    """Every export that has questions beside it, by name."""
    for folder in folders or sorted(ROOT.parent.glob("*/exports")):
        for questions in sorted(folder.glob("*.questions.json")):
            if (export := questions.with_name(questions.name.replace(".questions", ""))).is_file():
                yield export


def _cuts(chats: Sequence[MeasuredChat]) -> list[Table]:
    """A table for each length of piece; a single conversation cannot be spliced with another."""
    talks = [(*chat.at_once.compressed, *chat.at_once.live) for chat in chats]
    if len(talks) < 2:
        return []
    found = []
    for least, most in LENGTHS:
        cases = splices(talks, least, most)
        scores = {name: score(cases, splitter(name)) for name in BOUNDS}
        found.append(tables.cuts(least, most, cases, scores))
    return found


if __name__ == "__main__":
    sys.exit(main())
