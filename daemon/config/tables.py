"""The small tables of memproc.toml, and what all tables have in common; memproc.toml says why each setting is."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from daemon.files.paths import Folders, resolve_folders, settle_folders
from rules.layers.core import Value, rendered

Key = tuple[str | int, ...]
"""The names that lead to a setting, and in a list of tables the entry's number, counted from 0."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """A problem: the keys of the settings that take part, the one to change first, and what that must be."""

    keys: tuple[Key, ...]
    reason: str


class Table(BaseModel):
    """One table: nothing unknown in it, nothing converted, nothing changed afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def overridden(self, by: Self) -> Self:
        """This table with every setting that is written in `by`; what `by` leaves out stays as it is here."""
        return self.model_copy(update={name: getattr(by, name) for name in by.model_fields_set})


def refuse_settings(reasons: Mapping[Key, str]) -> ValidationError:
    """The error that a validator raises to refuse several settings below it at once, each for a reason of its own."""
    return ValidationError.from_exception_data(
        "refusal",
        [
            InitErrorDetails(
                type=PydanticCustomError("refused", "{reason}", {"reason": reason}),
                loc=place,
                input=None,
            )
            for place, reason in reasons.items()
        ],
    )


def _as_written(tables: Any, info: SerializationInfo) -> Any:
    if isinstance(tables, dict):
        return {
            name: table.model_dump(mode=info.mode, exclude_unset=True)
            for name, table in tables.items()
        }
    return [table.model_dump(mode=info.mode, exclude_unset=True) for table in tables]


AS_WRITTEN = PlainSerializer(_as_written)
"""A mark for several tables of one kind: each is written out with no more than what was written in it."""


def checked(is_right: Callable[[Any], object], reason: str) -> AfterValidator:
    """A check of a setting; `reason` is half a sentence, what its value must be."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise ValueError(reason)
        return value

    return AfterValidator(check)


def _from_the_file(value: str, info: ValidationInfo) -> str:
    """Relative paths start at the folder of the file, which the reader hands over as context."""
    if not value or info.context is None:
        return value
    base: Path = info.context
    place = resolve_folders(value, base)
    if isinstance(place, Path):
        return str(place)
    raise ValueError(place.reason)


_NOT_BLANK = checked(str.strip, "must not be empty")
Text = Annotated[str, _NOT_BLANK]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]  # TOML has lists only
_OptionalFolder = Annotated[str, AfterValidator(_from_the_file)]
_Folder = Annotated[_OptionalFolder, _NOT_BLANK]


class FolderSettings(Table):
    """`[folders]`: paths as text; `daemon.config.folders` makes them real."""

    inbox: _Folder = "~/memproc/inbox"
    updated: _Folder = "~/memproc/updated"
    backups: _Folder = "~/memproc/backups"
    state: _OptionalFolder = ""

    @model_validator(mode="after")
    def _is_settled(self, info: ValidationInfo) -> Self:
        """Whether the folders of a file fit each other; the defaults are not looked at before they are used."""
        settled = None if info.context is None else settle_folders(self.model_dump())
        if settled and not isinstance(settled, Folders):
            raise refuse_settings({(refused.names[0],): refused.reason for refused in settled})
        return self


class TextSettings(Table):
    """`[texts]`: a folder with replacements for the primer and the questions; empty: the shipped ones."""

    folder: _OptionalFolder = ""

    @property
    def path(self) -> Path | None:
        """The folder, or None for memproc's own texts."""
        return Path(self.folder) if self.folder else None


class OutputSettings(Table):
    """`[output]`: how memories are put back."""

    mode: Literal["replace", "new-chat", "keep-originals"] = "replace"


_LEAST_TAIL = 800
_LARGE_ENOUGH = checked(
    lambda tokens: tokens >= 400,
    "must be at least 400, since about 40 tokens of each memory are the questions in it",
)
_LOOK_AHEAD = (
    4  # the live tail is at least this many chunks long, because bounds look that far ahead
)
MOST_TOKENS = 10_000_000
"""More than any model's window; beyond it a number is a slip of the hand."""


class TailSettings(Table):
    """`[tail]`: tokens that stay word for word, and tokens between two moves."""

    tokens: int = Field(default=30_000, ge=_LEAST_TAIL, le=MOST_TOKENS)
    step: int = Field(default=24_000, ge=0, le=MOST_TOKENS)


class ChunkSettings(Table):
    """`[chunk]`: about how many tokens become one memory, and where one ends."""

    tokens: Annotated[int, _LARGE_ENOUGH] = Field(default=4_000, le=MOST_TOKENS)
    bounds: Literal["topics", "embedding", "size"] = "topics"


def token_clashes(tail: TailSettings, chunk: ChunkSettings) -> Iterator[ConfigProblem]:
    """Everything in which the numbers of tokens do not agree."""
    if tail.tokens < _LOOK_AHEAD * chunk.tokens:
        yield ConfigProblem(
            (("tail", "tokens"), ("chunk", "tokens")),
            f"must be at least {_LOOK_AHEAD * chunk.tokens}, {_LOOK_AHEAD} times chunk.tokens (is {tail.tokens})",
        )
    if tail.step > 2 * tail.tokens:
        yield ConfigProblem(
            (("tail", "step"), ("tail", "tokens")),
            f"must be at most {2 * tail.tokens}, twice tail.tokens (is {tail.step})",
        )


