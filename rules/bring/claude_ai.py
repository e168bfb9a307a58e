"""A conversation of Claude's export, and the content of its messages as text.

    {"uuid": "...", "name": "...", "created_at": "...",
     "chat_messages": [{"uuid": "...", "parent_message_uuid": "...", "sender": "human",
                        "text": "...", "content": [{"type": "text", "text": "..."}], ...}]}

Messages that name no message before them follow one another. Of a tree, the branch is brought that
`current_leaf_message_uuid` ends, as browsers' exporters write it, else the one with the newest date.

Words stay as they are. Thinking, tools, artifacts and files become their text in a frame that says
what it was, or one line where the export has no text of them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping

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
from rules.typingmind.spans import BadJson

CHAT_MESSAGES = "chat_messages"
"""The field by which such a conversation is known."""
SUMMARY_KEYS = (
    "uuid",
    "conversation_id",
    "name",
    "title",
    "created_at",
    "updated_at",
    CHAT_MESSAGES,
)
_PARENT = "parent_message_uuid"

_MACHINERY = frozenset({"injected_prompt_block", "token_budget", "summaries", "flag"})
"""Blocks that the app has put there for the model: neither person nor persona said them."""
_FILES = ("files", "files_v2")
_NAMELESS = "without a name"
_LONGEST_NUMBER = 16
"""Digits that JSON's numbers keep."""


def summarize_claude(fields: Mapping[str, object]) -> Summary:
    """Return what a list says of a conversation."""
    messages = list(_messages(fields).values())
    dates = [when for message in messages if (when := read_moment(message.get("created_at")))]
    title = spans.text(fields.get("name")) or spans.text(fields.get("title"))
    return Summary(
        "claude",
        _key(fields),
        title.strip() or "Untitled",
        read_moment(fields.get("created_at")) or min(dates, default=None),
        max(dates, default=None) or read_moment(fields.get("updated_at")),
        len(messages),
        sum(map(claude_size, messages)),
    )


def read_claude(fields: Mapping[str, object], branch: int = 1) -> Conversation:
    """Return one branch of a conversation, 1 being the one last spoken on."""
    messages = _messages(fields)
    tree = MessageTree(
        dict(_parents(messages)),
        {key: read_moment(message.get("created_at")) for key, message in messages.items()},
        spans.text(fields.get("current_leaf_message_uuid")),
    )
    left: Counter[str] = Counter()
    path = [(key, _rendered(messages[key], left)) for key in chosen_branch(tree, branch)]
    model = spans.text(fields.get("model"))
    return make_conversation(summarize_claude(fields), path, tree.branch_ends(), left, model=model)


def _key(fields: Mapping[str, object]) -> str:
    """Return the id of a conversation; where it names none, that of its first message."""
    named = spans.text(fields.get("uuid")) or spans.text(fields.get("conversation_id"))
    return named or next(iter(_messages(fields)), "")


