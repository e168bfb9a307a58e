"""What in a chat's own settings would spoil its memories in TypingMind, each with what to do about it."""

from collections.abc import Sequence

from rules.export import spans
from rules.export.chat import Chat
from rules.export.message import Message
from rules.history.recognise import Place

_SYNC_LIMIT_BYTES = 3_145_728


def warnings(chat: Chat, places: Sequence[Place]) -> tuple[str, ...]:
    """One sentence for each thing that the person should change in TypingMind."""
    found = [
        _context_limit(chat),
        _context_summary(chat, places),
        _still_answering(chat, places),
        _too_large_for_sync(chat),
    ]
    return tuple(warning for warning in found if warning)


def _context_limit(chat: Chat) -> str:
    parameters = chat.field("chatParams")
    limit = str(parameters.get("contextLimit") or "0") if isinstance(parameters, dict) else "0"
    if limit in ("0", "0.0"):
        return ""
    return (
        f"The chat's context limit is {limit} messages, so memories at its beginning are never sent. "
        "Set the limit to 0 in the chat's model settings."
    )


def _context_summary(chat: Chat, places: Sequence[Place]) -> str:
    if not any(place.message.type == "tm_context_summary" for place in places):
        return ""
    return (
        "TypingMind's own Context Summary is on for this chat and may hide the memories behind its summary. "
        "Turn it off in the chat's settings."
    )


def _still_answering(chat: Chat, places: Sequence[Place]) -> str:
    if not chat.field("savedControllerState") and not (places and _is_incomplete(places[-1].message)):
        return ""
    return "The chat was exported while an answer was being written. Export it again when the answer is complete."


def _is_incomplete(message: Message) -> bool:
    fields, _ = spans.value(message.raw.decode("utf-8"), 0)
    noted = fields.get("tmMetadata") if isinstance(fields, dict) else None
    return isinstance(noted, dict) and noted.get("incomplete") is True


def _too_large_for_sync(chat: Chat) -> str:
    size = chat.span.stop - chat.span.start
    if size <= _SYNC_LIMIT_BYTES:
        return ""
    return (
        f"The chat has {size / 1_048_576:.1f} MiB; TypingMind's cloud sync skips chats above 3 MiB. "
        "Do not rely on sync for it until it is compressed."
    )
