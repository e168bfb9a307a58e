"""Read a memproc.toml and what it names: the texts that models read, and the core memory's layout.

The result is its settings, or an error with everything that is wrong in it, line by line.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli
from pydantic import ValidationError

from daemon.config.memory_tables import (
    CoreSettings,
    SectionSettings,
    section_clashes,
    token_clashes,
)
from daemon.config.settings import ChatOverride, Config
from daemon.config.tables import ConfigProblem, Key, WrongSettings
from daemon.files.paths import Folders, settle_folders
from daemon.files.reasons import remedy
from rules.errors import ConfigurationError, MemprocError
from rules.layers.core import CoreMemory, OverLimit, Section
from rules.layers.core_layout import (
    EditingFunction,
    Layout,
    SectionChange,
    arrange_sections,
    describe_function,
)

GROUP = "memproc.core_memory"
"""The group of entry points under which layouts are registered."""

if TYPE_CHECKING:
    from primer.wording import Texts

_LARGEST = 1_000_000  # bytes
_KEYS, _KEY = re.compile(r"\('[^)]*\)"), re.compile("'([^']*)'")
"""A table as tomli names it: `('models', 'options')`; a key in it."""
_CHECK = "Correct it; `memproc config check` tells whether anything is left."


def load(path: Path) -> Config:
    """Return the configuration in the file `path`; settings that it leaves out have their defaults.

    Relative paths in it start at the file's folder. Raises ConfigurationError if the file cannot be
    read, is larger than a million bytes, or is wrong; then the message lists what is wrong with
    each setting, or, if each by itself is right, which of them contradict each other.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise ConfigurationError(
            f"The configuration {path} cannot be read: {error.strerror or error}.",
            remedy(error, "Make it readable, or name another file with --config."),
        ) from error
    return parse_settings(content, path)


def parse_settings(content: bytes, path: Path) -> Config:
    """Return the configuration in `content`, of the file `path`, which need not exist.

    Raises ConfigurationError, as `load` does.
    """
    text, data = _read(content, path)
    try:
        config = Config.model_validate(data, context=path.parent)
    except ValidationError as error:
        from daemon.config.problems import problems_of  # late: the file is rarely wrong

        mistakes = problems_of(error)
    else:
        mistakes = list(_clashes(config))
    if mistakes:
        from daemon.config.problems import report_problems

        raise WrongSettings(report_problems(mistakes, text, path), _CHECK, mistakes)
    return config


