"""Read a conversation of ChatGPT's export, and the content of its messages as text.

    {"title": "...", "create_time": 1714585031.1, "current_node": "id of the last message",
     "mapping": {"id": {"message": {...} or null, "parent": "id or null", "children": [...]}}}

The tree is walked from `current_node` upwards. Nodes without a message, hidden ones and those with
weight 0 are not shown in ChatGPT, and are left out.

Words stay as they are. Thinking, tools and files become their text in a frame that says what it
was, or one line where the export has no text of theirs.
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
    file_in_frame,
    framed,
    make_conversation,
    make_summary,
    messages_in_tree,
    not_brought,
    paragraphs,
    read_moment,
    tree_of,
    unknown_part,
)
from rules.bring.tool_call import in_lines, read_arguments
from rules.typingmind.spans import Fields, Number, as_list, text, text_under

_DATES = ("create_time", "update_time")
SUMMARY_KEYS = ("title", "id", "conversation_id", *_DATES, MAPPING)
_HIDDEN = "is_visually_hidden_from_conversation"
_CUSTOM = "user_editable_context"

_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
"""A mark in private-use characters: its kind, then values, each after U+E202."""
_STRAY_MARK = re.compile("[\ue200-\ue2ff]")
_PLAIN = ("text", "multimodal_text", "code")
"""Kinds of content that do not say where they come from, so that a tool's result is framed."""
_FRAMES = {
    "code": ("code", "text"),
    "execution_output": ("output", "text"),
    "tether_browsing_code": ("code", "text"),
    "tether_browsing_display": ("result of browsing", "result"),
}
"""What a kind of content is called, and the field that has its text."""
_UNSPOKEN = ("user_editable_context", "model_editable_context")
_SEPARATOR = "\ue202"
_SOUNDS = ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer", "video_container")


def summarize_chatgpt(fields: Fields) -> Summary:
    """Return what a list shows of a conversation."""
    messages = messages_in_tree(fields).values()
    spoken = [message for message in messages if _role(message) in ("user", "assistant")]
    first = next(iter(as_dict(fields.get(MAPPING))), "")
    named = text_under(fields, "conversation_id", "id") or first, text_under(fields, "title")
    return make_summary("chatgpt", fields, named, _DATES, spoken, chatgpt_size)


def read_chatgpt(fields: Fields, branch: int = 1) -> Conversation:
    """Return one branch of a conversation; number 1 is the one where the person was last."""
    tree = tree_of(fields, "create_time", text_under(fields, "current_node"))
    path = tree.branch(branch)
    left_out: LeftOut = Counter()
    rendered = [(key, _rendered(message, left_out)) for key, message in path]
    if fields.get("gizmo_id"):
        left_out["custom GPT's instructions"] += 1
    contents = (message.get("content") for _, message in path)
    instructions = (
        paragraphs(text_under(content, name) for name in ("user_profile", "user_instructions"))
        for content in contents
        if text_under(content, "content_type") == _CUSTOM
    )
    return make_conversation(
        summarize_chatgpt(fields),
        tree,
        rendered,
        left_out,
        model=text_under(fields, "default_model_slug"),
        instructions=next(filter(None, instructions), ""),
    )


def _role(message: Fields) -> str:
    return text_under(message.get("author"), "role")


def _rendered(message: Fields, left_out: LeftOut) -> Rendered:
    """Return what a message says; the results of tools count as the persona's."""
    role = _role(message)
    when = read_moment(message.get("create_time"))
    # The app does not show a message that is marked so, or has a weight of 0.
    metadata, weight = as_dict(message.get("metadata")), message.get("weight")
    is_hidden = metadata.get(_HIDDEN) is True or (isinstance(weight, Number) and not weight)
    if is_hidden or role not in ("user", "assistant", "tool"):
        if chatgpt_size(message):
            left_out["system message" if role == "system" else "hidden message"] += 1
        return Rendered("assistant", "", when)
    said = chatgpt_text(message, left_out)
    if role == "user":
        return Rendered("user", said, when)
    before = chatgpt_text(message, Counter(), as_before=True)
    model = text_under(metadata, "model_slug")
    return Rendered("assistant", said, when, model, before)


def chatgpt_text(message: Fields, left_out: LeftOut, *, as_before: bool = False) -> str:
    """Return the text of a message; count in `left_out` what cannot be brought.

    With `as_before` return it in the form that earlier versions brought (`tool_call`).
    """
    content = as_dict(message.get("content"))
    said = _said(content, left_out)
    recipient = text_under(message, "recipient")
    if _role(message) == "tool":
        # Other kinds of content have a frame already.
        if said and text_under(content, "content_type") in _PLAIN:
            said = framed(f"result of {text_under(message.get('author'), 'name')}", said)
    elif said and recipient not in ("", "all"):
        written = text_under(content, "text") or "".join(map(text, as_list(content, "parts")))
        asked = "" if as_before else in_lines(read_arguments(written))
        said = framed(f"tool call: {recipient}", asked or said)
    pieces = [_without_marks(said, left_out)]
    for item in as_list(message.get("metadata"), "attachments"):
        # Pictures are parts of the message's content.
        if not text_under(item, "mime_type", "mimeType").startswith("image/"):
            pieces.append(file_in_frame(text_under(item, "name"), left_out))
    return paragraphs(pieces)


def chatgpt_size(message: Fields) -> int:
    """Return about how many characters of text a message has."""
    content = as_dict(message.get("content"))
    texts = (content.get("text"), content.get("result"), *as_list(content, "parts"))
    return sum(len(text_under(part, "text") or text(part)) for part in texts)


def _said(content: Fields, left_out: LeftOut) -> str:
    """Return what a message's content says, in a frame unless it is plain text."""
    kind = text_under(content, "content_type")
    if kind in _FRAMES:
        what, key = _FRAMES[kind]
        return framed(what, text_under(content, key))
    match kind:
        case "text" | "multimodal_text":
            return paragraphs(_parts(content, left_out))
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
    words = text_under(content, "text") or paragraphs(_parts(content, left_out))
    return unknown_part(kind, left_out, words)


def _parts(content: Fields, left_out: LeftOut) -> Iterator[str]:
    """Yield the words of each part, or a line that says what it was."""
    for part in as_list(content, "parts"):
        kind = text_under(part, "content_type")
        if said := text(part) or text_under(part, "text"):
            yield said
        elif kind == "image_asset_pointer":
            yield not_brought("picture", left_out)
        elif kind in _SOUNDS:
            yield not_brought("sound", left_out)
        elif isinstance(part, dict) and kind != "audio_transcription":
            yield unknown_part(kind, left_out)


def _without_marks(said: str, left_out: LeftOut) -> str:
    """Return the text without citation marks; a marked thing is replaced by its name."""

    def name_of(mark: re.Match[str]) -> str:
        kind, *values = mark[1].split(_SEPARATOR)
        if kind == "entity" and values:
            return _entity_name(values[0])
        left_out["citation mark"] += 1
        return ""

    return _STRAY_MARK.sub("", _MARK.sub(name_of, said))


def _entity_name(written: str) -> str:
    """Return the name of a thing, the second value of a list in JSON; "" where there is none."""
    try:
        entity = json.loads(written)
    except ValueError:
        return ""
    return text(entity[1]) if isinstance(entity, list) and len(entity) > 1 else ""
