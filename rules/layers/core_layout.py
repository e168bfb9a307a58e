"""The layout of a chat's core memory: its sections, as settings and the person arrange them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from rules.layers.core import Section, Value
from rules.layers.core_editing import (
    EditingFunction,
    core_memory_append,
    core_memory_replace,
)

_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class ChatLayout:
    """`persona` and `human`, to append and to replace."""

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


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A change of one section; None: nothing is said, so that the layout's own holds."""

    description: str | None = None
    limit: int | None = None
    value: Value | None = None


def arranged(
    sections: Sequence[Section], changes: Mapping[str, SectionChange]
) -> tuple[Section, ...]:
    """Return the layout's sections in order, then further ones; a limit of 0 leaves one out.

    Raises OverLimit where a first value is longer than its section may be.
    """
    known = {section.name: section for section in sections}
    known |= {name: Section(name, "", 0) for name in changes if name not in known}
    after: list[Section] = []
    for name, section in known.items():
        said = asdict(changes.get(name, SectionChange()))
        change = {field: value for field, value in said.items() if value is not None}
        if change.get("limit", section.limit):
            after.append(replace(section, **change))
    return tuple(after)
