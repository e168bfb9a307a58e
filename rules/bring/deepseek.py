"""Read a conversation of DeepSeek's export, and the fragments of its messages as text.

    {"id": "...", "title": "...", "inserted_at": "2026-01-01T10:00:00.000000+08:00",
     "mapping": {"root": {"parent": null, "children": ["1"], "message": null},
                 "1": {"parent": "root", "children": ["2"],
                       "message": {"model": "deepseek-chat", "inserted_at": "...", "files": [],
                                   "fragments": [{"type": "REQUEST", "content": "..."}]}}}}

The person's messages are those with a REQUEST; an answer has its THINK, SEARCH and RESPONSE in the
order of the fragments. The export does not say on which branch the person was last: it is taken to
be the one that ends last.
"""

from collections import Counter

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
    paragraphs,
    read_moment,
    tree_of,
    unknown_part,
)
from rules.typingmind.spans import Fields, as_list, text_under

_DATE = "inserted_at"
_DATES = (_DATE, "updated_at")
SUMMARY_KEYS = ("title", "id", *_DATES, MAPPING)
_SPOKEN = ("REQUEST", "RESPONSE")
_FRAMES = {"THINK": "thinking", "SEARCH": "result of search"}
"""What the text of other fragments is called, which neither person nor persona said."""


def is_deepseek(fields: Fields) -> bool:
    """Return whether the messages of a conversation are made of fragments."""
    return any(
        isinstance(message.get("fragments"), list) for message in messages_in_tree(fields).values()
    )


def summarize_deepseek(fields: Fields) -> Summary:
    """Return what a list shows of a conversation."""
    messages = messages_in_tree(fields)
    named = text_under(fields, "id") or next(iter(messages), ""), text_under(fields, "title")
    return make_summary("deepseek", fields, named, _DATES, messages.values(), _size)


def _size(message: Fields) -> int:
    """Return how many characters of text a message has."""
    return sum(len(text_under(part, "content")) for part in as_list(message, "fragments"))


def read_deepseek(fields: Fields, branch: int = 1) -> Conversation:
    """Return one branch of a conversation; number 1 is the one that ends last."""
    tree = tree_of(fields, _DATE)
    left_out: LeftOut = Counter()
    rendered = [(key, _rendered(message, left_out)) for key, message in tree.branch(branch)]
    return make_conversation(summarize_deepseek(fields), tree, rendered, left_out)


def _rendered(message: Fields, left_out: LeftOut) -> Rendered:
    """Return what a message says, with the files that were attached to it."""
    fragments = as_list(message, "fragments")
    is_asked = any(text_under(fragment, "type") == "REQUEST" for fragment in fragments)
    said = [_said(as_dict(fragment), left_out) for fragment in fragments]
    for item in as_list(message, "files"):  # the export has none of their content
        said.append(file_in_frame(text_under(item, "file_name", "name"), left_out))
    words, when = paragraphs(said), read_moment(message.get(_DATE))
    if is_asked:
        return Rendered("user", words, when)
    return Rendered("assistant", words, when, text_under(message, "model"))


def _said(fragment: Fields, left_out: LeftOut) -> str:
    """Return the text of a fragment: as it is where person or persona said it, else in a frame."""
    kind, words = text_under(fragment, "type"), text_under(fragment, "content")
    if kind in _SPOKEN:
        return words
    results = as_list(fragment, "results")
    lines = ((text_under(result, "title"), text_under(result, "url")) for result in results)
    words = words or "\n".join(": ".join(filter(None, line)) for line in lines)
    if kind in _FRAMES:
        return framed(_FRAMES[kind], words) if words.strip() else ""
    return unknown_part(kind.lower().replace("_", " "), left_out, words)
