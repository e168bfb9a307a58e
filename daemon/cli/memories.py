"""Show a chat's memories: `memproc memories`, in order or as a tree, and `show` for one in full.

A command names memories by number in a chat, or by an id or its beginning.
"""

import re
from collections.abc import Sequence

import click

from daemon.archive.archive import Archive
from daemon.archive.chats import HowNamed, find_chat
from daemon.chat.holding import Holding, holding, holding_of
from daemon.cli.settings import Settings, pass_settings
from daemon.reports.memories import memories_report, memory_report
from rules.conversation.memory import Memory

_LOOKS_LIKE_AN_ID = re.compile("[mf][0-9a-f]{4,15}")


def named_memories(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> list[tuple[Holding, Memory]]:
    """Find the memories of these names; the first may be the chat's. Raises NotFound."""
    has_chat = len(names) > 1 and not all(map(_LOOKS_LIKE_AN_ID.fullmatch, names))
    chat, ids = (names[0], names[1:]) if has_chat else ("", names)
    return [holding_of(archive, settings.config, name, chat) for name in ids]


def one_memory(
    archive: Archive, settings: Settings, names: Sequence[str], how: HowNamed = "begun"
) -> tuple[Holding, Memory]:
    """Find the one memory of these names; the first may be the chat's. Raises NotFound."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    *chat, name = names
    return holding_of(archive, settings.config, name, "".join(chat), how)


@click.command
@click.argument("chat")
@click.option(
    "--tree", is_flag=True, help="What the export shows, each fold with its memories below it."
)
@pass_settings
def memories_command(settings: Settings, chat: str, tree: bool) -> None:
    """List the memories of CHAT, named by its id or its title.

    Each has its number, day, tokens before and now, and first words. The number names the memory in
    `show`, `use`, `pin`, `retry` and `recall`; folds are called f1, f2, and so on.
    """
    with settings.archive() as archive:
        known = find_chat(archive, chat, "part")
        whole = holding(archive, settings.config, known.chat_id)
    settings.show(memories_report(known, whole, tree=tree))


@click.command
@click.argument("names", metavar="[CHAT] MEMORY", nargs=-1, required=True)
@click.option(
    "--raw", is_flag=True, help="With ids, questions, and the requests that it was made from."
)
@pass_settings
def show_command(settings: Settings, names: tuple[str, ...], raw: bool) -> None:
    """Show MEMORY in full: its number in CHAT, its id, or the beginning of its id.

    All its editions are shown: side by side in 120 columns or more, else one below the other.
    """
    with settings.archive() as archive:
        whole, shown = one_memory(archive, settings, names, "part")
        title = find_chat(archive, whole.chat_id).title
    settings.show(memory_report(title, whole, shown, raw=raw))
