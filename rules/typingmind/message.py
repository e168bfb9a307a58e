"""Dates as exports write them, and the dates of our own messages: in order, inside the replaced span."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rules.typingmind import content, spans
from rules.typingmind.content import Part


def parse_date(text: str | None) -> datetime | None:
    """A date of an export (`Z` or an offset, with or without fractions), or None where it is none."""
    if not text:
        return None
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except OverflowError:
        return None


def write_date(when: datetime) -> str:
    """As TypingMind writes dates: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def moved_on(before: str | None, now: str) -> str:
    """`now`, or just after `before` where the clock has been set back: a newer export is never dated earlier."""
    last, present = parse_date(before), parse_date(now)
    if last is None or present is None or present > last:
        return now
    return write_date(_later(last, 1))


def dates_inside(first: str | None, last: str | None, count: int, after: datetime) -> list[datetime]:
    """`count` dates for generated messages: a millisecond apart from `first` on, never later than `last`.

    None of them lies before `after`, the date of what stands before them: TypingMind sorts by date when
    it merges devices, and equal dates keep their order.
    """
    begin = parse_date(first) or after
    end = parse_date(last) or begin
    steps: Sequence[datetime] = [_later(begin, number) for number in range(count)]
    return [max(after, min(step, max(begin, end))) for step in steps]


def _later(when: datetime, milliseconds: int) -> datetime:
    """The moment this many milliseconds later, or the last moment that a date can name."""
    return when + min(timedelta(milliseconds=milliseconds), datetime.max.replace(tzinfo=UTC) - when)


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands in `messages`; `raw` is its own bytes, which we never rewrite."""

    raw: bytes
    role: str | None
    type: str | None
    uuid: str | None
    created_at: str | None
    model: str | None
    """TypingMind's name for the model that answered: the API's name, or for a custom model a uuid."""
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
        """The text that a model reads: words and placeholders."""
        return content.shown(self.parts)

    @property
    def words(self) -> str:
        """The words alone, without placeholders: quotes are taken from these."""
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
    role, text = _role(fields), _plain(fields.get("content"))
    others: list[object] = [fields.get("tool_calls"), fields.get("function_call"), fields.get("tool_call_id")]
    if fields.get("type") == "tm_multi_responses":
        others.append(content.shown(content.parts(fields)))
    if isinstance(text, str) and not any(others):
        # Nearly all messages, and quicker than to write JSON again. The number says where the role ends.
        return hashlib.sha256(f"{len(role or '')} {role} {text}".encode("utf-8", "surrogatepass")).hexdigest()
    return hashlib.sha256(json.dumps([role, text, *others], sort_keys=True).encode()).hexdigest()


def _plain(body: object) -> object:
    """One text part and a plain string say the same, and newer clients write the one for the other."""
    if not isinstance(body, list):
        return body
    if len(body) == 1 and isinstance(body[0], dict) and body[0].get("type") == "text":
        return body[0].get("text")
    return [content.without_its_place(part) for part in body]


def _text(value: object) -> str | None:
    return content.printable(spans.text(value)) or None


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


def is_touched(message: Message) -> bool:
    """The person has excluded or pinned it: what they have done so much with stays as it is."""
    return message.cleared or _fields(message).get("isPinned") is True


def is_incomplete(message: Message) -> bool:
    """The answer was still being written when the chat was exported."""
    metadata = _fields(message).get("tmMetadata")
    return isinstance(metadata, dict) and metadata.get("incomplete") is True


def summarised_until(message: Message) -> str:
    """The uuid of the message at which that ends which a context summary of TypingMind's stands for; else empty."""
    summary = _fields(message).get("contextSummary")
    return spans.text(summary.get("contextCutOffAtUUID")) if isinstance(summary, dict) else ""


def _fields(message: Message) -> Mapping[str, object]:
    fields, _ = spans.value(spans.decoded(message.raw), 0)
    return fields if isinstance(fields, dict) else {}


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the chat, which TypingMind moved into a message's `threads` when that message was sent again.

    It is in the export, is never sent to a model, and is no part of the conversation.
    """

    at: int
    """The index of the message that it hangs on."""
    messages: tuple[Message, ...]
    """Its messages in order, each followed by those of the branches that hang on it; without their bytes."""


def branches(messages: Sequence[Message]) -> tuple[Branch, ...]:
    """All branches of a chat's messages, in order of the messages that they hang on.

    What has another shape than TypingMind gives it (no list, no messages) is passed over.
    Only messages that name the key are parsed again: few do in 10,000.
    """
    return tuple(
        Branch(at, tuple(map(message_of, _inside(thread))))
        for at, message in enumerate(messages)
        if b'"threads"' in message.raw
        for thread in _listed(_fields(message), "threads")
    )


def _inside(thread: object) -> Iterator[dict[str, object]]:
    for message in _listed(thread, "messages"):
        if isinstance(message, dict):
            yield message
            for deeper in _listed(message, "threads"):
                yield from _inside(deeper)


def _listed(holder: object, key: str) -> list[object]:
    items = holder.get(key) if isinstance(holder, Mapping) else None
    return items if isinstance(items, list) else []
