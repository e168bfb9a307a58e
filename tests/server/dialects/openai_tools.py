"""OpenAI's rules of tools: a message with calls is followed by a message of the role `tool` for each of them."""

from collections.abc import Mapping
from typing import Any

from tests.server import fields
from tests.server.reply import invalid
from tests.server.request import Turn, called


def call_turns(message: Mapping[str, Any]) -> list[Turn]:
    """The calls in a message as turns. Refused where one names no function."""
    found = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            raise invalid("tool_calls: a function is required")
        found.append(called(fields.need(function, "name", str), function.get("arguments")))
    return found


def check_tools(body: Mapping[str, Any]) -> None:
    """Refused where tools are an empty list, a call is not answered, or an answer belongs to no call."""
    if body.get("tools") == []:
        raise invalid("Invalid 'tools': empty array. Expected an array with minimum length 1.")
    open_calls: list[str] = []
    for message in [*fields.messages(body), {"role": "end"}]:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise invalid(
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                )
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            raise invalid(
                f"an assistant message with 'tool_calls' must be followed by answers: none for {open_calls}"
            )
        else:
            open_calls = [_id(call) for call in message.get("tool_calls") or []]


def _id(call: Mapping[str, Any]) -> str:
    if call.get("type") != "function":
        raise invalid("tool_calls: the type must be 'function'")
    fields.need(call["function"], "arguments", str)
    return fields.need(call, "id", str)
