"""Originals that stay in the chat beside their memory: shown to the person, no longer sent.

    {"role":"user","content":"Hi"}
    {"role":"user","content":"Hi","contextClearedAt":"...","memproc":{"v":1,"kind":"original","memory":"..."}}

TypingMind does not send what carries `contextClearedAt`. The marker says that it was we who put it there, and
under which memory the message stands. Everything else about the message is still the person's own bytes.

With `keep-originals` all messages under a memory stay. Otherwise only those stay that name a file of TypingMind's own
store, which would be deleted with them; their marker says so: `"for":"attachment"`.
"""

from collections.abc import Mapping, Sequence

from rules.errors import ChatSetAside
from rules.typingmind import spans
from rules.typingmind.content import attachments
from rules.typingmind.message import Message, read_message
from rules.typingmind.spans import encoded
from rules.typingmind.splice import field_bytes, with_field, without_field

ORIGINAL = "original"
_CLEARED, _MARKER = "contextClearedAt", "memproc"
_VERSION = "1"  # numbers of an export reach us as their own text
_BY_PERSON = "cleared"
"""In the marker: true where the person had excluded the message, so that its `contextClearedAt` stays theirs."""
_BEFORE = "was"
"""In the marker: what stood in a field that we have overwritten, for instance `"contextClearedAt":null`."""
_WHY, _ATTACHMENT = "for", "attachment"
"""In the marker of a message that stays for its attachment, while others under the same memory have left the chat."""
_TOOL_ROLES = frozenset({"tool", "function"})


def is_original(marker: Mapping[str, object] | None) -> bool:
    """The message's `memproc` field says that it is a raw message which we kept beside its memory."""
    if marker is None or str(marker.get("v")) != _VERSION or marker.get("kind") != ORIGINAL:
        return False
    return spans.text(marker.get("memory")) != ""


def is_for_attachment(marker: Mapping[str, object] | None) -> bool:
    """The original stays for its attachment alone, so that the others under its memory need not stand here."""
    return marker is not None and is_original(marker) and marker.get(_WHY) == _ATTACHMENT


def with_attachments(messages: Sequence[Message]) -> frozenset[int]:
    """The indices of the messages that must not leave their chat, since they name a file.

    A tool call and all its results stay together: a result without its call could not be sent to a model, should the
    person take it back into the context.
    """
    staying: set[int] = set()
    group: list[int] = []
    for index, message in enumerate(messages):
        group = [*group, index] if group and _is_result_of(messages[index - 1], message) else [index]
        if attachments(message.raw) or group[0] in staying:
            staying.update(group)
    return frozenset(staying)


def _is_result_of(before: Message, message: Message) -> bool:
    """The message is a result of the call that stands before it, or one more result of the same."""
    return message.role in _TOOL_ROLES and (before.calls_tools or before.role in _TOOL_ROLES)


def kept_original(raw: bytes, when: str, memory: str, *, for_attachment: bool = False) -> bytes:
    """The message as shown and no longer sent since `when` (as exports write dates), under the memory of that id.

    A message that the person had excluded before keeps their date. A message that is kept already is marked
    anew. Raises ChatSetAside where one of the message's keys stands twice.
    """
    marker: dict[str, object] = {"v": int(_VERSION), "kind": ORIGINAL, "memory": memory}
    try:
        return _kept(_plain(raw), when, marker | ({_WHY: _ATTACHMENT} if for_attachment else {}))
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


def _kept(raw: bytes, when: str, marker: dict[str, object]) -> bytes:
    before = {key: field_bytes(raw, key) for key in (_CLEARED, _MARKER)}
    if read_message(raw).cleared:
        marker[_BY_PERSON] = True
        del before[_CLEARED]
    else:
        raw = with_field(raw, _CLEARED, encoded(when))
    overwritten = b"{}"
    for key, value in before.items():
        overwritten = overwritten if value is None else with_field(overwritten, key, value)
    spelled = encoded(marker)
    return with_field(raw, _MARKER, spelled if overwritten == b"{}" else with_field(spelled, _BEFORE, overwritten))


def _plain(raw: bytes) -> bytes:
    marker = read_message(raw).marker
    spelled = field_bytes(raw, _MARKER) if is_original(marker) else None
    if marker is None or spelled is None:
        return raw
    ours = [_MARKER] if marker.get(_BY_PERSON) is True else [_CLEARED, _MARKER]
    before = field_bytes(spelled, _BEFORE) if isinstance(marker.get(_BEFORE), dict) else None
    for key in ours:
        value = None if before is None else field_bytes(before, key)
        raw = without_field(raw, key) if value is None else with_field(raw, key, value)
    return raw


def _unfit(raw: bytes) -> ChatSetAside:
    return ChatSetAside(
        f"The message {read_message(raw).uuid or 'without a uuid'} has one of its keys twice, "
        "so it cannot be kept beside its memory.",
        "Export the chat again from TypingMind, which writes each key once.",
    )
