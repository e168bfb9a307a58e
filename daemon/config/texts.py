"""The texts that models read, and the layout of the core memory: the shipped ones, or the person's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path

from daemon.config.tables import CoreSettings, SectionSettings
from primer.prompt import Texts, problems
from rules.errors import ConfigurationError, MemprocError
from rules.layers.core import CoreMemory, EditingFunction, Layout, OverLimit, Section, SectionChange, arranged, offered


def load_texts(folder: Path | None) -> Texts:
    """All texts; a file in `folder` takes the place of the shipped text of the same name.

    Raises ConfigurationError, which names every file and what is wrong with it.
    """
    shipped = files("primer") / "texts"
    texts: dict[str, str] = {}
    wrong: list[str] = []
    if folder is not None and not folder.is_dir():
        wrong.append(f"texts.folder: there is no folder {folder}")
    for name in (field.name for field in fields(Texts)):
        own = folder / f"{name}.md" if folder else None
        if own is None or not own.is_file():
            texts[name] = (shipped / f"{name}.md").read_text(encoding="utf-8").strip()
            continue
        try:
            texts[name] = own.read_text(encoding="utf-8-sig").replace("\r\n", "\n").strip()
        except (OSError, UnicodeDecodeError) as fault:
            wrong.append(f"{own}: cannot be read as UTF-8 text ({type(fault).__name__})")
            continue
        wrong += [f"{own}: {problem}" for problem in problems(name, texts[name])]
    if wrong:
        raise ConfigurationError(
            "The texts that models read cannot be used:\n" + "\n".join(f"  {problem}" for problem in wrong),
            "Mend them, or leave texts.folder empty in memproc.toml for memproc's own texts.",
        )
    return Texts(**texts)


GROUP = "memproc.core_memory"
"""The group of entry points that name layouts."""


@dataclass(frozen=True, slots=True)
class LoadedLayout:
    """A layout whose sections and functions were read once and checked."""

    sections: tuple[Section, ...]
    functions: tuple[EditingFunction, ...]


def core_layout(settings: CoreSettings) -> Layout:
    """The layout that the settings name, with what they change about its sections, and further sections.

    Where the core memory is switched off, it is memproc's own: another one need not be installed any more.

    Raises ConfigurationError as `load_layout`, and where a first value is over the limit of its section.
    """
    layout = load_layout(settings.layout if settings.enabled else CoreSettings().layout)
    own = {section.name for section in layout.sections}
    changes: dict[str, SectionChange] = {}
    for name, section in settings.sections.items():
        # For one of the layout's own sections, defaults of the settings change nothing.
        fields_set = section.model_fields_set if name in own else SectionSettings.model_fields
        changes[name] = SectionChange(**{field: getattr(section, field) for field in fields_set})
    try:
        return LoadedLayout(arranged(layout.sections, changes), tuple(layout.functions))
    except OverLimit as fault:
        raise ConfigurationError(
            f"core.sections: {fault}", "Make its value shorter in memproc.toml, or its limit higher."
        ) from fault


@cache
def load_layout(name: str) -> Layout:
    """The layout that is registered under this name, searched for once in the life of a process.

    Raises ConfigurationError where none or several are, or where it cannot be used; the message says whose it is.
    """

    def owner(entry: EntryPoint) -> str:
        return entry.dist.name if entry.dist else entry.module

    installed = entry_points(group=GROUP)
    entries = [entry for entry in installed if entry.name == name]
    if not entries:
        names = ", ".join(sorted({entry.name for entry in installed})) or "none"
        raise ConfigurationError(
            f'core.layout: no layout of the core memory is called "{name}".',
            f"Install the one that you mean, or set core.layout in memproc.toml to one that is installed: {names}.",
        )
    if len(entries) > 1:
        owners = " and ".join(sorted(map(owner, entries)))
        raise ConfigurationError(
            f'core.layout: {owners} each have a layout called "{name}".', "Uninstall all of them but one."
        )
    of = owner(entries[0])

    def refusal(trouble: Exception) -> ConfigurationError:
        return ConfigurationError(
            f'core.layout: the layout "{name}" of {of} cannot be used: {type(trouble).__name__}: {trouble}.',
            f"Mend {of}, or choose another layout: core.layout in memproc.toml.",
        )

    with foreign(refusal):
        layout = entries[0].load()()
        loaded = LoadedLayout(tuple(layout.sections), tuple(layout.functions))
        CoreMemory(loaded.sections)  # raises ValueError where two sections have one name
        offers = [offered(function).name for function in loaded.functions]
        if len(set(offers)) < len(offers):
            raise ValueError("two functions have the same name")
        return loaded


@contextmanager
def foreign(refusal: Callable[[Exception], MemprocError]) -> Iterator[None]:
    """Turn whatever a layout raises into the error that `refusal` makes of it."""
    try:
        yield
    except Exception as trouble:  # the boundary: layouts are other people's programs, and raise anything
        raise refusal(trouble) from trouble
