"""The tables of memproc.toml on tails, chunks, memories, folds, core memory, facts and kept passages."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, SerializeAsAny

from daemon.config.folder_tables import Text
from daemon.config.tables import AS_WRITTEN, ConfigProblem, Table, checked
from daemon.files.clock import is_zone
from rules.layers.core import Value, rendered

_LEAST_TAIL = 800
_LARGE_ENOUGH = checked(
    lambda tokens: tokens >= 400,
    "must be at least 400, since about 40 tokens of each memory are the questions in it",
)
_KNOWN_ZONE = checked(
    lambda name: not name or is_zone(name),
    'must be a time zone as in "Europe/Berlin", or empty for the one that the archive keeps',
)
_LOOK_AHEAD = 4  # chunks: bounds look that far ahead, so the live tail is at least as long
MOST_TOKENS = 10_000_000
"""More than any model's window; beyond it a number is a slip of the hand."""
_LEAST_BUDGET = 500  # tokens; fewer hold no memory
_MOST_MEMORIES = 100

_MOST_CHARACTERS = 100_000
_RESERVED = "facts"
_NAME = re.compile(r"[a-z0-9_-]+")


class TailSettings(Table):
    """`[tail]`: tokens that stay word for word, and tokens between two moves."""

    tokens: int = Field(default=30_000, ge=_LEAST_TAIL, le=MOST_TOKENS)
    step: int = Field(default=24_000, ge=0, le=MOST_TOKENS)


class ChunkSettings(Table):
    """`[chunk]`: about how many tokens become one memory, and where one ends."""

    tokens: Annotated[int, _LARGE_ENOUGH] = Field(default=4_000, le=MOST_TOKENS)
    bounds: Literal["topics", "embedding", "size"] = "topics"


def token_clashes(tail: TailSettings, chunk: ChunkSettings) -> Iterator[ConfigProblem]:
    """Yield everything in which the numbers of tokens do not agree."""
    if tail.tokens < _LOOK_AHEAD * chunk.tokens:
        yield ConfigProblem(
            (("tail", "tokens"), ("chunk", "tokens")),
            f"must be at least {_LOOK_AHEAD * chunk.tokens}, "
            f"{_LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > 2 * tail.tokens:
        yield ConfigProblem(
            (("tail", "step"), ("tail", "tokens")),
            f"must be at most {2 * tail.tokens}, twice tail.tokens (is {tail.step})",
        )


class EditionSettings(Table):
    """`[memory]`, as far as chats may differ: how many get hindsight, and which edition is shown."""

    hindsight: int = Field(default=2, ge=0, le=_MOST_MEMORIES)
    editions: Literal["hindsight", "as-of"] = "hindsight"


class MemorySettings(EditionSettings):
    """`[memory]`: also the time zone of all days; empty for the one that the archive keeps."""

    zone: Annotated[str, _KNOWN_ZONE] = ""


def _number_or_auto(value: object) -> int | Literal["auto"]:
    """Check both kinds, with one error for both; pydantic's own would name a setting for each."""
    if value == "auto":
        return "auto"
    if isinstance(value, int) and value is not True and _LEAST_BUDGET <= value <= MOST_TOKENS:
        return value
    raise ValueError(f'must be "auto" or a whole number from {_LEAST_BUDGET} to {MOST_TOKENS}')


class FoldSettings(Table):
    """`[fold]`: tokens of the memory section, and of wishes."""

    budget: Annotated[int | Literal["auto"], PlainValidator(_number_or_auto)] = "auto"
    wishes: int = Field(default=1_500, ge=0, le=MOST_TOKENS)


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
    """`[facts]`: tokens in the opening, and what finds equal ones."""

    enabled: bool = True
    budget: int = Field(default=1_500, ge=100, le=_MOST_CHARACTERS)
    embedding: str = ""


class KeepSettings(Table):
    """`[keep]`: tokens of the passages that are kept word for word."""

    budget: int = Field(default=2_000, ge=0, le=_MOST_CHARACTERS)
