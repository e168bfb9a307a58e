"""The content of a message, in every shape that TypingMind knows, as words and placeholders; and the files it names.

Words are the text that person and persona wrote. Images, files, tool traffic and thinking become short
placeholders in square brackets: they keep their place in the prompt and are never quoted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rules.typingmind import spans

_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_FILES = {"tm_text_file", "tm_blob_file", "tm_file_attachment", "tm_unsynced_attachment", "file", "document"}
_IMAGES = {"image_url", "tm_image_file", "image", "input_image"}
_SOUNDS = {"input_audio", "audio"}
_THINKING = {"thinking", "redacted_thinking", "reasoning"}


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: its own words, or (`spoken` false) a placeholder for what is not words."""

    text: str
    spoken: bool


def parts(message: Mapping[str, object]) -> tuple[Part, ...]:
    """The pieces of one parsed message in reading order; empty where it says and does nothing."""
    if message.get("type") == "tm_multi_responses":
        return _primary_response(message)
    pieces = [*_content(message.get("content")), *_tool_calls(message)]
    if message.get("role") in ("tool", "function"):
        return (Part(_tool_result(message, pieces), spoken=False),)
    if message.get("type") == "attachment":
        return (Part(_placeholder("file", message.get("metadata")), spoken=False),)
    return tuple(part for part in pieces if part.text)


def shown(pieces: Sequence[Part]) -> str:
    """The message as a model reads it: words and placeholders."""
    return "\n\n".join(part.text for part in pieces)


def words(pieces: Sequence[Part]) -> str:
    """The message's own words alone: what a quote may be taken from."""
    return "\n\n".join(part.text for part in pieces if part.spoken)


def _content(content: object) -> list[Part]:
    if isinstance(content, list):
        return [_part(item) for item in content]
    return [Part(printable(text), spoken=True)] if (text := spans.text(content)) else []


def _part(item: object) -> Part:
    if (text := spans.text(item)) or item == "":
        return Part(printable(text), spoken=True)
    kind = spans.text(item.get("type")) if isinstance(item, dict) else ""
    if not isinstance(item, dict) or not kind:
        return Part("[unknown part]", spoken=False)
    if kind in ("text", "refusal", "output_text"):
        return Part(printable(spans.text(item.get("text", item.get("refusal")))), spoken=True)
    return Part(_stands_for(kind, item), spoken=False)


def _stands_for(kind: str, item: Mapping[str, object]) -> str:
    if kind in _IMAGES:
        return _placeholder("image", item.get("metadata"))
    if kind in _FILES:
        return _placeholder("file", item.get("metadata"))
    if kind in _SOUNDS:
        return "[sound]"
    if kind in _THINKING:
        return "[thinking]"
    if kind.endswith("tool_use") or kind.endswith("tool_call"):
        return f"[tool call: {_name(item)}]"
    if kind.endswith("_result") or kind.startswith(("bash_", "text_editor_")):
        return f"[tool result: {_name(item)}]"
    return f"[{printable(kind)[:40]}]"


def _tool_calls(message: Mapping[str, object]) -> list[Part]:
    calls, older = message.get("tool_calls"), message.get("function_call")
    if not calls and not older:
        return []
    named = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [Part(f"[tool call: {_name(call)}]", spoken=False) for call in [*named, older] if isinstance(call, dict)]


def _tool_result(message: Mapping[str, object], pieces: Sequence[Part]) -> str:
    characters = sum(len(part.text) for part in pieces)
    return f"[tool result: {_name(message)}, {characters:,} characters]"


def chosen(message: Mapping[str, object]) -> Mapping[str, object]:
    """The one of several answers that the conversation went on from; with none chosen the app sends the first.

    A message that is not several answers is itself what was chosen.
    """
    if message.get("type") != "tm_multi_responses":
        return message
    responses = message.get("responses")
    answers = [answer for answer in responses if isinstance(answer, dict)] if isinstance(responses, list) else []
    primary_id = spans.text(message.get("primaryResponseID"))
    primary = [answer for answer in answers if primary_id and answer.get("id") == primary_id]
    return next(iter(primary or answers), {})


def _primary_response(message: Mapping[str, object]) -> tuple[Part, ...]:
    inner = chosen(message).get("messages")
    answers = [parts(entry) for entry in inner if isinstance(entry, dict)] if isinstance(inner, list) else []
    return tuple(part for pieces in answers for part in pieces)


def _placeholder(what: str, metadata: object) -> str:
    name = spans.text(metadata.get("name")) if isinstance(metadata, dict) else ""
    return f"[{what}: {printable(name)[:80]}]" if name else f"[{what}]"


def _name(item: Mapping[str, object]) -> str:
    return printable(spans.text(item.get("name")))[:80] or "unnamed"


def printable(text: str) -> str:
    """JSON may hold half a surrogate pair, which no database, model or file takes: it becomes U+FFFD."""
    try:
        text.encode()  # nearly every text can be, and to try it is much quicker than to search
    except UnicodeEncodeError:
        return _HALF_A_PAIR.sub("\ufffd", text)
    return text


_ENDINGS = ("BlobID", "blobID")
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
    rest = {key: value for key, value in part.items() if key != "sync" and not key.endswith(_ENDINGS)}
    metadata = part.get("metadata")
    if isinstance(metadata, Mapping):
        rest["metadata"] = {key: value for key, value in metadata.items() if not key.endswith(_ENDINGS)}
    return rest


def _named(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield from (name for key, name in item.items() if key.endswith(_ENDINGS) and isinstance(name, str) and name)
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
