"""What restoring a version would change, told before it is done: which messages come back, which go."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Counts of messages: in the file now, in the version, only in one of them; and the memories in each."""

    now: int
    then: int
    come_back: int
    go: int
    memories_now: int
    memories_then: int


def difference(now: bytes | None, then: bytes) -> Difference:
    """Compare two exports of one chat, message by message; `now` is None where there is no updated file."""
    before, after = _messages(now) if now is not None else {}, _messages(then)
    return Difference(
        now=len(before),
        then=len(after),
        come_back=len(after.keys() - before.keys()),
        go=len(before.keys() - after.keys()),
        memories_now=_memories(before),
        memories_then=_memories(after),
    )


def _messages(export: bytes) -> dict[str, dict[str, object]]:
    """The messages of all chats by what they are, so that the same message in both files is the same key."""
    root = json.loads(export, parse_int=str, parse_float=str)
    data = root.get("data", root)
    messages = [message for chat in data["chats"] for message in chat.get("messages", [])]
    return {json.dumps(message, sort_keys=True): message for message in messages}


def _memories(messages: dict[str, dict[str, object]]) -> int:
    markers = [message.get("memproc") for message in messages.values()]
    return len({marker.get("memory") for marker in markers if isinstance(marker, dict) and marker.get("memory")})
