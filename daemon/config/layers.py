"""`[core]` and `[facts]`: the two layers of memory that stand in the opening message (D14)."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SerializationInfo, field_serializer

from daemon.config.tables import Table, Text, Texts

_MOST_CHARACTERS = 100_000
_MOST_FACTS = 1_000
_RESERVED = "facts"


def _named(sections: dict[str, "SectionSettings"]) -> dict[str, "SectionSettings"]:
    for name in sections:
        if not (name.isascii() and name.replace("_", "a").replace("-", "a").isalnum() and name == name.lower()):
            raise ValueError(f'"{name[:40]}" must be in small letters, digits, - and _ alone')
        if name == _RESERVED:
            raise ValueError(f'"{name}" is what the list of facts is called')
    return sections


class SectionSettings(Table):
    """`[core.sections.NAME]`: what is not said is the layout's, or for a section of one's own as it is here."""

    description: str = ""
    limit: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
    value: Annotated[str | Texts, Field(union_mode="left_to_right")] = ""


class CoreSettings(Table):
    """`[core]`: sections that the agent edits itself."""

    enabled: bool = True
    layout: Text = "chat"
    form: Literal["auto", "tools", "json"] = "auto"
    sections: Annotated[dict[str, SectionSettings], AfterValidator(_named)] = Field(default_factory=dict)

    @field_serializer("sections")
    def _as_written(self, sections: dict[str, SectionSettings], info: SerializationInfo) -> dict[str, dict[str, Any]]:
        return {name: one.model_dump(mode=info.mode, exclude_unset=True) for name, one in sections.items()}


class FactSettings(Table):
    """`[facts]`: how many are shown for comparison, tokens in the opening, and who tells which are the same."""

    enabled: bool = True
    compare: int = Field(default=40, ge=1, le=_MOST_FACTS)
    budget: int = Field(default=1_500, ge=100, le=_MOST_CHARACTERS)
    embedding: str = ""
