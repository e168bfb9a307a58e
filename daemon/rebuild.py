"""Have a lost archive back from the backups and the updated exports, chat by chat, as far as they go.

What the archive knows stays as it is: only chats and memories that it lacks are added. Each chat is all or nothing,
and a second time nothing is left to add.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from daemon.house import House
from daemon.rebuilding.chat import RebuiltChat, new_ids, rebuild_chat
from daemon.rebuilding.sources import PassedOver, find_sources
from rules.errors import ArchiveError, DamagedChat, MemprocError


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """All that was added, and the files and chats that could not be used."""

    chats: tuple[RebuiltChat, ...]
    passed_over: tuple[PassedOver, ...]


def rebuild(house: House, more: Sequence[Path] = ()) -> Rebuilt:
    """Read all backups and updated exports, and `more` exports that the person still has; add what is missing.

    Raises ArchiveError, and FileTrouble where a folder or the index of the backups cannot be read.
    """
    sources = find_sources(house.folders, more)
    passed_over = list(sources.passed_over)
    outputs = {name for chat_id in sources.of for name in new_ids(chat_id) if not sources.is_of_its_own(name)}
    chats: list[RebuiltChat] = []
    for chat_id in sources.of:
        if chat_id in outputs:
            continue  # memories of another chat, which the person has not talked on in yet
        try:
            found = rebuild_chat(house, chat_id, sources)
        except MemprocError as trouble:
            if isinstance(trouble, ArchiveError) and not isinstance(trouble, DamagedChat):
                raise
            reason = str(trouble) if isinstance(trouble, DamagedChat) else trouble.message
            passed_over.append(PassedOver(sources.of[chat_id][-1].path, reason))
        else:
            chats += [found] if found else []
    return Rebuilt(tuple(chats), tuple(passed_over))
