"""Exports that were read, and updated exports that were written."""

import re
from dataclasses import asdict, dataclass
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.archive.chats import skipped_since
from daemon.archive.records import list_columns
from daemon.files.clock import in_full

RESTORED = "restored"
"""Stored in place of the messages' hash for a version that `memproc restore` has put back."""
LET_GO = ""
"""In place of RESTORED once the person has accepted that the next run replaces the version."""
INTENT = "restoring "
"""The prefix of the sign that a version is being put back; the chat's id follows."""
_SEPARATOR = re.compile(r"[/\\]")
"""The folder separators of all systems; the name of an updated export never has one."""


def record_export(archive: Archive, sha256: str, path: str, size: int, when: str) -> None:
    """Store that an export of this content was read at this path, once."""
    archive.run(
        """
        INSERT INTO file_seen (sha256, path, size, seen_at) SELECT ?1, ?2, ?3, ?4
        WHERE NOT EXISTS (SELECT 1 FROM file_seen WHERE sha256 = ?1 AND path = ?2)
        """,
        (sha256, path, size, when),
    )


@dataclass(frozen=True, slots=True)
class Output:
    """An updated export, and the export that it was made from. The hashes are SHA-256."""

    chat_id: str
    path: str
    sha256: str
    messages_sha256: str
    source_sha256: str
    written_at: str
    ours_sha256: str = ""
    """The hash of memproc's own messages in it; empty where unknown."""

    @property
    def is_restored(self) -> bool:
        """Return whether it is a version that `memproc restore` has put back."""
        return self.messages_sha256 in (RESTORED, LET_GO)


def last_output(archive: Archive, chat_id: str) -> Output | None:
    """Return the chat's updated export that was recorded last, whatever the clock said; or None."""
    return _newest(archive, "chat_id = ?", chat_id)


def restored_clause(archive: Archive, chat_id: str) -> str:
    """Return a clause saying that the updated export is a restored version; else empty.

    It says what ends that. Where a newer export was skipped it does not name `accept`, which would
    accept that export.
    """
    last = last_output(archive, chat_id)
    if last is None or not last.is_restored:
        return ""
    if skipped_since(archive, chat_id, last.written_at):
        ends = "a newer export of it was skipped"
    elif last.messages_sha256 == RESTORED:
        ends = f"to compress it again: memproc accept {chat_id}"
    else:
        ends = "the next run compresses it again"
    day = in_full(last.written_at)[:10]
    return f"it was restored on {day}, so its updated export is a version from before; {ends}"


def is_outgrown(archive: Archive, output: Output) -> bool:
    """Return whether the chat has gone on or was edited in TypingMind since this file was written.

    Importing the file would lose that. A restored version was written when it was restored.
    """
    newer = """
        SELECT 1 FROM chat WHERE chat_id = ?1 AND (
            EXISTS (SELECT 1 FROM message JOIN version ON version.message = message.id
                    WHERE message.chat = chat.id AND (seen_at > ?2 OR gone_at > ?2))
            OR EXISTS (SELECT 1 FROM memory LEFT JOIN edition
                       ON edition.memory = memory.id AND kind = 'person'
                       WHERE memory.chat = chat.id AND (forgotten_at > ?2 OR written_at > ?2)))
    """
    return archive.value(newer, (output.chat_id, output.written_at)) is not None


def output_in(archive: Archive, path: str) -> Output | None:
    """Return the newest output at this path, of any chat, or None."""
    return _newest(archive, "path = ?", path)


def _newest(archive: Archive, where: str, value: str) -> Output | None:
    outputs = f"SELECT {list_columns(Output)} FROM output WHERE {where}"  # noqa: S608
    return archive.first(Output, f"{outputs} ORDER BY id DESC LIMIT 1", (value,))


def standing_outputs(archive: Archive) -> tuple[Output, ...]:
    """Return each chat's newest updated export, unless another chat has overwritten its file since.

    That happens when a chat is forked from another in one file, or a file held many chats.
    """
    newest = f"""
        SELECT {list_columns(Output)} FROM output
        WHERE id IN (SELECT max(id) FROM output GROUP BY chat_id)
          AND id IN (SELECT max(id) FROM output GROUP BY path)
        ORDER BY id
    """  # noqa: S608
    return archive.rows(Output, newest)


def was_written(archive: Archive, ending: str) -> bool:
    """Return whether an updated export was ever written whose path ends with `ending`."""
    named_so = "SELECT 1 FROM output WHERE substr(path, -length(?1)) = ?1 LIMIT 1"
    return archive.value(named_so, (ending,)) is not None


def chats_written_to(archive: Archive, path: str) -> tuple[str, ...]:
    """Return the ids of the chats whose newest updated export is the file at this path."""
    newest = """
        SELECT chat_id FROM output
        WHERE id IN (SELECT max(id) FROM output GROUP BY chat_id) AND path = ?
    """
    return archive.column(newest, (path,))


def record_output(archive: Archive, output: Output) -> None:
    """Record that an updated export was written."""
    archive.insert("output", asdict(output))


def let_go_of_restored(archive: Archive, chat_id: str) -> None:
    """Let the next run replace the version that was restored."""
    with archive.transaction():
        archive.run(
            "UPDATE output SET messages_sha256 = ? WHERE messages_sha256 = ? "
            "AND id = (SELECT max(id) FROM output WHERE chat_id = ?)",
            (LET_GO, RESTORED, chat_id),
        )
        archive.run("DELETE FROM rest WHERE chat_id = ?", (chat_id,))


def acknowledge(archive: Archive, chat_id: str, ours_sha256: str) -> None:
    """Record our own messages as TypingMind has them edited; no export is written for that."""
    archive.run(
        "UPDATE output SET ours_sha256 = ? "
        "WHERE id = (SELECT max(id) FROM output WHERE chat_id = ?)",
        (ours_sha256, chat_id),
    )


def move_outputs(archive: Archive, folder: Path) -> None:
    """Change the paths of all outputs to this folder, for an archive from another computer."""
    with archive.transaction():
        for table in ("output", "outcome"):
            paths = archive.run(f"SELECT DISTINCT path FROM {table} WHERE path <> ''")  # noqa: S608
            moved = [(str(folder / _SEPARATOR.split(path)[-1]), path) for (path,) in paths]
            archive.run_many(f"UPDATE {table} SET path = ? WHERE path = ?", moved)  # noqa: S608
