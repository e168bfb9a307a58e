"""Reads a request's JSON as strictly as a provider does: a field of another type is refused by its name."""

from collections.abc import Mapping
from typing import Any, TypeVar

from tests.server.reply import invalid

Value = TypeVar("Value", str, int, bool)


def need(body: Mapping[str, Any], name: str, kind: type[Value]) -> Value:
    """The field. Refused where it is missing, or not of this type."""
    value = take(body, name, kind)
    if value is None:
        raise invalid(f"{name}: field required")
    return value


def take(body: Mapping[str, Any], name: str, kind: type[Value]) -> Value | None:
    """The field, or None where there is none. Refused where it is not of this type."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise invalid(f"{name}: input should be a valid {kind.__name__}")
    return value


def messages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages, each with its role. Refused where there are none."""
    found = body.get("messages")
    if not isinstance(found, list) or not found:
        raise invalid("messages: at least one message is required")
    for at, message in enumerate(found):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise invalid(f"messages.{at}.role: field required")
    return found


def blocks(content: object, place: str) -> list[dict[str, Any]]:
    """The content as blocks; a text by itself is one block. Refused where it is neither."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list) and all(isinstance(block, dict) for block in content):
        return content
    raise invalid(f"{place}: input should be a text or a list of blocks")
