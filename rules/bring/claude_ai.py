"""Read a conversation of Claude's export, and the content of its messages as text.

    {"uuid": "...", "name": "...", "created_at": "...",
     "chat_messages": [{"uuid": "...", "parent_message_uuid": "...", "sender": "human",
                        "text": "...", "content": [{"type": "text", "text": "..."}], ...}]}

Where no message names the one before it, they follow one another. Of a tree, the branch is brought
that ends with `current_leaf_message_uuid`, which exporters of browsers write, else the branch with
the newest date.

Words stay as they are. Thinking, tools, artifacts and files become their text in a frame that says
what it was, or one line where the export has no text of theirs.
"""

from collections import Counter

from rules.bring.conversation import (
    NAMELESS,
    Conversation,
    LeftOut,
    MessageTree,
    Rendered,
    Summary,
    as_dict,
    file_in_frame,
    framed,
    make_conversation,
    make_summary,
    not_brought,
    paragraphs,
    read_moment,
    unknown_part,
)
from rules.bring.tool_call import as_one_line, in_lines
from rules.typingmind import spans
from rules.typingmind.content import make_printable
from rules.typingmind.spans import BadJson, Fields, as_list, text, text_under

_DATES = ("created_at", "updated_at")
CHAT_MESSAGES = "chat_messages"
"""The field by which such a conversation is recognized."""
SUMMARY_KEYS = (
    "uuid",
    "conversation_id",
    "name",
    "title",
    *_DATES,
    CHAT_MESSAGES,
)
_PARENT = "parent_message_uuid"

_HIDDEN_BLOCKS = frozenset({"injected_prompt_block", "token_budget", "summaries", "flag"})
"""Blocks that the app adds for the model, and that neither person nor persona wrote."""


def summarize_claude(fields: Fields) -> Summary:
    """Return what a list shows of a conversation."""
    messages = _messages(fields)
    key = text_under(fields, "uuid", "conversation_id") or next(iter(messages), "")
    named = key, text_under(fields, "name", "title")
    return make_summary("claude", fields, named, _DATES, messages.values(), claude_size)


def read_claude(fields: Fields, branch: int = 1) -> Conversation:
    """Return one branch of a conversation; number 1 is the one where the person was last."""
    messages = _messages(fields)
    parents = {key: text_under(message, _PARENT) for key, message in messages.items()}
    if not any(parents.values()):  # they follow one another
        parents = dict(zip(messages, ["", *messages], strict=False))
    dates = {key: read_moment(message.get("created_at")) for key, message in messages.items()}
    tree = MessageTree(messages, parents, dates, text_under(fields, "current_leaf_message_uuid"))
    left_out: LeftOut = Counter()
    path = [(key, _rendered(message, left_out)) for key, message in tree.branch(branch)]
    model = text_under(fields, "model")
    return make_conversation(summarize_claude(fields), tree, path, left_out, model=model)


def _messages(fields: Fields) -> dict[str, Fields]:
    """Return the messages by id; of two with the same id the second counts."""
    listed = [message for message in as_list(fields, CHAT_MESSAGES) if isinstance(message, dict)]
    return {
        text_under(message, "uuid") or f"#{place}": message for place, message in enumerate(listed)
    }


def _rendered(message: Fields, left_out: LeftOut) -> Rendered:
    when = read_moment(message.get("created_at"))
    match text_under(message, "sender"):
        case "human":
            return Rendered("user", claude_text(message, left_out), when)
        case "assistant":
            said = claude_text(message, left_out)
            before = claude_text(message, Counter(), as_before=True)
            return Rendered("assistant", said, when, text_under(message, "model"), before)
    left_out["message of an unknown sender"] += 1
    return Rendered("user", "", when)


def project_instructions(projects: object) -> dict[str, str]:
    """Return by name the instructions of each project that has any."""
    instructions: dict[str, str] = {}
    for project in projects if isinstance(projects, list) else [projects]:
        name = text_under(project, "name")
        prompt = text_under(project, "prompt_template")
        if name.strip() and prompt.strip():
            instructions[make_printable(name)] = make_printable(prompt)
    return instructions


def claude_text(message: Fields, left_out: LeftOut, *, as_before: bool = False) -> str:
    """Return the text of a message; count in `left_out` what cannot be brought.

    The blocks of `content` take precedence over the older `text`, which newer exports leave empty.
    With `as_before` return it in the form that earlier versions brought (`tool_call`).
    """
    blocks = _blocks(message)
    said = paragraphs(_block_text(block, left_out, as_before=as_before) for block in blocks)
    pieces = [said or text_under(message, "text")]
    for item in as_list(message, "attachments"):
        extracted = text_under(item, "extracted_content")  # the file's text, if the app has read it
        pieces.append(file_in_frame(text_under(item, "file_name"), left_out, extracted))
    files = [*as_list(message, "files"), *as_list(message, "files_v2")]
    names = (text_under(file, "file_name", "file_uuid") for file in files)
    pieces += [file_in_frame(name, left_out) for name in dict.fromkeys(names)]
    return paragraphs(pieces)


def claude_size(message: Fields) -> int:
    """Return about how many characters of text a message has."""
    said = sum(len(text_under(block, "text", "thinking")) for block in _blocks(message))
    attached = as_list(message, "attachments")
    extracted = sum(len(text_under(item, "extracted_content")) for item in attached)
    return (said or len(text_under(message, "text"))) + extracted


def _blocks(message: Fields) -> list[Fields]:
    """Return the blocks of `content`, which some exports have as a text with JSON."""
    content = message.get("content")
    if written := text(content):
        try:
            content, stop = spans.value(written, 0)
        except BadJson:
            stop = 0
        if not isinstance(content, list) or written[stop:].strip():
            return [{"type": "text", "text": written}]
    return [as_dict(block) for block in content] if isinstance(content, list) else []


def _block_text(block: Fields, left_out: LeftOut, *, as_before: bool) -> str:
    """Return what a block says, in a frame unless it is plain text."""
    kind = text_under(block, "type")
    match kind:
        case "text" | "voice_note":
            left_out["citation"] += len(as_list(block, "citations"))
            return text_under(block, "text")
        case "thinking" | "redacted_thinking":
            items = as_list(block, "summaries")
            summary = paragraphs(text_under(item, "summary") for item in items)
            return framed("thinking", text_under(block, "thinking") or summary)
        case "tool_use":
            return _tool_call(block, as_before=as_before)
        case "tool_result":
            listed = (
                not_brought("picture", left_out)
                if text_under(item, "type") == "image"
                else text_under(item, "text")
                for item in as_list(block, "content")
            )
            result = text_under(block, "content") or paragraphs(listed)
            return framed(f"result of {_name(block)}", result)
        case "image":
            return not_brought("picture", left_out)
        case "document":
            return file_in_frame(text_under(block, "title"), left_out)
    if kind in _HIDDEN_BLOCKS:
        left_out["hidden block"] += 1
        return ""
    return unknown_part(kind, left_out, text_under(block, "text"))


def _name(block: Fields) -> str:
    return text_under(block, "name") or "a tool"


def _tool_call(block: Fields, *, as_before: bool) -> str:
    """Return an artifact's own text, or a tool's arguments, which with `as_before` are one line."""
    tool = _name(block)
    given = as_dict(block.get("input"))
    artifact = text_under(given, "content", "new_str")
    if tool == "artifacts" and artifact:
        return framed(f"artifact: {text_under(given, 'title') or NAMELESS}", artifact)
    asked = as_one_line(given) if given else ""
    return framed(f"tool call: {tool}", asked if as_before else in_lines(given) or asked)
