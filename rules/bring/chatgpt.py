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
from collections.abc import Iterator

from rules.bring.conversation import (
    MAPPING,
    Conversation,
    LeftOut,
    Rendered,
    Summary,
    as_dict,
    chosen_branch,
    first_and_last,
    framed,
    make_conversation,
    messages_of,
    not_brought,
    paragraphs,
    read_moment,
    tree_of,
)
from rules.bring.tool_call import in_lines, read_arguments
from rules.typingmind.content import printable
from rules.typingmind.spans import Fields, Number, as_list, text, text_under

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


def summarize_chatgpt(fields: Fields) -> Summary:
    """Return what a list says of a conversation."""
    messages = messages_of(fields).values()
    spoken = [message for message in messages if _role(message) in ("user", "assistant")]
    first, last = first_and_last(spoken, "create_time")
    named = text_under(fields, "conversation_id", "id")
    return Summary(
        source="chatgpt",
        key=printable(named or next(iter(as_dict(fields.get(MAPPING))), "")),
        title=printable(text_under(fields, "title")).strip() or "Untitled",
        began=read_moment(fields.get("create_time")) or first,
        ended=last or read_moment(fields.get("update_time")),
        messages=len(spoken),
        size=sum(map(chatgpt_size, spoken)),
    )


def read_chatgpt(fields: Fields, branch: int = 1) -> Conversation:
    """Return one branch of a conversation, 1 being the one last spoken on."""
    messages = messages_of(fields)
    tree = tree_of(fields, "create_time", text_under(fields, "current_node"))
    path = [key for key in chosen_branch(tree, branch) if key in messages]
    left: LeftOut = Counter()
    rendered = [(key, _rendered(messages[key], left)) for key in path]
    if fields.get("gizmo_id"):
        left["custom GPT's instructions"] += 1
    contents = (messages[key].get("content") for key in path)
    instructions = (
        paragraphs(text_under(content, name) for name in ("user_profile", "user_instructions"))
        for content in contents
        if text_under(content, "content_type") == _CUSTOM
    )
    return make_conversation(
        summarize_chatgpt(fields),
        rendered,
        tree.branch_ends(),
        left,
        model=text_under(fields, "default_model_slug"),
        instructions=next(filter(None, instructions), ""),
    )


def _role(message: Fields) -> str:
    return text_under(message.get("author"), "role")


def _rendered(message: Fields, left: LeftOut) -> Rendered:
    """Return what a message says; what the persona's tools said is part of its own turn."""
    role = _role(message)
    when = read_moment(message.get("create_time"))
    # The app does not show a message that says so, or has a weight of 0.
    metadata, weight = as_dict(message.get("metadata")), message.get("weight")
    is_hidden = metadata.get(_HIDDEN) is True or (isinstance(weight, Number) and not weight)
    if is_hidden or role not in ("user", "assistant", "tool"):
        if chatgpt_size(message):
            left["system message" if role == "system" else "hidden message"] += 1
        return Rendered("assistant", "", when)
    said = chatgpt_text(message, left)
    if role == "user":
        return Rendered("user", said, when)
    before = chatgpt_text(message, Counter(), as_before=True)
    model = text_under(metadata, "model_slug")
    return Rendered("assistant", said, when, model, before)


def chatgpt_text(message: Fields, left: LeftOut, *, as_before: bool = False) -> str:
    """Return the text of a message; count in `left` what could not come.

    With `as_before`, in the form in which it was brought once (`tool_call`).
    """
    content = as_dict(message.get("content"))
    said = _said(content, left)
    recipient = text_under(message, "recipient")
    if _role(message) == "tool":
        # What says by itself what it is needs no further frame.
        if said and text_under(content, "content_type") in _PLAIN:
            said = framed(f"result of {text_under(message.get('author'), 'name')}", said)
    elif said and recipient not in ("", "all"):
        written = text_under(content, "text") or "".join(map(text, as_list(content, "parts")))
        asked = "" if as_before else in_lines(read_arguments(written))
        said = framed(f"tool call: {recipient}", asked or said)
    pieces = [_without_marks(said, left)]
    for item in as_list(message.get("metadata"), "attachments"):
        # Pictures are parts of the message's content.
        if not text_under(item, "mime_type", "mimeType").startswith("image/"):
            left["file"] += 1
            pieces.append(framed(f"file: {text_under(item, 'name') or 'without a name'}"))
    return paragraphs(pieces)


def chatgpt_size(message: Fields) -> int:
    """Return how many characters of text a message holds, about."""
    content = as_dict(message.get("content"))
    texts = (content.get("text"), content.get("result"), *as_list(content, "parts"))
    return sum(len(text_under(part, "text") or text(part)) for part in texts)


def _said(content: Fields, left: LeftOut) -> str:
    """Return what a message's content says; what is no plain text is in a frame."""
    kind = text_under(content, "content_type")
    if kind in _FRAMES:
        what, key = _FRAMES[kind]
        return framed(what, text_under(content, key))
    match kind:
        case "text" | "multimodal_text":
            return paragraphs(_parts(content, left))
        case "thoughts":
            thoughts = as_list(content, "thoughts")
            said = (text_under(thought, "content", "summary") for thought in thoughts)
            return framed("thinking", paragraphs(said))
        case "reasoning_recap":
            return framed(text_under(content, "content") or "thinking")
        case "tether_quote":
            source = text_under(content, "title", "url")
            return framed(f"quoted from {source}", text_under(content, "text"))
        case "system_error":
            return framed("error", text_under(content, "text", "name"))
    if kind in _UNSPOKEN or not content:
        return ""
    words = text_under(content, "text") or paragraphs(_parts(content, left))
    left["part of an unknown kind"] += 1
    return framed(kind or "unknown part", words)


def _parts(content: Fields, left: LeftOut) -> Iterator[str]:
    """Yield the words of each part, or a line that says what it was."""
    for part in as_list(content, "parts"):
        kind = text_under(part, "content_type")
        if said := text(part) or text_under(part, "text"):
            yield said
        elif kind == "image_asset_pointer":
            yield not_brought("picture", left)
        elif kind in _SOUNDS:
            yield not_brought("sound", left)
        elif isinstance(part, dict) and kind != "audio_transcription":
            left["part of an unknown kind"] += 1
            yield framed(kind or "unknown part")


def _without_marks(said: str, left: LeftOut) -> str:
    """Return the text without citation marks; the name of a thing that was marked stays."""

    def name_of(mark: re.Match[str]) -> str:
        kind, *values = mark[1].split(_SEPARATOR)
        if kind == "entity" and values:
            return _entity_name(values[0])
        left["citation mark"] += 1
        return ""

    return _STRAY_LETTERS.sub("", _OF_LETTERS.sub(name_of, said))


def _entity_name(written: str) -> str:
    """Return the name of a thing, which is the second value of a list in JSON; else empty."""
    try:
        entity = json.loads(written)
    except ValueError:
        return ""
    return text(entity[1]) if isinstance(entity, list) and len(entity) > 1 else ""
