"""A message of an export: its dates, its content in every shape that TypingMind knows, its files, its branches.

Words are the text that person and persona wrote. Images, files, tool traffic and thinking become short
placeholders in square brackets: they keep their place in the prompt and are never quoted.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from rules.typingmind import spans

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_PLACEHOLDERS = {
    **dict.fromkeys(("image_url", "tm_image_file", "image", "input_image"), "image"),
    **dict.fromkeys(
        ("tm_text_file", "tm_blob_file", "tm_file_attachment", "tm_unsynced_attachment"), "file"
    ),
    **dict.fromkeys(("file", "document"), "file"),
}
_NAMELESS = {
    **dict.fromkeys(("input_audio", "audio"), "[sound]"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), "[thinking]"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: its own words, or (`spoken` false) a placeholder for what is not words."""

    text: str
    spoken: bool


def parts(message: Mapping[str, object]) -> tuple[Part, ...]:
    """The pieces of one parsed message in reading order; empty where it says and does nothing."""
    if message.get("type") == "tm_multi_responses":
        answers = _listed(chosen(message), "messages")
        return tuple(
            part for answer in answers if isinstance(answer, dict) for part in parts(answer)
        )
    content, calls, older = (message.get(key) for key in ("content", "tool_calls", "function_call"))
    items = content if isinstance(content, list) else [content] if spans.text(content) else []
    pieces = [_part(item) for item in items]
    if calls or older:
        called = [
            call.get("function")
            for call in _listed(message, "tool_calls")
            if isinstance(call, dict)
        ]
        names = [_name(call) for call in [*called, older] if isinstance(call, dict)]
        pieces += [Part(f"[tool call: {name}]", spoken=False) for name in names]
    if message.get("role") in ("tool", "function"):
        characters = sum(len(part.text) for part in pieces)
        return (Part(f"[tool result: {_name(message)}, {characters:,} characters]", spoken=False),)
    if message.get("type") == "attachment":
        return (Part(_placeholder("file", message), spoken=False),)
    return tuple(part for part in pieces if part.text)


def shown(pieces: Sequence[Part]) -> str:
    """The message as a model reads it: words and placeholders."""
    return "\n\n".join(part.text for part in pieces)


def _part(item: object) -> Part:
    if (text := spans.text(item)) or item == "":
        return Part(printable(text), spoken=True)
    kind = spans.text(item.get("type")) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not kind:
        return Part("[unknown part]", spoken=False)
    if kind in ("text", "refusal", "output_text"):
        return Part(printable(spans.text(item.get("text", item.get("refusal")))), spoken=True)
    if kind in _PLACEHOLDERS:
        return Part(_placeholder(_PLACEHOLDERS[kind], item), spoken=False)
    if kind.endswith(("tool_use", "tool_call")):
        return Part(f"[tool call: {_name(item)}]", spoken=False)
    if kind.endswith("_result") or kind.startswith(("bash_", "text_editor_")):
        return Part(f"[tool result: {_name(item)}]", spoken=False)
    return Part(_NAMELESS.get(kind) or f"[{printable(kind)[:40]}]", spoken=False)


def _placeholder(what: str, item: Mapping[str, object]) -> str:
    metadata = item.get("metadata")
    name = spans.text(metadata.get("name")) if isinstance(metadata, dict) else ""
    return f"[{what}: {printable(name)[:80]}]" if name else f"[{what}]"


def _name(item: Mapping[str, object]) -> str:
    return printable(spans.text(item.get("name")))[:80] or "unnamed"


def chosen(message: Mapping[str, object]) -> Mapping[str, object]:
    """The one of several answers that the conversation went on from; with none chosen the app sends the first.

    A message that is not several answers is itself what was chosen.
    """
    if message.get("type") != "tm_multi_responses":
        return message
    answers = [answer for answer in _listed(message, "responses") if isinstance(answer, dict)]
    primary_id = spans.text(message.get("primaryResponseID"))
    primary = [answer for answer in answers if primary_id and answer.get("id") == primary_id]
    return next(iter(primary or answers), {})


def printable(text: str) -> str:
    """JSON may hold half a surrogate pair, which no database, model or file takes: it becomes U+FFFD."""
    try:
        text.encode()  # nearly every text can be, and to try it is much quicker than to search
    except UnicodeEncodeError:
        return _HALF_A_PAIR.sub("\ufffd", text)
    return text


_ENDINGS = ("BlobID", "blobID")
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)
"""`localBlobID`, `metaBlobID`, and `blobID` where the file was synced."""


def attachments(raw: bytes) -> frozenset[str]:
    """The ids of all files of TypingMind's own store that the message with these bytes names.

        {"type":"tm_image_file","metadata":{"name":"sea.png","localBlobID":"6f2c"}}

    At each start TypingMind deletes every such file that no message of any chat names. So a message that names one must
    stay in its chat, or the file is lost for good. A file can be named anywhere in a message: in its content, in
    `metaBlobs` and `reasoning_details`, in what a tool returned, in its branches. Raises spans.BadJson.
    """
    if b"lobID" not in raw and b"\\u" not in raw:
        return frozenset()  # nearly every message, and quicker than to read it once more
    fields, _ = spans.value(raw.decode("utf-8"), 0)
    return frozenset(_named(fields))


