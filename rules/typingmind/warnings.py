"""What of a chat the person should change in TypingMind: a sentence for each."""

import re
from collections.abc import Sequence

from rules.typingmind.chat import Chat
from rules.typingmind.message import Message, is_incomplete, summarised_until

_COUNT = re.compile(r"0*[1-9][0-9]{0,8}(\.[0-9]+)?")
_SYNC_LIMIT_BYTES = 3_145_728
_KEPT_FREE = 2_000
_SUMMARY_IN_FORCE = (
    "TypingMind's own Context Summary stands for everything before a message that is still in the "
    'chat, so memories before that message are not sent. Turn off "Auto summarize long '
    "conversations\" in TypingMind's settings, under Internal prompts, and delete the summary from "
    "the chat."
)
_UNFINISHED = (
    "The chat was exported while an answer was being written. "
    "Export it again when the answer is complete."
)
_SUMMARY_WAS_ON = (
    "TypingMind's own Context Summary was on for this chat: the next summary would stand in the "
    'place of the memories. Turn off "Auto summarize long conversations" in '
    "TypingMind's settings, under Internal prompts."
)


def warnings(chat: Chat, messages: Sequence[Message]) -> tuple[str, ...]:
    """Return one sentence for each thing that the person should change in TypingMind."""
    sentences = (
        _on_the_limit(chat),
        _on_summaries(messages),
        _on_an_answer(chat, messages),
        _on_the_size(chat),
    )
    return tuple(filter(None, sentences))


def _on_the_limit(chat: Chat) -> str:
    """Warn of a context limit; the client writes a number, or its digits as text."""
    parameters = chat.field("chatParams")
    limit = parameters.get("contextLimit") if isinstance(parameters, dict) else None
    if not isinstance(limit, str) or not _COUNT.fullmatch(limit):
        return ""
    return (
        f"The chat's context limit is {limit} messages, so memories at its beginning are never "
        "sent. Set the limit to 0 in the chat's model settings."
    )


def _on_summaries(messages: Sequence[Message]) -> str:
    """Warn of TypingMind's summaries. One that names no message of this chat is not sent."""
    summarised = {
        summarised_until(message) for message in messages if message.type == "tm_context_summary"
    }
    if not summarised:
        return ""
    in_force = any(message.uuid in summarised for message in messages if message.uuid)
    return _SUMMARY_IN_FORCE if in_force else _SUMMARY_WAS_ON


def _on_an_answer(chat: Chat, messages: Sequence[Message]) -> str:
    is_unfinished = bool(messages) and is_incomplete(messages[-1])
    return _UNFINISHED if is_unfinished or chat.field("savedControllerState") else ""


def _on_the_size(chat: Chat) -> str:
    size = chat.span.stop - chat.span.start
    if size <= _SYNC_LIMIT_BYTES:
        return ""
    return (
        f"The chat has {size / 1_048_576:.1f} MiB; TypingMind's cloud sync skips chats above 3 "
        "MiB. Do not rely on sync for it until it is compressed."
    )


def beyond_window(system_message: int, memories: int, live: int, window: int) -> str:
    """Warn where the finished chat is more than TypingMind sends to a model of this window.

    All sizes are in the model's tokens; `memories` are with opening and closing, and the three
    parts are all that it sends. It keeps 2,000 tokens free, or a fifth of the window where that
    is less, and leaves out what is oldest without a word: the memories first. Empty where all of
    it fits.
    """
    room = window - min(window // 5, _KEPT_FREE)
    needed = system_message + memories + live
    if needed <= room:
        return ""
    return (
        f"With its memories, the chat has about {needed:,} tokens as its model counts them (system "
        f"message {system_message:,}, memories {memories:,}, messages {live:,}): {needed - room:,} "
        f"more than TypingMind sends to a window of {window:,}, and the memories are what it "
        "leaves out. Lower tail.tokens or fold.budget in memproc.toml, or choose a model with a "
        "larger window."
    )
