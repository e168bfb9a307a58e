"""Warnings about a chat's settings in TypingMind that would spoil its memories, with what to do about each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, is_incomplete, summarised_until

_COUNT = re.compile(r"0*[1-9][0-9]{0,8}(\.[0-9]+)?")
_SYNC_LIMIT_BYTES = 3_145_728
_KEPT_FREE = 2_000


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of all that TypingMind sends of a finished chat, in tokens of the o200k encoding."""

    system_message: int
    memories: int
    """With opening and closing."""
    live: int


def warnings(chat: Chat, messages: Sequence[Message]) -> tuple[str, ...]:
    """One sentence for each thing that the person should change in TypingMind."""
    sentences = [
        _context_limit(chat),
        _context_summary(messages),
        _still_answering(chat, messages),
        _too_large_for_sync(chat),
    ]
    return tuple(warning for warning in sentences if warning)


def beyond_window(sizes: Sizes, factor: float, window: int) -> str:
    """Warn where the finished chat is more than TypingMind sends to a model whose window holds `window` tokens.

    It keeps 2,000 tokens free, or a fifth of the window where that is less, and leaves out what is oldest without a
    word: the memories first. `factor` is what the model makes of one token of ours. Empty where all of it fits.
    """
    room = window - min(window // 5, _KEPT_FREE)
    system_message, memories, live = (
        round(part * factor) for part in (sizes.system_message, sizes.memories, sizes.live)
    )
    needed = system_message + memories + live
    if needed <= room:
        return ""
    return (
        f"With its memories, the chat has about {needed:,} tokens as its model counts them (system message "
        f"{system_message:,}, memories {memories:,}, messages {live:,}): {needed - room:,} more than TypingMind sends "
        f"to a window of {window:,}, and the memories are what it leaves out. "
        "Lower tail.tokens or fold.budget in memproc.toml, or choose a model with a larger window."
    )


def _context_limit(chat: Chat) -> str:
    parameters = chat.field("chatParams")
    limit = parameters.get("contextLimit") if isinstance(parameters, dict) else None
    if not isinstance(limit, str) or not _COUNT.fullmatch(limit):  # the client writes a number, or its digits as text
        return ""
    return (
        f"The chat's context limit is {limit} messages, so memories at its beginning are never sent. "
        "Set the limit to 0 in the chat's model settings."
    )


def _context_summary(messages: Sequence[Message]) -> str:
    """A summary names the message at which it ends; one that names no message of this chat is not sent."""
    named = {summarised_until(message) for message in messages if message.type == "tm_context_summary"}
    if not named:
        return ""
    if named & {message.uuid for message in messages if message.uuid}:
        return (
            "TypingMind's own Context Summary stands for everything before a message that is still in the chat, so "
            'memories before that message are not sent. Turn off "Auto summarize long conversations" in TypingMind\'s '
            "settings, under Internal prompts, and delete the summary from the chat."
        )
    return (
        "TypingMind's own Context Summary was on for this chat: the next summary would stand in the place of the "
        'memories. Turn off "Auto summarize long conversations" in TypingMind\'s settings, under Internal prompts.'
    )


def _still_answering(chat: Chat, messages: Sequence[Message]) -> str:
    if not chat.field("savedControllerState") and not (messages and is_incomplete(messages[-1])):
        return ""
    return "The chat was exported while an answer was being written. Export it again when the answer is complete."


def _too_large_for_sync(chat: Chat) -> str:
    size = chat.span.stop - chat.span.start
    if size <= _SYNC_LIMIT_BYTES:
        return ""
    return (
        f"The chat has {size / 1_048_576:.1f} MiB; TypingMind's cloud sync skips chats above 3 MiB. "
        "Do not rely on sync for it until it is compressed."
    )
