"""The chats that the archive knows: names, the states that exports showed, and chats at rest.

A chat's row of rest holds until something of the chat changes: triggers remove it whenever one of
its memories, messages or outputs is written, so that no function has to.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Literal

from daemon.archive.archive import Archive
from daemon.archive.records import list_columns, row_of
from daemon.archive.seals import damaged_rows, is_sound, refuse_damage
from daemon.archive.trouble import damaged_chat
from rules.errors import NotFound
from rules.typingmind.chat import Chat, parse_chat
from rules.typingmind.content import make_printable
from rules.wording import cut_title

HowNamed = Literal["whole", "begun", "part"]
"""How a person may name a chat: `whole` by its id or title, where something is removed or restored;
`begun` also by the beginning of the id; `part` also by a part of the title, where a chat is only
shown."""


@dataclass(frozen=True, slots=True)
class KnownChat:
    """A chat with its numbers of raw messages that are not gone, and of memories not forgotten."""

    chat_id: str
    title: str
    messages: int
    memories: int
    last_seen: str


def known_chats(archive: Archive) -> tuple[KnownChat, ...]:
    """Return all chats, the most recently seen last."""
    chats = """
        SELECT chat_id, title,
               (SELECT count(*) FROM message WHERE message.chat = chat.id AND gone_at IS NULL),
               (SELECT count(*) FROM memory
                WHERE memory.chat = chat.id AND forgotten_at IS NULL
                      AND id NOT IN (SELECT fold FROM fold_member)),
               last_seen
        FROM chat ORDER BY last_seen, chat.id
    """
    return archive.rows(KnownChat, chats)


def find_chat(archive: Archive, written: str, how: HowNamed = "begun") -> KnownChat:
    """Return the chat of this id, else of this title, else the one that fits as `how` allows.

    Raises NotFound where none or several fit, DamagedChat where a damaged row may be the one.
    """
    chats, written = known_chats(archive), make_printable(written)
    fitting = _fitting(chats, written, how)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        listed = ", ".join(f"{chat.chat_id} ({cut_title(chat.title)})" for chat in fitting)
        raise NotFound(
            f'"{written}" can be any of {len(fitting)} chats: {listed}.',
            "Name one of them by its id.",
        )
    for damage in damaged_rows(archive.run, tables=("chat",)):
        raise damaged_chat(damage)  # it may be the one that is meant
    near = [_to_type(chat) for chat in _fitting(chats, written, "part")[:3]]
    if not near:
        names = [name for chat in chats for name in (chat.chat_id, chat.title)]
        near = [cut_title(name) for name in get_close_matches(written, names)]
    listing = "List those that it knows with: memproc chats"
    next_step = f"Did you mean {' or '.join(near)}?" if near else listing
    raise NotFound(f'The archive knows no chat "{written}".', next_step)


def _fitting(chats: Sequence[KnownChat], written: str, how: HowNamed) -> list[KnownChat]:
    """Return the chats that fit in the first way that any does.

    The ways are: by id, title, start of the id, part of the title.
    """
    title = written.casefold()
    tests: list[Callable[[KnownChat], bool]] = [
        lambda chat: chat.chat_id == written,
        lambda chat: chat.title.casefold() == title,
    ]
    if written and how != "whole":
        tests.append(lambda chat: chat.chat_id.startswith(written))
    if written and how == "part":
        tests.append(lambda chat: title in chat.title.casefold())
    return next(filter(None, (list(filter(fits, chats)) for fits in tests)), [])


def _to_type(chat: KnownChat) -> str:
    """Return what to type for a chat: its title, or the id with the title if that is cut."""
    title = cut_title(chat.title)
    return title if title == chat.title else f"{chat.chat_id} ({title})"


def chats_with_folds(archive: Archive) -> frozenset[str]:
    """Return the ids of the chats that have folds."""
    sql = """
        SELECT DISTINCT chat_id FROM chat JOIN memory ON memory.chat = chat.id
        WHERE memory.id IN (SELECT fold FROM fold_member)
    """
    return frozenset(map(str, archive.column(sql)))


def chats_that_keep(archive: Archive) -> frozenset[str]:
    """Return the ids of the chats with passages that are or were kept word for word."""
    sql = "SELECT DISTINCT chat_id FROM chat JOIN kept_passage ON kept_passage.chat = chat.id"
    return frozenset(map(str, archive.column(sql)))


def is_known(archive: Archive, chat_id: str) -> bool:
    """Return whether an export of a chat of that id has been read."""
    return archive.value("SELECT 1 FROM chat WHERE chat_id = ?", (chat_id,)) is not None


def chat_row(archive: Archive, chat_id: str) -> int:
    """Return the number of a chat's row. The chat must be known."""
    return int(archive.run("SELECT id FROM chat WHERE chat_id = ?", (chat_id,))[0][0])


def agent_window(archive: Archive, chat_id: str) -> int:
    """Return the agent's window in tokens of our count, by the chat's last plan; 0 if unknown."""
    return archive.value("SELECT agent_window FROM chat WHERE chat_id = ?", (chat_id,)) or 0


