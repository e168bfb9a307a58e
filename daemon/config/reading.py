"""memproc.toml -> Config, or one error that lists everything that is wrong in it, line by line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli
from pydantic import ValidationError

from daemon.config.agreement import clashes
from daemon.config.lines import Key, key_lines, line_of
from daemon.config.problems import printable, problems_of
from daemon.config.settings import Config
from rules.errors import ConfigurationError

_LARGEST = 1_000_000  # bytes
_MOST_SHOWN = 100
_CHECK = "Correct it; `memproc config check` tells whether anything is left."


@dataclass(frozen=True, slots=True)
class _Problem:
    """One thing that is wrong: the dotted key, the other keys that play a part, and what must be."""

    keys: tuple[Key, ...]
    reason: str


def load(path: Path) -> Config:
    """The configuration in the file `path`; what the file leaves out has its default.

    Raises ConfigurationError if the file cannot be read, is larger than a million bytes, or is wrong; then
    the message lists all its problems. Relative paths in it start at its own folder.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(
            f"The configuration {path} cannot be read: {error.strerror or error}.",
            "Make it readable, or name another file with --config.",
        ) from error
    return parse(content, path)


def parse(content: bytes, path: Path) -> Config:
    """The configuration that `content` holds; `path` is where it was read, and need not exist.

    Raises ConfigurationError, as `load` does.
    """
    text = _text(content, path)
    data = _data(text, path)
    problems: list[_Problem] = []
    base = path.parent
    try:
        config = Config.model_validate(data, context=base)
    except ValidationError as error:
        found = problems_of(error)
        problems += [_Problem((key,), reason) for key, reasons in found.items() for reason in reasons]
        config = Config.model_validate(_without(data, set(found)), context=base)
    problems += _clashes(config, {key for problem in problems for key in problem.keys})
    if problems:
        raise ConfigurationError(_report(problems, text, path), _CHECK)
    return config


def _text(content: bytes, path: Path) -> str:
    if len(content) > _LARGEST:
        raise ConfigurationError(
            f"{path} is larger than {_LARGEST:,} bytes: it is no configuration of memproc.",
            "Name the right file with --config.",
        )
    try:
        return content.decode("utf-8-sig")  # Windows editors put a byte order mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            f"{path}, line {line}: the file is not UTF-8 text.", "Save it again with the encoding UTF-8."
        ) from error


def _data(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise ConfigurationError(f"{place}: {error.msg}.", _CHECK) from error
    except RecursionError as error:
        raise ConfigurationError(f"{path} has brackets or keys that are nested too deep.", _CHECK) from error
    except ValueError as error:  # Python refuses whole numbers of more than 4,300 digits
        raise ConfigurationError(f"{path} holds a number that is too long to read.", _CHECK) from error


def _without(data: dict[str, Any], wrong: set[Key]) -> dict[str, Any]:
    """`data` with the wrong tables and settings left out, so that the rest can be looked at."""
    return {
        table: {name: value for name, value in settings.items() if (table, name) not in wrong}
        for table, settings in data.items()
        if (table,) not in wrong
    }


def _clashes(config: Config, wrong: set[Key]) -> Iterator[_Problem]:
    """What does not agree in `config`, but nothing about settings that are wrong anyway."""
    for clash in clashes(config):
        keys = tuple(tuple(key.split(".")) for key in clash.keys)
        if not any(key in wrong or key[:1] in wrong for key in keys):
            yield _Problem(keys, clash.reason)


def _report(problems: list[_Problem], text: str, path: Path) -> str:
    lines = key_lines(text)
    placed = [(_line(problem, lines), problem) for problem in problems]
    placed.sort(key=lambda pair: pair[0] or 0)
    many = "1 problem" if len(placed) == 1 else f"{len(placed)} problems"
    told = [_sentence(line, problem) for line, problem in placed[:_MOST_SHOWN]]
    if len(placed) > _MOST_SHOWN:
        told.append(f"and {len(placed) - _MOST_SHOWN} more")
    return "\n".join([f"{path} has {many}:", *(f"  {one}" for one in told)])


def _line(problem: _Problem, lines: Mapping[Key, int]) -> int | None:
    """Where to look: at the first of the problem's settings that is in the file, or else at its table."""
    written = [lines[key] for key in problem.keys if key in lines]
    return written[0] if written else line_of(lines, problem.keys[0])


def _sentence(line: int | None, problem: _Problem) -> str:
    place = "" if line is None else f"line {line}: "
    return f"{place}{'.'.join(printable(part) for part in problem.keys[0])}: {problem.reason}"
