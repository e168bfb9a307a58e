"""Dataclasses as rows: each field is a column, and a tuple or a mapping is stored as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")
_STORED = frozenset({str, int, float, bool, bytes, type(None)})


def list_columns(kind: type) -> str:
    """Return the SQL list of columns of a table whose rows are this dataclass."""
    return ", ".join(field.name for field in fields(kind))


def row_of(record: "DataclassInstance") -> dict[str, Any]:
    """Return a record's columns, by the names of its fields."""
    row = asdict(record)
    for field in fields(record):
        if _json_of(field.type):
            row[field.name] = write_column(row[field.name])
    return row


def write_column(value: object) -> str:
    """Return a tuple or a mapping as its column has it; equal values are equal texts."""
    return json.dumps(value, ensure_ascii=False)


def record_in(kind: Callable[..., Row], row: Sequence[Any]) -> Row:
    """Return a row as an instance of `kind`, built from its columns in order."""
    readers = _readers(kind)
    return kind(*(readers[at](value) if at in readers else value for at, value in enumerate(row)))


@cache
def _readers(kind: Any) -> dict[int, Callable[[Any], object]]:
    """Return by place the functions that read columns stored in another form than `kind` has."""
    types = [field.type for field in fields(kind)] if is_dataclass(kind) else []
    readers: dict[int, Callable[[Any], object]] = {
        place: partial(_read, _json_of(kind)) for place, kind in enumerate(types) if _json_of(kind)
    }
    return readers | {place: bool for place, kind in enumerate(types) if kind is bool}


def _read(kind: Any, text: str) -> object:
    """Return the value in a JSON text as this type; a tuple's items may be dataclasses."""
    value = json.loads(text)
    if not isinstance(value, list):
        return value
    item, *_ = get_args(kind)
    is_record = is_dataclass(item)
    return tuple(item(**entry) for entry in value) if is_record else tuple(value)


def _json_of(kind: Any) -> Any:
    """Return the tuple or mapping type among the types of a field, or None."""
    choices = (kind, *get_args(kind))
    return next((choice for choice in choices if get_origin(choice) in (tuple, Mapping)), None)


@cache
def explain_misfit(kind: Callable[..., object], types: tuple[type, ...]) -> str:
    """Return why values of these types do not fit the dataclass; empty if they may."""
    if not is_dataclass(kind):
        return ""
    for field, stored in zip(fields(kind), types, strict=False):
        # `str | None`, a Literal, or a single type; a type given as a string cannot be judged.
        choices = get_args(field.type) or (object if isinstance(field.type, str) else field.type,)
        fitting = {choice if isinstance(choice, type) else type(choice) for choice in choices}
        if fitting & {float, bool}:
            fitting.add(int)
        if fitting <= _STORED and stored not in fitting:
            return f"{field.name} of {kind.__name__} cannot be read"
    return ""
