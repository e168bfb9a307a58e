"""The tags around what memproc says to a model, and people's own text kept apart from them.

Tags that people wrote themselves are made inert before a model reads them, and can be restored:

    <system>        becomes  <J system>     J is a word joiner, U+2060, which shows as nothing
    <J system>      becomes  <JJ system>    so that nothing is lost: taking one joiner out undoes it
"""

import re
from typing import Literal

from rules.layers.opening import JOINER

Tag = Literal["system", "context_manager", "to_remember"]
TAGS: tuple[Tag, ...] = ("system", "context_manager", "to_remember")
# Nothing that was matched is given back (`*+`): after a "<", a hundred thousand line breaks would take minutes.
_START = r"<(\s*+/?+\s*+)"
_NAME = rf"(?=(?:{'|'.join(TAGS)})\b)"
_TAG = re.compile(rf"{_START}({JOINER}*+){_NAME}", re.IGNORECASE)
_INERT = re.compile(rf"{_START}{JOINER}({JOINER}*+){_NAME}", re.IGNORECASE)


def wrap(tag: Tag, text: str, /, **attributes: str) -> str:
    """Put the text on lines of its own between the tag's start and end.

    Attributes keep the order given, and their values are escaped. The text is taken as it is:
    tags inside people's text are made harmless before they come here.
    """
    start = tag + "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
    return f"<{start}>\n{text}\n</{tag}>"


def _escaped(value: str) -> str:
    return (
        value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )


def make_tags_inert(text: str) -> str:
    """Break every one of our tags in the text by one more joiner."""
    return _TAG.sub(rf"<\1{JOINER}\2", text)


def restore_tags(text: str) -> str:
    """Return the text as it was before `make_tags_inert`."""
    return _INERT.sub(r"<\1\2", text) if JOINER in text else text


def keep_inert(text: str) -> str:
    """Make our tags in a model's own text inert, whether it copied them or made them up."""
    return make_tags_inert(restore_tags(text))
