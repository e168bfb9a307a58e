"""Bytes to chats and back, as a browser's JSON does it (format, sections 1.1, 2.1 and 2.2)."""

import io
import json
import re
import zipfile
from decimal import Decimal
from typing import Any

from tests.chats import Json

_SAFE_INTEGER = 2**53
_LARGEST_INDEX = 2**32 - 2
_INDEX_KEY = re.compile(r'"\d+"\s*:')
_TINY = re.compile(r"[:,\[]-?\d[\d.]*e-\d")
_TEXT_OR_TINY = re.compile(r'"(?:[^"\\]|\\.)*"|(-?\d(?:\.\d+)?e-\d+)')


class NotAnArchive(ValueError):
    """The client refuses the file: "not a valid archive file"."""


def read_chats(export: bytes) -> list[Json]:
    """The chats of a JSON or ZIP export, in order. Raises NotAnArchive."""
    data = _read_zip(export) if export.startswith(b"PK") else _parse(export)
    inner = data.get("data", data) if isinstance(data, dict) else None
    chats = inner.get("chats") if isinstance(inner, dict) else None
    if not isinstance(chats, list):
        raise NotAnArchive("there are no chats in it")
    return chats


def write_chats(chats: list[Json]) -> bytes:
    """What the sidebar's Export saves: on one line, with nothing escaped that need not be."""
    return stringify({"data": {"chats": chats}}).encode(errors="backslashreplace")


def stringify(value: object) -> str:
    """JSON as a browser writes it (half a surrogate pair stays one)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _TEXT_OR_TINY.sub(_tiny, text) if _TINY.search(text) else text


def copied(value: Any) -> Any:
    """The same once more: nothing of it is shared."""
    return json.loads(json.dumps(value))


def _read_zip(export: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(export)) as package:
        archive = _parse(package.read("data.json"))
        chats = archive["data"].get("chats")
        if isinstance(chats, dict):
            parts = [_parse(package.read(name)) for name in chats["chunks"]]
            archive["data"]["chats"] = [
                chat for part in parts if isinstance(part, list) for chat in part
            ]
    return archive


def _parse(content: bytes) -> Any:
    text = content.decode("utf-8-sig", errors="replace")
    ordered = _index_keys_first if _INDEX_KEY.search(text) else None
    try:
        return json.loads(
            text,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_number,
            object_hook=ordered,
        )
    except ValueError as fault:
        raise NotAnArchive(str(fault)) from fault


def _integer(digits: str) -> int | float | None:
    return int(digits) if len(digits) < 16 else _number(digits)


def _number(digits: str) -> int | float | None:
    """Every number is a double: 1.0 is 1, -0 is 0, and one that is too large becomes null when it is written."""
    found = float(digits)
    if found in (float("inf"), float("-inf")):
        return None
    if not found.is_integer() or abs(found) >= 1e21:
        return found
    # From 2**53 on the shortest digits that name the double are written, and zeros after them.
    return int(found) if abs(found) < _SAFE_INTEGER else int(Decimal(repr(found)))


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _index_keys_first(members: Json) -> Json:
    indexes = sorted((key for key in members if _is_index(key)), key=int)
    return {key: members[key] for key in indexes} | members if indexes else members


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and str(int(key)) == key and int(key) <= _LARGEST_INDEX


def _tiny(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[0]
    number = Decimal(found[1])
    return f"{number:f}" if abs(number) >= Decimal("1e-6") else re.sub("e-0", "e-", found[1])
