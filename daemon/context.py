"""The Markdown texts that models read: the shipped ones, or the person's own in their place."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from time import sleep

from daemon.archive.archive import Archive
from daemon.config import Config
from daemon.config.tables import CoreSettings, SectionSettings
from daemon.events import Tell
from daemon.files.clock import now
from daemon.files.lock import hold
from daemon.files.paths import Folders
from daemon.files.removal import list_again
from daemon.files.write import make_private, sweep
from daemon.keys import find_key
from daemon.models.ask import Asking, Clock, Complete
from daemon.models.budget import Budget
from daemon.models.completion import complete
from daemon.models.roles import FindKey
from daemon.recovery.transfer import sweep_export, sweep_stages
from primer.texts import Texts, problems
from rules.errors import ConfigurationError, FileTrouble, MemprocError
from rules.layers.core import CoreMemory, OverLimit, Section
from rules.layers.layout import EditingFunction, Layout, SectionChange, arranged, offered


def load_texts(folder: Path | None) -> Texts:
    """All texts; one that stands in `folder` under the same name replaces the shipped one.

    Raises ConfigurationError, which names every file and what is wrong with it.
    """
    shipped = files("primer") / "texts"
    found: dict[str, str] = {}
    wrong: list[str] = []
    if folder is not None and not folder.is_dir():
        wrong.append(f"texts.folder: there is no folder {folder}")
    for name in (text.name for text in fields(Texts)):
        own = folder / f"{name}.md" if folder else None
        if own is None or not own.is_file():
            found[name] = (shipped / f"{name}.md").read_text(encoding="utf-8").strip()
            continue
        try:
            found[name] = own.read_text(encoding="utf-8-sig").replace("\r\n", "\n").strip()
        except (OSError, UnicodeDecodeError) as fault:
            wrong.append(f"{own}: cannot be read as UTF-8 text ({type(fault).__name__})")
            continue
        wrong += [f"{own}: {problem}" for problem in problems(name, found[name])]
    if wrong:
        raise ConfigurationError(
            "The texts that models read cannot be used:\n" + "\n".join(f"  {problem}" for problem in wrong),
            "Mend them, or leave texts.folder empty in memproc.toml for memproc's own texts.",
        )
    return Texts(**found)


GROUP = "memproc.core_memory"
"""The group of entry points that name layouts."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A layout as it was found, read once and looked through."""

    sections: tuple[Section, ...]
    functions: tuple[EditingFunction, ...]


@cache
def load_layout(name: str) -> Layout:
    """The layout that is registered under this name; it is looked for once in the life of a process.

    Raises ConfigurationError where none or several are, or where it cannot be used; the message says whose it is.
    """
    found = entry_points(group=GROUP)
    entries = [entry for entry in found if entry.name == name]
    if not entries:
        there = ", ".join(sorted({entry.name for entry in found})) or "none"
        raise ConfigurationError(
            f'core.layout: no layout of the core memory is called "{name}".',
            f"Install the one that you mean, or set core.layout in memproc.toml to one that is installed: {there}.",
        )
    if len(entries) > 1:
        owners = " and ".join(sorted(map(_owner, entries)))
        raise ConfigurationError(
            f'core.layout: {owners} each have a layout called "{name}".', "Uninstall all of them but one."
        )
    return _loaded(entries[0])


def core_layout(settings: CoreSettings) -> Layout:
    """The layout that the settings name, with what they say about its sections, and further sections.

    Where the core memory is switched off, it is memproc's own: another one need not be installed any more.

    Raises ConfigurationError as `load_layout`, and where a first value is over the limit of its section.
    """
    layout = load_layout(settings.layout if settings.enabled else CoreSettings().layout)
    own = {section.name for section in layout.sections}
    wanted = {name: _wanted(section, name in own) for name, section in settings.sections.items()}
    try:
        return Loaded(arranged(layout.sections, wanted), tuple(layout.functions))
    except OverLimit as fault:
        raise ConfigurationError(
            f"core.sections: {fault}", "Make its value shorter in memproc.toml, or its limit higher."
        ) from fault


