"""Keep the newest plan of each chat, for the bridge or for the page, and make one at a time.

Making one starts a process, and a chat changes with every message.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from daemon.files.paths import archive_path

if TYPE_CHECKING:
    from daemon.page.app import Desk

Plan = dict[str, Any]
"""A plan as the extension reads it, or as the page shows it."""


class Plans:
    """The plans of one process of the page."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()
        self._by_chat: dict[str, tuple[object, Plan]] = {}
        """Each chat's plan, with the fingerprint of all that it was made of."""

    def get(self, desk: "Desk", chat_id: str, body: bytes, make: Callable[[], Plan]) -> Plan:
        """Return the chat's plan, made again where `body`, archive or settings have changed."""
        with self._one_at_a_time:
            made_of = (sha256(body).digest(), *_fingerprint(desk))
            kept = self._by_chat.get(chat_id)
            if kept is None or kept[0] != made_of:
                kept = self._by_chat[chat_id] = (made_of, make())
            return kept[1]


def _fingerprint(desk: "Desk") -> tuple[tuple[int, int] | None, ...]:
    """Return a fingerprint of the archive, of its latest writes, and of the settings."""
    archive = archive_path(desk.folders.state)
    paths = (archive, archive.with_name(f"{archive.name}-wal"), desk.toml)
    return tuple(_file_state(path) if path else None for path in paths)


def _file_state(path: Path) -> tuple[int, int] | None:
    """Return time of change and size; None for no file, or an empty one as readers leave."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return (state.st_mtime_ns, state.st_size) if state.st_size else None
