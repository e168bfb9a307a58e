"""The layout of core memory: its sections, and the functions with which a model may edit them.

A developer adds a layout as a small class, and registers it as an entry point of the group
`memproc.core_memory`; `ChatLayout` is memproc's own. The functions are offered to the model, and
what they return is checked before it counts.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Protocol

from rules.layers.core import (
    CoreMemory,
    OverLimit,
    Refusal,
    Section,
    Value,
    editable,
    lines_of,
    written,
)
from rules.typingmind.spans import Fields

EditingFunction = Callable[..., CoreMemory | Refusal]
"""Takes the memory and texts as keyword arguments, and returns the edited memory or a refusal.

Its name, docstring and parameters are offered to the agent as a tool.
"""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The names of functions that providers accept."""
_PARAMETER = re.compile(r"^(\w+): (.+(?:\n[ \t]+\S.*)*)$", re.MULTILINE)
"""A parameter's line in a docstring, with the indented lines below it."""

_LIMIT = 2_000
"""The most characters of each of memproc's own sections."""


class Layout(Protocol):
    """The class that an entry point of `memproc.core_memory` names, called without arguments."""

    @property
    def sections(self) -> Sequence[Section]:
        """Return the sections, with their first values."""

    @property
    def functions(self) -> Sequence[EditingFunction]:
        """Return the functions that the agent may call."""


class Undocumented(ValueError):
    """A function cannot be offered, since a model would not know how to call it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A function as it is described to a model."""

    name: str
    description: str
    parameters: Mapping[str, str]
    """The names of its text parameters in order, each with its description."""


@dataclass(frozen=True, slots=True)
class SectionChange:
    """The changes that settings make to a section; None keeps the layout's own value."""

    description: str | None = None
    limit: int | None = None
    value: Value | None = None


@cache
def describe_function(function: EditingFunction) -> Offer:
    """Describe `function` to the agent, without its first parameter, which is the memory.

    Raises Undocumented for a function without a usable name, without a docstring, or with an
    undescribed parameter.
    """
    name = getattr(function, "__name__", "")
    if not _NAME.fullmatch(name):
        raise Undocumented(f'the function "{name}" has no name that a model could call')
    description, _, described = (inspect.getdoc(function) or "").partition("\n\n")
    if not description:
        raise Undocumented(f'the function "{name}" has no docstring')
    descriptions = {
        parameter: " ".join(text.split()) for parameter, text in _PARAMETER.findall(described)
    }
    names = list(inspect.signature(function).parameters)[1:]
    if undescribed := [parameter for parameter in names if parameter not in descriptions]:
        raise Undocumented(
            f'the docstring of "{name}" has no line "{undescribed[0]}: ..." about that parameter'
        )
    return Offer(
        name,
        " ".join(description.split()),
        {parameter: descriptions[parameter] for parameter in names},
    )


@dataclass(frozen=True, slots=True)
class CoreEdit:
    """A function and its arguments, as the agent named them."""

    function: str
    arguments: Fields


def apply_edit(
    functions: Sequence[EditingFunction], memory: CoreMemory, edit: CoreEdit
) -> CoreMemory | Refusal:
    """Return the memory after the edit, or why the edit is refused."""
    by_name = {describe_function(function).name: function for function in functions}
    function = by_name.get(edit.function)
    if function is None:
        names = ", ".join(by_name)
        return Refusal(
            f"There is no function of that name; the functions are {names}.", "unknown function"
        )
    arguments = {name: text for name, text in edit.arguments.items() if isinstance(text, str)}
    parameters = describe_function(function).parameters
    if arguments.keys() != parameters.keys() or len(arguments) < len(edit.arguments):
        listed = f"{', '.join(parameters)}, each of them a text" if parameters else "no arguments"
        return Refusal(f"{edit.function} takes {listed}.", "wrong arguments")
    try:
        after = function(memory, **arguments)
    except OverLimit as fault:
        return Refusal(str(fault), "over the limit")
    return after if isinstance(after, Refusal) else _check_edit(memory, after)