def _wanted(section: SectionSettings, in_the_layout: bool) -> SectionChange:
    """What is written about a section. For one of the layout's own the defaults of the settings say nothing."""
    said = section.model_fields_set if in_the_layout else SectionSettings.model_fields
    return SectionChange(**{name: getattr(section, name) for name in said})


@contextmanager
def foreign(told: Callable[[Exception], MemprocError]) -> Iterator[None]:
    """Around what a layout does: `told` says what is raised where it fails."""
    try:
        yield
    except Exception as trouble:  # the boundary: layouts are other people's programs, and raise anything
        raise told(trouble) from trouble


def _loaded(entry: EntryPoint) -> Layout:
    def told(trouble: Exception) -> ConfigurationError:
        return ConfigurationError(
            f'core.layout: the layout "{entry.name}" of {_owner(entry)} cannot be used: '
            f"{type(trouble).__name__}: {trouble}.",
            f"Mend {_owner(entry)}, or choose another layout: core.layout in memproc.toml.",
        )

    with foreign(told):
        layout = entry.load()()
        loaded = Loaded(tuple(layout.sections), tuple(layout.functions))
        _look_through(loaded)
        return loaded


def _look_through(layout: Layout) -> None:
    """Raises ValueError where two sections or functions have one name, or a function could not be offered."""
    CoreMemory(tuple(layout.sections))
    names = [offered(function).name for function in layout.functions]
    if len(set(names)) < len(names):
        raise ValueError("two functions have the same name")


def _owner(entry: EntryPoint) -> str:
    """The distribution that has registered the layout."""
    return entry.dist.name if entry.dist else entry.module


@dataclass(frozen=True, slots=True)
class Context:
    """Everything outside the rules that a trip uses; in tests, each of them can be another."""

    config: Config
    folders: Folders
    archive: Archive
    complete: Complete
    """Asks a model once."""
    key: FindKey
    clock: Clock
    tell: Tell
    run: str = ""
    """Names this run in the ledger, for the cap on one run."""
    pause: Callable[[float], None] = sleep
    """Waits so many seconds, for a provider; it may raise what ends the work."""
    told: set[str] = field(default_factory=set)
    """What the person has been told in this run, and is not told again for each chat."""

    @property
    def asking(self) -> Asking:
        """What it takes to ask models, with the money that may be spent."""
        budget = Budget(self.archive, self.config.budget, self.run)
        night = self.config.schedule.night
        return Asking(self.archive, budget, self.complete, self.clock, self.tell, self.pause, night)

    def today(self) -> date:
        """The day that the clock shows, in UTC."""
        return date.fromisoformat(self.clock()[:10])


def keys(folders: Folders) -> FindKey:
    """Where keys are looked for; each provider's is looked for once, since a keyring may take its time."""
    return cache(lambda provider: find_key(provider, os.environ, folders.state))


@contextmanager
def open_context(config: Config, folders: Folders, tell: Tell) -> Iterator[Context]:
    """Everything that trips need, for as long as they go on.

    Raises Busy where another memproc works with this archive, and ArchiveError, FileTrouble or
    ConfigurationError where something cannot be opened.
    """
    load_texts(config.texts.path)  # wrong ones are told before anything is done
    core_layout(config.core)
    for folder in (folders.state, folders.updated, folders.backups):
        make_private(folder)
    with hold(folders.state / "lock"), Archive.open(folders.state) as archive:
        _tidy_up(folders)
        yield Context(config, folders, archive, complete, keys(folders), now, tell, run=f"{now()} {os.getpid()}")


def _tidy_up(folders: Folders) -> None:
    """Take away what killed processes have left, and see to backups that they have not listed yet."""
    backups = folders.backups
    shelves = (path for part in ("originals", "versions") for path in (backups / part).glob("*") if path.is_dir())
    for folder in (folders.updated, folders.state, folders.state / "copies", backups, *shelves):
        sweep(folder)
    sweep_stages(folders)
    sweep_export(folders.state)
    with suppress(FileTrouble):  # an index that cannot be read stops what needs it
        list_again(backups)
