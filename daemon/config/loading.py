"""Reads a memproc.toml: the settings that it holds, or everything that is wrong in it, line by line."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import tomli
from pydantic import ValidationError

from daemon.config.search import NAME
from daemon.config.settings import ChatOverride, Config, price_clashes
from daemon.config.tables import ConfigProblem, FolderSettings, Key, OutputSettings, section_clashes, token_clashes
from daemon.files.paths import Folders, settle
from daemon.files.write import remedy
from rules.errors import ConfigurationError, FileTrouble

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
    problems: list[ConfigProblem] = []
    try:
        config = Config.model_validate(data, context=path.parent)
    except ValidationError as error:
        from daemon.config.problems import problems_of  # late: it is rarely wrong

        problems = problems_of(error)
        wrong = {problem.keys[0] for problem in problems}
        config = Config.model_validate(_without(data, wrong), context=path.parent)
        problems += (clash for clash in _clashes(config) if not _is_about(clash, wrong))
    else:
        problems += _clashes(config)
    if problems:
        from daemon.config.problems import report

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


def _is_about(clash: ConfigProblem, wrong: Collection[Key]) -> bool:
    """Whether a setting takes part that is wrong anyway, or that stands in a table that is."""
    return any(key[:length] in wrong for key in clash.keys for length in range(1, len(key) + 1))


def _clashes(config: Config) -> Iterator[ConfigProblem]:
    """Everything in `config` that does not agree, and what each override makes of it.

    An override or a price that lacks a setting is told here too.
    """
    yield from token_clashes(config.tail, config.chunk)
    yield from section_clashes(config.core)
    yield from _output_clashes(config.output)
    yield from price_clashes(config.budget)
    yield from _night_clashes(config, ("models", "batch"))
    yield from _folder_clashes(config.folders)
    for index, override in enumerate(config.chats.override):
        yield from _override_clashes(config, index, override)


def _output_clashes(output: OutputSettings) -> Iterator[ConfigProblem]:
    """A new chat beside the old one needs a file of its own: the export that came has no place for it."""
    if output.mode == "new-chat" and output.container == "export":
        yield ConfigProblem(
            (("output", "container"), ("output", "mode")),
            'must be "chat" where output.mode is "new-chat", which puts each new chat into a file of its own '
            '(is "export")',
        )


def _night_clashes(config: Config, key: Key) -> Iterator[ConfigProblem]:
    """Batches at night need a night."""
    if config.models.batch == "night" and not config.schedule.night:
        yield ConfigProblem((key, ("schedule", "night")), 'must not be "night" where schedule.night is empty')


def _folder_clashes(folders: FolderSettings) -> Iterator[ConfigProblem]:
    settled = settle(folders.model_dump())
    if not isinstance(settled, Folders):
        for refused in settled:
            yield ConfigProblem(tuple(("folders", name) for name in refused.names), refused.reason)


def _override_clashes(config: Config, index: int, override: ChatOverride) -> Iterator[ConfigProblem]:
    """What is wrong with one override on top of the main tables; what is wrong in these alone is not told again."""
    place = ("chats", "override", index)
    if not override.chat:
        yield ConfigProblem(
            ((*place, "chat"),), "must be there: the chat's title, with wildcards, or its id or its folder's"
        )
    laid_over = config.with_override(override)
    for clash in token_clashes(laid_over.tail, laid_over.chunk):
        unsaid = [key for key in clash.keys if not override.says(key)]
        if len(unsaid) < len(clash.keys):
            yield ConfigProblem((*((*place, *key) for key in clash.keys), *unsaid), clash.reason)
    if override.says(("core", "sections")):
        for clash in section_clashes(laid_over.core):
            yield ConfigProblem(tuple((*place, *key) for key in clash.keys), clash.reason)
    if override.says(("models", "batch")):
        yield from _night_clashes(laid_over, (*place, "models", "batch"))


def folders(config: Config) -> Folders:
    """The four folders of `config`; raises ConfigurationError if they cannot be used.

    A configuration that was loaded from a file has passed this already. The defaults have not: on a
    system without a home folder they lead nowhere.
    """
    settled = settle(config.folders.model_dump())
    if isinstance(settled, Folders):
        return settled
    reasons = "; ".join(f"folders.{refused.names[0]}: {refused.reason}" for refused in settled)
    raise ConfigurationError(
        f"The folders cannot be used: {reasons}.",
        "Name other folders in the table [folders] of memproc.toml.",
    )


_DAEMON = Path(__file__).parents[1]


def shipped_text() -> str:
    """The text of the shipped memproc.toml, whose values are those of `Config()`.

    An installed copy has it inside the package `daemon`, a checkout beside it. Raises FileTrouble if it
    is in neither place.
    """
    for place in (_DAEMON / NAME, _DAEMON.parent / NAME):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileTrouble(f"{NAME} is missing from the installation in {_DAEMON}.", "Install memproc again.")