def keep_agent_window(archive: Archive, chat_id: str, tokens: int) -> None:
    """Store the agent's window for a known chat, in the caller's transaction."""
    archive.run(
        "UPDATE chat SET agent_window = ?2 WHERE chat_id = ?1 AND agent_window IS NOT ?2",
        (chat_id, tokens),
    )


def kept_closing(archive: Archive, chat_id: str) -> str:
    """Return what the person has made of the chat's closing; empty if they have not edited it."""
    return archive.value("SELECT closing FROM chat WHERE chat_id = ?", (chat_id,)) or ""


def keep_closing(archive: Archive, row: int, text: str) -> None:
    """Store what the person has made of a chat's closing, in the caller's transaction."""
    archive.run("UPDATE chat SET closing = ?2 WHERE id = ?1 AND closing <> ?2", (row, text))


def known_chat(archive: Archive, chat_id: str) -> Chat:
    """Return the chat as its newest export had it, without its messages. Raises DamagedChat."""
    refuse_damage(archive.run, chat_id, "chat")
    head, tail = archive.run("SELECT head, tail FROM chat WHERE chat_id = ?", (chat_id,))[0]
    return parse_chat(head + tail)


def persona_of(archive: Archive, chat_id: str) -> str:
    """Return the name of the chat's agent in TypingMind, or "the persona" where it has none."""
    return known_chat(archive, chat_id).persona or "the persona"


def keep_chat(archive: Archive, chat: Chat, when: str) -> int:
    """Store the chat's newest title and the JSON around its messages. Return its row's number."""
    member = chat.member("messages")
    start, stop = (
        (member.value.start + 1, member.value.stop - 1) if member else (chat.span.stop,) * 2
    )
    head = chat.text[chat.span.start : start].encode("latin-1")
    tail = chat.text[stop : chat.span.stop].encode("latin-1")
    archive.run(
        """
        INSERT INTO chat (chat_id, title, head, tail, last_seen) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (chat_id) DO UPDATE SET title = excluded.title, head = excluded.head,
            tail = excluded.tail, last_seen = excluded.last_seen
        """,
        (chat.chat_id, chat.title, head, tail, when),
    )
    return chat_row(archive, chat.chat_id)


def seen_again(archive: Archive, chat_ids: Sequence[str], when: str) -> None:
    """Record that these chats were seen again, unchanged."""
    with archive.transaction():
        archive.run_many(
            "UPDATE chat SET last_seen = ? WHERE chat_id = ?", [(when, name) for name in chat_ids]
        )


@dataclass(frozen=True, slots=True)
class Rest:
    """The state of a chat in which there was nothing to do."""

    sha256: str
    """The hash of the chat's bytes."""
    settings_sha256: str
    """The hash of the settings, texts and versions in force then."""
    found: Mapping[str, Any]
    """Why there was nothing to do, and what else that depends on, as JSON."""


def rest_of(archive: Archive, chat_id: str) -> Rest | None:
    """Return a chat's stored rest; None if there is none, or something was written since."""
    sql = f"""
        SELECT {list_columns(Rest)} FROM rest WHERE chat_id = ? AND {is_sound("rest")}
    """  # noqa: S608
    return archive.first(Rest, sql, (chat_id,))


def keep_rest(archive: Archive, chat_id: str, rest: Rest) -> None:
    """Store that the chat is at rest, in place of what was stored before."""
    archive.insert("rest", {"chat_id": chat_id, **row_of(rest)}, "OR REPLACE")


@dataclass(frozen=True, slots=True)
class WaitingState:
    """A state of a chat that is skipped: its SHA-256, why, and when that was last said."""

    sha256: str
    doubt: str
    said_at: str


def record_processed(
    archive: Archive, chat_id: str, sha256: str, file: str, modified: int, when: str
) -> None:
    """Record that this state of the chat was processed, in the caller's transaction.

    `file` is the export's SHA-256, `modified` its time of modification in nanoseconds of Unix time.
    """
    archive.run(
        """
        INSERT INTO chat_state (chat_id, sha256, file, doubt, at, modified)
        VALUES (?, ?, ?, '', ?, ?)
        ON CONFLICT (chat_id, sha256) DO UPDATE SET
            doubt = '', file = excluded.file, at = excluded.at, modified = excluded.modified
        """,
        (chat_id, sha256, file, when, modified),
    )


