"""Decide which chats are processed at all, by the patterns in memproc.toml."""

from collections.abc import Sequence
from fnmatch import translate
from re import IGNORECASE, match

from rules.typingmind.chat import Chat


def matches(chat: Chat, pattern: str) -> bool:
    """Return whether a pattern matches the chat: its title (with wildcards), id, or folder's id.

    Raises ChatSkipped where the chat has no id.
    """
    return pattern in (chat.chat_id, chat.folder_id) or bool(
        match(translate(pattern), chat.title, IGNORECASE)
    )


def why_excluded(chat: Chat, include: Sequence[str], exclude: Sequence[str]) -> str | None:
    """Return why a chat is excluded from all work, as deleted ones are; None if it is not."""
    if chat.deleted:
        return "it lies in TypingMind's bin"
    if any(matches(chat, pattern) for pattern in exclude):
        return "it is excluded in memproc.toml (chats.exclude)"
    if include and not any(matches(chat, pattern) for pattern in include):
        return "it is not included in memproc.toml (chats.include)"
    return None
