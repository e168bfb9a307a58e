"""The chats that the archive knows, and how a person names one."""

from dataclasses import dataclass
from difflib import get_close_matches

from daemon.archive.archive import Archive
from daemon.archive.seals import damaged_chat, damaged_rows
from rules.errors import NotFound


@dataclass(frozen=True, slots=True)
class KnownChat:
    """A chat with counts: raw messages that still stand, and memories."""

    chat_id: str
    title: str
    messages: int
    memories: int
    first_seen: str
    last_seen: str


def known_chats(archive: Archive) -> tuple[KnownChat, ...]:
    """All chats, the one seen last at the end."""
    rows = archive.run(
        """
        SELECT chat_id, title,
               (SELECT count(*) FROM message WHERE message.chat = chat.id AND gone_at IS NULL),
               (SELECT count(*) FROM memory WHERE memory.chat = chat.id AND id NOT IN (SELECT fold FROM fold_member)),
               first_seen, last_seen
        FROM chat ORDER BY last_seen, chat.id
        """
    )
    return tuple(KnownChat(*row) for row in rows)


def is_known(archive: Archive, chat_id: str) -> bool:
    """Whether an export of a chat of that id has been read."""
    return archive.one("SELECT 1 FROM chat WHERE chat_id = ?", (chat_id,)) is not None


def find_chat(archive: Archive, wanted: str) -> KnownChat:
    """The chat of that id, else of that title, else the only one whose id begins so. Raises NotFound, DamagedChat."""
    chats = known_chats(archive)
    for fits in (
        [chat for chat in chats if chat.chat_id == wanted],
        [chat for chat in chats if chat.title.casefold() == wanted.casefold()],
        [chat for chat in chats if wanted and chat.chat_id.startswith(wanted)],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise NotFound(
                f'"{wanted}" can be any of {len(fits)} chats: {", ".join(f"{c.chat_id} ({c.title})" for c in fits)}.',
                "Name one of them by its id.",
            )
    for damage in damaged_rows(archive.run, tables=("chat",)):
        raise damaged_chat(damage)  # it may be the one
    near = get_close_matches(wanted, [name for chat in chats for name in (chat.chat_id, chat.title)])
    raise NotFound(
        f'The archive knows no chat "{wanted}".',
        f"Did you mean {' or '.join(near)}?" if near else "List those that it knows with: memproc chats",
    )
