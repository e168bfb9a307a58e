"""An edit that the agent asks for: applied to the core memory as it stands, or refused with a reason.

The functions may be a developer's. Whatever they return, a section keeps its name, its limit and its description,
one that the person keeps stays as it is, and so does each line that they have written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.core.layout import EditingFunction
from rules.core.memory import CoreMemory, Refusal
from rules.core.offer import offered
from rules.core.section import OverLimit, Section, lines_of


@dataclass(frozen=True, slots=True)
class Edit:
    """A function and what it is to be called with, as the agent has named them."""

    function: str
    arguments: Mapping[str, object]


def apply(functions: Sequence[EditingFunction], memory: CoreMemory, edit: Edit) -> CoreMemory | Refusal:
    """The memory after the edit, or why it stays as it is."""
    function = next((one for one in functions if offered(one).name == edit.function), None)
    if function is None:
        there = ", ".join(offered(one).name for one in functions)
        return Refusal(f"There is no function of that name; the functions are {there}.", "unknown function")
    arguments = {name: text for name, text in edit.arguments.items() if isinstance(text, str)}
    wanted = offered(function).parameters
    if arguments.keys() != wanted.keys() or len(arguments) < len(edit.arguments):
        return Refusal(f"{edit.function} takes {_listed(wanted)}.", "wrong arguments")
    try:
        after = function(memory, **arguments)
    except OverLimit as fault:
        return Refusal(str(fault), "over the limit")
    return after if isinstance(after, Refusal) else _lawful(memory, after)


def _listed(names: Mapping[str, str]) -> str:
    return f"{', '.join(names)}, each of them a text" if names else "no arguments"


def _lawful(before: CoreMemory, after: CoreMemory) -> CoreMemory | Refusal:
    """What an editing function has returned, unless it has changed more than values."""
    if not isinstance(after, CoreMemory):
        return Refusal("The function has returned no core memory, so nothing was changed.")
    if [_frame(section) for section in before] != [_frame(section) for section in after]:
        return Refusal(
            "A section cannot be added, removed or renamed, its description and limit stay, and one that the person "
            "keeps cannot be edited.",
            "sections changed",
        )
    changed = ((was.name, line) for was, now in zip(before, after, strict=True) for line in _lost(was, now))
    if lost := next(changed, None):
        name, line = lost
        return Refusal(
            f'The person has written this line of the section "{name}" themselves; it stays as it is until they '
            f"release it: {line}",
            "kept by the person",
        )
    return after


def _lost(before: Section, after: Section) -> list[str]:
    """The person's lines that are not there any more."""
    there = lines_of(after.value)
    return [line for line in before.held_lines if line not in there]


def _frame(section: Section) -> tuple[object, ...]:
    """All of a section that no edit changes."""
    value = section.value if section.held else None
    return section.name, section.description, section.limit, section.held, section.held_lines, value