def _read(content: bytes, path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text, and the values in it. Raises ConfigurationError."""
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
            f"{path}, line {line}: the file is not UTF-8 text.",
            "Save it again with the encoding UTF-8.",
        ) from error
    except tomli.TOMLDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        message = _KEYS.sub(lambda keys: ".".join(_KEY.findall(keys[0])), error.msg)
        raise ConfigurationError(f"{place}: {message}.", _CHECK) from error
    except RecursionError as error:
        raise ConfigurationError(
            f"{path} has brackets or keys that are nested too deep.", _CHECK
        ) from error
    except ValueError as error:  # Python refuses whole numbers of more than 4,300 digits
        raise ConfigurationError(
            f"{path} holds a number that is too long to read.", _CHECK
        ) from error


def _clashes(config: Config) -> Iterator[ConfigProblem]:
    """Yield all contradictions between settings, in the main tables and with each override."""
    yield from token_clashes(config.tail, config.chunk)
    yield from section_clashes(config.core)
    for index, price in enumerate(config.budget.price):
        if price.above is None and any(name.endswith("_above") for name in price.model_fields_set):
            yield ConfigProblem(
                (("budget", "price", index, "above"),),
                "must say above how many tokens of prompt the other rates count",
            )
    yield from _night_clashes(config, ("models", "batch"))
    for index, override in enumerate(config.chats.override):
        yield from _override_clashes(config, index, override)


def _night_clashes(config: Config, key: Key) -> Iterator[ConfigProblem]:
    if config.models.batch == "night" and not config.schedule.night:
        yield ConfigProblem(
            (key, ("schedule", "night")), 'must not be "night" where schedule.night is empty'
        )


def _override_clashes(
    config: Config, index: int, override: ChatOverride
) -> Iterator[ConfigProblem]:
    """Yield the contradictions that one override causes, without those of the main tables alone."""
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


def load_folders(config: Config) -> Folders:
    """Return the four folders of `config`. Raises ConfigurationError if they cannot be used.

    Those of a file were checked when it was read. The defaults were not: on a system without a home
    folder they do not exist.
    """
    settled = settle_folders(config.folders.model_dump())
    if isinstance(settled, Folders):
        return settled
    reasons = "; ".join(f"folders.{refused.names[0]}: {refused.reason}" for refused in settled)
    raise ConfigurationError(
        f"The folders cannot be used: {reasons}.",
        "Name other folders in the table [folders] of memproc.toml.",
    )


def load_texts(folder: Path | None) -> "Texts":
    """Return all texts; a file in `folder` replaces the shipped text of the same name.

    A user's own question also replaces the shipped wording in which it is asked, unless that has a
    file, too. Raises ConfigurationError, which names every file and what is wrong with it.
    """
    from primer.wording import ASKED, Texts

    texts: dict[str, str] = {}
    wrong: list[str] = []
    if folder and not folder.is_dir():
        wrong.append(f"texts.folder: there is no folder {folder}")
    for name in (field.name for field in fields(Texts)):
        own_path = _own_file(folder, name) or _own_file(folder, name.removesuffix(ASKED))
        if own_path:
            texts[name], faults = _own_text(own_path, name)
            wrong += faults
        else:
            texts[name] = _shipped(name)
    if wrong:
        raise ConfigurationError(
            "The texts that models read cannot be used:\n"
            + "\n".join(f"  {problem}" for problem in wrong),
            "Mend them, or leave texts.folder empty in memproc.toml for memproc's own texts.",
        )
    return Texts(**texts)


def _own_file(folder: Path | None, name: str) -> Path | None:
    """Return the user's file that replaces a shipped text, or None where there is none."""
    path = folder and folder / f"{name}.md"
    return path if path and path.is_file() else None


def _own_text(path: Path, name: str) -> tuple[str, list[str]]:
    """Return a text of the user's own, and what is wrong with it."""
    from primer.wording import find_problems

    try:
        text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n").strip()
    except (OSError, UnicodeDecodeError) as fault:
        return "", [f"{path}: cannot be read as UTF-8 text ({type(fault).__name__})"]
    return text, [f"{path}: {problem}" for problem in find_problems(name, text)]


@cache
def _shipped(name: str) -> str:
    """Return one of memproc's own texts, read once: every chat of an export needs all of them."""
    return (files("primer") / "texts" / f"{name}.md").read_text(encoding="utf-8").strip()


@dataclass(frozen=True, slots=True)
class LoadedLayout:
    """A layout whose sections and functions were read once, and checked."""

    sections: tuple[Section, ...]
    functions: tuple[EditingFunction, ...]


def core_layout(settings: CoreSettings) -> Layout:
    """Return the layout that is set, with the sections that the settings change or add.

    With the core memory switched off, it is memproc's own layout: the one that is set may no longer
    be installed. Raises ConfigurationError as `load_layout` does, and where a first value exceeds
    its section's limit.
    """
    layout = load_layout(settings.layout if settings.enabled else CoreSettings().layout)
    own_names = {section.name for section in layout.sections}
    changes: dict[str, SectionChange] = {}
    for name, section in settings.sections.items():
        # In one of the layout's own sections, only what is written in memproc.toml is changed.
        fields_set = section.model_fields_set if name in own_names else SectionSettings.model_fields
        changes[name] = SectionChange(**{field: getattr(section, field) for field in fields_set})
    try:
        return LoadedLayout(arrange_sections(layout.sections, changes), tuple(layout.functions))
    except OverLimit as fault:
        raise ConfigurationError(
            f"core.sections: {fault}",
            "Make its value shorter in memproc.toml, or its limit higher.",
        ) from fault


@cache
def load_layout(name: str) -> Layout:
    """Return the layout registered under this name; each process looks for it once.

    Raises ConfigurationError where there is none, or several, or it cannot be used; then the
    message names the package that it is from.
    """

    def owner(entry: EntryPoint) -> str:
        return entry.dist.name if entry.dist else entry.module

    installed = entry_points(group=GROUP)
    entries = [entry for entry in installed if entry.name == name]
    if not entries:
        names = ", ".join(sorted({entry.name for entry in installed})) or "none"
        raise ConfigurationError(
            f'core.layout: no layout of the core memory is called "{name}".',
            "Install the one that you mean, or set core.layout in memproc.toml "
            f"to one that is installed: {names}.",
        )
    if len(entries) > 1:
        owners = " and ".join(sorted(map(owner, entries)))
        raise ConfigurationError(
            f'core.layout: {owners} each have a layout called "{name}".',
            "Uninstall all of them but one.",
        )
    package = owner(entries[0])

    def refusal(trouble: Exception) -> ConfigurationError:
        return ConfigurationError(
            f'core.layout: the layout "{name}" of {package} cannot be used: '
            f"{type(trouble).__name__}: {trouble}.",
            f"Mend {package}, or choose another layout: core.layout in memproc.toml.",
        )

    with layout_errors(refusal):
        layout = entries[0].load()()
        loaded = LoadedLayout(tuple(layout.sections), tuple(layout.functions))
        CoreMemory(loaded.sections)  # raises ValueError where two sections have one name
        offers = [describe_function(function).name for function in loaded.functions]
        if len(set(offers)) < len(offers):
            raise ValueError("two functions have the same name")
        return loaded


@contextmanager
def layout_errors(refusal: Callable[[Exception], MemprocError]) -> Iterator[None]:
    """Turn any exception of a layout into the error that `refusal` makes of it."""
    try:
        yield
    except Exception as trouble:
        # The boundary: layouts are other people's programs, and raise anything.
        raise refusal(trouble) from trouble
