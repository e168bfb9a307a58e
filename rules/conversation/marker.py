"""The small `memproc` field by which our own messages are known again.

TypingMind keeps it through edit, fork, sync, import and export, and never sends it to a model.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from rules.typingmind import spans
from rules.typingmind.content import printable

OPENING, MEMORY, CLOSING = "opening", "memory", "closing"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Marker:
    """The description that one of our messages carries. Only a memory's messages use the fields after `text`."""

    kind: str
    text: str
    """SHA-256 of the message's text as we wrote it: a different text means that the person edited it."""
    memory: str = ""
    level: int = 1
    edition: int = 1
    slot: int = 0
    """1 to 6: which of the memory's six messages this is."""
    made: str = ""
    """`model`, or `extracted` where the built-in engine chose the persona's own sentences."""
    first: str = ""
    """uuid of the first raw message that the memory stands for."""
    last: str = ""
    """uuid of the last one."""
    messages: int = 0
    """The number of raw messages that it stands for."""


def write_marker(marker: Marker) -> dict[str, object]:
    """The field's value as it stands in the export, without what the kind does not use."""
    fields = {key: value for key, value in asdict(marker).items() if value not in ("", 0)}
    if marker.kind != MEMORY:
        fields = {"kind": marker.kind, "text": marker.text}
    return {"v": _VERSION, **fields}


def read_marker(value: Mapping[str, object] | None) -> Marker | None:
    """The marker in a message's field, or None where there is none that we could have written."""
    if value is None or _number(value, "v") != _VERSION:
        return None
    marker = Marker(
        kind=_word(value, "kind"),
        text=_word(value, "text"),
        memory=_word(value, "memory"),
        level=_number(value, "level"),
        edition=_number(value, "edition"),
        slot=_number(value, "slot"),
        made=_word(value, "made"),
        first=_word(value, "first"),
        last=_word(value, "last"),
        messages=_number(value, "messages"),
    )
    whole = marker.kind in (OPENING, CLOSING) or (marker.kind == MEMORY and marker.memory and 1 <= marker.slot <= 6)
    return marker if whole else None


def text_digest(text: str) -> str:
    """SHA-256 of a text, shortened to 16 characters: enough to notice an edit."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _word(value: Mapping[str, object], key: str) -> str:
    return printable(spans.text(value.get(key)))


def _number(value: Mapping[str, object], key: str) -> int:
    """Numbers of an export reach us as their own text."""
    digits = str(value.get(key, ""))
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else 0
