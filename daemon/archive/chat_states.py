"""The states of a chat that exports have shown, and those that wait until the person accepts them."""

from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.seals import is_sound


@dataclass(frozen=True, slots=True)
class WaitingState:
    """A state of a chat that is skipped: its SHA-256, why, and when that was last said."""

    sha256: str
    doubt: str
    said_at: str


def record_processed(archive: Archive, chat_id: str, sha256: str, file: str, modified: int, when: str) -> None:
    """Note that the chat was processed as an export has it; within a transaction of the caller's.

    `file` is the export's SHA-256, `modified` when it was written, in nanoseconds of Unix time.
    """
    archive.run(
        """
        INSERT INTO chat_state (chat_id, sha256, file, doubt, at, modified) VALUES (?, ?, ?, '', ?, ?)
        ON CONFLICT (chat_id, sha256) DO UPDATE SET
            doubt = '', file = excluded.file, at = excluded.at, modified = excluded.modified
        """,
        (chat_id, sha256, file, when, modified),
    )


def has_gone_on(archive: Archive, chat_id: str, sha256: str, modified: int) -> bool:
    """Whether this state was processed before, and after it another one from a file written later than `modified`.

    Then the export is an old one that still lies there. One that is written anew is judged, whatever state it holds.
    """
    is_older = archive.value(
        f"""
        SELECT sha256 <> ? AND modified > ? AND {is_sound("chat_state")}
        FROM chat_state WHERE chat_id = ? AND doubt = '' ORDER BY at DESC, number DESC LIMIT 1
        """,  # noqa: S608
        (sha256, modified, chat_id),
    )
    return bool(is_older) and was_processed(archive, chat_id, sha256)


def record_doubt(archive: Archive, chat_id: str, sha256: str, file: str, doubt: str, when: str) -> None:
    """Note that the chat was skipped in this state. `at` stays the moment when that was first said."""
    archive.run(
        """
        INSERT INTO chat_state (chat_id, sha256, file, doubt, at, said_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (chat_id, sha256) DO UPDATE SET doubt = excluded.doubt, file = excluded.file,
            accepted_at = NULL, at = iif(doubt = '', excluded.at, at), said_at = excluded.said_at
        """,
        (chat_id, sha256, file, doubt, when, when),
    )


def was_processed(archive: Archive, chat_id: str, sha256: str) -> bool:
    """Whether this very state of the chat was processed before."""
    taken = "SELECT 1 FROM chat_state WHERE chat_id = ? AND sha256 = ? AND doubt = ''"
    return archive.value(taken, (chat_id, sha256)) is not None


def was_seen_before(archive: Archive, chat_id: str, sha256: str, file: str, moment: str) -> bool:
    """Whether this state, or the whole export that holds it, was seen at that moment or before."""
    row = archive.one(
        f"""
        SELECT 1 FROM chat_state WHERE chat_id = ? AND sha256 = ? AND at <= ? AND {is_sound("chat_state")}
        UNION SELECT 1 FROM file_seen WHERE sha256 = ? AND seen_at <= ?
        """,  # noqa: S608
        (chat_id, sha256, moment, file, moment),
    )
    return row is not None


def is_accepted(archive: Archive, chat_id: str, sha256: str) -> bool:
    """Whether the person has accepted this state. That counts until memproc has processed a later one."""
    row = archive.one(
        """
        SELECT 1 FROM chat_state AS state WHERE chat_id = ? AND sha256 = ? AND accepted_at IS NOT NULL
        AND NOT EXISTS (
            SELECT 1 FROM chat_state AS later WHERE later.chat_id = state.chat_id AND later.number <> state.number
            AND later.doubt = '' AND later.at > state.accepted_at)
        """,
        (chat_id, sha256),
    )
    return row is not None


def waiting_state(archive: Archive, chat_id: str) -> WaitingState | None:
    """The state of the chat whose doubt was said last, of all that wait until the person accepts them."""
    row = archive.one(
        """
        SELECT sha256, doubt, said_at FROM chat_state WHERE chat_id = ? AND doubt <> '' AND accepted_at IS NULL
        ORDER BY said_at DESC, number DESC LIMIT 1
        """,
        (chat_id,),
    )
    return WaitingState(*row) if row else None


def accept_state(archive: Archive, chat_id: str, sha256: str, when: str) -> None:
    """Note that the person means this state."""
    archive.run("UPDATE chat_state SET accepted_at = ? WHERE chat_id = ? AND sha256 = ?", (when, chat_id, sha256))


def newest_file(archive: Archive, chat_id: str) -> str:
    """The path of the newest export from which the chat was processed, as the person named it; empty if not known."""
    path: str | None = archive.value(
        """
        SELECT coalesce(
            (SELECT path FROM arrival WHERE arrival.sha256 = file ORDER BY id DESC LIMIT 1),
            (SELECT path FROM file_seen WHERE file_seen.sha256 = file ORDER BY id DESC LIMIT 1), '')
        FROM chat_state WHERE chat_id = ? AND doubt = '' ORDER BY at DESC, number DESC LIMIT 1
        """,
        (chat_id,),
    )
    return path or ""


def newest_arrival(archive: Archive, chat_id: str) -> int | None:
    """The number of the dropped file that held the chat last, or None."""
    number: int | None = archive.value("SELECT max(arrival) FROM outcome WHERE chat_id = ?", (chat_id,))
    return number
