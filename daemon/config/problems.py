"""Say what is wrong with a setting in plain words, not a library's, showing little of it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from daemon.config.as_toml import BARE, key_lines, line_of
from daemon.config.settings import Config
from daemon.config.tables import ConfigProblem, Key

_MOST_SHOWN = 100
_LONGEST_SHOWN = 40  # characters
_HUGE = 10**15
_KINDS = {
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "value_error": "{error}",
    "refused": "{reason}",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a text in quotes",
    "tuple_type": 'must be a list of texts, like ["one", "two"]',
}
_REQUIRED = {
    "chat": "the chat's title, with wildcards, or its id or its folder's",
    "model": 'a name like "provider/model", with wildcards',
    "as_of": 'the day on which this was the price, like "2026-11-21"',
    "input": "dollars for a million tokens of the prompt",
    "output": "dollars for a million tokens of the answer",
}


def report_problems(problems: Sequence[ConfigProblem], text: str, path: Path) -> str:
    """Report the problems of the file `path`, which holds `text`, by line; a hundred at most."""
    lines = key_lines(text)
    placed: list[tuple[int, str]] = []
    for problem in problems:
        # Where to look: at the first of its settings that is in the file, or else at its table.
        line = next(
            (lines[key] for key in problem.keys if key in lines), line_of(lines, problem.keys[0])
        )
        place = "" if line is None else f"line {line}: "
        placed.append((line or 0, f"  {place}{_dotted(problem.keys[0])}: {problem.reason}"))
    sentences = [sentence for _, sentence in sorted(placed, key=lambda pair: pair[0])]
    if len(sentences) > _MOST_SHOWN:
        sentences[_MOST_SHOWN:] = [f"  and {len(sentences) - _MOST_SHOWN} more"]
    many = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    return "\n".join([f"{path} has {many}:", *sentences])


def problems_of(error: ValidationError) -> list[ConfigProblem]:
    """Return the problems that pydantic found, in our words, each with its setting or table."""
    problems = []
    for details in error.errors(include_url=False):
        kind, key = details["type"], details["loc"]
        # An entry of a list of texts is no setting of its own; one of a list of tables is.
        is_entry = isinstance(key[-1], int) and kind != "model_type"
        if is_entry:
            key = key[:-1]
        reason = (
            _unknown(key)
            if kind == "extra_forbidden"
            else _requirement(kind, details.get("ctx", {}), key)
        )
        if kind not in ("extra_forbidden", "missing", "refused"):  # what is refused may be a key
            reason = f"{'each entry ' if is_entry else ''}{reason} (is {_shown(details['input'])})"
        problems.append(ConfigProblem((key,), reason))
    return problems


def _requirement(kind: str, limits: Mapping[str, Any], key: Key) -> str:
    if kind in ("model_type", "dict_type"):
        return f"must be a table, {_header(key)}"
    if kind == "tuple_type" and _table_at(key):
        return f"must be a list of tables, {_header((*key, 0))}"
    if kind == "missing":
        return f"must be there: {_REQUIRED[str(key[-1])]}"
    if kind == "literal_error":
        return f"must be {limits['expected'].replace(chr(39), chr(34))}"
    # A later pydantic may bring further kinds.
    return _KINDS.get(kind, "cannot be used").format(**limits)


def _header(key: Key) -> str:
    """Return the line above a table, as TOML has it."""
    name = ".".join(part for part in key if isinstance(part, str))
    return f"[[{name}]]" if key and isinstance(key[-1], int) else f"[{name}]"


def _unknown(key: Key) -> str:
    """Say which setting or table an unknown name may mean, here or elsewhere, or which exist."""
    *place, last = key
    name = str(last)
    table = _table_at(tuple(place)) or Config
    short = name.lower() if len(name) <= _LONGEST_SHOWN else ""
    near = get_close_matches(short, table.model_fields, n=1, cutoff=0.7)
    near = near or _namesakes(tuple(place), name)
    kind = "setting" if place else "table"
    if near:
        return f'there is no such {kind}; did you mean "{near[0]}"?'
    return f"there is no such {kind}; there are {', '.join(table.model_fields)}"


def _namesakes(place: Key, name: str) -> list[str]:
    """Return the settings of this name in other tables of the same override, or of the file."""
    start = max((at + 1 for at, part in enumerate(place) if isinstance(part, int)), default=0)
    tables = (_table_at(place[:start]) or Config).model_fields
    return [
        f"{table}.{name}"
        for table in tables
        if name in getattr(_table_at((*place[:start], table)), "model_fields", ())
    ]


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{_printable(value)}"'
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a huge number"
    if isinstance(value, int | float):
        return str(value).lower()
    kinds: dict[type, str] = {list: "a list", dict: "a table"}
    return kinds.get(type(value), "a date or a time")


def _dotted(key: Key) -> str:
    """Write the key as people do: chats.override[1].tail.tokens, models.options."ollama/*".

    Entries count from 1.
    """
    dotted = ""
    for part in key:
        if isinstance(part, int):
            dotted += f"[{part + 1}]"
        else:
            shown = _printable(part)
            dotted += ("." if dotted else "") + (
                part if BARE.fullmatch(part) and shown == part else f'"{shown}"'
            )
    return dotted


def _table_at(key: Key) -> type[BaseModel] | None:
    """Return the kind of table at `key`, or of the tables in a list there; None if neither."""
    kind: Any = Config
    for name in key:
        if isinstance(name, int):
            continue  # the tables of a list are all of one kind
        if get_origin(kind) is dict:  # tables whose names people choose
            kind = get_args(kind)[1]
        elif (field := getattr(kind, "model_fields", {}).get(name)) is None:
            return None
        else:
            kind = (
                get_args(field.annotation)[0]
                if get_origin(field.annotation) is tuple
                else field.annotation
            )
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _printable(text: str) -> str:
    """Return `text` on one line, cut if long, and without what a terminal would obey."""
    short = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return "".join(
        mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in short
    )
