"""memproc.toml -> Config, or one error that lists everything that is wrong in it, line by line."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import tomli
from pydantic import ValidationError

from daemon.config.agreement import clashes
from daemon.config.lines import Key
from daemon.config.problems import problems_of
from daemon.config.report import Problem, report
from daemon.config.settings import Config
from daemon.files.trouble import remedy
from rules.errors import ConfigurationError

_LARGEST = 1_000_000  # bytes
_CHECK = "Correct it; `memproc config check` tells whether anything is left."


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
            remedy(error, "Make it readable, or name another file with --config."),
        ) from error
    return parse(content, path)


def parse(content: bytes, path: Path) -> Config:
    """The configuration that `content` holds; `path` is where it was read, and need not exist.

    Raises ConfigurationError, as `load` does.
    """
    text = _text(content, path)
    data = _data(text, path)
    problems: list[Problem] = []
    base = path.parent
    try:
        config = Config.model_validate(data, context=base)
    except ValidationError as error:
        found = problems_of(error)
        problems += [Problem((key,), reason) for key, reasons in found.items() for reason in reasons]
        config = Config.model_validate(_without(data, set(found)), context=base)
    problems += _clashes(config, {key for problem in problems for key in problem.keys})
    if problems:
        raise ConfigurationError(report(problems, text, path), _CHECK)
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


def _without(data: dict[str, Any], wrong: Collection[Key]) -> Any:
    """`data` with the wrong tables and settings left out, so that the rest can be looked at.

    Of a wrong entry of a list an empty table stays, so that the others keep their numbers.
    """
    around = {key[:length] for key in wrong for length in range(len(key))}

    def left(value: Any, here: Key) -> Any:
        if here in wrong:
            return {}
        if here not in around:
            return value
        if isinstance(value, list):
            return [left(entry, (*here, index)) for index, entry in enumerate(value)]
        return {name: left(inner, (*here, name)) for name, inner in value.items() if (*here, name) not in wrong}

    return left(data, ())


def _clashes(config: Config, wrong: Collection[Key]) -> Iterator[Problem]:
    """What does not agree in `config`, but nothing about settings that are wrong anyway."""
    for clash in clashes(config):
        if not any(key[:length] in wrong for key in clash.keys for length in range(1, len(key) + 1)):
            yield Problem(clash.keys, clash.reason)
