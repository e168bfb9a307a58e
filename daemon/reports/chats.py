"""Say which chats the archive knows, with how much of each is under memories."""

from collections.abc import Sequence

from daemon.archive.chats import KnownChat
from daemon.reports.report import Column, Moment, Report, ReportTable, Step
from rules.wording import cut_title

_COLUMNS: tuple[Column[KnownChat], ...] = (
    Column("Chat", lambda chat: cut_title(chat.title), "prose"),
    Column("Id", lambda chat: chat.chat_id),
    Column("Messages", lambda chat: chat.messages, "number", drop=1),
    Column("Memories", lambda chat: chat.memories, "number", drop=2),
    Column("Last seen", lambda chat: Moment(chat.last_seen)),
)


def chats_report(chats: Sequence[KnownChat]) -> Report:
    """Return the chats."""
    first = () if chats else (Step("Drop an export into the inbox, then", "run"),)
    return Report(
        (ReportTable("chats", chats, _COLUMNS, "The archive knows no chats yet."),), next=first
    )
