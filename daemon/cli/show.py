"""`memproc show MEMORY`: one memory in full, readable, with where it comes from."""

import json
from collections.abc import Iterator
from dataclasses import asdict

import click

from daemon.archive.memories import find_memory
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.seeing.visible import visible
from rules.memory.memory import EXTRACTED, Memory


@click.command
@click.argument("memory")
@json_option
@pass_settings
def show(settings: Settings, memory: str, as_json: bool) -> int:
    """Show MEMORY, named by its id or the beginning of it, in full."""
    with settings.archive() as archive:
        chat_id, found = find_memory(archive, memory)
    if as_json:
        click.echo(json.dumps({"chat_id": chat_id, **asdict(found)}, indent=2, ensure_ascii=False))
    else:
        click.echo(visible("\n".join(describe(found))))
    return 0


def describe(memory: Memory) -> Iterator[str]:
    """The memory as text: what it stands for, its six messages, and who made it."""
    edition = memory.edition
    yield f"Memory {memory.number} ({memory.memory_id})"
    yield (
        f"stands for {len(memory.keys)} messages, {(memory.began_at or 'no date')[:10]} to "
        f"{(memory.ended_at or 'no date')[:10]}: {memory.source_tokens:,} tokens are now {edition.tokens:,}"
    )
    made = "extracted from the conversation by the built-in engine" if edition.made == EXTRACTED else "written"
    yield f"{made}: agent {edition.agent}, context manager {edition.context_manager}, {edition.written_at}"
    yield f"the quote stands in message {edition.quote.source}, chosen by the {edition.quote.chosen}"
    for slot, text in enumerate(edition.texts):
        yield ""
        yield "--- context manager " + "-" * 20 if slot % 2 == 0 else "--- agent " + "-" * 30
        yield text
