"""Erase a chat for good: its rows, and what SQLite leaves of them in freed pages and its log.

The chat's own row goes last, so that a half-erased chat can still be named.
"""

import json
from collections.abc import Collection

from daemon.archive.archive import ZONE, Archive
from daemon.archive.arrivals import change_state
from daemon.archive.seals import SEALED, seal_from_now_on
from rules.errors import ArchiveError

BY_ROW = tuple(table for table in reversed(SEALED) if table not in ("chat", "reply"))
"""Tables whose rows of a chat are found as for their seals. Rows that others refer to come last."""
BY_CHAT_ID = ("reply", "batch_request", "pressed", "sent")
_SHORTEST_TITLE = 3
EMPTIED = ("token_count", "bound_prices")
"""Caches by a text's hash, of no chat. They are emptied: all is computed again when needed."""


def erase_rows(
    archive: Archive,
    chat_id: str,
    in_inbox: Collection[int],
    now: str,
    copies: Collection[str] = (),
    title: str = "",
    names: Collection[str] = (),
) -> None:
    """Remove and overwrite all that the archive has of a chat. Rows shared with other chats stay.

    copies      SHA-256 of dropped files that held this chat alone: unfinished work on them ends,
                since memproc's own copies are gone
    in_inbox    numbers of the arrivals whose files are still in the inbox: their rows stay, or the
                daemon would take the files for new
    title       of a chat that has no row
    names       ids of new chats made with its memories, which have no row either

    What was spent stays in the ledger without the chat's name, since the caps count it. Raises
    ArchiveError where another program is reading the archive; the erasure can be repeated.
    """
    archive.run("PRAGMA secure_delete = ON")
    archive.run("PRAGMA temp_store = MEMORY")  # VACUUM must not sort in a file
    seal_from_now_on(archive.run)  # that setting has removed the temporary triggers
    row = archive.value("SELECT id FROM chat WHERE chat_id = ?", (chat_id,))
    with archive.transaction():
        _end_work(archive, copies, in_inbox, now)
        _erase_files(archive, chat_id, in_inbox)
        for table in BY_ROW:
            archive.run(f"DELETE FROM {table} WHERE {SEALED[table].of_chat}", (row,))  # noqa: S608
        archive.run(
            "DELETE FROM odd_usage WHERE request IN (SELECT request FROM reply WHERE chat_id = ?)",
            (chat_id,),
        )
        ids = json.dumps([chat_id, *names])
        for table in BY_CHAT_ID:
            archive.run(
                f"DELETE FROM {table} WHERE chat_id IN (SELECT value FROM json_each(?))",  # noqa: S608
                (ids,),
            )
        for table in EMPTIED:
            archive.run(f"DELETE FROM {table}")  # noqa: S608
        archive.run("DELETE FROM body WHERE sha256 NOT IN (SELECT sha256 FROM version)")
        archive.run("UPDATE spending SET chat_id = '', request = '' WHERE chat_id = ?", (chat_id,))
        archive.run(
            "UPDATE batch SET ended_at = ? "
            "WHERE ended_at IS NULL AND id NOT IN (SELECT batch FROM batch_request)",
            (now,),
        )
        stored_title = archive.value("SELECT title FROM chat WHERE id = ?", (row,))
        _erase_mentions(archive, chat_id, stored_title or title)
        archive.run("UPDATE chat SET head = x'', tail = x'', closing = '' WHERE id = ?", (row,))
    archive.run("VACUUM")
    _empty_log(archive)
    archive.run("DELETE FROM chat WHERE id = ?", (row,))
    _empty_log(archive)