def has_gone_on(archive: Archive, chat_id: str, sha256: str, file: str, modified: int) -> bool:
    """Return whether the export is an old one that was left in the inbox, so it is not judged.

    That is so if this state was read before and another one, from a newer file, processed since; or
    if this state was processed and the file not written since, however old the other file is. A
    file written since then is judged in any state, and a state in doubt stays in doubt.
    """
    newest = archive.one(
        f"""
        SELECT CASE WHEN sha256 <> ? AND {is_sound("chat_state")} THEN at END, modified > ?
        FROM chat_state WHERE chat_id = ? AND doubt = '' ORDER BY at DESC, number DESC LIMIT 1
        """,  # noqa: S608
        (sha256, modified, chat_id),
    )
    if newest is None or newest[0] is None:
        return False
    at, is_newer = newest
    if was_processed(archive, chat_id, sha256):
        return bool(is_newer) or modified < datetime.fromisoformat(at).timestamp() * 1e9
    is_doubted = "SELECT doubt <> '' FROM chat_state WHERE chat_id = ? AND sha256 = ?"
    if not is_newer or archive.value(is_doubted, (chat_id, sha256)):
        return False
    return was_seen_before(archive, chat_id, sha256, file, at)


def record_doubt(
    archive: Archive, chat_id: str, sha256: str, file: str, doubt: str, when: str
) -> None:
    """Record that this state of the chat was skipped.

    The time `at` stays that of the first skip.
    """
    archive.run(
        """
        INSERT INTO chat_state (chat_id, sha256, file, doubt, at, said_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (chat_id, sha256) DO UPDATE SET doubt = excluded.doubt, file = excluded.file,
            accepted_at = NULL, at = iif(doubt = '', excluded.at, at), said_at = excluded.said_at
        """,
        (chat_id, sha256, file, doubt, when, when),
    )


def was_processed(archive: Archive, chat_id: str, sha256: str) -> bool:
    """Return whether this very state of the chat was processed before."""
    processed = "SELECT 1 FROM chat_state WHERE chat_id = ? AND sha256 = ? AND doubt = ''"
    return archive.value(processed, (chat_id, sha256)) is not None


def was_seen_before(archive: Archive, chat_id: str, sha256: str, file: str, moment: str) -> bool:
    """Return whether this state, or the export that holds it, was seen at that moment or earlier.

    `file` is the export's SHA-256.
    """
    seen = f"""
        SELECT 1 FROM chat_state
        WHERE chat_id = ? AND sha256 = ? AND at <= ? AND {is_sound("chat_state")}
        UNION SELECT 1 FROM file_seen WHERE sha256 = ? AND seen_at <= ?
    """  # noqa: S608
    return archive.value(seen, (chat_id, sha256, moment, file, moment)) is not None


def is_accepted(archive: Archive, chat_id: str, sha256: str) -> bool:
    """Return whether the person has accepted this state, and no later one was processed since."""
    accepted = """
        SELECT 1 FROM chat_state AS state
        WHERE chat_id = ? AND sha256 = ? AND accepted_at IS NOT NULL
        AND NOT EXISTS (
            SELECT 1 FROM chat_state AS later
            WHERE later.chat_id = state.chat_id AND later.number <> state.number
            AND later.doubt = '' AND later.at > state.accepted_at)
    """
    return archive.value(accepted, (chat_id, sha256)) is not None


def waiting_state(archive: Archive, chat_id: str) -> WaitingState | None:
    """Return the most recently skipped state that the person has not accepted; None for none."""
    waiting = """
        SELECT sha256, doubt, said_at FROM chat_state
        WHERE chat_id = ? AND doubt <> '' AND accepted_at IS NULL
        ORDER BY said_at DESC, number DESC LIMIT 1
    """
    return archive.first(WaitingState, waiting, (chat_id,))


def skipped_since(archive: Archive, chat_id: str, moment: str) -> bool:
    """Return whether a state of the chat was skipped after that moment and is not processed yet.

    An accepted state counts until a run has processed it.
    """
    skipped = "SELECT 1 FROM chat_state WHERE chat_id = ? AND doubt <> '' AND said_at > ? LIMIT 1"
    return archive.value(skipped, (chat_id, moment)) is not None


def accept_state(archive: Archive, chat_id: str, sha256: str, when: str) -> None:
    """Record that the person accepts this state."""
    archive.run(
        "UPDATE chat_state SET accepted_at = ? WHERE chat_id = ? AND sha256 = ?",
        (when, chat_id, sha256),
    )


def newest_file(archive: Archive, chat_id: str) -> str:
    """Return the path of the export that was processed last, as the person named it; else empty."""
    newest = """
        SELECT coalesce(
            (SELECT path FROM arrival WHERE arrival.sha256 = file ORDER BY id DESC LIMIT 1),
            (SELECT path FROM file_seen WHERE file_seen.sha256 = file ORDER BY id DESC LIMIT 1), '')
        FROM chat_state WHERE chat_id = ? AND doubt = '' ORDER BY at DESC, number DESC LIMIT 1
    """
    return archive.value(newest, (chat_id,)) or ""


def newest_arrival(archive: Archive, chat_id: str) -> int | None:
    """Return the number of the newest dropped file that held the chat, or None."""
    number: int | None = archive.value(
        "SELECT max(arrival) FROM outcome JOIN arrival ON arrival.id = arrival "
        "WHERE outcome.chat_id = ? AND by = 'daemon'",
        (chat_id,),
    )
    return number
