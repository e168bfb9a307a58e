"""What other programs do to an export: a cloud's key order, and a tool that keeps only the fields it knows."""

from typing import Any

from tests.chats import Json
from tests.typingmind.wire import read_chats, write_chats


def jsonb(export: bytes) -> bytes:
    """The export of chats that were synced and pulled: keys by length, then by bytes (format, section 2.3)."""
    return write_chats([in_jsonb_order(chat) for chat in read_chats(export)])


def strip_markers(export: bytes) -> bytes:
    """The export after a tool that drops the `memproc` fields."""
    return write_chats([_unmarked(chat) for chat in read_chats(export)])


def in_jsonb_order(value: Any) -> Any:
    """The same with the keys of every object in the order that Postgres gives them."""
    if isinstance(value, dict):
        return {key: in_jsonb_order(value[key]) for key in sorted(value, key=_length_then_bytes)}
    return [in_jsonb_order(item) for item in value] if isinstance(value, list) else value


def _length_then_bytes(key: str) -> tuple[int, bytes]:
    written = key.encode(errors="surrogatepass")
    return len(written), written


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        kept: Json = {key: _unmarked(inner) for key, inner in value.items() if key != "memproc"}
        return kept
    return [_unmarked(item) for item in value] if isinstance(value, list) else value
