"""Warn about what the person should change in TypingMind, in a sentence for each thing."""

import re
from collections.abc import Iterator, Sequence

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


def find_warnings(chat: Chat, messages: Sequence[Message]) -> Iterator[str]:
    """Yield a sentence for each thing that the person should change in TypingMind."""
    parameters = chat.field("chatParams")
    limit = parameters.get("contextLimit") if isinstance(parameters, dict) else None
    if isinstance(limit, str) and _COUNT.fullmatch(limit):  # a number is read as text, too
        yield (
            f"The chat's context limit is {limit} messages, so memories at its beginning are never "
            "sent. Set the limit to 0 in the chat's model settings."
        )
    # A summary that refers to no message of this chat is not sent.
    summaries = (message for message in messages if message.type == "tm_context_summary")
    summarised = set(map(summarised_until, summaries))
    if summarised:
        in_force = any(message.uuid in summarised for message in messages if message.uuid)
        yield _SUMMARY_IN_FORCE if in_force else _SUMMARY_WAS_ON
    is_unfinished = bool(messages) and is_incomplete(messages[-1])
    if is_unfinished or chat.field("savedControllerState"):
        yield _UNFINISHED
    size = chat.span.stop - chat.span.start
    if size > _SYNC_LIMIT_BYTES:
        yield (
            f"The chat has {size / 1_048_576:.1f} MiB; TypingMind's cloud sync skips chats above 3 "
            "MiB. Do not rely on sync for it until it is compressed."
        )


def warn_beyond_window(system_message: int, memories: int, live: int, window: int) -> str:
    """Return a warning if TypingMind would not send all of the finished chat; else "".

    It is larger than what TypingMind sends to a model with this window. All sizes are in the
    model's tokens; `memories` include opening and closing, and the three parts are all that is
    sent. TypingMind keeps 2,000 tokens free, or a fifth of the window where that is less, and
    silently leaves out the oldest messages: the memories first.
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
