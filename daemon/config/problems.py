"""What is wrong with a setting, in plain words: never a library's words, never more than a short value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from daemon.config.lines import Key, key_lines, line_of
from daemon.config.settings import Config
from daemon.config.writing import BARE

_LONGEST_SHOWN = 40
_HUGE = 10**15
_KINDS = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a text in quotes",
    "tuple_type": 'must be a list of texts, like ["one", "two"]',
}


def problems_of(error: ValidationError) -> dict[Key, list[str]]:
    """The problems that pydantic found, by the setting, table or override they are about."""
    found: dict[Key, list[str]] = {}
    for details in error.errors(include_url=False):
        key = _setting(details["loc"])
        found.setdefault(key, []).append(_in_words(key, details))
    return found


def printable(text: str) -> str:
    """`text` on one line and without what a terminal would obey; long ones are cut."""
    short = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in short)


def _setting(place: Key) -> Key:
    """The setting that `place` lies in: an entry of a list of texts is no setting, one of a list of tables is."""
    for at, part in enumerate(place):
        if isinstance(part, int) and _table_at(place[:at]) is None:
            return place[:at]
    return place


def _table_at(key: Key) -> type[BaseModel] | None:
    """The table, or the table of which there may be many, that stands at `key`; None for anything else."""
    table: type[BaseModel] | None = Config
    named: type[BaseModel] | None = None
    for name in key:
        if isinstance(name, str) and named:
            table, named = named, None
        elif isinstance(name, str):
            field = table.model_fields.get(name) if table else None
            table, named = (_table(field.annotation), _named_table(field.annotation)) if field else (None, None)
    return table


def _table(annotation: Any) -> type[BaseModel] | None:
    for kind in (annotation, *get_args(annotation)[:1]):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def _named_table(annotation: Any) -> type[BaseModel] | None:
    """The table of which there is one for each name that people choose."""
    kinds = get_args(annotation)
    return _table(kinds[1]) if get_origin(annotation) is dict and len(kinds) == 2 else None


def _in_words(key: Key, details: ErrorDetails) -> str:
    if details["type"] == "extra_forbidden":
        return _unknown(key)
    wanted = _wanted(details["type"], details.get("ctx", {}), key)
    if details["type"] == "option":  # its value may be a key
        return wanted
    which = "each entry " if len(details["loc"]) > len(key) else ""
    return f"{which}{wanted} (is {_shown(details['input'])})"


def _wanted(kind: str, limits: Mapping[str, Any], key: Key) -> str:
    match kind:
        case "model_type" | "dict_type":
            return f"must be a table, {_header(key)}"
        case "tuple_type" if _table_at(key):
            return f"must be a list of tables, {_header((*key, 0))}"
        case "greater_than_equal":
            return f"must be at least {limits['ge']}"
        case "less_than_equal":
            return f"must be at most {limits['le']}"
        case "literal_error":
            return f"must be {limits['expected'].replace(chr(39), chr(34))}"
        case "value_error":
            return str(limits["error"])
        case "option":
            return str(limits["reason"])
        case _:
            return _KINDS.get(kind, "cannot be used")  # a later pydantic may bring further kinds


def _header(key: Key) -> str:
    """The line above a table, as TOML has it."""
    name = ".".join(part for part in key if isinstance(part, str))
    return f"[[{name}]]" if key and isinstance(key[-1], int) else f"[{name}]"


def _unknown(key: Key) -> str:
    *place, name = key
    written = str(name)
    table = _table_at(tuple(place)) or Config
    short = written.lower() if len(written) <= _LONGEST_SHOWN else ""
    near = get_close_matches(short, table.model_fields, n=1, cutoff=0.7) or _elsewhere(tuple(place), written)
    kind = "setting" if place else "table"
    if near:
        return f'there is no such {kind}; did you mean "{near[0]}"?'
    return f"there is no such {kind}; there are {', '.join(table.model_fields)}"


def _elsewhere(place: Key, name: str) -> list[str]:
    """The tables that have a setting of that name: in the same override, or in the file."""
    numbered = [at for at, part in enumerate(place) if isinstance(part, int)]
    around = _table_at(place[: numbered[-1] + 1] if numbered else ()) or Config
    tables = {other: _table(field.annotation) for other, field in around.model_fields.items()}
    return [f"{other}.{name}" for other, table in tables.items() if table and name in table.model_fields]


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() if abs(value) >= _HUGE:
            return "a huge number"
        case int() | float():
            return str(value)
        case str():
            return f'"{printable(value)}"'
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or a time"


_MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: its key, the other keys that play a part, and what must be."""

    keys: tuple[Key, ...]
    reason: str


def report(problems: Sequence[Problem], text: str, path: Path) -> str:
    """The problems of the file `path`, which holds `text`; no more than a hundred are told."""
    lines = key_lines(text)
    placed = [(_line(problem, lines), problem) for problem in problems]
    placed.sort(key=lambda pair: pair[0] or 0)
    many = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    told = [_sentence(line, problem) for line, problem in placed[:_MOST_SHOWN]]
    if len(placed) > _MOST_SHOWN:
        told.append(f"and {len(placed) - _MOST_SHOWN} more")
    return "\n".join([f"{path} has {many}:", *(f"  {one}" for one in told)])


def _line(problem: Problem, lines: Mapping[Key, int]) -> int | None:
    """Where to look: at the first of the problem's settings that is in the file, or else at its table."""
    written = [lines[key] for key in problem.keys if key in lines]
    return written[0] if written else line_of(lines, problem.keys[0])


def _sentence(line: int | None, problem: Problem) -> str:
    place = "" if line is None else f"line {line}: "
    return f"{place}{_dotted(problem.keys[0])}: {problem.reason}"


def _dotted(key: Key) -> str:
    """As people write it: chats.override[1].tail.tokens, models.options."ollama/*"; entries count from 1."""
    dotted = ""
    for part in key:
        if isinstance(part, int):
            dotted += f"[{part + 1}]"
        else:
            dotted += ("." if dotted else "") + (part if _is_short_and_bare(part) else f'"{printable(part)}"')
    return dotted


def _is_short_and_bare(part: str) -> bool:
    return printable(part) == part and bool(BARE.fullmatch(part))