def _check_edit(before: CoreMemory, after: CoreMemory) -> CoreMemory | Refusal:
    """Return what an editing function returned; a refusal if it changed values that it may not."""
    if not isinstance(after, CoreMemory):
        return Refusal("The function has returned no core memory, so nothing was changed.")
    kept = [section.with_value(section.value if section.held else ()) for section in before]
    if kept != [section.with_value(section.value if section.held else ()) for section in after]:
        return Refusal(
            "A section cannot be added, removed or renamed, its description and limit stay, and "
            "one that the person keeps cannot be edited.",
            "sections changed",
        )
    for was, now in zip(before, after, strict=True):
        for line in was.held_lines:
            if line not in lines_of(now.value):
                return Refusal(
                    f'The person has written this line of the section "{was.name}" themselves; it '
                    f"stays as it is until they release it: {line}",
                    "kept by the person",
                )
    return after


def core_memory_append(memory: CoreMemory, name: str, content: str) -> CoreMemory | Refusal:
    """Add something at the end of a section of your core memory, on a line of its own.

    name: The name of the section.
    content: The text to add, in the language of the conversation.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    if not content.strip():
        return Refusal("The content is empty, so there is nothing to append.", "no content")
    if isinstance(section.value, tuple):
        return written(memory, name, (*section.value, content))
    return written(memory, name, f"{section.value}\n{content}" if section.value else content)


def core_memory_replace(
    memory: CoreMemory, name: str, old_content: str, new_content: str
) -> CoreMemory | Refusal:
    """Replace a text in a section of your core memory, wherever it occurs there.

    name: The name of the section.
    old_content: The text that is to go, exactly as it stands in the section, character for
        character.
    new_content: The text that takes its place; empty to delete the old one.
    """
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    if not old_content:
        return Refusal(
            "The old content is empty; name the text that is to be replaced.", "no content"
        )
    entries = (section.value,) if isinstance(section.value, str) else section.value
    if not any(old_content in entry for entry in entries):
        within = ', within one entry and without the "- " before it'
        where = "" if isinstance(section.value, str) else within
        return Refusal(
            f'The old content does not occur in the section "{section.name}"; it must be copied '
            f"character for character{where}.",
            "not found",
        )
    if isinstance(section.value, str):
        return written(memory, name, section.value.replace(old_content, new_content))
    replaced = [(entry, entry.replace(old_content, new_content)) for entry in entries]
    # An entry is dropped where nothing is left of it.
    return written(
        memory, name, tuple(after for entry, after in replaced if after.strip() or after == entry)
    )


@dataclass(frozen=True, slots=True)
class ChatLayout:
    """memproc's own layout: `persona` and `human`, with functions to append and to replace."""

    sections: Sequence[Section] = (
        Section(
            "persona",
            "You, who answer in this conversation: your character as it has grown, what you hold "
            "to, how you speak, what you have promised to be. Nothing of the person's own life.",
            _LIMIT,
        ),
        Section(
            "human",
            "The person, in the third person: their name, the people around them, what they care "
            "about and live with, how they wish to be spoken to, and what they want to hold from "
            "now on.",
            _LIMIT,
        ),
    )
    functions: Sequence[EditingFunction] = (core_memory_append, core_memory_replace)


def arrange_sections(
    sections: Sequence[Section], changes: Mapping[str, SectionChange]
) -> tuple[Section, ...]:
    """Return the layout's sections with the changes applied, then those that only `changes` has.

    A limit of 0 leaves a section out. Raises OverLimit where a first value is longer than its
    section may be.
    """
    known = {section.name: section for section in sections}
    known |= {name: Section(name, "", 0) for name in changes if name not in known}
    arranged: list[Section] = []
    for name, section in known.items():
        fields = asdict(changes.get(name, SectionChange()))
        change = {field: value for field, value in fields.items() if value is not None}
        if change.get("limit", section.limit):
            arranged.append(replace(section, **change))
    return tuple(arranged)
