"""What core memory and facts add to the cost of a conversation: the same one with and without them, in one run."""

from decimal import Decimal
from pathlib import Path

from tests.bench.measure import Table
from tests.bench.money import Billed, bill
from tests.bench.real import exports_in
from tests.chats import export_bytes, long_chat
from tests.server.usage import Price

_HAIKU = Price(Decimal("0.1"), Decimal("0.125"), Decimal("0.01"), Decimal("0.5"))
"""Of claude-haiku-5-5, below 100,000 tokens."""
_ROWS = {"neither": (), "core memory": ("core",), "facts": ("facts",), "both": ("core", "facts")}


def measure(folder: Path, exports: Path | None) -> list[Table]:
    """The first conversation in `exports`, or one that is made up, four times."""
    found = exports_in(exports) if exports else []
    name = found[0].stem if found else "made up"
    export = found[0].read_bytes() if found else export_bytes(long_chat(114_000, tokens_each=1100))
    billed = {
        row: bill(folder / str(at), export, layers=layers)
        for at, (row, layers) in enumerate(_ROWS.items())
    }
    without = _dollars(billed["neither"])
    notes = (
        f"`memproc run` with six calls at once on {name}, {billed['neither'].conversation:,} tokens in",
        f"{billed['neither'].chunks} chunks, against the scripted server, which keeps Anthropic's rules of prompt",
        "caching and answers in a few words. Cost by the prices of claude-haiku-5-5, answers included.",
    )
    headings = ("", "calls", "sent", "read", "written", "answered", "cents", "times")
    rows = tuple(_row(row, one, without) for row, one in billed.items())
    figures = {row: _figures(one, without) for row, one in billed.items()}
    return [Table("What core memory and facts add", notes, headings, rows, figures)]


def _dollars(one: Billed) -> Decimal:
    return _HAIKU.dollars(one.usage)


def _row(name: str, one: Billed, without: Decimal) -> tuple[str, ...]:
    usage, cost = one.usage, _dollars(one)
    counted = (one.calls, usage.prompt, usage.read, usage.written, usage.output)
    return (
        name,
        *(f"{number:,}" for number in counted),
        f"{100 * cost:.2f}",
        f"{cost / without:.2f}",
    )


def _figures(one: Billed, without: Decimal) -> dict[str, float]:
    usage, cost = one.usage, _dollars(one)
    return {
        "calls": one.calls, "sent": usage.prompt, "read": usage.read, "written": usage.written,
        "output": usage.output, "dollars": float(cost), "times": float(cost / without),
    }  # fmt: skip
