"""Plans of chats that the bridge is asked for: one is made at a time, and the last one of each chat is kept.

Making one starts a process, and a chat changes with every message.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from daemon.files.paths import archive_path
from daemon.page.app import Desk

Plan = dict[str, Any]
"""A plan as the extension reads it."""


class Plans:
    """The plans of one process of the page."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()
        self._by_chat: dict[str, tuple[object, Plan]] = {}
        """The plan of each chat, behind the fingerprint of all that it was made of."""

    def get(self, desk: Desk, chat_id: str, body: bytes, make: Callable[[], Plan]) -> Plan:
        """The plan of a chat; made anew where the chat, the archive or memproc.toml has changed since."""
        with self._one_at_a_time:
            made_of = (sha256(body).digest(), *_fingerprint(desk))
            kept = self._by_chat.get(chat_id)
            if kept is None or kept[0] != made_of:
                kept = self._by_chat[chat_id] = (made_of, make())
            return kept[1]


def _fingerprint(desk: Desk) -> tuple[tuple[int, int] | None, ...]:
    """Fingerprint of the archive, of what was written to it last, and of the settings."""
    archive = archive_path(desk.folders.state)
    paths = (archive, archive.with_name(f"{archive.name}-wal"), desk.toml)
    return tuple(_file_state(path) if path else None for path in paths)


def _file_state(path: Path) -> tuple[int, int] | None:
    """Time of the last change and size; None where there is nothing, as in a log that a reader has opened empty."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return (state.st_mtime_ns, state.st_size) if state.st_size else None
