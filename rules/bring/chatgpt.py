"""A conversation of ChatGPT's export, and the content of its messages as text.

    {"title": "...", "create_time": 1714585031.1, "current_node": "id of the last message",
     "mapping": {"id": {"message": {...} or null, "parent": "id or null", "children": [...]}}}

The tree is walked from `current_node` upwards. Nodes without a message, hidden ones and those of
weight 0 were never part of what person and persona saw.

Words stay as they are. Thinking, tools and files become their text in a frame that says what it
was, or one line where the export has no text of them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rules.bring.conversation import (
    Conversation,
    MessageTree,
    Rendered,
    Summary,
    as_dict,
    chosen_branch,
    framed,
    make_conversation,
    paragraphs,
    read_moment,
)
from rules.typingmind import spans

MAPPING = "mapping"
"""The field by which such a conversation is known."""
SUMMARY_KEYS = ("title", "id", "conversation_id", "create_time", "update_time", MAPPING)
_HIDDEN = "is_visually_hidden_from_conversation"
_CUSTOM = "user_editable_context"

_OF_LETTERS = re.compile("\ue200([^\ue200\ue201]*)\ue201")
"""A mark in letters of private use: its kind, and values, each after U+E202."""
_STRAY_LETTERS = re.compile("[\ue200-\ue2ff]")
_PLAIN = ("text", "multimodal_text", "code")
"""Kinds of content that do not say where they come from."""
_FRAMES = {
    "code": ("code", "text"),
    "execution_output": ("output", "text"),
    "tether_browsing_code": ("code", "text"),
    "tether_browsing_display": ("result of browsing", "result"),
}
"""What a kind is called, and the field that holds its text."""
_UNSPOKEN = ("user_editable_context", "model_editable_context")
_SEPARATOR = "\ue202"
_SOUNDS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "video_container")


def summarize_chatgpt(fields: Mapping[str, object]) -> Summary:
    """Return what a list says of a conversation."""
    messages = [message for _, message in _messages(fields)]
    spoken = [message for message in messages if _role(message) in ("user", "assistant")]
    dates = [when for message in spoken if (when := read_moment(message.get("create_time")))]
    began = read_moment(fields.get("create_time"))
    return Summary(
        "chatgpt",
        _key(fields),
        spans.text(fields.get("title")).strip() or "Untitled",
        began or min(dates, default=None),
        max(dates, default=None) or read_moment(fields.get("update_time")),
        len(spoken),
        sum(map(chatgpt_size, spoken)),
    )


def read_chatgpt(fields: Mapping[str, object], branch: int = 1) -> Conversation:
    """Return one branch of a conversation, 1 being the one last spoken on."""
    messages = dict(_messages(fields))
    nodes = as_dict(fields.get(MAPPING))
    tree = MessageTree(
        {key: spans.text(as_dict(node).get("parent")) for key, node in nodes.items()},
        {key: read_moment(messages.get(key, {}).get("create_time")) for key in nodes},
        spans.text(fields.get("current_node")),
    )
    path = [key for key in chosen_branch(tree, branch) if key in messages]
    left: Counter[str] = Counter()
    rendered = [(key, _rendered(messages[key], left)) for key in path]
    if fields.get("gizmo_id"):
        left["custom GPT's instructions"] += 1
    return make_conversation(
        summarize_chatgpt(fields),
        rendered,
        tree.branch_ends(),
        left,
        model=spans.text(fields.get("default_model_slug")),
        instructions=next(filter(None, (_instructions(messages[key]) for key in path)), ""),
    )


def _key(fields: Mapping[str, object]) -> str:
    """Return the id of a conversation; where it names none, that of its first node."""
    named = spans.text(fields.get("conversation_id")) or spans.text(fields.get("id"))
    return named or next(iter(as_dict(fields.get(MAPPING))), "")


def _messages(fields: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for key, node in as_dict(fields.get(MAPPING)).items():
        if message := as_dict(as_dict(node).get("message")):
            yield key, message


def _role(message: Mapping[str, object]) -> str:
    return spans.text(as_dict(message.get("author")).get("role"))


def _rendered(message: Mapping[str, object], left: Counter[str]) -> Rendered:
    """Return what a message says; what the persona's tools said is part of its own turn."""
    role, metadata = _role(message), as_dict(message.get("metadata"))
    when = read_moment(message.get("create_time"))
    is_hidden = metadata.get(_HIDDEN) is True or _is_weightless(message)
    if is_hidden or role not in ("user", "assistant", "tool"):
        if chatgpt_size(message):
            left["system message" if role == "system" else "hidden message"] += 1
        return Rendered("assistant", "", when)
    text = chatgpt_text(message, left)
    if role == "user":
        return Rendered("user", text, when)
    return Rendered("assistant", text, when, spans.text(metadata.get("model_slug")))


def _is_weightless(message: Mapping[str, object]) -> bool:
    weight = message.get("weight")
    return isinstance(weight, spans.Number) and not weight


def _instructions(message: Mapping[str, object]) -> str:
    """Return the custom instructions that a message holds."""
    content = as_dict(message.get("content"))
    if content.get("content_type") != _CUSTOM:
        return ""
    return paragraphs(spans.text(content.get(key)) for key in ("user_profile", "user_instructions"))


def chatgpt_text(message: Mapping[str, object], left: Counter[str]) -> str:
    """Return the text of a message; count in `left` what could not come."""
    content = as_dict(message.get("content"))
    kind = spans.text(content.get("content_type"))
    text = paragraphs(_pieces(content, left))
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


def _pieces(content: Mapping[str, object], left: Counter[str]) -> Iterable[str]:
    """Return what a message's content says, piece by piece."""
    kind = spans.text(content.get("content_type"))
    if kind in _FRAMES:
        what, key = _FRAMES[kind]
        return (framed(what, spans.text(content.get(key))),)
    match kind:
        case "text" | "multimodal_text":
            return _parts(content, left)
        case "thoughts":
            return (framed("thinking", _thoughts(content)),)
        case "reasoning_recap":
            return (framed(spans.text(content.get("content")) or "thinking"),)
        case "tether_quote":
            where = spans.text(content.get("title")) or spans.text(content.get("url"))
            return (framed(f"quoted from {where}", spans.text(content.get("text"))),)
        case "system_error":
            text = spans.text(content.get("text")) or spans.text(content.get("name"))
            return (framed("error", text),)
    return () if kind in _UNSPOKEN or not content else (_unknown(content, left),)


def _thoughts(content: Mapping[str, object]) -> str:
    thoughts = map(as_dict, spans.as_list(content, "thoughts"))
    return paragraphs(
        spans.text(thought.get("content")) or spans.text(thought.get("summary"))
        for thought in thoughts
    )


def _unknown(content: Mapping[str, object], left: Counter[str]) -> str:
    """Return whatever text there is, in a frame with the name of the kind."""
    text = spans.text(content.get("text")) or paragraphs(_parts(content, left))
    left["part of an unknown kind"] += 1
    return framed(spans.text(content.get("content_type")) or "unknown part", text)


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
