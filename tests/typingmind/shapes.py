"""The objects that the client makes: a chat, a person's message, an answer (format, sections 2.3, 5 and 12)."""

from datetime import datetime
from random import Random
from typing import Any, Literal
from uuid import UUID

from tests.chats import MODEL, START, Json, date

Build = Literal["2024", "2026"]

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_DOLLARS_A_TOKEN = 0.000006


def new_uuid(dice: Random) -> str:
    """A random uuid, version 4."""
    return str(UUID(int=dice.getrandbits(128), version=4))


def new_chat_id(dice: Random) -> str:
    """The ten characters under which the client stores a chat."""
    return "".join(dice.choices(_LETTERS, k=10))


def new_chat(
    title: str,
    system_message: str = "",
    *,
    chat_id: str = "kxecrzvvc1",
    at: datetime = START,
    model: str = MODEL,
    **fields: Any,
) -> Json:
    """An empty chat in the client's shape. A `model` with "claude" in its name takes the Claude path."""
    return {
        "id": chat_id,
        "chatID": chat_id,
        "model": model,
        "modelInfo": {"title": model, "id": model},
        "chatTitle": title,
        "preview": "",
        "messages": [],
        "linkedPlugins": [],
        "chatParams": {"maxTokens": "4000", "contextLimit": 0, "systemMessage": system_message},
        "tokenUsage": None,
        "folderID": None,
        "createdAt": date(at),
        "updatedAt": date(at),
        "syncedAt": None,
        "deletedAt": None,
    } | fields


def said_by_person(build: Build, text: str, dice: Random, at: datetime) -> Json:
    """What a person typed: a list with one text part since 2026, a string before."""
    if build == "2024":
        return {"role": "user", "uuid": new_uuid(dice), "content": text, "createdAt": date(at)}
    parts = [{"type": "text", "text": text}]
    return {"role": "user", "content": parts, "uuid": new_uuid(dice), "createdAt": date(at)}


def answered(build: Build, chat: Json, text: str, dice: Random, at: datetime) -> Json:
    """What the model answered, with the keys of the chat's path, in the order in which that client makes them."""
    common = {"createdAt": date(at), "uuid": new_uuid(dice)}
    usage = _usage(text, extended=build == "2026")
    if not takes_claude_path(chat):
        spoken = {"content": text, "role": "assistant", "usage": usage, "finish": "stop"}
        later: Json = {"citations": None, "metaBlobs": []} if build == "2026" else {}
        return spoken | later | {"model": chat.get("model")} | common
    named = {"id": f"msg_{dice.getrandbits(80):024d}", "type": "message", "role": "assistant"}
    parts = {"content": [{"type": "text", "text": text}]}
    model = {"model": chat.get("model")}
    ended = {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage, "finish": "end_turn"}
    if build == "2026":
        return parts | named | model | ended | common
    return (
        named
        | model
        | parts
        | ended
        | common
        | {"keywords": [], "titleUsage": _usage("", extended=False)}
    )


def takes_claude_path(chat: Json) -> bool:
    """The chat talks to Anthropic's own interface. `model` may be an internal uuid, so its `modelInfo` counts too."""
    info = chat.get("modelInfo")
    names = (chat.get("model"), info.get("id") if isinstance(info, dict) else None)
    return any("claude" in str(name) for name in names)


def is_used(build: Build, chat: Json) -> None:
    """Give a chat the fields that it gains when somebody talks in it."""
    if build == "2024":
        return
    chat.setdefault("character", None)
    chat.setdefault("selectedMultimodelIDs", [])
    for holder, key in (("chatParams", "reasoningEffort"), ("modelInfo", "iconUrl")):
        if isinstance(chat.get(holder), dict):
            chat[holder].setdefault(key, "")


def is_billed(chat: Json, answer: Json) -> None:
    """Add an answer's tokens to the chat's counter, which only ever rises (a fork of 2026 begins it anew)."""
    usage = chat.get("tokenUsage") or {}
    tokens = answer["usage"]["total_tokens"]
    cost = (usage.get("totalCostUSD") or 0) + tokens * _DOLLARS_A_TOKEN
    total = (usage.get("totalTokens") or 0) + tokens
    chat["tokenUsage"] = usage | {"totalCostUSD": round(cost, 6), "totalTokens": total}


def _usage(text: str, *, extended: bool) -> Json:
    written = len(text) // 4
    counts = {"total_tokens": written + 40, "prompt_tokens": 40, "completion_tokens": written}
    cached = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    return counts | cached | ({"extended_cache_creation_input_tokens": 0} if extended else {})
