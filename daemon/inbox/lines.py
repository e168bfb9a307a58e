"""Orders and events as lines: one JSON object each, in which `is` says what it is, and nothing that could be run."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LONGEST = 8 << 20
"""Bytes of a line; memproc.toml, the largest thing that is sent, has at most a million."""

_Kind = TypeVar("_Kind")


class Garbled(ValueError):
    """Something that is no order and no event of ours. What it says is not told: it may be anything."""


def to_object(value: "DataclassInstance") -> dict[str, Any]:
    """An order or an event as the object that its line holds."""
    return {"is": type(value).__name__, **asdict(value)}


def to_line(value: "DataclassInstance") -> bytes:
    """The line, with its end. It is pure ASCII, so that half a character out of an export survives the way."""
    return json.dumps(to_object(value)).encode("ascii") + b"\n"


def of_line(line: bytes) -> dict[str, Any]:
    """The object in a line. Raises Garbled."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise Garbled from fault
    if not isinstance(found, dict):
        raise Garbled
    return found


def of_object(kinds: Mapping[str, type[_Kind]], found: Mapping[str, Any]) -> _Kind:
    """The order or the event that an object says; `kinds` are all that there are. Raises Garbled."""
    kind: Any = kinds.get(str(found.get("is")))
    if kind is None or {field.name for field in fields(kind)} | {"is"} != set(found):
        raise Garbled
    made: _Kind = kind(**{name: value for name, value in found.items() if name != "is"})
    return made
