"""Originals that stay in the chat beside their memory: shown to the person, no longer sent (D9, `keep-originals`).

    {"role":"user","content":"Hi"}
    {"role":"user","content":"Hi","contextClearedAt":"...","memproc":{"v":1,"kind":"original","memory":"..."}}

TypingMind does not send what carries `contextClearedAt`. The marker says that it was we who put it there, and
under which memory the message stands. Everything else about the message is still the person's own bytes.
"""

import json
from collections.abc import Mapping

from rules.errors import ChatSetAside
from rules.export import spans
from rules.export.field import field_bytes, with_field, without_field
from rules.export.message import read_message

ORIGINAL = "original"
_CLEARED, _MARKER = "contextClearedAt", "memproc"
_VERSION = "1"  # numbers of an export reach us as their own text
_PERSONS = "cleared"
"""In the marker: true where the person had excluded the message, so that its `contextClearedAt` stays theirs."""
_BEFORE = "was"
"""In the marker: what stood in a field that we have overwritten, for instance `"contextClearedAt":null`."""


def is_original(marker: Mapping[str, object] | None) -> bool:
    """The message's `memproc` field says that it is a raw message which we kept beside its memory."""
    if marker is None or str(marker.get("v")) != _VERSION or marker.get("kind") != ORIGINAL:
        return False
    return spans.text(marker.get("memory")) != ""


def kept_original(raw: bytes, when: str, memory: str) -> bytes:
    """The message as shown and no longer sent since `when` (as exports write dates), under the memory of that id.

    A message that the person had excluded before keeps their date. A message that is kept already is marked
    anew. Raises ChatSetAside where one of the message's keys stands twice.
    """
    try:
        return _kept(_plain(raw), when, memory)
    except spans.BadJson as fault:
        raise _unfit(raw) from fault


def plain_original(raw: bytes) -> bytes:
    """The message without what `kept_original` added, wherever that stands by now; all other bytes as they are.

    TypingMind's sync reorders keys, and an edit adds some. A message that we did not keep is returned as it
    is. Raises ChatSetAside where one of a kept message's keys stands twice.
    """
    try:
        return _plain(raw)
    except spans.BadJson as fault:
        raise _unfit(raw) from fault


def _kept(raw: bytes, when: str, memory: str) -> bytes:
    said: dict[str, object] = {"v": int(_VERSION), "kind": ORIGINAL, "memory": memory}
    before = {key: field_bytes(raw, key) for key in (_CLEARED, _MARKER)}
    if read_message(raw).cleared:
        said[_PERSONS] = True
        del before[_CLEARED]
    else:
        raw = with_field(raw, _CLEARED, _json(when))
    overwritten = b"{}"
    for key, value in before.items():
        overwritten = overwritten if value is None else with_field(overwritten, key, value)
    marker = _json(said) if overwritten == b"{}" else with_field(_json(said), _BEFORE, overwritten)
    return with_field(raw, _MARKER, marker)


def _plain(raw: bytes) -> bytes:
    said = read_message(raw).marker
    marker = field_bytes(raw, _MARKER) if is_original(said) else None
    if said is None or marker is None:
        return raw
    ours = [_MARKER] if said.get(_PERSONS) is True else [_CLEARED, _MARKER]
    before = field_bytes(marker, _BEFORE) if isinstance(said.get(_BEFORE), dict) else None
    for key in ours:
        value = None if before is None else field_bytes(before, key)
        raw = without_field(raw, key) if value is None else with_field(raw, key, value)
    return raw


def _unfit(raw: bytes) -> ChatSetAside:
    return ChatSetAside(
        f"The message {read_message(raw).uuid or 'without a uuid'} has one of its keys twice, "
        "so it cannot be kept beside its memory.",
        'Export the chat again from TypingMind; if it stays so, set `output.mode` to "replace" or "new-chat".',
    )


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
