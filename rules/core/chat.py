"""The layout that every chat has unless memproc.toml says otherwise: who the persona is, and who the person."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.core.layout import EditingFunction
from rules.core.memory import CoreMemory, Refusal
from rules.core.section import Section, Value
from rules.core.writing import editable, written

_LIMIT = 2_000
_NOTHING = Refusal("The content is empty, so there is nothing to append.", "no content")
_NOTHING_OLD = Refusal("The old content is empty; name the text that is to be replaced.", "no content")


def core_memory_append(memory: CoreMemory, name: str, content: str) -> CoreMemory | Refusal:
    """Add something at the end of a section of your core memory, on a line of its own.

    name: The name of the section.
    content: The text to add, in the language of the conversation.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    return written(memory, name, _with(section.value, content)) if content.strip() else _NOTHING


def core_memory_replace(memory: CoreMemory, name: str, old_content: str, new_content: str) -> CoreMemory | Refusal:
    """Replace a text in a section of your core memory, wherever it occurs there.

    name: The name of the section.
    old_content: The text that is to go, exactly as it stands in the section, character for character.
    new_content: The text that takes its place; empty to delete the old one.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    if not old_content:
        return _NOTHING_OLD
    replaced = _replaced(section.value, old_content, new_content)
    return _not_found(section) if replaced is None else written(memory, name, replaced)


@dataclass(frozen=True, slots=True)
class ChatLayout:
    """`persona` and `human`, to append and to replace."""

    sections: Sequence[Section] = (
        Section(
            "persona",
            "Who you are in this conversation: your character as it has grown, what you hold to, how you speak, what "
            "you have promised to be.",
            _LIMIT,
        ),
        Section(
            "human",
            "Who the person is: their name, the people around them, what they care about and live with, how they wish "
            "to be spoken to.",
            _LIMIT,
        ),
    )
    functions: Sequence[EditingFunction] = (core_memory_append, core_memory_replace)


def _with(value: Value, content: str) -> Value:
    if isinstance(value, str):
        return f"{value}\n{content}" if value else content
    return (*value, content)


def _replaced(value: Value, old: str, new: str) -> Value | None:
    """The value with every occurrence replaced, within the entries of a list; None where there is none.

    An entry of which nothing is left goes.
    """
    if isinstance(value, str):
        return value.replace(old, new) if old in value else None
    if not any(old in entry for entry in value):
        return None
    return tuple(entry.replace(old, new) for entry in value if entry.replace(old, new).strip() or old not in entry)


def _not_found(section: Section) -> Refusal:
    listed = "" if isinstance(section.value, str) else ', within one entry and without the "- " before it'
    return Refusal(
        f'The old content does not occur in the section "{section.name}"; it must be copied character for '
        f"character{listed}.",
        "not found",
    )
