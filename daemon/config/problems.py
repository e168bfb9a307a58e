"""Say what is wrong with a setting in plain words, not pydantic's, and show little of its value."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from daemon.config.as_toml import BARE, key_lines, reasons_in
from daemon.config.settings import Config
from daemon.config.tables import ConfigProblem, Key, Table

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


def report_problems(problems: Sequence[ConfigProblem], text: str, path: Path) -> str:
    """Return a report of the problems in the file `path`, by line; at most a hundred of them."""
    lines = key_lines(text)
    by_line = sorted(problems, key=lambda problem: _line_of_problem(problem, lines) or 0)
    number = len(problems)
    many = "1 problem" if number == 1 else f"{number} problems"
    report = [f"{path} has {many}:"]
    for problem in by_line[:_MOST_SHOWN]:
        line = _line_of_problem(problem, lines)
        place = "" if line is None else f"line {line}: "
        report.append(f"  {place}{dotted(problem.keys[0])}: {problem.reason}")
    if number > _MOST_SHOWN:
        report.append(f"  and {number - _MOST_SHOWN} more")
    return "\n".join(report)


def _line_of_problem(problem: ConfigProblem, lines: Mapping[Key, int]) -> int | None:
    """Return the line to look at: of the first of its settings in the file, or of its table."""
    first = problem.keys[0]
    tables = (first[:length] for length in range(len(first) - 1, 0, -1))
    return next((lines[key] for key in (*problem.keys, *tables) if key in lines), None)


def problems_of(error: ValidationError) -> list[ConfigProblem]:
    """Return the problems that pydantic found, in our own words, each with its setting or table."""
    return [_problem(details) for details in error.errors(include_url=False)]


def _problem(details: ErrorDetails) -> ConfigProblem:
    """Return one of pydantic's problems in our own words, with the value that is written."""
    kind, key = details["type"], details["loc"]
    # An entry of a list of strings is no setting by itself; one of a list of tables is.
    is_entry = isinstance(key[-1], int) and kind != "model_type"
    if is_entry:
        key = key[:-1]
    if kind == "extra_forbidden":
        return ConfigProblem((key,), _unknown(key))
    reason = _requirement(kind, details.get("ctx", {}), key)
    if kind in ("missing", "refused"):  # a refused value may be a key, and is not shown
        return ConfigProblem((key,), reason)
    each = "each entry " if is_entry else ""
    return ConfigProblem((key,), f"{each}{reason} (is {_shown(details['input'])})")


def _requirement(kind: str, limits: Mapping[str, Any], key: Key) -> str:
    """Return what a value must be; `kind` is pydantic's name of the fault, with its `limits`."""
    if kind in ("model_type", "dict_type"):
        return f"must be a table, {_header(key)}"
    if kind == "tuple_type" and _table_at(key):
        return f"must be a list of tables, {_header((*key, 0))}"
    if kind == "missing":
        return f"must be there: {reasons_in(_table_at(key[:-1]) or Config)[str(key[-1])]}"
    if kind == "literal_error":
        choices = limits["expected"].replace("'", '"')
        return f"must be {choices}"
    # A later pydantic may bring further kinds.
    return _KINDS.get(kind, "cannot be used").format(**limits)


def _header(key: Key) -> str:
    """Return the line above a table, as TOML has it."""
    name = ".".join(part for part in key if isinstance(part, str))
    is_in_a_list = bool(key) and isinstance(key[-1], int)
    return f"[[{name}]]" if is_in_a_list else f"[{name}]"


def _unknown(key: Key) -> str:
    """Return which setting or table an unknown name may mean, here or elsewhere, or which exist."""
    *place, last = key
    kind = "setting" if place else "table"
    fields = _names_in(_table_at(tuple(place)) or Config)
    name = str(last)
    short = name.lower() if len(name) <= _LONGEST_SHOWN else ""
    near = get_close_matches(short, fields, n=1, cutoff=0.7) or _namesakes(tuple(place), name)
    if near:
        return f'there is no such {kind}; did you mean "{near[0]}"?'
    return f"there is no such {kind}; there are {', '.join(fields)}"


def _namesakes(place: Key, name: str) -> list[str]:
    """Return the settings of this name in the other tables of the same override, or of the file."""
    entries = [at for at, part in enumerate(place) if isinstance(part, int)]
    override = place[: entries[-1] + 1] if entries else ()
    tables = {
        table: _table_at((*override, table)) for table in _names_in(_table_at(override) or Config)
    }
    return [f"{table}.{name}" for table, kind in tables.items() if kind and name in _names_in(kind)]


def _names_in(kind: type[Table]) -> list[str]:
    """Return the names of a table's settings, without those that are no longer used."""
    return [name for name, row in kind.model_fields.items() if not row.deprecated]


def _shown(value: object) -> str:
    """Return a value as TOML writes it, or its kind for a long or structured one."""
    if isinstance(value, str):
        return f'"{_printable(value)}"'
    if isinstance(value, int) and abs(value) >= _HUGE:
        return "a huge number"
    if isinstance(value, int | float):
        return str(value).lower()
    kinds: dict[type, str] = {list: "a list", dict: "a table"}
    return kinds.get(type(value), "a date or a time")


def dotted(key: Key) -> str:
    """Write a key as users do, as in chats.override[1].tail.tokens, models.options."ollama/*".

    Entries are counted from 1.
    """
    dotted = ""
    for part in key:
        if isinstance(part, int):
            dotted += f"[{part + 1}]"
            continue
        shown = _printable(part)
        is_bare = shown == part and BARE.fullmatch(part)
        dotted += "." if dotted else ""
        dotted += part if is_bare else f'"{shown}"'
    return dotted


def _table_at(key: Key) -> type[Table] | None:
    """Return the class of the table at `key`, or of the tables in a list there; None if neither."""
    kind: Any = Config
    for name in key:
        if isinstance(name, int):
            continue  # the tables of a list are all of one class
        if get_origin(kind) is dict:  # tables whose names users choose
            kind = get_args(kind)[1]
            continue
        field = getattr(kind, "model_fields", {}).get(name)
        if field is None:
            return None
        kind = field.annotation
        if get_origin(kind) is tuple:
            kind = get_args(kind)[0]
    is_table = isinstance(kind, type) and issubclass(kind, Table)
    return kind if is_table else None


def _printable(text: str) -> str:
    """Return `text` on one line, cut if long, with what a terminal would obey escaped."""
    short = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in short
    )
