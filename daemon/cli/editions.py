"""The editions of a memory for a reader: one below the other, or side by side where there is room."""

from collections.abc import Iterator, Sequence

import click

from daemon.status.sentences import visible
from rules.conversation.memory import EXTRACTED, Edition, Memory

_WIDE = 120
_HASH = 8


def print_editions(memory: Memory, editions: Sequence[Edition]) -> None:
    """Print them side by side in 120 columns or more, else one below the other."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    if len(editions) == 1 or console.width < _WIDE:
        for edition in editions:
            click.echo(visible("\n".join(("", *told(memory, edition)))))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(expand=True, padding=(0, 2))
    for _ in editions:
        table.add_column(ratio=1, overflow="fold")
    parts = zip(*(_parts(memory, edition) for edition in editions), strict=True)
    for row in parts:
        table.add_row(*(Text(visible(f"\n{cell}")) for cell in row))
    console.print(table)


def told(memory: Memory, edition: Edition) -> Iterator[str]:
    """One edition as lines: what it is and where it comes from, then its six messages."""
    first, *slots = _parts(memory, edition)
    yield first
    for said in slots:
        yield ""
        yield said


def _parts(memory: Memory, edition: Edition) -> tuple[str, ...]:
    """What an edition is, and its six messages."""
    slots = (
        f"{'--- context manager ' + '-' * 10 if slot % 2 == 0 else '--- agent ' + '-' * 20}\n{text}"
        for slot, text in enumerate(edition.texts)
    )
    return "\n".join(_facts(memory, edition)), *slots


def _facts(memory: Memory, edition: Edition) -> Iterator[str]:
    seen = "".join(
        mark
        for one, mark in ((memory.edition, ", shown"), (memory.told, ", seen by later prompts"))
        if one.number == edition.number
    )
    yield f"edition {edition.number}, {edition.kind}{seen}: {edition.tokens:,} tokens"
    yield f"{_made(edition)}, {edition.written_at}"
    if edition.requests:
        yield f"requests {', '.join(request[:_HASH] for request in edition.requests)}"
    for quote in edition.quotes:
        source = (
            f"stands in message {quote.source}" if quote.source else "stands in a message that nobody knows any more"
        )
        yield f"the quote of {len(quote.text)} characters {source}, chosen by the {quote.chosen}"


def _made(edition: Edition) -> str:
    """Who made it. What the person edited was first written by these two."""
    by = f"agent {edition.agent}, context manager {edition.context_manager}"
    if edition.kind == "person":
        return f"edited in TypingMind, after {by}"
    return (
        f"extracted from the conversation by the built-in engine: {by}"
        if edition.made == EXTRACTED
        else f"written: {by}"
    )
