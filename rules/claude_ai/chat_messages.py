"""A conversation of Claude's export.

    {"uuid": "...", "name": "...", "created_at": "...",
     "chat_messages": [{"uuid": "...", "parent_message_uuid": "...", "sender": "human",
                        "text": "...", "content": [{"type": "text", "text": "..."}], ...}]}

Messages that name no message before them follow one another. Of a tree, the branch is brought that
`current_leaf_message_uuid` ends, as browsers' exporters write it, else the one with the newest date.
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
    read_moment,
)
from rules.claude_ai.blocks import claude_size, claude_text
from rules.typingmind import spans

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
