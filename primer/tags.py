"""The tags that set our words, and the passage to remember, apart from what people wrote."""

from typing import Literal

Tag = Literal["system", "context_manager", "to_remember"]

TAGS: tuple[Tag, ...] = ("system", "context_manager", "to_remember")


def wrap(tag: Tag, text: str, /, **attributes: str) -> str:
    """The text on lines of its own between the tag's start and end.

    Attributes stand in the order given, and their values are escaped. The text is taken as it is:
    tags inside people's text are made harmless before they come here.
    """
    start = tag + "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
    return f"<{start}>\n{text}\n</{tag}>"


def _escaped(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
