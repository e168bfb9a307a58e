"""Anthropic's rules of tools: how they are defined, and that each call is answered in the message behind it.

Neighbours of one role count as one message. Results stand in front of whatever else the message says.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from tests.server import fields
from tests.server.reply import invalid
from tests.server.request import Turn, called

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SAYS = {"tool_use": "assistant", "tool_result": "user"}

Block = Mapping[str, Any]


def tool_turn(block: Block) -> Turn | None:
    """A call, or the result of one, as a turn; None where it is neither, or the result says nothing."""
    if block.get("type") == "tool_use":
        return called(fields.need(block, "name", str), block.get("input"))
    if block.get("type") != "tool_result":
        return None
    parts = fields.blocks(block.get("content") or "", "tool_result.content")
    text = "\n".join(fields.need(part, "text", str) for part in parts if part.get("type") == "text")
    return Turn("result", text) if text else None


def check_tools(body: Mapping[str, Any]) -> None:
    """Refused where a tool is none, a call has no result or a result no call, or no tools are defined for them."""
    tools = fields.blocks(body.get("tools") or [], "tools")
    _check_definitions(tools)
    calls: list[str] = []
    for role, blocks in [*_turns(body), ("user", [])]:
        _check_blocks(role, blocks, bool(tools))
        _check_results(calls, blocks)
        calls = [block["id"] for block in blocks if block.get("type") == "tool_use"]


def _check_definitions(tools: Sequence[Block]) -> None:
    names = [fields.need(tool, "name", str) for tool in tools]
    if len(set(names)) < len(names):
        raise invalid("tools: tool names must be unique")
    for at, tool in enumerate(tools):
        if not _NAME.fullmatch(tool["name"]):
            raise invalid(f"tools.{at}.name: must match {_NAME.pattern}")
        schema = tool.get("input_schema")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            raise invalid(f"tools.{at}.input_schema.type: input should be 'object'")


def _turns(body: Mapping[str, Any]) -> list[tuple[str, list[Block]]]:
    return [
        (
            role,
            [block for one in messages for block in fields.blocks(one.get("content"), "messages")],
        )
        for role, messages in groupby(fields.messages(body), key=lambda message: message["role"])
    ]


def _check_blocks(role: str, blocks: Sequence[Block], defined: bool) -> None:
    for block in blocks:
        kind = block.get("type")
        if kind not in _SAYS:
            continue
        if not defined:
            raise invalid(
                "tools: requests with `tool_use` or `tool_result` blocks must define tools"
            )
        if role != _SAYS[kind]:
            raise invalid(f"messages: `{kind}` blocks can only be in `{_SAYS[kind]}` messages")
        if kind == "tool_use" and not isinstance(block.get("input"), dict):
            raise invalid("tool_use.input: input should be a valid dictionary")
        if not _ID.fullmatch(
            fields.need(block, "id" if kind == "tool_use" else "tool_use_id", str)
        ):
            raise invalid(f"{kind}: ids must match {_ID.pattern}")


def _check_results(calls: Sequence[str], blocks: Sequence[Block]) -> None:
    results = [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]
    leading = [
        block["tool_use_id"]
        for block in takewhile(lambda block: block.get("type") == "tool_result", blocks)
    ]
    if unexpected := [one for one in results if one not in calls]:
        raise invalid(
            f"messages: unexpected `tool_use_id` found in `tool_result` blocks: {unexpected[0]}"
        )
    if len(set(results)) < len(results):
        raise invalid("messages: each `tool_use` must have a single result")
    if missing := [one for one in calls if one not in leading]:
        raise invalid(
            f"messages: `tool_use` ids without `tool_result` blocks immediately after: {missing[0]}"
        )
