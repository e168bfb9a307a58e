"""One field of a JSON object in its own bytes: looked up, set, or taken out; every other byte stays.

    {"role":"user","content":"Hi"}          the object, from `{` to `}`
    {"role":"user","content":"Hi","n":1}    `n` set: behind the last field, where it was not there before
    {"content":"Hi","n":1}                  `role` taken out, with one comma

All three raise spans.BadJson where the bytes are no JSON object, or where one key stands in it twice.
"""

import json

from rules.export import walk
from rules.export.reel import Reel
from rules.export.spans import Member


def field_bytes(raw: bytes, key: str) -> bytes | None:
    """The field's value as it is spelled there, or None where the object has no such field."""
    found = next((member.value for member in _members(raw) if member.key == key), None)
    return None if found is None else raw[found.start : found.stop]


def with_field(raw: bytes, key: str, value: bytes) -> bytes:
    """The object with that value (JSON) for the field; a field that it has not stands behind its last one."""
    members = _members(raw)
    found = next((member.value for member in members if member.key == key), None)
    if found is not None:
        return raw[: found.start] + value + raw[found.stop :]
    at = members[-1].value.stop if members else 1
    entry = json.dumps(key, ensure_ascii=False).encode() + b":" + value
    return raw[:at] + (b"," if members else b"") + entry + raw[at:]


def without_field(raw: bytes, key: str) -> bytes:
    """The object without the field and without the comma that parted it from the one before, or else the one behind."""
    members = _members(raw)
    at = next((index for index, member in enumerate(members) if member.key == key), None)
    if at is None:
        return raw
    start, stop = members[at].start, members[at].value.stop
    if at > 0:
        start = members[at - 1].value.stop
    elif len(members) > 1:
        stop = members[1].start
    return raw[:start] + raw[stop:]


def _members(raw: bytes) -> list[Member]:
    """Read as latin-1, so that a character's index is its byte's offset."""
    return walk.members(Reel(raw.decode("latin-1")), 0)[0]
