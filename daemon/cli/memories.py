"""Show a chat's memories: `memproc memories`, and `show` for one in full."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from shutil import get_terminal_size

import click

from daemon.archive.chats import find_chat, known_chats
from daemon.chat.holding import Holding, holding
from daemon.cli.memory_table import in_tree, marks_of, table_lines
from daemon.cli.memory_text import heading_lines, print_editions, say_folded
from daemon.cli.naming import one_memory
from daemon.cli.printing import print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from rules.conversation.memory import Memory
from rules.conversation.memory_title import called, dates, short_name
from rules.plan.folds import state_in_words


@click.command
@click.argument("chat")
@click.option(
    "--tree", is_flag=True, help="What the export shows, each fold with its memories below it."
)
@json_option
@pass_settings
def memories_command(settings: Settings, chat: str, tree: bool, as_json: bool) -> None:
    """List the memories of CHAT, named by its id or its title.

    Each has its number, day, tokens before and now, and first words. The number names the memory in
    `show`, `use`, `pin`, `retry` and `recall`; folds are called f1, f2, and so on.
    """
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        whole = holding(archive, settings.config, known.chat_id)
    if as_json:
        print_json([_in_full(whole, memory) for memory in whole.memories])
    elif not whole.memories:
        settings.say(f'"{known.title}" has no memories yet. What a run would do: memproc plan')
    else:
        settings.say(f"{known.title} ({known.chat_id}), tokens before and now:")
        placed = in_tree(whole) if tree else ((memory, 0) for memory in whole.memories)
        width = get_terminal_size().columns if sys.stdout.isatty() else None
        for line in table_lines(whole, list(placed), width):
            click.echo(line)


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.option(
    "--raw", is_flag=True, help="With ids, questions, and the requests that it was made from."
)
@json_option
@pass_settings
def show_command(settings: Settings, names: tuple[str, ...], raw: bool, as_json: bool) -> None:
    """Show MEMORY in full: its number in CHAT, its id, or the beginning of its id.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = one_memory(archive, settings, names)
        title = next(chat.title for chat in known_chats(archive) if chat.chat_id == whole.chat_id)
    if as_json:
        print_json({"chat_id": whole.chat_id, **_in_full(whole, shown)})
        return
    say_folded([*([] if raw else [f'"{title}"']), *_about(whole, shown, raw=raw)])
    print_editions(shown, whole.editions[shown.memory_id], raw)


def _about(whole: Holding, memory: Memory, *, raw: bool) -> Iterator[str]:
    """List what is known of a memory besides its editions."""
    yield from heading_lines(memory, raw)
    if raw and memory.keys:
        yield f"from message {memory.keys[0]} to {memory.keys[-1]}"
    for member in map(whole.memory, memory.members):
        name = called(member) if raw else f"memory {short_name(member)}"
        yield f"made of {name}, {dates(member)}: {member.edition.tokens:,} tokens"
    if raw:
        yield state_in_words(memory, whole.states[memory.memory_id])
        return
    yield marks_of(whole, memory) or "shown"
    yield f"Ids, questions and requests: memproc show {whole.chat_id} {short_name(memory)} --raw"


def _in_full(whole: Holding, memory: Memory) -> dict[str, object]:
    """Return all that is known of a memory, for programs."""
    state = whole.states[memory.memory_id]
    editions = [asdict(edition) for edition in whole.editions[memory.memory_id]]
    return {
        "name": short_name(memory),
        **asdict(memory),
        "state": state.word,
        "folded_into": state.into,
        "editions": editions,
    }
