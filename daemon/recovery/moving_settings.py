"""Which settings may move to another computer: no secrets, no folders, and no hosts before the person agrees."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import tomli

from daemon.config.reading import load
from daemon.config.writing import toml_text
from daemon.models.addresses import host_of, names_a_host
from primer.request import is_secret

_ASKED = frozenset({"agent", "context_manager", "fallback", "embedding"})
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


def without_hosts(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The settings with a # before each line that names a host, and the dotted names of these settings, with the hosts.

    `content` is a memproc.toml that can be used. It stays as it is where it names no host.
    """
    tables = tomli.loads(content.decode("utf-8-sig"))
    mark, named = f"host {sha256(content).hexdigest()}", list[str]()
    marked = {name: _marked(value, (name,), mark, named) for name, value in tables.items()}
    if not named:
        return content, ()
    lines = zip(toml_text(tables).splitlines(), toml_text(marked).splitlines(), strict=True)
    text = "".join(f"#{line}\n" if mark in other else f"{line}\n" for line, other in lines)
    return text.encode(), tuple(named)


def _marked(value: object, place: tuple[str, ...], mark: str, named: list[str]) -> object:
    """The tables with `mark` in the place of every value that names a host; `named` gets what these are."""
    match value:
        case dict():
            return {name: _marked(inner, (*place, name), mark, named) for name, inner in value.items()}
        case list():
            return [_marked(inner, place, mark, named) for inner in value]
        case str() if _names_a_host(place, value):
            address = value if "options" in place else value.partition("/")[2]
            named.append(f"{'.'.join(place)} ({host_of(address)})")
            return mark
    return value


def _names_a_host(place: tuple[str, ...], value: str) -> bool:
    if "options" in place:
        return names_a_host(place[place.index("options") + 1 :], value)
    return place[-1] in _ASKED and "://" in value
