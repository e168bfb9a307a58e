"""Read a message's content in every shape that TypingMind knows, and the files it refers to.

Words are the text that person and persona wrote. Images, files, tool calls and results, and
thinking become short placeholders in square brackets: they keep their place in the prompt and are
never quoted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rules.typingmind import spans
from rules.typingmind.spans import Fields

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = frozenset({"text", "refusal", "output_text"})
_IMAGES = ("image_url", "tm_image_file", "image", "input_image")
_FILES = (
    "tm_text_file", "tm_blob_file", "tm_file_attachment", "tm_unsynced_attachment", "file",
    "document",
)  # fmt: skip
_PLACEHOLDERS = dict.fromkeys(_IMAGES, "image") | dict.fromkeys(_FILES, "file")
_NAMELESS = {
    **dict.fromkeys(("input_audio", "audio"), "[sound]"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), "[thinking]"),
}
_SEVERAL_ANSWERS = "tm_multi_responses"
_FILE_ID_ENDINGS = ("BlobID", "blobID")
"""The endings of keys that have a file's id: `localBlobID`, `metaBlobID`, and `blobID` where the
file was synced."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message: words, or where not `spoken`, a placeholder for other content."""

    text: str
    spoken: bool


def read_parts(message: Fields) -> tuple[Part, ...]:
    """Return the pieces of a parsed message in reading order; none if it says nothing."""
    if has_several_answers(message):
        inside = spans.as_list(choose_answer(message), "messages")
        return tuple(
            piece for item in inside if isinstance(item, dict) for piece in read_parts(item)
        )
    content = message.get("content")
    items = content if isinstance(content, list) else [content] if spans.text(content) else []
    pieces = list(map(_part, items))
    calls = [call for call in spans.as_list(message, "tool_calls") if isinstance(call, dict)]
    # The older form of a tool call has one function.
    for function in (*(call.get("function") for call in calls), message.get("function_call")):
        if isinstance(function, dict):
            pieces.append(Part(f"[tool call: {_name(function)}]", spoken=False))
    if message.get("role") in ("tool", "function"):
        characters = sum(len(part.text) for part in pieces)
        return (Part(f"[tool result: {_name(message)}, {characters:,} characters]", spoken=False),)
    if message.get("type") == "attachment":
        return (Part(_placeholder("file", message), spoken=False),)
    return tuple(part for part in pieces if part.text)


def text_of(pieces: Sequence[Part]) -> str:
    """Return the message as a model reads it: words and placeholders."""
    return "\n\n".join(part.text for part in pieces)


def has_several_answers(message: Fields) -> bool:
    """Return whether several models answered at once, of which the person chose one."""
    return message.get("type") == _SEVERAL_ANSWERS


def choose_answer(message: Fields) -> Fields:
    """Return, of several answers, the one that the conversation continues.

    It is the first if none is chosen, as the app sends that one. Any other message is returned
    itself.
    """
    if not has_several_answers(message):
        return message
    answers = [answer for answer in spans.as_list(message, "responses") if isinstance(answer, dict)]
    primary_id = spans.text_under(message, "primaryResponseID")
    for answer in answers:
        if primary_id and answer.get("id") == primary_id:
            return answer
    return answers[0] if answers else {}


def make_printable(text: str) -> str:
    """Replace each lone half of a surrogate pair, which JSON may have but no database accepts."""
    if text.isascii():
        return text
    try:
        text.encode()  # this nearly always works, and trying it is much quicker than searching
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def find_attachments(raw: bytes) -> frozenset[str]:
    """Return the ids of TypingMind's own files that the message with these bytes refers to.

        {"type":"tm_image_file","metadata":{"name":"sea.png","localBlobID":"6f2c"}}

    At each start TypingMind deletes every such file that no message of any chat refers to. So a
    message that does must stay in its chat, or the file is lost for good. The id may be
    anywhere in a message: in its content, in `metaBlobs` and `reasoning_details`, in what a
    tool returned, in its branches. Raises spans.BadJson.
    """
    if b"lobID" not in raw and b"\\u" not in raw:
        return frozenset()  # nearly every message has none, and need not be parsed again
    fields, _ = spans.value(raw.decode("utf-8"), 0)
    return frozenset(_file_ids(fields))


def without_its_place(part: object) -> object:
    """Return a part of a message's content without the place of its file.

    A fork keeps its copy elsewhere.
    """
    if not isinstance(part, Mapping) or next(_file_ids(part), None) is None:
        return part
    rest = _without_file_ids(part)
    rest.pop("sync", None)
    metadata = part.get("metadata")
    if isinstance(metadata, Mapping):
        rest["metadata"] = _without_file_ids(metadata)
    return rest


def _without_file_ids(fields: Fields) -> dict[str, object]:
    return {key: value for key, value in fields.items() if not key.endswith(_FILE_ID_ENDINGS)}


def _file_ids(value: object) -> Iterator[str]:
    """Yield the ids of files at any depth of a parsed value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            yield from (
                name
                for key, name in item.items()
                if key.endswith(_FILE_ID_ENDINGS) and isinstance(name, str) and name
            )
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _part(item: object) -> Part:
    text = spans.text(item)
    if text or item == "":
        return Part(make_printable(text), spoken=True)
    kind = spans.text_under(item, "type")
    if not isinstance(item, dict) or not kind:
        return Part("[unknown part]", spoken=False)
    if kind in _WORDS:
        words = spans.text(item.get("text", item.get("refusal")))
        return Part(make_printable(words), spoken=True)
    if kind in _PLACEHOLDERS:
        placeholder = _placeholder(_PLACEHOLDERS[kind], item)
    elif kind.endswith(("tool_use", "tool_call")):
        placeholder = f"[tool call: {_name(item)}]"
    elif kind.endswith("_result") or kind.startswith(("bash_", "text_editor_")):
        placeholder = f"[tool result: {_name(item)}]"
    else:
        placeholder = _NAMELESS.get(kind) or f"[{make_printable(kind)[:40]}]"
    return Part(placeholder, spoken=False)


def _placeholder(what: str, item: Fields) -> str:
    name = spans.text_under(item.get("metadata"), "name")
    return f"[{what}: {make_printable(name)[:80]}]" if name else f"[{what}]"


def _name(item: Fields) -> str:
    return make_printable(spans.text_under(item, "name"))[:80] or "unnamed"
