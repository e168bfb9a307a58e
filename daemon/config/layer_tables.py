"""The tables of memproc.toml on core memory, facts and kept passages."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    SerializeAsAny,
)

from daemon.config.place_tables import Text
from daemon.config.tables import AS_WRITTEN, ConfigProblem, Table
from rules.layers.core import Value, rendered

_MOST_CHARACTERS = 100_000
_MOST_FACTS = 1_000
_RESERVED = "facts"
_NAME = re.compile(r"[a-z0-9_-]+")


def _named(sections: dict[str, "SectionSettings"]) -> dict[str, "SectionSettings"]:
    for name in sections:
        if not _NAME.fullmatch(name):
            raise ValueError(f'"{name[:40]}" must be in small letters, digits, - and _ alone')
        if name == _RESERVED:
            raise ValueError(f'"{name}" is what the list of facts is called')
    return sections


def _text_or_texts(value: object) -> Value:
    """Check both shapes, with one error for both; pydantic's own would name a setting for each."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(
        isinstance(entry, str) and entry.strip() for entry in value
    ):
        return tuple(value)
    raise ValueError('must be a text in quotes, or a list of texts, like ["one", "two"]')


class SectionSettings(Table):
    """`[core.sections.NAME]`: what is left out is the layout's, or in a new section as here."""

    description: str = ""
    limit: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
    value: Annotated[Value, PlainValidator(_text_or_texts), SerializeAsAny()] = ""


class CoreSettings(Table):
    """`[core]`: sections that the agent edits itself."""

    enabled: bool = True
    layout: Text = "chat"
    form: Literal["auto", "tools", "json"] = "auto"
    sections: Annotated[dict[str, SectionSettings], AfterValidator(_named), AS_WRITTEN] = Field(
        default_factory=dict
    )

    def overridden(self, by: Self) -> Self:
        """Return the table with what an override says; the sections are taken over one by one."""
        sections = {**self.sections, **by.sections}
        return super().overridden(by).model_copy(update={"sections": sections})


def section_clashes(core: CoreSettings) -> Iterator[ConfigProblem]:
    """Yield first values that are longer than their sections may be.

    Where somebody else's layout sets the limit, that shows only when the layout is loaded.
    """
    ours = core.layout == CoreSettings().layout
    for name, section in core.sections.items():
        length = len(rendered(section.value))
        if (ours or "limit" in section.model_fields_set) and 0 < section.limit < length:
            place = ("core", "sections", name)
            yield ConfigProblem(
                ((*place, "value"), (*place, "limit")),
                f"must have at most {section.limit} characters, "
                f"the limit of its section (has {length})",
            )


class FactSettings(Table):
    """`[facts]`: how many are compared, tokens in the opening, and what finds equal ones."""

    enabled: bool = True
    compare: int = Field(default=40, ge=1, le=_MOST_FACTS)
    budget: int = Field(default=1_500, ge=100, le=_MOST_CHARACTERS)
    embedding: str = ""


class KeepSettings(Table):
    """`[keep]`: tokens of the passages that are kept word for word."""

    budget: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