_LEAST_BUDGET = 500  # tokens; fewer hold no memory
_MOST_MEMORIES = 100


class MemorySettings(Table):
    """`[memory]`: how many memories are written again with hindsight, in view of how much, and what is shown."""

    hindsight: int = Field(default=2, ge=0, le=_MOST_MEMORIES)
    hindsight_tokens: int = Field(default=8_000, ge=100, le=MOST_TOKENS)
    editions: Literal["hindsight", "as-of"] = "hindsight"


class FoldSettings(Table):
    """`[fold]`: tokens of the memory section, how many memories become a fold, and tokens of quotes."""

    budget: int = Field(default=16_000, ge=_LEAST_BUDGET, le=MOST_TOKENS)
    group: int = Field(default=6, ge=2, le=_MOST_MEMORIES)
    quotes: int = Field(default=8_000, ge=0, le=MOST_TOKENS)


_MOST_CHARACTERS = 100_000
_MOST_FACTS = 1_000
_RESERVED = "facts"


def _named(sections: dict[str, "SectionSettings"]) -> dict[str, "SectionSettings"]:
    for name in sections:
        if not (
            name.isascii()
            and name.replace("_", "a").replace("-", "a").isalnum()
            and name == name.lower()
        ):
            raise ValueError(f'"{name[:40]}" must be in small letters, digits, - and _ alone')
        if name == _RESERVED:
            raise ValueError(f'"{name}" is what the list of facts is called')
    return sections


def _text_or_texts(value: object) -> Value:
    """One error for both shapes; pydantic's own would name a setting for each."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(
        isinstance(entry, str) and entry.strip() for entry in value
    ):
        return tuple(value)
    raise ValueError('must be a text in quotes, or a list of texts, like ["one", "two"]')


class SectionSettings(Table):
    """`[core.sections.NAME]`: what is not said is the layout's, or for a section of one's own as it is here."""

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
        """The table with what an override says; the sections are taken over one by one."""
        sections = {**self.sections, **by.sections}
        return super().overridden(by).model_copy(update={"sections": sections})


def section_clashes(core: CoreSettings) -> Iterator[ConfigProblem]:
    """First values that are longer than their sections may be.

    Where the limit is left to a layout that somebody else has made, it shows only when that is loaded.
    """
    ours = core.layout == CoreSettings().layout
    for name, section in core.sections.items():
        length = len(rendered(section.value))
        if (ours or "limit" in section.model_fields_set) and 0 < section.limit < length:
            place = ("core", "sections", name)
            yield ConfigProblem(
                ((*place, "value"), (*place, "limit")),
                f"must have at most {section.limit} characters, the limit of its section (has {length})",
            )


class FactSettings(Table):
    """`[facts]`: how many are shown for comparison, tokens in the opening, and who tells which are the same."""

    enabled: bool = True
    compare: int = Field(default=40, ge=1, le=_MOST_FACTS)
    budget: int = Field(default=1_500, ge=100, le=_MOST_CHARACTERS)
    embedding: str = ""


_WINDOW = re.compile(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d")


def _is_window(text: str) -> bool:
    return not text or (_WINDOW.fullmatch(text) is not None and text[:5] != text[6:])


class WatchSettings(Table):
    """`[watch]`: how the inbox is watched, in seconds."""

    settle_seconds: float = Field(default=5, ge=0.5, le=600, allow_inf_nan=False)
    rescan_seconds: float = Field(default=300, ge=5, le=86_400, allow_inf_nan=False)
    mode: Literal["auto", "native", "poll"] = "auto"
    subfolders: bool = False


class ScheduleSettings(Table):
    """`[schedule]`: the window of the night, in local time."""

    night: Annotated[
        str, checked(_is_window, 'must be empty or two times of day, like "02:00-05:00"')
    ] = "02:00-05:00"


class NotifySettings(Table):
    """`[notify]`: on what the desktop shows a notice."""

    when: Literal["problems", "all", "never"] = "problems"


class PageSettings(Table):
    """`[page]`: the page in the browser, and its port on loopback."""

    enabled: bool = True
    port: int = Field(default=27_183, ge=1024, le=65_535)


_ORIGIN = re.compile(r"https?://[^/\s]+")
Origins = Annotated[
    Texts,
    checked(
        lambda origins: all(map(_ORIGIN.fullmatch, origins)),
        'must be addresses without a path, like "https://chat.example.org"',
    ),
]
"""The origins of the pages that a browser may ask from, as it names them."""


class MentionSettings(Table):
    """`[recall]`, as far as it may differ from chat to chat: whether the opening says that one can look things up."""

    mention: bool = False


class RecallSettings(MentionSettings):
    """`[recall]`: the same, whether TypingMind's connector is answered, and the person's own TypingMind hosts."""

    connector: bool = False
    origins: Origins = ()


class BridgeSettings(Table):
    """`[bridge]`: the person's own TypingMind hosts, which may be paired beside TypingMind's own pages."""

    origins: Origins = ()
