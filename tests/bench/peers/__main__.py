"""Measure memproc beside its peers, and print tables: `python -m tests.bench.peers [--exports FOLDER] [--only NAME]`.

Ends with 1 where something could not be measured, and says why.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.environment import NotMeasured, environment
from tests.bench.measure import Table, as_json
from tests.bench.peers.measured import Measured
from tests.bench.peers.packages import PACKAGES, requirements, version
from tests.bench.peers.running import run_memproc, run_peer
from tests.bench.peers.turns import Conversation, read_conversation
from tests.bench.real import exports_in
from tests.chats import export_bytes, long_chat

MEMPROC = "memproc"
WAYS = {
    "openai/gpt-4.1-mini": ("openai/gpt-4.1-mini", "never"),
    "anthropic/claude-haiku-5-5": ("anthropic/claude-haiku-5-5", "never"),
    "the same by batch": ("anthropic/claude-haiku-5-5", "always"),
}
"""Whom memproc asks, and how."""
MADE_UP_TOKENS = 100_000
_HEADINGS = (
    "", "calls", "tokens in", "read from cache", "tokens out", "billed", "times", "times, all written",
    "embedded", "kept", "seconds",
)  # fmt: skip
_NOTES = (
    "`billed`: input tokens at the full price; one read from the cache counts 0.1 whoever the provider is, one written"
    " to it 1.25 with Anthropic and 1 with OpenAI, where the cache is automatic. `times`: that over the conversation's"
    " tokens. `all written`: had everything that was not read cost 1.25, the upper bound. Tokens are those of o200k,"
    " and the definitions of tools count.",
    "`embedded`: tokens sent to be embedded, on no other account. `kept`: memories in the end. `seconds`: the whole"
    " process, its start and the server's own work included; each call is answered after 0 ms.",
    "The peers are told every turn, each with one call to their documented interface, and ask gpt-4.1-mini; memproc"
    " leaves the newest 30,000 tokens raw, and has all its shipped settings, hindsight and folds included. Answers are"
    " scripted (two facts a turn), so quality is not measured, nor what it costs to read memories later.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for, one conversation after the other."""
    chosen = _parsed(arguments)
    sys.stdout.write(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}\n\n"
    )
    systems = (MEMPROC, *PACKAGES) if chosen.only is None else (chosen.only,)
    tables: list[Table] = []
    refused: list[str] = []
    with tempfile.TemporaryDirectory(prefix="memproc-peers-") as temporary:
        environments = _environments(systems, chosen.keep or Path(temporary) / "environments")
        for export in _exports(chosen.exports, Path(temporary)):
            home = Path(temporary) / export.stem
            home.mkdir()
            rows = _measure(systems, environments, export, home)
            refused += [row.reason for row in rows.values() if isinstance(row, NotMeasured)]
            tables.append(_table(read_conversation(export), rows))
            sys.stdout.write(f"{tables[-1]}\n")
            sys.stdout.flush()
    if chosen.json:
        chosen.json.write_text(as_json(tables), encoding="utf-8")
    sys.stderr.writelines(f"Not measured: {reason}\n" for reason in dict.fromkeys(refused))
    return 1 if refused else 0


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    parser.add_argument("--exports", type=Path, metavar="FOLDER", default=os.environ.get("MEMPROC_BENCH_EXPORTS"),
                        help="real exports; also $MEMPROC_BENCH_EXPORTS. Without, a made-up conversation")  # fmt: skip
    parser.add_argument("--only", choices=(MEMPROC, *PACKAGES), help="measure this alone")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="install there, and leave it for the next time"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    return parser.parse_args(arguments)


def _exports(folder: Path | None, temporary: Path) -> list[Path]:
    if folder is not None:
        return exports_in(folder)
    made_up = temporary / "made-up.json"
    made_up.write_bytes(export_bytes(long_chat(MADE_UP_TOKENS)))
    return [made_up]


def _environments(systems: Sequence[str], folder: Path) -> dict[str, Path | NotMeasured]:
    return {
        peer: environment(peer, requirements(peer), folder.absolute())
        for peer in systems
        if peer != MEMPROC
    }


def _measure(
    systems: Sequence[str], environments: Mapping[str, Path | NotMeasured], export: Path, home: Path
) -> dict[str, Measured | NotMeasured]:
    """A row for each peer, and one for each way in which memproc asks."""
    conversation = read_conversation(export)
    rows: dict[str, Measured | NotMeasured] = {}
    if MEMPROC in systems:
        for way, (model, batch) in WAYS.items():
            rows[f"memproc, {way}"] = run_memproc(
                model, batch, export, _made(home / way.replace("/", "-"))
            )
    for peer, python in environments.items():
        name = f"{peer} {version(peer)}"
        rows[name] = (
            python
            if isinstance(python, NotMeasured)
            else run_peer(peer, python, conversation, _made(home / peer))
        )
    return rows


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _table(conversation: Conversation, rows: Mapping[str, Measured | NotMeasured]) -> Table:
    title = f"{conversation.name}: {len(conversation.turns)} turns, {conversation.tokens:,} tokens"
    figures = {
        name: {"not_measured": row.reason}
        if isinstance(row, NotMeasured)
        else row.figures(conversation.tokens)
        for name, row in rows.items()
    }
    shown = tuple((name, *_cells(row, conversation.tokens)) for name, row in rows.items())
    return Table(
        title, _NOTES, _HEADINGS, shown, {"tokens": conversation.tokens, "systems": figures}
    )


def _cells(row: Measured | NotMeasured, tokens: int) -> tuple[str, ...]:
    if isinstance(row, NotMeasured):
        return ("not measured", *("" for _ in _HEADINGS[2:]))
    usage = row.usage
    return (
        f"{row.calls:,}", f"{usage.prompt:,}", f"{usage.read:,}", f"{usage.output:,}", f"{row.billed:,.0f}",
        f"{row.billed / tokens:.2f}", f"{row.if_written / tokens:.2f}", f"{row.embeddings.tokens:,}",
        f"{row.kept}", f"{row.wall:.1f}",
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
