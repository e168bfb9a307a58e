"""Which chats of an export are processed: the chats that memproc.toml names, and each of them once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import translate
from re import IGNORECASE, match

from rules.errors import ChatSetAside
from rules.typingmind.chat import Chat


def fits(chat: Chat, pattern: str) -> bool:
    """Whether a pattern of memproc.toml names the chat: its title with wildcards, its id, or its folder's id.

    Raises ChatSetAside where the chat has no id.
    """
    return pattern in (chat.chat_id, chat.folder_id) or bool(match(translate(pattern), chat.title, IGNORECASE))


def why_skipped(chat: Chat, include: Sequence[str], exclude: Sequence[str]) -> str | None:
    """The reason why a chat is skipped, or None where it may be processed.

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


def doubled_ids(chat_ids: Iterable[str]) -> frozenset[str]:
    """The ids that more than one chat of an export bears: TypingMind would keep only the last of them."""
    return frozenset(chat_id for chat_id, times in Counter(chat_ids).items() if times > 1)
