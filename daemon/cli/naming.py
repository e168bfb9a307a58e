"""Find the memories that a command names: by number in a chat, or by an id or its beginning."""

import re
from collections.abc import Sequence

import click

from daemon.archive.archive import Archive
from daemon.chat.holding import Holding, holding_of
from daemon.cli.settings import Settings
from rules.conversation.memory import Memory

_LOOKS_LIKE_AN_ID = re.compile("[mf][0-9a-f]{4,15}")


def named_memories(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> list[tuple[Holding, Memory]]:
    """Find the memories of these names; the first may be the chat's. Raises NotFound."""
    chat, ids = "", names
    if len(names) > 1 and not all(map(_LOOKS_LIKE_AN_ID.fullmatch, names)):
        chat, *ids = names
    return [holding_of(archive, settings.config, name, chat) for name in ids]


def one_memory(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> tuple[Holding, Memory]:
    """Find the one memory of these names; the first may be the chat's. Raises NotFound."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    chat, name = names if len(names) > 1 else ("", names[0])
    return holding_of(archive, settings.config, name, chat)
