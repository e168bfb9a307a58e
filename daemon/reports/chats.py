"""Report the chats that the archive knows, and the kept versions of a chat's exports."""

from collections.abc import Sequence
from pathlib import Path

from daemon.archive.chats import KnownChat
from daemon.files.backup import Version, versions_of
from daemon.reports.report import Column, Link, Moment, Report, ReportTable, Step
from rules.wording import counted, cut_title

_CHATS: tuple[Column[KnownChat], ...] = (
    Column("Chat", lambda chat: cut_title(chat.title), "prose"),
    Column("Id", lambda chat: chat.chat_id),
    Column("Messages", lambda chat: chat.messages, "number", drop=1),
    Column("Memories", lambda chat: chat.memories, "number", drop=2),
    Column("Last seen", lambda chat: Moment(chat.last_seen)),
)
_VERSIONS: tuple[Column[Version], ...] = (
    Column(
        "No.",
        lambda kept: Link(str(kept.number), f"/chat/{kept.chat_id}/versions/{kept.number}"),
        "number",
    ),
    Column("Kept", lambda kept: Moment(kept.written_at)),
    Column("What", lambda kept: kept.kind),
    Column("Bytes", lambda kept: kept.size, "number"),
    Column("SHA-256", lambda kept: kept.sha256[:12], drop=1),
)
_NONE = "No version is kept yet: before a file is replaced, it is kept as one."


def chats_report(chats: Sequence[KnownChat], waiting: int) -> Report:
    """Return the chats; `waiting` is how many exports are in the inbox."""
    drop = "Drop an export into the inbox, then"
    in_inbox = (
        f"{counted(waiting, 'export is', 'exports are')} in the inbox; to read" if waiting else ""
    )
    first = () if chats else (Step(in_inbox or drop, "run"),)
    return Report(
        (ReportTable("chats", chats, _CHATS, "The archive knows no chats yet."),), next=first
    )


def versions_report(chat: KnownChat, backups: Path) -> Report:
    """Return the kept versions of a chat, the first original among them, oldest first."""
    versions = versions_of(backups, chat.chat_id)
    table = ReportTable("versions", versions, _VERSIONS, _NONE)
    if not versions:
        return Report((table,))
    note = f"They lie in {backups}; `memproc versions {chat.chat_id} --json` names each file."
    restore = Step("To put one back", f"restore {chat.chat_id} NUMBER")
    return Report((table,), notes=(note,), next=(restore,))