def _end_work(
    archive: Archive, copies: Collection[str], in_inbox: Collection[int], now: str
) -> None:
    """End unfinished work on these copies; rows of files that have left the inbox are removed."""
    of_copies = (
        "SELECT id FROM arrival WHERE sha256 IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    for number in archive.column(of_copies, (json.dumps(sorted(copies)),)):
        archive.run("DELETE FROM log WHERE arrival = ?", (number,))
        if number in in_inbox:
            change_state(archive, number, "done", "", "", now)
        else:
            archive.run("DELETE FROM outcome WHERE arrival = ?", (number,))
            archive.run("DELETE FROM arrival WHERE id = ?", (number,))


def _erase_mentions(archive: Archive, chat_id: str, title: str) -> None:
    """Remove notices, signs, job errors and log entries that name a chat. Raised caps stay."""
    archive.run("UPDATE job SET error = NULL WHERE instr(error, ?)", (chat_id,))
    archive.run(
        "DELETE FROM sign WHERE instr(name || ' ' || value, ?) AND name <> ?", (chat_id, ZONE)
    )
    archive.run("DELETE FROM notice WHERE instr(text, ?)", (chat_id,))
    archive.run("DELETE FROM log WHERE instr(event, ?)", (json.dumps(chat_id)[1:-1],))
    if len(title) < _SHORTEST_TITLE:
        return  # too short: it occurs in other words by chance
    archive.run("DELETE FROM notice WHERE instr(text, ?)", (title,))
    for spelled in {title, json.dumps(title)[1:-1]}:
        archive.run(
            "DELETE FROM sign WHERE instr(value, ?) AND name <> ? AND name NOT LIKE 'budget%'",
            (spelled, ZONE),
        )
    # Fields that memproc fills in itself do not count, nor does another chat's own title.
    of_title = """
        DELETE FROM log WHERE iif(json_valid(event), EXISTS (
            SELECT 1 FROM json_tree(event)
            WHERE type = 'text' AND instr(atom, ?1) AND key NOT IN ('is', 'state', 'kind')
              AND (chat_id = '' OR key NOT IN ('title', 'file', 'path'))
        ), instr(event, ?2))
    """
    archive.run(of_title, (title, json.dumps(title)[1:-1]))


def _erase_files(archive: Archive, chat_id: str, in_inbox: Collection[int]) -> None:
    """Remove the rows of files that held this chat and no other, and its name from the rest."""
    of_chat = """
        SELECT arrival FROM outcome WHERE chat_id = ?1 UNION
        SELECT id FROM arrival WHERE chat_id = ?1 OR sha256 IN (
            SELECT sha256 FROM file_seen WHERE sha256 IN (
                SELECT file FROM chat_state WHERE chat_id = ?1
                EXCEPT SELECT file FROM chat_state WHERE chat_id <> ?1))
    """
    arrivals = archive.column(of_chat, (chat_id,))
    archive.run(
        """
        DELETE FROM file_seen WHERE sha256 IN (SELECT file FROM chat_state WHERE chat_id = ?1)
        AND sha256 NOT IN (SELECT file FROM chat_state WHERE chat_id <> ?1)
        """,
        (chat_id,),
    )
    for arrival in arrivals:
        archive.run("DELETE FROM log WHERE arrival = ? AND chat_id = ''", (arrival,))
        archive.run("UPDATE arrival SET reason = '', next_step = '' WHERE id = ?", (arrival,))
    archive.run("UPDATE arrival SET chat_id = '', title = '' WHERE chat_id = ?", (chat_id,))
    not_in_inbox = json.dumps([number for number in arrivals if number not in in_inbox])
    of_them = """
        SELECT value FROM json_each(?1) WHERE NOT EXISTS (
            SELECT 1 FROM outcome WHERE arrival = value AND chat_id <> ?2)
    """
    removable = archive.column(of_them, (not_in_inbox, chat_id))
    archive.run("DELETE FROM outcome WHERE chat_id = ?", (chat_id,))
    archive.run_many("DELETE FROM log WHERE arrival = ?", [(number,) for number in removable])
    archive.run_many("DELETE FROM arrival WHERE id = ?", [(number,) for number in removable])


def _empty_log(archive: Archive) -> None:
    is_busy, *_ = archive.run("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    if is_busy:
        raise ArchiveError(
            "Another program reads the archive, so that its log could not be emptied.",
            "Close that program, and say it again: what is erased already does no harm.",
        )
