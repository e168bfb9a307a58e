"""How a section is written into: it must be there, be the agent's to edit, and keep to its limit.

Every editing function is made of these two steps, memproc's own and those of a developer's layout.
"""

from rules.core.memory import CoreMemory, Refusal
from rules.core.section import Section, Value, rendered


def editable(memory: CoreMemory, name: str) -> Section | Refusal:
    """The section of that name, or why the agent may not edit it."""
    section = memory.find(name)
    if section is None:
        there = ", ".join(f'"{one.name}"' for one in memory)
        return Refusal(f"There is no section of that name; the sections are {there}.", "unknown section")
    if section.held:
        return Refusal(
            f'The person keeps the section "{name}" themselves; it cannot be edited until they release it.',
            "kept by the person",
        )
    return section


def written(memory: CoreMemory, name: str, value: Value) -> CoreMemory | Refusal:
    """The memory with this value in the section; it is not shortened where it is over the limit, but refused."""
    section = editable(memory, name)
    if isinstance(section, Refusal):
        return section
    would_have = len(rendered(value))
    if would_have > section.limit:
        return Refusal(
            f'The section "{name}" has {len(section.rendered)} characters, may have {section.limit}, and would have '
            f"{would_have}.",
            "over the limit",
        )
    return memory.with_value(name, value)
