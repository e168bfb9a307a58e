"""`memproc memories CHAT`: a chat's memories, oldest first, then its folds; or both as a tree."""

from collections.abc import Iterator
from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.chat.holding import Holding, holding
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table
from daemon.status.sentences import printable_json
from rules.conversation.memory import EXTRACTED, Edition, Memory
from rules.plan.section import in_words

_HEADINGS = (
    "Level", "No.", "Memory", "From", "Messages", "Tokens", "Now", "Edition", "Made by", "State",
)  # fmt: skip


@click.command
@click.argument("chat")
@click.option("--tree", is_flag=True, help="What the export shows, each fold with its memories below it.")
@json_option
@pass_settings
def memories(settings: Settings, chat: str, tree: bool, as_json: bool) -> int:
    """List the memories of CHAT, named by its id or its title."""
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        found = holding(archive, settings.config, known.chat_id)
    if as_json:
        click.echo(printable_json([in_full(found, memory) for memory in found.memories]))
    elif not found.memories:
        settings.say(f'"{known.title}" has no memories yet. What a run would do: memproc plan')
    else:
        placed = in_tree(found) if tree else ((memory, 0) for memory in found.memories)
        print_table(_HEADINGS, [_row(found, memory, depth) for memory, depth in placed], right=(0, 1, 4, 5, 6))
    return 0


def in_tree(found: Holding) -> Iterator[tuple[Memory, int]]:
    """Each memory with its depth: what stands in the export, oldest first, each fold before its members.

    What is forgotten stands where it was; folds that are not in use come last.
    """
    top = [memory for memory in found.memories if found.states[memory.memory_id].word in ("shown", "forgotten")]
    unused = [memory for memory in found.memories if found.states[memory.memory_id].word == "not in use"]
    for memory in [*sorted(top, key=lambda one: _first_number(found, one)), *unused]:
        yield from _branch(found, memory, 0)


def _branch(found: Holding, memory: Memory, depth: int) -> Iterator[tuple[Memory, int]]:
    yield memory, depth
    for name in memory.members:
        if found.states[name].into == memory.memory_id:
            yield from _branch(found, found.memory(name), depth + 1)


def _first_number(found: Holding, memory: Memory) -> int:
    """The number of the oldest chunk's memory that it stands for."""
    while memory.is_fold:
        memory = found.memory(memory.members[0])
    return memory.number


def _row(found: Holding, memory: Memory, depth: int) -> tuple[str, ...]:
    edition = memory.edition
    return (
        str(memory.level),
        str(memory.number),
        "   " * depth + memory.memory_id,
        f"{(memory.began_at or '')[:10]} to {(memory.ended_at or '')[:10]}",
        f"{len(memory.keys):,}",
        f"{memory.source_tokens:,}",
        f"{edition.tokens:,}",
        f"{edition.kind} {edition.number} of {len(found.editions[memory.memory_id])}",
        made_by(edition),
        in_words(memory, found.states[memory.memory_id]),
    )


def made_by(edition: Edition) -> str:
    """Who wrote an edition, in one word."""
    if edition.kind == "person":
        return "you"
    return EXTRACTED if edition.made == EXTRACTED else edition.agent


def in_full(found: Holding, memory: Memory) -> dict[str, object]:
    """All that is known of a memory, for programs."""
    state = found.states[memory.memory_id]
    every = [asdict(edition) for edition in found.editions[memory.memory_id]]
    return {**asdict(memory), "state": state.word, "folded_into": state.into, "editions": every}
