"""memproc.toml as it goes to a new computer: what the person set, without secrets and without paths of the old one."""

from collections.abc import Iterator
from pathlib import Path

from daemon.config.reading import load
from daemon.config.writing import toml_text
from primer.secret import is_secret

_HERE_ALONE = frozenset({"folders", "texts"})
_WITH_OPTIONS = frozenset({"models", "chats"})


def movable_settings(path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The settings in the file `path`, as far as they may go, and the dotted names of those that may not.

    Folders, and a folder of texts of the person's own, are this computer's. Raises ConfigurationError.
    """
    tables = load(path).model_dump(mode="json", exclude_unset=True)
    left_out: list[str] = []
    kept = _kept(tables, (), left_out, in_options=False)
    return toml_text(kept).encode(), tuple(left_out)


def _kept(
    table: dict[str, object], place: tuple[str, ...], left_out: list[str], *, in_options: bool
) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in table.items():
        here = (*place, name)
        with_options = in_options or name in _WITH_OPTIONS
        if _is_of_this_computer(here) or (in_options and is_secret(name)):
            left_out.append(".".join(here))
        elif isinstance(value, dict):
            found[name] = _kept(value, here, left_out, in_options=with_options)
        elif isinstance(value, list) and with_options:
            found[name] = list(_kept_in(value, here, left_out))
        else:
            found[name] = value
    return found


def _is_of_this_computer(here: tuple[str, ...]) -> bool:
    return here[-1] in _HERE_ALONE and here[:-1] in ((), ("chats", "override"))


def _kept_in(values: list[object], place: tuple[str, ...], left_out: list[str]) -> Iterator[object]:
    for value in values:
        yield _kept(value, place, left_out, in_options=True) if isinstance(value, dict) else value
