"""Finds the memproc.toml that counts: the one that was named, the one that is here, or the system's; and reads it.

What is read are the settings that it holds, or everything that is wrong in it, line by line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli
from platformdirs import user_config_path
from pydantic import ValidationError

from daemon.config.settings import ChatOverride, Config
from daemon.config.tables import ConfigProblem, Key, section_clashes, token_clashes
from daemon.files.paths import Folders, NoPath, resolve, settle
from daemon.files.write import remedy
from rules.errors import ConfigurationError, ConfigurationOutOfReach, FileTrouble

NAME = "memproc.toml"
_LARGEST = 1_000_000  # bytes
_CHECK = "Correct it; `memproc config check` tells whether anything is left."


@dataclass(frozen=True, slots=True)
class FoundConfig:
    """The file to load, or None for the defaults; `how` says in plain words why this one."""

    path: Path | None
    how: str
    is_here: bool = field(default=False, compare=False)
    """Whether it merely lies in the current folder, and nobody has named it."""
    here: Path | None = field(default=None, compare=False)
    """The folder in which the command is run, where other files could have counted too."""

    @property
    def others(self) -> tuple[str, ...]:
        """Files that could have counted, and do not. Looked for on request: comparing with defaults takes time."""
        if self.path is None or self.here is None:
            return ()
        near, others = self.here / NAME, []
        for place in (near, own_file()):
            if _is_there(place) and place.resolve() != self.path.resolve():
                is_default = place == near and holds_only_defaults(place)
                others.append(f"{place} (nothing but defaults)" if is_default else str(place))
        return tuple(others)

    @property
    def choice(self) -> str:
        """Which of several files counts, as a sentence; empty where there is no other."""
        others = ", ".join(self.others)
        return f"{self.path} counts ({self.how}). Beside it, not counting: {others}." if others else ""


def find(explicit: Path | None, here: Path, environ: Mapping[str, str]) -> FoundConfig:
    """The configuration that counts for a command that is run in the folder `here`.

    In this order: `explicit` (--config), $MEMPROC_CONFIG in `environ`, memproc.toml in `here`, memproc.toml
    in the platform's configuration folder; with none of them, the defaults. A file in `here` that holds nothing but
    the defaults, as the one in a checkout of memproc does, is not counted. Raises ConfigurationError if a file that
    was named is not there: going on without it would be a surprise.
    """
    for by, named in (("--config", str(explicit or "")), ("$MEMPROC_CONFIG", environ.get("MEMPROC_CONFIG"))):
        if not named:
            continue
        path = resolve(named, here)
        if isinstance(path, NoPath):
            raise ConfigurationError(
                f"The configuration that {by} names cannot be used: the path {path.reason}.", "Correct the path."
            )
        if not _is_there(path):
            raise ConfigurationOutOfReach(
                f"There is no file {path}, which {by} names as the configuration.",
                f"Correct {by}, or leave it out; `memproc init` writes a new file.",
            )
        return FoundConfig(path, f"named by {by}", here=here)
    own, near = own_file(), here / NAME
    if _is_there(near) and near.resolve() != own.resolve() and not holds_only_defaults(near):
        return FoundConfig(near, "found in this folder", is_here=True, here=here)
    if _is_there(own):
        return FoundConfig(own, "found in the system's folder", here=here)
    if _is_there(near):
        return FoundConfig(None, f"{near} holds nothing but the defaults, and these count")
    return FoundConfig(None, "no file found: the defaults count")


def own_file() -> Path:
    """The memproc.toml of the person's own configuration folder, whether it is there or not."""
    return user_config_path("memproc", appauthor=False) / NAME


def holds_only_defaults(path: Path) -> bool:
    """Whether every setting in a file has its default. A file that cannot be read or used is no such file."""
    try:
        config, defaults = load(path), Config()
        same_folders = folders(config) == folders(defaults)
    except ConfigurationError:
        return False
    return same_folders and config.model_dump(exclude={"folders"}) == defaults.model_dump(exclude={"folders"})


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigurationOutOfReach(
            f"The configuration {path} cannot be looked at: {error.strerror or error}.",
            remedy(error, "Make it readable, or name another file with --config."),
        ) from error
    return True


def load(path: Path) -> Config:
    """The configuration in the file `path`; what the file leaves out has its default.

    Raises ConfigurationError if the file cannot be read, is larger than a million bytes, or is wrong; then
    the message lists what is wrong with each setting, or else which of them do not agree. Relative paths in it start
    at its own folder.
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
    text, data = _read(content, path)
    try:
        config = Config.model_validate(data, context=path.parent)
    except ValidationError as error:
        from daemon.config.problems import problems_of  # late: it is rarely wrong

        problems = problems_of(error)
    else:
        problems = list(_clashes(config))
    if problems:
        from daemon.config.problems import report

        raise ConfigurationError(report(problems, text, path), _CHECK)
    return config


def _read(content: bytes, path: Path) -> tuple[str, dict[str, Any]]:
    """The text, and what TOML makes of it. Raises ConfigurationError."""
    if len(content) > _LARGEST:
        raise ConfigurationError(
            f"{path} is larger than {_LARGEST:,} bytes: it is no configuration of memproc.",
            "Name the right file with --config.",
        )
    try:
        text = content.decode("utf-8-sig")  # Windows editors put a byte order mark in front
        return text, tomli.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            f"{path}, line {line}: the file is not UTF-8 text.", "Save it again with the encoding UTF-8."
        ) from error
    except tomli.TOMLDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise ConfigurationError(f"{place}: {error.msg}.", _CHECK) from error
    except RecursionError as error:
        raise ConfigurationError(f"{path} has brackets or keys that are nested too deep.", _CHECK) from error
    except ValueError as error:  # Python refuses whole numbers of more than 4,300 digits
        raise ConfigurationError(f"{path} holds a number that is too long to read.", _CHECK) from error


def _clashes(config: Config) -> Iterator[ConfigProblem]:
    """Everything in `config` that does not agree, and what each override makes of it."""
    yield from token_clashes(config.tail, config.chunk)
    yield from section_clashes(config.core)
    if config.output.mode == "new-chat" and config.output.container == "export":
        yield ConfigProblem(
            (("output", "container"), ("output", "mode")),
            'must be "chat" where output.mode is "new-chat", which puts each new chat into a file of its own '
            '(is "export")',
        )
    for index, price in enumerate(config.budget.price):
        if price.above is None and any(name.endswith("_above") for name in price.model_fields_set):
            yield ConfigProblem(
                (("budget", "price", index, "above"),), "must say above how many tokens of prompt the other rates count"
            )
    yield from _night_clashes(config, ("models", "batch"))
    for index, override in enumerate(config.chats.override):
        yield from _override_clashes(config, index, override)


def _night_clashes(config: Config, key: Key) -> Iterator[ConfigProblem]:
    if config.models.batch == "night" and not config.schedule.night:
        yield ConfigProblem((key, ("schedule", "night")), 'must not be "night" where schedule.night is empty')


def _override_clashes(config: Config, index: int, override: ChatOverride) -> Iterator[ConfigProblem]:
    """What is wrong with one override on top of the main tables; what is wrong in these alone is not told again."""
    place = ("chats", "override", index)
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
