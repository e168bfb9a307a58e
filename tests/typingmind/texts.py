"""What a message says, in the client's two spellings of content: a string, or a list of parts."""

from typing import Any


def text_of(content: object, *, first_part_only: bool = False) -> str:
    """The words of a content: all text parts with a blank line between them, or the first of them alone."""
    if isinstance(content, str):
        return content
    parts = (
        [part.get("text") for part in content if isinstance(part, dict)]
        if isinstance(content, list)
        else []
    )
    found = [text for text in parts if isinstance(text, str)]
    return "\n\n".join(found[:1] if first_part_only else found)


def reworded(content: object, text: str) -> Any:
    """The content with other words: a string stays a string, a list a list that keeps its images and files."""
    if not isinstance(content, list):
        return text
    texts = [
        number
        for number, part in enumerate(content)
        if isinstance(part, dict) and part.get("type") == "text"
    ]
    place = texts[0] if texts else 0
    others = [part for number, part in enumerate(content) if number not in texts]
    return [*others[:place], {"type": "text", "text": text}, *others[place:]]
