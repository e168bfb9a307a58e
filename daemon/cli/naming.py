"""The memories that a command names: by number in a chat, by id, or by the beginning of an id."""

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
    """The memories of these names; the first of them may be the chat's. Raises NotFound."""
    first, *others = names
    has_chat = bool(others) and (
        not _LOOKS_LIKE_AN_ID.fullmatch(first) or not all(map(_LOOKS_LIKE_AN_ID.fullmatch, others))
    )
    chat, ids = (first, others) if has_chat else ("", list(names))
    return [holding_of(archive, settings.config, name, chat) for name in ids]


def one_memory(
    archive: Archive, settings: Settings, names: Sequence[str]
) -> tuple[Holding, Memory]:
    """The one memory of these names, of which the first may be the chat's."""
    if len(names) > 2:
        raise click.UsageError(
            "Name one memory, and its chat before it if you like; quote a title that has spaces."
        )
    chat, name = names if len(names) > 1 else ("", names[0])
    return holding_of(archive, settings.config, name, chat)
