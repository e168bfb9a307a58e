"""Whether work grows in proportion: one conversation of any length, and any number of tiny chats.

Each is a process of its own, start-up included. What one tiny chat takes is taken off before
processor times are compared, since it is the same for all.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench.measure import COMMAND, FOLDERS, Cost, Table, run
from tests.chats import START, assistant, chat, date, export_bytes, json_bytes, user
from tests.exports.words import answer, question

MILLIONS_OF_TOKENS = (0.5, 1.0, 2.0, 4.0)
CHATS = (10_000, 100_000, 1_000_000)
MOST_TOKENS_GROWTH, MOST_CHATS_GROWTH = 1.2, 1.3
"""How much longer a token, or a chat, may take in the largest export than in the smallest."""
MOST_SECONDS, MOST_BYTES = 10.0, 400_000_000
_TURN_TOKENS = 420
_TEXTS = 4000
_HEADINGS = ("", "of processor, s", "a unit, times the first", "peak, MB", "target")


def measure(folder: Path) -> list[Table]:
    """Write the exports into `folder`, and measure. Takes half an hour, most of it for a million chats."""
    bare = _run(folder, "bare", _tiny_chats(1))
    lengths = [_run(folder, f"{size}", _conversation(size)) for size in MILLIONS_OF_TOKENS]
    numbers = [_run(folder, f"{size}", _tiny_chats(size)) for size in CHATS]
    return [
        _table("One long conversation", "million tokens", MILLIONS_OF_TOKENS, lengths, bare,
               MOST_TOKENS_GROWTH, MOST_SECONDS),
        _table("Tiny chats", "chats", CHATS, numbers, bare, MOST_CHATS_GROWTH, None),
    ]  # fmt: skip


def _run(folder: Path, name: str, write: Callable[[Path], None]) -> Cost:
    """Let the built-in engine process an export for the first time."""
    home = folder / name
    (home / "inbox").mkdir(parents=True)
    (home / "memproc.toml").write_text(FOLDERS)
    export = home / "inbox" / "export.json"
    write(export)
    cost = run(COMMAND, "--quiet", "--config", home / "memproc.toml", "run", folder=home)
    export.unlink()
    return cost


def _table(
    title: str,
    unit: str,
    sizes: Sequence[float],
    costs: Sequence[Cost],
    bare: Cost,
    most_growth: float,
    most_seconds: float | None,
) -> Table:
    each = [(cost.cpu - bare.cpu) / size for cost, size in zip(costs, sizes, strict=True)]
    rows = []
    for at, (size, cost) in enumerate(zip(sizes, costs, strict=True)):
        growth = each[at] / each[0]
        kept = growth <= most_growth and cost.peak <= MOST_BYTES
        limits = f"{most_growth} times, {MOST_BYTES / 1e6:.0f} MB"
        if at == 0 and most_seconds:
            kept = kept and cost.cpu <= most_seconds
            limits = f"{most_seconds:.0f} s, {MOST_BYTES / 1e6:.0f} MB"
        label = f"{size:,} {unit}"
        peak = f"{cost.peak / 1e6:.0f}"
        target = f"{limits}: {'kept' if kept else 'missed'}"
        rows.append((label, f"{cost.cpu:.1f}", f"{growth:.2f}", peak, target))
    figures = {
        f"{size}": {"cpu": cost.cpu, "peak": cost.peak}
        for size, cost in zip(sizes, costs, strict=True)
    }
    notes = (f"`memproc run` without a key; {bare.cpu:.1f} s for one tiny chat are taken off.",)
    return Table(title, notes, _HEADINGS, tuple(rows), figures)


def _conversation(millions: float) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        before, after = export_bytes(chat(id="long", chatID="long")).split(b'"messages":[')
        with path.open("wb") as file:
            file.write(before + b'"messages":[')
            for turn in range(round(millions * 1_000_000 / _TURN_TOKENS)):
                said = f"No. {turn}: {question(turn % _TEXTS, 90)}"
                reply = f"{answer(turn % _TEXTS, 330)} That was {turn}."
                pair = json_bytes(user(said, turn)) + b"," + json_bytes(assistant(reply, turn))
                file.write((b"," if turn else b"") + pair)
            file.write(after)

    return write


def _tiny_chats(number: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.write(b'{"data":{"chats":[')
            for at in range(number):
                said = {"role": "user", "content": "Hi", "uuid": f"{at}", "createdAt": date(START)}
                name = f"tiny{at:07d}"
                tiny = {"id": name, "chatID": name, "chatTitle": "Hi", "messages": [said]}
                file.write((b"," if at else b"") + json_bytes(tiny))
            file.write(b"]}}")

    return write