def _messages(fields: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the messages by their ids; of two with one id, the second counts."""
    listed = [
        message for message in spans.as_list(fields, CHAT_MESSAGES) if isinstance(message, dict)
    ]
    return {
        spans.text(message.get("uuid")) or f"#{place}": message
        for place, message in enumerate(listed)
    }


def _parents(messages: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, str]]:
    """Yield each message's id with that of the one before it."""
    is_tree = any(spans.text(message.get(_PARENT)) for message in messages.values())
    before = ""
    for key, message in messages.items():
        yield key, spans.text(message.get(_PARENT)) if is_tree else before
        before = key


def _rendered(message: Mapping[str, object], left: Counter[str]) -> Rendered:
    sender, when = spans.text(message.get("sender")), read_moment(message.get("created_at"))
    if sender == "human":
        return Rendered("user", claude_text(message, left), when)
    if sender == "assistant":
        return Rendered(
            "assistant", claude_text(message, left), when, spans.text(message.get("model"))
        )
    left["message of an unknown sender"] += 1
    return Rendered("user", "", when)


def project_instructions(projects: object) -> dict[str, str]:
    """Return the instructions of each project that has some, by its name."""
    listed = map(as_dict, projects if isinstance(projects, list) else [projects])
    pairs = (
        (spans.text(item.get("name")), spans.text(item.get("prompt_template"))) for item in listed
    )
    return {name: text for name, text in pairs if name.strip() and text.strip()}


def claude_text(message: Mapping[str, object], left: Counter[str]) -> str:
    """Return the text of a message; count in `left` what could not come.

    The blocks of `content` count before the older `text`, which newer exports leave empty.
    """
    said = paragraphs(_block(as_dict(block), left) for block in _blocks(message))
    return paragraphs((said or spans.text(message.get("text")), *_attached(message, left)))


def claude_size(message: Mapping[str, object]) -> int:
    """Return how many characters of text a message holds, about."""
    blocks = (as_dict(block) for block in _blocks(message))
    texts = [spans.text(block.get("text")) or spans.text(block.get("thinking")) for block in blocks]
    extracted = (
        spans.text(as_dict(item).get("extracted_content"))
        for item in spans.as_list(message, "attachments")
    )
    said = sum(map(len, texts)) or len(spans.text(message.get("text")))
    return said + sum(map(len, extracted))


def _blocks(message: Mapping[str, object]) -> list[object]:
    """Return the blocks of `content`, which some exports have as JSON in a text."""
    content = message.get("content")
    if text := spans.text(content):
        try:
            content = spans.value(text, 0)[0]
        except BadJson:
            return [{"type": "text", "text": text}]
    return content if isinstance(content, list) else []


def _block(block: Mapping[str, object], left: Counter[str]) -> str:
    kind = spans.text(block.get("type"))
    match kind:
        case "text" | "voice_note":
            left["citation"] += len(spans.as_list(block, "citations"))
            return spans.text(block.get("text"))
        case "thinking" | "redacted_thinking":
            return framed("thinking", spans.text(block.get("thinking")) or _summaries(block))
        case "tool_use":
            return _tool_call(block)
        case "tool_result":
            return framed(f"result of {_name(block)}", _result(block, left))
        case "image":
            left["picture"] += 1
            return framed("picture")
        case "document":
            left["file"] += 1
            return framed(f"file: {spans.text(block.get('title')) or _NAMELESS}")
    if kind in _MACHINERY:
        left["hidden block"] += 1
        return ""
    left["part of an unknown kind"] += 1
    return framed(kind or "unknown part", spans.text(block.get("text")))


def _summaries(block: Mapping[str, object]) -> str:
    items = map(as_dict, spans.as_list(block, "summaries"))
    return paragraphs(spans.text(item.get("summary")) for item in items)


def _name(block: Mapping[str, object]) -> str:
    return spans.text(block.get("name")) or "a tool"


def _tool_call(block: Mapping[str, object]) -> str:
    """Return an artifact's own text, or what a tool was asked."""
    given = as_dict(block.get("input"))
    artifact = spans.text(given.get("content")) or spans.text(given.get("new_str"))
    if _name(block) == "artifacts" and artifact:
        return framed(f"artifact: {spans.text(given.get('title')) or _NAMELESS}", artifact)
    asked = json.dumps(_with_numbers(given), ensure_ascii=False) if given else ""
    return framed(f"tool call: {_name(block)}", asked)


def _with_numbers(value: object) -> object:
    """Return a parsed value with its numbers as numbers; one that cannot be stays as spelled."""
    if isinstance(value, dict):
        return {key: _with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    if isinstance(value, spans.Number) and len(value) < _LONGEST_NUMBER:
        return json.loads(value)
    return value


def _result(block: Mapping[str, object], left: Counter[str]) -> str:
    if text := spans.text(block.get("content")):
        return text
    return paragraphs(
        _block(as_dict(item), left)
        if as_dict(item).get("type") == "image"
        else spans.text(as_dict(item).get("text"))
        for item in spans.as_list(block, "content")
    )


def _attached(message: Mapping[str, object], left: Counter[str]) -> Iterator[str]:
    """Yield what was attached: the text that the app took out of it, else a line with its name."""
    for item in map(as_dict, spans.as_list(message, "attachments")):
        text = spans.text(item.get("extracted_content"))
        left["file"] += not text
        yield framed(f"file: {spans.text(item.get('file_name')) or _NAMELESS}", text)
    files = (as_dict(item) for key in _FILES for item in spans.as_list(message, key))
    names = (
        spans.text(item.get("file_name")) or spans.text(item.get("file_uuid")) for item in files
    )
    for name in dict.fromkeys(names):
        left["file"] += 1
        yield framed(f"file: {name or _NAMELESS}")
