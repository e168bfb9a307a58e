"""Which chats of an export are processed, and why the others are left alone."""

from collections.abc import Sequence
from fnmatch import translate
from re import IGNORECASE, match

from rules.errors import ChatSetAside
from rules.export.chat import Chat


def fits(chat: Chat, pattern: str) -> bool:
    """Whether a pattern of memproc.toml names the chat: its title with wildcards, its id, or its folder's id.

    Raises ChatSetAside where the chat has no id.
    """
    return pattern in (chat.chat_id, chat.folder_id) or bool(match(translate(pattern), chat.title, IGNORECASE))


def why_not(chat: Chat, include: Sequence[str], exclude: Sequence[str]) -> str | None:
    """The reason why a chat is left alone, or None where it may be processed.

    A pattern is a title with wildcards, a chat id or a folder id. What is deleted is never processed.
    """
    if chat.deleted:
        return "it lies in TypingMind's bin"
    if any(fits(chat, pattern) for pattern in exclude):
        return "it is excluded in memproc.toml (chats.exclude)"
    if include and not any(fits(chat, pattern) for pattern in include):
        return "it is not included in memproc.toml (chats.include)"
    return None


def refuse_doubled(chat: Chat, doubled: frozenset[str]) -> None:
    """Raise ChatSetAside where another chat of the export has the same id: nobody can tell which one is meant."""
    if chat.chat_id in doubled:
        raise ChatSetAside(
            f"This export has two chats with the id {chat.chat_id}; TypingMind would keep only one.",
            "Export the chat that you mean by itself.",
        )
