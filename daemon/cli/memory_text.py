"""Write a memory as text: its editions, what each says, and what it was made of."""

import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size

import click

from daemon.cli.printing import moment
from daemon.status.printable import folded, visible
from rules.conversation.memory import EXTRACTED, Edition, Memory, Quote
from rules.conversation.memory_title import called, dates, subject_of
from rules.wording import counted

_WIDE = 120  # columns
_ANSWERS = ("Quote", "Perspective", "Memory")
_HASH = 8  # characters that are shown of a request's hash


def describe_memory(memory: Memory) -> Iterator[str]:
    """Yield the memory's lines, in the edition that is shown."""
    yield from heading_lines(memory)
    yield ""
    yield "\n\n".join(_parts(memory, memory.edition))


def heading_lines(memory: Memory, raw: bool = False) -> Iterator[str]:
    """Yield the memory's name, and how many messages and tokens it was made of."""
    name = f"{called(memory)} ({memory.memory_id})" if raw else called(memory)
    subject = subject_of(memory)
    about = f": {subject}" if subject else ""
    yield f"{name[0].upper()}{name[1:]}{about}"
    messages = counted(len(memory.keys), "message")
    tokens = f"{memory.source_tokens:,} tokens are now {memory.edition.tokens:,}"
    yield f"covers {messages}, {dates(memory)}: {tokens}"


def say_folded(lines: Sequence[str]) -> None:
    """Print lines; on a terminal they are folded between words."""
    text = visible("\n".join(lines))
    if sys.stdout.isatty():
        text = folded(text, get_terminal_size().columns, further=0)
    click.echo(text)


def print_editions(memory: Memory, editions: Sequence[Edition], raw: bool) -> None:
    """Print editions side by side in 120 columns or more, else one below the other."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    if len(editions) == 1 or console.width < _WIDE:
        for edition in editions:
            say_folded(["", "\n\n".join(_parts(memory, edition, raw))])
        return
    table = Table.grid(expand=True, padding=(0, 2))
    columns = []
    for edition in editions:
        table.add_column(ratio=1, overflow="fold")
        columns.append(_parts(memory, edition, raw))
    for row in zip(*columns, strict=True):
        cells = [Text(visible(f"\n{part}")) for part in row]
        table.add_row(*cells)
    console.print(table)


def _parts(memory: Memory, edition: Edition, raw: bool = False) -> tuple[str, ...]:
    """Return an edition in parts: what it is, then quote, perspective and memory.

    If `raw`: what it is with its sources, and all six messages instead of the three answers.
    """
    about = "\n".join(_about(memory, edition, raw=raw))
    if raw:
        return about, *map(_message, range(6), edition.texts)
    answers = map("{}\n{}".format, _ANSWERS, edition.texts[1::2])
    return about, *answers


def _about(memory: Memory, edition: Edition, *, raw: bool) -> Iterator[str]:
    """Yield what an edition is and who wrote it; if `raw`, from which requests and messages."""
    shown = ", shown" if memory.edition.number == edition.number else ""
    in_prompts = ", seen by later prompts" if memory.in_prompts.number == edition.number else ""
    kind = f"edition {edition.number}, {edition.kind}{shown}{in_prompts}"
    yield f"{kind}: {edition.tokens:,} tokens"
    yield f"{_made_by(edition, raw=raw)}, {moment(edition.written_at)}"
    if raw:
        if edition.requests:
            hashes = [request[:_HASH] for request in edition.requests]
            yield f"requests {', '.join(hashes)}"
        yield from map(_about_quote, edition.quotes)


def _made_by(edition: Edition, *, raw: bool) -> str:
    """Say who wrote an edition; if `raw`, with the context manager."""
    models = edition.agent
    if raw:
        models = f"agent {edition.agent}, context manager {edition.context_manager}"
    if edition.kind == "person":
        return f"edited in TypingMind, after {models}"  # these two have written it first
    if edition.made == EXTRACTED:
        engine = "extracted from the conversation by the built-in engine"
        return f"{engine}: {models}" if raw else engine
    return f"written: {models}" if raw else f"written by {models}"


def _about_quote(quote: Quote) -> str:
    """Say where a quote is from, and who chose it."""
    source = f"message {quote.source}" if quote.source else "a message that is not known any more"
    length = counted(len(quote.text), "character")
    return f"the quote of {length} is from {source}, chosen by the {quote.chosen}"


def _message(slot: int, text: str) -> str:
    """Return one of the six messages, below a line that names its speaker."""
    head = f"--- agent {'-' * 20}" if slot % 2 else f"--- context manager {'-' * 10}"
    return f"{head}\n{text}"
