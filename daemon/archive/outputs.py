"""The updated exports that were written: where each is, what is in it, and which export it was made from."""

import re
from dataclasses import astuple, dataclass
from pathlib import Path

from daemon.archive.archive import Archive

RESTORED = "restored"
"""In the place of the messages' hash: `memproc restore` has put a kept version there."""
_SEPARATOR = re.compile(r"[/\\]")
"""Of folders, on the system that wrote the path: no name of an updated export holds either."""
_COLUMNS = "chat_id, path, sha256, messages_sha256, source_sha256, written_at, ours_sha256"


@dataclass(frozen=True, slots=True)
class Output:
    """An updated export: where, what, and from which export it was made. The hashes are SHA-256."""

    chat_id: str
    path: str
    sha256: str
    messages_sha256: str
    source_sha256: str
    written_at: str
    ours_sha256: str = ""
    """Of what memproc itself said in it; empty where nobody knows."""


def last_output(archive: Archive, chat_id: str) -> Output | None:
    """The chat's newest updated export, whatever the clock said, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM output WHERE chat_id = ? ORDER BY id DESC LIMIT 1", (chat_id,))  # noqa: S608
    return Output(*row) if row else None


def output_in(archive: Archive, path: str) -> Output | None:
    """The newest output at this path, of whichever chat, or None."""
    row = archive.one(f"SELECT {_COLUMNS} FROM output WHERE path = ? ORDER BY id DESC LIMIT 1", (path,))  # noqa: S608
    return Output(*row) if row else None


def standing_outputs(archive: Archive) -> tuple[Output, ...]:
    """The newest updated export of each chat, unless another chat has been written into the same file since.

    A whole export holds many chats, and a new chat is written first by the old one, then by itself.
    """
    rows = archive.run(
        f"""
        SELECT {_COLUMNS} FROM output
        WHERE id IN (SELECT max(id) FROM output GROUP BY chat_id) AND id IN (SELECT max(id) FROM output GROUP BY path)
        ORDER BY id
        """  # noqa: S608
    )
    return tuple(Output(*row) for row in rows)


def was_written(archive: Archive, ending: str) -> bool:
    """Whether an updated export with a name that ends so was ever written."""
    return archive.value("SELECT 1 FROM output WHERE substr(path, -length(?1)) = ?1 LIMIT 1", (ending,)) is not None


def record_output(archive: Archive, output: Output) -> None:
    """Note that an updated export was written."""
    archive.run(f"INSERT INTO output ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(output))  # noqa: S608


def let_go_of_restored(archive: Archive, chat_id: str) -> None:
    """Let the next run replace the version that was restored."""
    archive.run(
        "UPDATE output SET messages_sha256 = '' WHERE messages_sha256 = ? "
        "AND id = (SELECT max(id) FROM output WHERE chat_id = ?)",
        (RESTORED, chat_id),
    )


def acknowledge(archive: Archive, chat_id: str, ours_sha256: str) -> None:
    """Note that the person has these edits in TypingMind already: the newest updated export need not say them too."""
    archive.run(
        "UPDATE output SET ours_sha256 = ? WHERE id = (SELECT max(id) FROM output WHERE chat_id = ?)",
        (ours_sha256, chat_id),
    )


def move_outputs(archive: Archive, folder: Path) -> None:
    """Give all outputs paths in this folder: the archive came from another computer."""
    with archive.transaction():
        for table in ("output", "outcome"):
            paths = archive.run(f"SELECT DISTINCT path FROM {table} WHERE path <> ''")  # noqa: S608
            moved = [(str(folder / _SEPARATOR.split(path)[-1]), path) for (path,) in paths]
            archive.run_many(f"UPDATE {table} SET path = ? WHERE path = ?", moved)  # noqa: S608
