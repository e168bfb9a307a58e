"""The settings that the page can change: the field of each, and which entered values are accepted.

A session of the page must not become a permission to send keys or texts elsewhere. So there is no
field for an address, an option, a host, an origin or a folder; models must be of providers that
memproc.toml names or the chats use; and caps can only be lowered.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from daemon.config.as_toml import TABLES, reasons_in
from daemon.config.settings import Config
from daemon.config.tables import ConfigProblem, Table
from primer.models import EXTRACTIVE, provider_of, small_model

if TYPE_CHECKING:  # a command writes; the page needs no library for that
    from daemon.config.editing import SettingName

Value = str | int | float
_KINDS: Mapping[tuple[str, object], str] = {
    ("models", str): "model",
    ("schedule", str): "night",
    ("budget", float): "cap",
    ("fold", int | Literal["auto"]): "budget",
}
"""The kind of a field, by its setting's table and type; whole numbers and choices by type alone."""
_LINE_END = re.compile(r"(?<=\S)\n(?=\S)")
"""A line end within a paragraph; the lines of an example are indented."""
_NUMBER = re.compile(r"\d{1,9}")
_DOLLARS = re.compile(r"\d{1,7}(\.\d{1,4})?")
_ON_THE_TERMINAL = "Raising a cap stays on the terminal: memproc config edit."


@dataclass(frozen=True, slots=True)
class SettingField:
    """A setting that has a field in the form, because its row in the table has a title."""

    table: str
    name: str
    row: FieldInfo
    kind: str
    """How it is shown, and how the entered text is read (`_read`)."""
    group: str
    """The title of its table."""

    @property
    def key(self) -> "SettingName":
        """Return the setting's table and its name there."""
        return self.table, self.name

    @property
    def dotted(self) -> str:
        """Return its name in memproc.toml, as in `tail.tokens`."""
        return f"{self.table}.{self.name}"

    @property
    def reason(self) -> str:
        """Return what the setting is for, in Markdown."""
        return reason_of(self.table, self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        """Return all choices; for a model, the word that may be given instead of a name."""
        return get_args(self.row.annotation) or (self.row.default,)


def fields_in(tables: Mapping[str, type[Table]]) -> Iterator[SettingField]:
    """Yield a field for each row with a title.

    Raises TypeError for a row whose kind, or whose table's title, is unknown.
    """
    for table, rows in tables.items():
        for name, row in rows.model_fields.items():
            if not row.title:
                continue
            kind = "number" if row.annotation is int else _KINDS.get((table, row.annotation), "")
            if get_origin(row.annotation) is Literal:
                kind = "choice"
            group = rows.model_config.get("title")
            if not kind:
                raise TypeError(
                    f"{table}.{name} has a title, but the page cannot ask for its type there: "
                    "give the type a kind in _KINDS, and _read and settings.html that kind."
                )
            if not group:
                raise TypeError(
                    f"{table}.{name} has a title, and its table has none: "
                    f'class {rows.__name__}(Table, title="...").'
                )
            yield SettingField(table, name, row, kind, group)


FIELDS = tuple(fields_in(TABLES))
GROUPS = {title: list(fields) for title, fields in groupby(FIELDS, attrgetter("group"))}
"""The fields by the titles of their tables."""


def reason_of(table: str, name: str) -> str:
    """Return what a setting is for, in Markdown, a line a paragraph: the page keeps line ends."""
    return _LINE_END.sub(" ", reasons_in(TABLES[table])[name])


def present_value(config: Config, field: SettingField) -> Value:
    """Return a setting's present value."""
    value: Value = getattr(getattr(config, field.table), field.name)
    return value


def show_value(value: Value) -> str:
    """Return a value as its field shows it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def find_changes(
    config: Config, typed: Mapping[str, str], providers: Sequence[str]
) -> "dict[SettingName, Value] | list[ConfigProblem]":
    """Return the entered settings that differ from the present ones, or why some are refused.

    `typed` has the entered texts by the fields' dotted names; a field not in it stays as it is.
    """
    changes: dict[SettingName, Value] = {}
    refusals: list[ConfigProblem] = []
    for field in FIELDS:
        now = present_value(config, field)
        text = typed.get(field.dotted, show_value(now)).strip()
        if text == show_value(now):
            continue
        value = _read(field, text, now, providers)
        if isinstance(value, ConfigProblem):
            refusals.append(value)
        elif value != now:
            changes[field.key] = value
    return refusals or changes


def allowed_providers(config: Config, chat_models: Sequence[str]) -> tuple[str, ...]:
    """Return LiteLLM's names of the providers that memproc.toml names or the chats use."""
    names = [*_named_models(config), *chat_models]
    return tuple(sorted({provider for name in names if (provider := provider_of(name))}))


def offer_models(config: Config, chat_models: Sequence[str]) -> tuple[str, ...]:
    """Return the models to choose from; any other model of their providers can be entered."""
    known = [name for name in (*_named_models(config), *chat_models) if "*" not in name]
    offered = {EXTRACTIVE, *known, *map(small_model, known)}
    return tuple(sorted(offered))


def _named_models(config: Config) -> Iterator[str]:
    """Yield the names of models in memproc.toml, including those with wildcards."""
    for variant in config.variants:
        models = variant.models
        names = (models.agent, models.context_manager, models.fallback, variant.facts.embedding)
        yield from (name for name in (*names, *models.options) if "/" in name)


def _read(
    field: SettingField, text: str, now: Value, providers: Sequence[str]
) -> Value | ConfigProblem:
    """Return an entered text's value, or why it is refused here; writing it checks the rest."""
    match field.kind:
        case "model":
            return _model(field, text, providers)
        case "number" | "budget" if _NUMBER.fullmatch(text):
            return int(text)
        case "cap" if not _DOLLARS.fullmatch(text):
            return ConfigProblem((field.key,), "a number of dollars")
        case "cap" if float(text) > float(now):  # above the present cap
            most = show_value(float(now))
            return ConfigProblem((field.key,), f"at most {most}. {_ON_THE_TERMINAL}")
        case "cap":
            usd = float(text)
            return int(usd) if usd.is_integer() else usd
        case "choice" if text not in field.choices:
            return ConfigProblem((field.key,), f"one of {', '.join(field.choices)}")
        case _:
            return text


def _model(field: SettingField, text: str, providers: Sequence[str]) -> Value | ConfigProblem:
    """Return the name of a model if it may be chosen here, otherwise which may."""
    is_known = "/" in text and provider_of(text) in providers
    if text in (*field.choices, EXTRACTIVE) or is_known:
        return text
    named = " or ".join(filter(None, field.choices)) or "empty"
    return ConfigProblem(
        (field.key,),
        f"{named}, {EXTRACTIVE}, or a model of a provider that memproc.toml names or your chats "
        f"use ({', '.join(providers) or 'none so far'}); others stay on the terminal: memproc "
        "config edit",
    )
