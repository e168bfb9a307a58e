"""Which chats are processed at all, by what memproc.toml names."""

from collections.abc import Sequence
from fnmatch import translate
from re import IGNORECASE, match

from rules.typingmind.chat import Chat


def fits(chat: Chat, pattern: str) -> bool:
    """Return whether a pattern names the chat: its title with wildcards, its id or its folder's.

    Raises ChatSkipped where the chat has no id.
    """
    return pattern in (chat.chat_id, chat.folder_id) or bool(
        match(translate(pattern), chat.title, IGNORECASE)
    )


def why_excluded(chat: Chat, include: Sequence[str], exclude: Sequence[str]) -> str | None:
    """Return why a chat is excluded from all work, or None where it may be processed.

    A pattern is a title with wildcards, a chat id or a folder id. What is deleted is never
    processed.
    """
    if chat.deleted:
        return "it lies in TypingMind's bin"
    if any(fits(chat, pattern) for pattern in exclude):
        return "it is excluded in memproc.toml (chats.exclude)"
    if include and not any(fits(chat, pattern) for pattern in include):
        return "it is not included in memproc.toml (chats.include)"
    return None
