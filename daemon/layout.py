"""The layout of the core memory that memproc.toml names: a class that an installed distribution registers.

memproc's own is registered in the same way as a developer's (docs/core-memory.md).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from daemon.config.layers import CoreSettings, SectionSettings
from rules.errors import ConfigurationError, MemprocError
from rules.layers.core import CoreMemory, OverLimit, Section
from rules.layers.layout import EditingFunction, Layout, Wanted, arranged, offered

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


def _wanted(section: SectionSettings, in_the_layout: bool) -> Wanted:
    """What is written about a section. For one of the layout's own the defaults of the settings say nothing."""
    said = section.model_fields_set if in_the_layout else SectionSettings.model_fields
    return Wanted(**{name: getattr(section, name) for name in said})


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
