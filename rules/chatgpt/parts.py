"""The content of ChatGPT's messages, as text.

Words stay as they are. Thinking, tools and files become their text in a frame that says what it
was, or one line where the export has no text of them.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from rules.bring.conversation import as_dict, framed, paragraphs
from rules.typingmind import spans

_OF_LETTERS = re.compile("\ue200([^\ue200\ue201]*)\ue201")
"""A mark in letters of private use: its kind, and values, each after U+E202."""
_STRAY_LETTERS = re.compile("[\ue200-\ue2ff]")
_PLAIN = ("text", "multimodal_text", "code")
"""Kinds of content that do not say where they come from."""
_SEPARATOR = "\ue202"
_SOUNDS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "video_container")


def chatgpt_text(message: Mapping[str, object], left: Counter[str]) -> str:
    """Return the text of a message; count in `left` what could not come."""
    content = as_dict(message.get("content"))
    kind = spans.text(content.get("content_type"))
    text = paragraphs(_WAYS.get(kind, _unknown)(content, left))
    author, recipient = as_dict(message.get("author")), spans.text(message.get("recipient"))
    if spans.text(author.get("role")) == "tool":
        text = _as_result(spans.text(author.get("name")), kind, text)
    elif recipient not in ("", "all") and text:
        text = framed(f"tool call: {recipient}", text)
    return paragraphs((_without_marks(text, left), *_attached(message, left)))


def chatgpt_size(message: Mapping[str, object]) -> int:
    """Return how many characters of text a message holds, about."""
    content = as_dict(message.get("content"))
    texts = (content.get("text"), content.get("result"), *spans.as_list(content, "parts"))
    return sum(len(spans.text(as_dict(part).get("text")) or spans.text(part)) for part in texts)


def _as_result(name: str, kind: str, text: str) -> str:
    """Return what a tool said, unless it says by itself what it is."""
    return framed(f"result of {name}", text) if text and kind in _PLAIN else text


def _parts(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    for part in spans.as_list(content, "parts"):
        yield spans.text(part) or (_asset(part, left) if isinstance(part, dict) else "")


def _asset(part: Mapping[str, object], left: Counter[str]) -> str:
    """Return the words of a part that is no text, or a line that says what it was."""
    kind = spans.text(part.get("content_type"))
    if text := spans.text(part.get("text")):
        return text
    if kind == "image_asset_pointer":
        left["picture"] += 1
        return framed("picture")
    if kind in _SOUNDS:
        left["sound"] += 1
        return framed("sound")
    if kind == "audio_transcription":
        return ""
    left["part of an unknown kind"] += 1
    return framed(kind or "unknown part")


def _in_frame(what: str, key: str, content: Mapping[str, object], left: Counter[str]) -> list[str]:
    return [framed(what, spans.text(content.get(key)))]


def _thoughts(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    thoughts = map(as_dict, spans.as_list(content, "thoughts"))
    pieces = (
        spans.text(item.get("content")) or spans.text(item.get("summary")) for item in thoughts
    )
    yield framed("thinking", paragraphs(pieces))


def _recap(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    yield framed(spans.text(content.get("content")) or "thinking")


def _quoted(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    where = spans.text(content.get("title")) or spans.text(content.get("url"))
    yield framed(f"quoted from {where}", spans.text(content.get("text")))


def _error(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    yield framed("error", spans.text(content.get("text")) or spans.text(content.get("name")))


def _nothing(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    return iter(())


def _unknown(content: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    """Yield whatever text there is, or the name of the kind."""
    text = spans.text(content.get("text")) or paragraphs(_parts(content, left))
    if not content:
        return
    left["part of an unknown kind"] += 1
    yield framed(spans.text(content.get("content_type")) or "unknown part", text)


_Way = Callable[[Mapping[str, object], Counter[str]], "Iterator[str] | list[str]"]
_WAYS: Mapping[str, _Way] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": partial(_in_frame, "code", "text"),
    "execution_output": partial(_in_frame, "output", "text"),
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
    "tether_quote": _quoted,
    "tether_browsing_code": partial(_in_frame, "code", "text"),
    "tether_browsing_display": partial(_in_frame, "result of browsing", "result"),
    "system_error": _error,
    "user_editable_context": _nothing,
    "model_editable_context": _nothing,
}


def _attached(message: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    """Yield a line for each file that the person attached, but pictures, which are parts."""
    for item in map(as_dict, spans.as_list(message.get("metadata"), "attachments")):
        mime = spans.text(item.get("mime_type")) or spans.text(item.get("mimeType"))
        if not mime.startswith("image/"):
            left["file"] += 1
            yield framed(f"file: {spans.text(item.get('name')) or 'without a name'}")


def _without_marks(text: str, left: Counter[str]) -> str:
    """Return the text without citation marks; the name of a thing that was marked stays."""

    def name_of(match: re.Match[str]) -> str:
        kind, *values = match[1].split(_SEPARATOR)
        if kind != "entity" or not values:
            left["citation mark"] += 1
            return ""
        try:
            entity = json.loads(values[0])
        except ValueError:
            return ""
        return (
            entity[1]
            if isinstance(entity, list) and len(entity) > 1 and isinstance(entity[1], str)
            else ""
        )

    return _STRAY_LETTERS.sub("", _OF_LETTERS.sub(name_of, text))
