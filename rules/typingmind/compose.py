"""A message of ours as TypingMind stores it.

A generated assistant message has the keys of an assistant message of the same chat, and one text part or
one string, never empty: what TypingMind sends and shows depends on these.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from rules.conversation.drafts import Draft
from rules.conversation.marker import write_marker
from rules.typingmind import spans
from rules.typingmind.dates import write_date

_PLAIN = {"role": "assistant", "uuid": "", "content": "", "createdAt": "", "finish": "stop"}
_EMPTIED = frozenset({"keywords", "metaBlobs", "annotations"})
_NONE = frozenset({"refusal", "citations", "stop_sequence"})
_COUNTED = frozenset({"usage", "titleUsage"})
_COPIED = frozenset({"type", "model"})
_ENDED = {"finish": "stop", "stop_reason": "end_turn"}
_FILLED = _EMPTIED | _NONE | _COUNTED | _COPIED | _ENDED.keys() | {"id", "role", "uuid", "content", "createdAt"}


def write_message(draft: Draft, when: datetime, template: Mapping[str, object] | None) -> bytes:
    """The message's JSON; an assistant message has the keys of `template`, as far as we can fill them."""
    if draft.role == "user":
        message: dict[str, object] = {"role": "user", "uuid": "", "content": draft.text, "createdAt": ""}
    else:
        shape = template if template is not None and "content" in template else _PLAIN
        message = {key: _fill(key, shape[key], draft) for key in shape if key in _FILLED}
    message |= {"role": draft.role, "uuid": draft.uuid, "createdAt": write_date(when)}
    message["memproc"] = write_marker(draft.marker)
    return spans.encoded(message)


def _fill(key: str, value: object, draft: Draft) -> object:
    """A value for a key that the template has: what a finished answer without tools or thinking would bear."""
    if key == "id":
        return "msg_" + hashlib.sha256(draft.name.encode()).hexdigest()[:24]
    if key == "content":
        return [{"type": "text", "text": draft.text}] if isinstance(value, list) else draft.text
    if key in _COUNTED:
        return dict.fromkeys(value, 0) if isinstance(value, dict) else None
    if key in _EMPTIED:
        return [] if isinstance(value, list) else None
    if key in _NONE:
        return None
    if key in _COPIED:
        return spans.text(value) or None
    if key in _ENDED:
        return value if value in ("stop", "end_turn") else _ENDED[key]
    return ""
