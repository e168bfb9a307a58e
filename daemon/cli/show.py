"""`memproc show MEMORY`: one memory in full, readable, in all its editions, with where it comes from."""

from collections.abc import Iterator

import click

from daemon.chat.holding import Holding, holding_of
from daemon.cli.editions import print_editions, told
from daemon.cli.memories import in_full
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.sentences import printable_json, visible
from rules.conversation.memory import Memory, called, dates
from rules.plan.section import in_words


@click.command
@click.argument("memory")
@json_option
@pass_settings
def show(settings: Settings, memory: str, as_json: bool) -> int:
    """Show MEMORY, named by its id or the beginning of it, in full.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, found = holding_of(archive, settings.config, memory)
    if as_json:
        click.echo(printable_json({"chat_id": whole.chat_id, **in_full(whole, found)}))
        return 0
    click.echo(visible("\n".join((*_stands_for(found), *_around(whole, found)))))
    print_editions(found, whole.editions[found.memory_id])
    return 0


def describe(memory: Memory) -> Iterator[str]:
    """The memory as lines, in the edition that is shown."""
    yield from _stands_for(memory)
    yield ""
    yield from told(memory, memory.edition)


def _stands_for(memory: Memory) -> Iterator[str]:
    name = called(memory)
    yield name[0].upper() + name[1:]
    yield (
        f"stands for {len(memory.keys)} messages, {dates(memory)}: {memory.source_tokens:,} tokens are now "
        f"{memory.edition.tokens:,}"
    )


def _around(whole: Holding, memory: Memory) -> Iterator[str]:
    """What it is made of, and what became of it."""
    if memory.keys:
        yield f"from message {memory.keys[0]} to {memory.keys[-1]}"
    for name in memory.members:
        member = whole.memory(name)
        yield f"made of {called(member)}, {dates(member)}: {member.edition.tokens:,} tokens"
    yield in_words(memory, whole.states[memory.memory_id])
