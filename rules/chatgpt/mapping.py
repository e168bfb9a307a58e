"""A conversation of ChatGPT's export.

    {"title": "...", "create_time": 1714585031.1, "current_node": "id of the last message",
     "mapping": {"id": {"message": {...} or null, "parent": "id or null", "children": [...]}}}

The tree is walked from `current_node` upwards. Nodes without a message, hidden ones and those of
weight 0 were never part of what person and persona saw.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from rules.bring.branches import MessageTree, chosen_branch
from rules.bring.conversation import (
    Conversation,
    Rendered,
    Summary,
    as_dict,
    make_conversation,
    paragraphs,
    read_moment,
)
from rules.chatgpt.parts import chatgpt_size, chatgpt_text
from rules.typingmind import spans

MAPPING = "mapping"
"""The field by which such a conversation is known."""
SUMMARY_KEYS = ("title", "id", "conversation_id", "create_time", "update_time", MAPPING)
_HIDDEN = "is_visually_hidden_from_conversation"
_CUSTOM = "user_editable_context"


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
