"""`memproc memories CHAT`: a chat's memories, oldest first."""

import json
from dataclasses import asdict

import click

from daemon.archive.chats import find_chat
from daemon.archive.memories import memories as memories_of
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.cli.table import print_table


@click.command
@click.argument("chat")
@json_option
@pass_settings
def memories(settings: Settings, chat: str, as_json: bool) -> int:
    """List the memories of CHAT, named by its id or its title."""
    with settings.archive() as archive:
        known = find_chat(archive, chat)
        found = memories_of(archive, known.chat_id)
    if as_json:
        click.echo(json.dumps([asdict(memory) for memory in found], indent=2, ensure_ascii=False))
        return 0
    rows = [
        (
            str(memory.number),
            memory.memory_id,
            f"{(memory.began_at or '')[:10]} to {(memory.ended_at or '')[:10]}",
            f"{len(memory.keys):,}",
            f"{memory.source_tokens:,}",
            f"{memory.edition.tokens:,}",
            memory.edition.made,
        )
        for memory in found
    ]
    print_table(("No.", "Memory", "From", "Messages", "Tokens", "Now", "Made by"), rows, right=(0, 3, 4, 5))
    return 0
