"""Read a message of an export: what it is, what was said in it, and the branches from it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rules.typingmind import spans
from rules.typingmind.content import (
    Part,
    choose_answer,
    has_several_answers,
    make_printable,
    read_parts,
    text_of,
    without_its_place,
)
from rules.typingmind.dates import parse_date
from rules.typingmind.spans import Fields

_REASONS = {
    "training-message": "an agent's hidden training message, which is always sent",
    "character-welcome-message": "an agent's welcome message",
    "org-first-assistant-message": "an organisation's welcome message",
    "clear-context": "a divider where the context was cleared",
    "tm_context_summary": "TypingMind's own context summary",
}
_LIVED = frozenset({"user", "assistant", "tool", "function"})
DIVIDER = "divider"
"""The kind of our marker on the message between two conversations brought into one chat."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat; `raw` is its own bytes, which we never rewrite."""

    raw: bytes
    role: str | None
    type: str | None
    uuid: str | None
    created_at: str | None
    model: str | None
    """TypingMind's name for the model that answered: the API's, or for a custom model a uuid."""
    parts: tuple[Part, ...]
    digest: str
    """The SHA-256 of what was said, which a fork does not change: it does not depend on uuid, date,
    the order of keys, or where files are kept."""
    calls_tools: bool
    cleared: bool
    """Whether it has `contextClearedAt`: it is shown, but no longer sent to the model."""
    marker: Fields | None
    """Our own field, which the messages that we wrote have."""
    is_copy: bool = False
    """Whether its bytes have the date of a fork's copy; `created_at` is when it was said."""

    @property
    def text(self) -> str:
        """Return the text that a model reads: words and placeholders."""
        return text_of(self.parts)

    @property
    def spoken(self) -> list[str]:
        """Return the parts that are words, from which quotes are taken."""
        return [part.text for part in self.parts if part.spoken]

    @property
    def words(self) -> str:
        """Return the words, without placeholders."""
        return "\n\n".join(self.spoken)

    @property
    def wording(self) -> str:
        """Return what a message of ours says: its words, or its placeholders where it has no words.

        What we copy from it is written into TypingMind as words, so placeholders must not get among
        them. A picture that the person has attached stays in the message itself.
        """
        return self.words or self.text

    @property
    def speaker(self) -> str:
        """Return `user` or `assistant`: tools' results reach the agent like the user's words."""
        return "assistant" if self.role == "assistant" else "user"


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the chat, which TypingMind moved into the `threads` of a message sent again.

    It is in the export, but is never sent to a model, and is not part of the conversation.
    """

    at: int
    """The index of the message that has it."""
    messages: tuple[Message, ...]
    """Its messages in order, each followed by those of its own branches; without their bytes."""


def read_message(raw: bytes) -> Message:
    """Read a message from its own bytes. Raises spans.BadJson where they are no JSON object."""
    fields, _ = spans.value(spans.decode_json(raw), 0)
    if not isinstance(fields, dict):
        raise spans.BadJson("a message is a JSON object, and this is none", 0)
    return message_of(fields, raw)


def message_of(fields: Fields, raw: bytes = b"") -> Message:
    """Read a message whose fields are parsed; `raw` is its own bytes, where they are known."""
    marker = fields.get("memproc")
    return Message(
        raw=raw,
        role=_role(fields),
        type=_text_of(fields, "type"),
        uuid=_text_of(fields, "uuid"),
        created_at=_text_of(fields, "createdAt"),
        model=_text_of(choose_answer(fields), "model"),
        parts=read_parts(fields),
        digest=_digest(fields),
        calls_tools=bool(fields.get("tool_calls") or fields.get("function_call")),
        cleared=bool(fields.get("contextClearedAt")),
        marker=marker if isinstance(marker, dict) else None,
    )


def _role(fields: Fields) -> str | None:
    """Return the role; several answers to one question have none, and count as the assistant's."""
    return "assistant" if has_several_answers(fields) else _text_of(fields, "role")


def _digest(fields: Fields) -> str:
    role, body = _role(fields), fields.get("content")
    if isinstance(body, list):
        # One text part and a plain string are the same; newer clients write one for the other.
        only = body[0] if len(body) == 1 else None
        if isinstance(only, dict) and only.get("type") == "text":
            body = only.get("text")
        else:
            body = [without_its_place(part) for part in body]
    others = [fields.get(key) for key in ("tool_calls", "function_call", "tool_call_id")]
    if has_several_answers(fields):
        others.append(text_of(read_parts(fields)))
    if isinstance(body, str) and not any(others):
        # Nearly all messages. This is quicker than JSON; the number says where the role ends.
        content = f"{len(role or '')} {role} {body}".encode("utf-8", "surrogatepass")
    else:
        content = json.dumps([role, body, *others], sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()


def _text_of(fields: Fields, key: str) -> str | None:
    return make_printable(spans.text(fields.get(key))) or None


def why_left_out(message: Message) -> str | None:
    """Return why the message is no part of the conversation to remember; None if it is."""
    if message.type in _REASONS:
        return _REASONS[message.type]
    if message.cleared:
        return "excluded from the context by the person"
    if message.role == "system":
        return "a system message inside the chat, which stays in force"
    if message.marker is not None and message.marker.get("kind") == DIVIDER:
        return "the line between two conversations that were brought"
    if message.role not in _LIVED:
        return "of a kind that memproc does not know"
    return None


def is_touched(message: Message) -> bool:
    """Return whether the person has excluded or pinned the message, so that its bytes must stay.

    They do so in TypingMind. This is not what keeps a memory from being folded; see
    `rules.plan.folds`.
    """
    return message.cleared or has_pin(message)


def has_pin(message: Message) -> bool:
    """Return whether the message has TypingMind's pin; `memproc pin` pins a memory instead."""
    return b"isPinned" in message.raw and fields_of(message).get("isPinned") is True


def is_edited_since(message: Message, when: str) -> bool:
    """Return whether the person edited it in TypingMind after `when`, as far as its bytes say."""
    since, edited = parse_date(when), parse_date(_text_of(fields_of(message), "updatedAt"))
    return bool(since and edited and edited > since)


def is_incomplete(message: Message) -> bool:
    """Return whether the answer was still being written when the chat was exported."""
    metadata = fields_of(message).get("tmMetadata")
    return isinstance(metadata, dict) and metadata.get("incomplete") is True


def summarised_until(message: Message) -> str:
    """Return the uuid of the last message that TypingMind's context summary covers, or ""."""
    return spans.text_under(fields_of(message).get("contextSummary"), "contextCutOffAtUUID")


def fields_of(message: Message) -> Fields:
    """Parse the fields of the message again from its bytes; numbers stay as they are written."""
    fields, _ = spans.value(spans.decode_json(message.raw), 0)
    return fields if isinstance(fields, dict) else {}


def find_branches(messages: Sequence[Message]) -> tuple[Branch, ...]:
    """Return all branches of a chat's messages, in the order of the messages that have them.

    Threads in another shape than TypingMind's are ignored. Only messages with the key are parsed
    again: a few of 10,000.
    """
    return tuple(
        Branch(at, tuple(map(message_of, _inside(thread))))
        for at, message in enumerate(messages)
        if b'"threads"' in message.raw
        for thread in spans.as_list(fields_of(message), "threads")
    )


def _inside(thread: object) -> Iterator[dict[str, object]]:
    for message in spans.as_list(thread, "messages"):
        if isinstance(message, dict):
            yield message
            for deeper in spans.as_list(message, "threads"):
                yield from _inside(deeper)
