"""Settings that come from another computer: what would send a key to a host, or names a folder there, counts no more.

Who takes them over has not agreed yet that keys go to such a host. The lines stay in the file, with a # before them.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import tomli

from daemon.config.as_toml import toml_text
from daemon.config.loading import parse
from daemon.config.settings import Config
from daemon.models.addresses import host_of, names_a_host

_ASKED = frozenset({"agent", "context_manager", "fallback", "embedding"})
"""Settings that name a model; LiteLLM takes an address there too."""


def settings_for_here(content: bytes, path: Path) -> tuple[bytes, tuple[str, ...]]:
    """The memproc.toml `content` as it may stand at `path`, and what was commented out: dotted names, with the hosts.

    It stays as it is, to the byte, where nothing is commented out. Raises ConfigurationError where it cannot be used.
    """
    parse(content, path)
    tables = tomli.loads(content.decode("utf-8-sig"))
    mark, names = f"not from here {sha256(content).hexdigest()}", list[str]()
    marked = {name: _marked(value, (name,), mark, names) for name, value in tables.items()}
    if not names:
        return content, ()
    lines = zip(toml_text(tables).splitlines(), toml_text(marked).splitlines(), strict=True)
    text = "".join(f"#{line}\n" if mark in other else f"{line}\n" for line, other in lines)
    parse(text.encode(), path)
    return text.encode(), tuple(names)


def _marked(value: object, place: tuple[str, ...], mark: str, names: list[str]) -> object:
    """The tables with `mark` in the place of every value that may not count here; `names` gets what these are."""
    match value:
        case dict():
            return {name: _marked(inner, (*place, name), mark, names) for name, inner in value.items()}
        case list():
            return [_marked(inner, place, mark, names) for inner in value]
        case str() if _names_a_host(place, value):
            address = value if "options" in place else value.partition("/")[2]
            names.append(f"{'.'.join(place)} ({host_of(address)})")
            return mark
        case str() if value and _is_of_that_computer(place, value):
            names.append(f"{'.'.join(place)} (a folder of the other computer)")
            return mark
    return value


def _names_a_host(place: tuple[str, ...], value: str) -> bool:
    if "options" in place:
        return names_a_host(place[place.index("options") + 1 :], value)
    return place[-1] in _ASKED and "://" in value


def _is_of_that_computer(place: tuple[str, ...], value: str) -> bool:
    """Whether it names a folder, other than the one that is meant on every computer."""
    defaults: Mapping[str, object] = Config().folders.model_dump()
    is_own = place[0] == "folders" and value != defaults.get(place[-1])
    return is_own or ("options" not in place and place[-2:] == ("texts", "folder"))
