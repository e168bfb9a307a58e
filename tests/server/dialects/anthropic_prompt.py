"""Anthropic's prompts: their blocks, which of them are refused, and how they lie in the cache."""

import json
from collections.abc import Mapping
from typing import Any

from tests.server import fields
from tests.server.breakpoints import MOST_MARKS, Block, look
from tests.server.dialects.anthropic_tools import check_tools, tool_turn
from tests.server.entries import Entries, Sight
from tests.server.models import Model, is_of_today
from tests.server.reply import invalid
from tests.server.request import Request, Turn
from tests.server.tokens import count

SAMPLING = ("temperature", "top_p", "top_k")


def read_turns(body: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Every block of text with its role, calls and results. Refused where one is empty or a message is no message."""
    found = (tool_turn(block) or _said(role, block) for role, block in _blocks(body))
    return tuple(turn for turn in found if turn)


def _blocks(body: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """All blocks in the order in which they are cached: system, then messages. Each with its role."""
    found = [("system", block) for block in fields.blocks(body.get("system") or [], "system")]
    for at, message in enumerate(fields.messages(body)):
        if message["role"] not in ("user", "assistant"):
            raise invalid(f"messages.{at}.role: input should be 'user' or 'assistant'")
        parts = fields.blocks(message.get("content"), f"messages.{at}.content")
        if not parts:
            raise invalid(f"messages.{at}: all messages must have non-empty content")
        found += [(message["role"], block) for block in parts]
    return found


def _said(role: str, block: Mapping[str, Any]) -> Turn | None:
    if block.get("type") != "text":
        return None
    text = fields.need(block, "text", str)
    if not text.strip():
        raise invalid(
            "messages: text content blocks must be non-empty and contain more than white space"
        )
    return Turn(role, text)


def check(request: Request, model: Model) -> Request:
    """The request, unless the model would not take it, or its prompt is longer than the window."""
    roles = [message["role"] for message in request.body["messages"]]
    if roles[0] != "user":
        raise invalid("messages: the first message must have the role 'user'")
    if is_of_today(request.model):
        for name in SAMPLING:
            if name in request.body:
                raise invalid(f"{name}: this model takes no sampling parameters")
        if roles[-1] == "assistant":
            raise invalid(
                "messages: this model takes no prefill; the last message must have the role 'user'"
            )
    check_tools(request.body)
    tokens = prompt_tokens(request)
    if tokens > model.window:
        raise invalid(f"prompt is too long: {tokens} tokens > {model.window} maximum")
    return request


def prompt_tokens(request: Request) -> int:
    """How long the prompt is: the sum of its blocks."""
    return sum(block.tokens for block in _prompt(request))


def look_up(request: Request, model: Model, entries: Entries) -> Sight:
    """What the request finds in the cache."""
    return look(entries, request.model, _prompt(request), model.cache_minimum)


def _prompt(request: Request) -> list[Block]:
    """The prompt's blocks for the cache. Another way of thinking makes every message another one."""
    way = json.dumps([request.body.get("thinking"), request.body.get("tool_choice")])
    found = [("tools", tool) for tool in request.body.get("tools") or []] + _blocks(request.body)
    blocks = [
        _block(role if role in ("tools", "system") else role + way, block) for role, block in found
    ]
    if sum(block.marked for block in blocks) > MOST_MARKS:
        raise invalid(f"cache_control: at most {MOST_MARKS} blocks may be marked")
    return blocks


def _block(role: str, block: Mapping[str, Any]) -> Block:
    mark = block.get("cache_control")
    if mark is not None and mark not in ({"type": "ephemeral"}, {"type": "ephemeral", "ttl": "5m"}):
        raise invalid("cache_control: this server knows ephemeral entries of five minutes only")
    rest = json.dumps(
        {name: value for name, value in block.items() if name != "cache_control"}, sort_keys=True
    )
    text = block["text"] if block.get("type") == "text" else rest
    return Block(role + rest, count(text), mark is not None)
