"""What the model gets of a chat (format, section 6, points 1 to 5, and section 12)."""

from tests.chats import Json
from tests.typingmind.shapes import Build, takes_claude_path
from tests.typingmind.texts import text_of

_ROLES = ("system", "user", "assistant", "function", "tool")
_KEPT_FREE = 2000


def sent(chat: Json, build: Build, window: int | None) -> list[Json]:
    """Role and content of each message as they go out; `window` is the model's context length in tokens.

    Of the newer client it is known that it appends two line breaks to the last thing that the person said. That
    it leaves out what is empty is a guess: the older one is known not to.
    """
    found = [message for entry in chat.get("messages") or [] for message in _chosen(entry)]
    found = [
        message for message in found if message.get("role") in _ROLES and _is_in_context(message)
    ]
    found = _limited(found, (chat.get("chatParams") or {}).get("contextLimit"))
    if window is not None:
        found = _trimmed(found, window)
    claude = takes_claude_path(chat)
    plain = [_plain(message, first_part_only=claude and build == "2024") for message in found]
    if build == "2026":
        plain = [message for message in plain if message["content"]]
    if claude:
        plain = _in_turns(plain)
    if build == "2026" and plain and plain[-1]["role"] == "user":
        plain[-1]["content"] += "\n\n"
    return [*_system_message(chat), *plain]


def _system_message(chat: Json) -> list[Json]:
    text = (chat.get("chatParams") or {}).get("systemMessage") or (chat.get("character") or {}).get(
        "instruction"
    )
    return [{"role": "system", "content": text}] if text else []


def _chosen(entry: Json) -> list[Json]:
    """Of several answers the chosen one; with none chosen, the first."""
    if entry.get("type") != "tm_multi_responses" or entry.get("contextClearedAt"):
        return [entry]
    answers = entry.get("responses") or []
    primary = [answer for answer in answers if answer.get("id") == entry.get("primaryResponseID")]
    return [
        message for answer in (primary or answers)[:1] for message in answer.get("messages") or []
    ]


def _is_in_context(message: Json) -> bool:
    return _is_training(message) or not message.get("contextClearedAt")


def _is_training(message: Json) -> bool:
    return message.get("type") == "training-message"


def _limited(messages: list[Json], limit: object) -> list[Json]:
    """`contextLimit` counts messages; 0 is no limit."""
    count = int(limit) if isinstance(limit, int | str) and limit else 0
    if not count:
        return messages
    return [*filter(_is_training, messages[:-count]), *messages[-count:]]


def _trimmed(messages: list[Json], window: int) -> list[Json]:
    """The newest that fit, a token being four characters: what stands in front goes first, without a word."""
    room, start = window - min(window // 5, _KEPT_FREE), len(messages)
    while start and (room := room - len(text_of(messages[start - 1].get("content"))) // 4) >= 0:
        start -= 1
    if not start:
        return messages
    stays = [
        message
        for message in messages[:start]
        if _is_training(message) or message.get("role") == "system"
    ]
    rest = messages[start:]
    while rest and rest[0].get("role") == "assistant":
        del rest[0]
    return [*stays, *rest]


def _plain(message: Json, *, first_part_only: bool) -> Json:
    return {
        "role": message["role"],
        "content": text_of(message.get("content"), first_part_only=first_part_only),
    }


def _in_turns(messages: list[Json]) -> list[Json]:
    """The Claude path: a greeting before a first word of the persona's, and two of one role become one."""
    spoken = [message for message in messages if message["role"] != "system"]
    greeting = (
        [{"role": "user", "content": "Hello"}]
        if spoken and spoken[0]["role"] == "assistant"
        else []
    )
    found: list[Json] = []
    for message in [*greeting, *messages]:
        if found and found[-1]["role"] == message["role"] != "system":
            found[-1]["content"] += "\n\n" + message["content"]
        else:
            found.append(message)
    return found
