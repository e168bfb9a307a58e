"""One message of an export: its own bytes, and what the rules need to know of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from rules.typingmind import content, spans
from rules.typingmind.attachments import without_its_place
from rules.typingmind.content import Part


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands in `messages`; `raw` is its own bytes, which we never rewrite."""

    raw: bytes
    role: str | None
    type: str | None
    uuid: str | None
    created_at: str | None
    model: str | None
    """What TypingMind calls the model that answered: the API's name, or for a custom model a uuid of its own."""
    parts: tuple[Part, ...]
    digest: str
    """SHA-256 of what was said, whatever the uuid, the date, the order of keys and where its files are kept: it
    survives a fork."""
    calls_tools: bool
    cleared: bool
    """It carries `contextClearedAt`: shown to the person, no longer sent to the model."""
    marker: Mapping[str, object] | None
    """Our own field, where the message is one that we wrote."""
    is_copy: bool = False
    """Its bytes have the date on which a fork copied it; `created_at` is when it was said."""

    @property
    def text(self) -> str:
        """What a model reads: words and placeholders."""
        return content.shown(self.parts)

    @property
    def words(self) -> str:
        """What was said in words: a quote is a part of this."""
        return content.words(self.parts)

    @property
    def speaker(self) -> str:
        """`user` or `assistant`: what comes from tools reaches the agent from outside, as the user's words do."""
        return "assistant" if self.role == "assistant" else "user"


def read_message(raw: bytes) -> Message:
    """Read one message from its own bytes. Raises spans.BadJson where they are no JSON object."""
    fields, _ = spans.value(spans.decoded(raw), 0)
    if not isinstance(fields, dict):
        raise spans.BadJson("a message is a JSON object, and this is none", 0)
    return message_of(fields, raw)


def message_of(fields: Mapping[str, object], raw: bytes = b"") -> Message:
    """The message whose fields have been parsed already; `raw` are its own bytes, where they are wanted."""
    marker = fields.get("memproc")
    return Message(
        raw=raw,
        role=_role(fields),
        type=_text(fields.get("type")),
        uuid=_text(fields.get("uuid")),
        created_at=_text(fields.get("createdAt")),
        model=_text(content.chosen(fields).get("model")),
        parts=content.parts(fields),
        digest=_digest(fields),
        calls_tools=bool(fields.get("tool_calls") or fields.get("function_call")),
        cleared=bool(fields.get("contextClearedAt")),
        marker=marker if isinstance(marker, dict) else None,
    )


def _role(fields: Mapping[str, object]) -> str | None:
    """Several answers to one question have no role of their own, and are the assistant's."""
    return "assistant" if fields.get("type") == "tm_multi_responses" else _text(fields.get("role"))


def _digest(fields: Mapping[str, object]) -> str:
    role, said = _role(fields), _plain(fields.get("content"))
    others: list[object] = [fields.get("tool_calls"), fields.get("function_call"), fields.get("tool_call_id")]
    if fields.get("type") == "tm_multi_responses":
        others.append(content.shown(content.parts(fields)))
    if isinstance(said, str) and not any(others):
        # Nearly all messages, and quicker than to write JSON again. The number says where the role ends.
        return hashlib.sha256(f"{len(role or '')} {role} {said}".encode("utf-8", "surrogatepass")).hexdigest()
    return hashlib.sha256(json.dumps([role, said, *others], sort_keys=True).encode()).hexdigest()


def _plain(said: object) -> object:
    """One text part and a plain string say the same, and newer clients write the one for the other."""
    if isinstance(said, list) and len(said) == 1 and isinstance(said[0], dict) and said[0].get("type") == "text":
        return said[0].get("text")
    return [without_its_place(part) for part in said] if isinstance(said, list) else said


def _text(found: object) -> str | None:
    return content.printable(spans.text(found)) or None


_REASONS = {
    "training-message": "an agent's hidden training message, which is always sent",
    "character-welcome-message": "an agent's welcome message",
    "org-first-assistant-message": "an organisation's welcome message",
    "clear-context": "a divider where the context was cleared",
    "tm_context_summary": "TypingMind's own context summary",
}
_LIVED = frozenset({"user", "assistant", "tool", "function"})


def left_out(message: Message) -> str | None:
    """Why the message is no part of the agent's experience; None where it is one."""
    if message.type in _REASONS:
        return _REASONS[message.type]
    if message.cleared:
        return "excluded from the context by the person"
    if message.role == "system":
        return "a system message inside the chat, which stays in force"
    if message.role not in _LIVED:
        return "of a kind that memproc does not know"
    return None