def without_its_place(part: object) -> object:
    """A part of a message's content without the place of its file: a fork keeps its copy of the file elsewhere."""
    if not isinstance(part, Mapping) or next(_named(part), None) is None:
        return part
    rest = {
        key: value for key, value in part.items() if key != "sync" and not key.endswith(_ENDINGS)
    }
    metadata = part.get("metadata")
    if isinstance(metadata, Mapping):
        rest["metadata"] = {
            key: value for key, value in metadata.items() if not key.endswith(_ENDINGS)
        }
    return rest


def _named(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield from (
                name
                for key, name in item.items()
                if key.endswith(_ENDINGS) and isinstance(name, str) and name
            )
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def parse_date(text: str | None) -> datetime | None:
    """A date of an export (`Z` or an offset, with or without fractions), or None where it is none.

    Python reads further forms ("2024-W09-5", "20240301") that JavaScript does not, nor whoever takes the first ten
    characters for the day.
    """
    if not text or not _DATE.fullmatch(text):
        return None
    try:
        date = datetime.fromisoformat(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def write_date(when: datetime) -> str:
    """Write a date as TypingMind does: UTC, milliseconds, `Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


def moved_on(before: str | None, now: str) -> str:
    """`now`, or just after `before` where the clock has been set back: a newer export is never dated earlier."""
    last, present = parse_date(before), parse_date(now)
    if last is None or present is None or present > last:
        return now
    return write_date(_later(last, 1))


def dates_inside(
    first: str | None, last: str | None, count: int, after: datetime
) -> list[datetime]:
    """`count` dates for generated messages: a millisecond apart from `first` on, never later than `last`.

    None of them lies before `after`, the date of what stands before them: TypingMind sorts by date when
    it merges devices, and equal dates keep their order.
    """
    begin = parse_date(first) or after
    end = max(begin, parse_date(last) or begin)
    return [max(after, min(_later(begin, number), end)) for number in range(count)]


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
    """Whether it carries `contextClearedAt`: shown to the person, no longer sent to the model."""
    marker: Mapping[str, object] | None
    """Our own field, where the message is one that we wrote."""
    is_copy: bool = False
    """Its bytes have the date on which a fork copied it; `created_at` is when it was said."""

    @property
    def text(self) -> str:
        """The text that a model reads: words and placeholders."""
        return shown(self.parts)

    @property
    def words(self) -> str:
        """The words alone, without placeholders: quotes are taken from these."""
        return "\n\n".join(part.text for part in self.parts if part.spoken)

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
    """The message whose fields have been parsed already; `raw` are its own bytes, where they are known."""
    marker = fields.get("memproc")
    return Message(
        raw=raw,
        role=_role(fields),
        type=_text_of(fields, "type"),
        uuid=_text_of(fields, "uuid"),
        created_at=_text_of(fields, "createdAt"),
        model=_text_of(chosen(fields), "model"),
        parts=parts(fields),
        digest=_digest(fields),
        calls_tools=bool(fields.get("tool_calls") or fields.get("function_call")),
        cleared=bool(fields.get("contextClearedAt")),
        marker=marker if isinstance(marker, dict) else None,
    )


def _role(fields: Mapping[str, object]) -> str | None:
    """Several answers to one question have no role of their own, and are the assistant's."""
    return "assistant" if fields.get("type") == "tm_multi_responses" else _text_of(fields, "role")


def _digest(fields: Mapping[str, object]) -> str:
    role, body = _role(fields), fields.get("content")
    if (
        isinstance(body, list)
        and len(body) == 1
        and isinstance(body[0], dict)
        and body[0].get("type") == "text"
    ):
        # One text part and a plain string say the same, and newer clients write the one for the other.
        body = body[0].get("text")
    elif isinstance(body, list):
        body = [without_its_place(part) for part in body]
    others: list[object] = [
        fields.get("tool_calls"),
        fields.get("function_call"),
        fields.get("tool_call_id"),
    ]
    if fields.get("type") == "tm_multi_responses":
        others.append(shown(parts(fields)))
    if isinstance(body, str) and not any(others):
        # Nearly all messages, and quicker than to write JSON again. The number says where the role ends.
        return hashlib.sha256(
            f"{len(role or '')} {role} {body}".encode("utf-8", "surrogatepass")
        ).hexdigest()
    return hashlib.sha256(json.dumps([role, body, *others], sort_keys=True).encode()).hexdigest()


def _text_of(fields: Mapping[str, object], key: str) -> str | None:
    return printable(spans.text(fields.get(key))) or None


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
    """The person has excluded or pinned it, so it stays as it is."""
    return message.cleared or fields_of(message).get("isPinned") is True


def is_incomplete(message: Message) -> bool:
    """The answer was still being written when the chat was exported."""
    metadata = fields_of(message).get("tmMetadata")
    return isinstance(metadata, dict) and metadata.get("incomplete") is True


def summarised_until(message: Message) -> str:
    """The uuid of the last message that a context summary of TypingMind's covers; else empty."""
    summary = fields_of(message).get("contextSummary")
    return spans.text(summary.get("contextCutOffAtUUID")) if isinstance(summary, dict) else ""


def fields_of(message: Message) -> Mapping[str, object]:
    """All fields of the message, parsed again from its bytes; numbers as their own text."""
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
        for thread in _listed(fields_of(message), "threads")
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
