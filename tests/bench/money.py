"""What a conversation costs: tokens as they are billed for each of its own, asked about directly and by batch."""

import json
import os
import subprocess
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, Table
from tests.bench.real import exports_in
from tests.chats import export_bytes, long_chat
from tests.server.child import serve
from tests.server.setup import KEY
from tests.server.usage import Usage

TARGETS = {"beam-100k-2": (5.0, 2.5), "beam-500k-1": (6.0, 3.0)}
"""Directly, and by batch."""
LAYERS = ("core", "facts")
_CALL_SECONDS = 0.1
_SETTINGS = (
    FOLDERS
    + """\
[models]
agent = "anthropic/claude-haiku-5-5"
context_manager = "anthropic/claude-haiku-5-5"
batch = "{batch}"
[budget]
run_usd = 1000
day_usd = 1000
month_usd = 1000
[core]
enabled = {core}
[facts]
enabled = {facts}
"""
)


@dataclass(frozen=True, slots=True)
class Billed:
    """What the scripted server has billed for one conversation."""

    conversation: int
    chunks: int
    calls: int
    usage: Usage
    billed: Decimal
    batched: bool
    seconds: float

    @property
    def times(self) -> float:
        """Billed-equivalent input tokens for each token of the conversation."""
        return float(self.billed / self.conversation)


def measure(folder: Path, exports: Path | None) -> list[Table]:
    """The conversations in `exports`, and two that are made up: of long messages and of short ones."""
    found = {path.stem: path.read_bytes() for path in (exports_in(exports) if exports else ())}
    found["made up, long messages"] = export_bytes(long_chat(114_000, tokens_each=1100))
    found["made up, short messages"] = export_bytes(long_chat(114_000, tokens_each=150))
    rows: list[tuple[str, ...]] = []
    figures: dict[str, dict[str, float]] = {}
    for at, (name, export) in enumerate(found.items()):
        for way, batch in enumerate(("never", "always")):
            billed = bill(folder / f"{at}-{batch}", export, batch)
            target = TARGETS.get(name, ())[way : way + 1]
            rows.append(_row(name, billed, target))
            figures[f"{name}, {'by batch' if billed.batched else 'directly'}"] = _figures(billed)
    notes = (
        "`memproc run` with six calls at once on one new export, against the scripted server, which keeps Anthropic's",
        f"rules of prompt caching; a call takes {_CALL_SECONDS * 1000:.0f} ms. `billed` counts a token that is written",
        "to the cache 1.25, one that is read from it 0.1, and all of a batch half; `times` is that for each token of",
        "the conversation. Of a batch this is the best case: whether its requests find what others wrote is chance.",
        "Core memory and facts are switched off: `layers` says what they add.",
    )
    headings = (
        "",
        "asked",
        "tokens",
        "chunks",
        "calls",
        "sent",
        "read",
        "written",
        "times",
        "target",
    )
    return [Table("What a conversation costs", notes, headings, tuple(rows), figures)]


def _row(name: str, one: Billed, target: tuple[float, ...]) -> tuple[str, ...]:
    kept = "".join(
        f"{wanted:.1f}, {'kept' if one.times <= wanted else 'missed'}" for wanted in target
    )
    counted = (
        one.conversation,
        one.chunks,
        one.calls,
        one.usage.prompt,
        one.usage.read,
        one.usage.written,
    )
    way = "by batch" if one.batched else "directly"
    return (name, way, *(f"{number:,}" for number in counted), f"{one.times:.2f}", kept)


def _figures(one: Billed) -> dict[str, float]:
    usage = one.usage
    return {
        "tokens": one.conversation, "chunks": one.chunks, "calls": one.calls, "fresh": usage.fresh,
        "written": usage.written, "read": usage.read, "output": usage.output, "times": one.times,
        "seconds": one.seconds,
    }  # fmt: skip


def bill(folder: Path, export: bytes, batch: str = "never", layers: Collection[str] = ()) -> Billed:
    """Run memproc on one new export with these of the two further layers of memory, against a server of its own."""
    (folder / "inbox").mkdir(parents=True)
    (folder / "inbox" / "export.json").write_bytes(export)
    settings = folder / "memproc.toml"
    switched = {layer: str(layer in layers).lower() for layer in LAYERS}
    settings.write_text(_SETTINGS.format(batch=batch, **switched), encoding="utf-8")
    command = [str(COMMAND), "--config", str(settings)]
    setup: Mapping[str, object] = {"seconds": _CALL_SECONDS}
    with serve(folder / "server", setup) as server:
        known = {**os.environ, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.url}
        said = [*command, "plan", "--json"]
        told = subprocess.run(said, cwd=folder, env=known, capture_output=True, check=True).stdout
        (plan,) = json.loads(told)["chats"]
        began = time.perf_counter()
        subprocess.run(
            [*command, "run", "--json"], cwd=folder, env=known, capture_output=True, check=True
        )
        seconds = time.perf_counter() - began
        meter = server.meter
    return Billed(
        conversation=plan["tokens"],
        chunks=len(plan["chunks"]),
        calls=meter.calls,
        usage=meter.usage,
        billed=meter.billed_input,
        batched=batch != "never",
        seconds=seconds,
    )
