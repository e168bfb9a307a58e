"""A message of ours in the shape in which TypingMind stores messages.

An assistant message has the keys of an assistant message of the same chat, and one text part or one
string, never empty: what TypingMind sends and shows depends on these.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from rules.typingmind import spans
from rules.typingmind.dates import write_date

_USER = {"role": "user", "uuid": "", "content": "", "createdAt": ""}
_ASSISTANT = {"role": "assistant", "uuid": "", "content": "", "createdAt": "", "finish": "stop"}
_EMPTIED = frozenset({"keywords", "metaBlobs", "annotations"})
_NONE = frozenset({"refusal", "citations", "stop_sequence"})
_COUNTED = frozenset({"usage", "titleUsage"})
_COPIED = frozenset({"type", "model"})
_ENDED = {"finish": "stop", "stop_reason": "end_turn"}
_FILLED = (
    _EMPTIED
    | _NONE
    | _COUNTED
    | _COPIED
    | _ENDED.keys()
    | {"id", "role", "uuid", "content", "createdAt"}
)


@dataclass(frozen=True, slots=True)
class NewMessage:
    """The values of a message that is still to be written. `name` decides its id."""

    name: str
    uuid: str
    role: str
    text: str
    when: datetime
    marker: Mapping[str, object]


def write_message(new: NewMessage, template: Mapping[str, object] | None) -> bytes:
    """Return the message's JSON; an assistant's has the keys of `template` that we can fill."""
    shape: Mapping[str, object] = _USER
    if new.role == "assistant":
        shape = template if template is not None and "content" in template else _ASSISTANT
    message = {key: _fill(key, shape[key], new) for key in shape if key in _FILLED}
    message |= {"role": new.role, "uuid": new.uuid, "createdAt": write_date(new.when)}
    message["memproc"] = new.marker
    return spans.encoded(message)


def _fill(key: str, value: object, new: NewMessage) -> object:
    """Return the value of a key of the template in a finished answer without tools or thinking."""
    if key == "id":
        return "msg_" + hashlib.sha256(new.name.encode()).hexdigest()[:24]
    if key == "content":
        return [{"type": "text", "text": new.text}] if isinstance(value, list) else new.text
    if key in _COPIED:
        return spans.text(value) or None
    if key in _ENDED:
        return value if value in ("stop", "end_turn") else _ENDED[key]
    return _emptied(key, value)


def _emptied(key: str, value: object) -> object:
    """Return zeros for counts, an empty list for a list, else None."""
    if key in _COUNTED and isinstance(value, dict):
        return dict.fromkeys(value, 0)
    return [] if key in _EMPTIED and isinstance(value, list) else None
