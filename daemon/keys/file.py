"""The file `keys.env` in the state folder: one `VARIABLE=value` a line, readable by its owner alone."""

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from daemon.files.folders import make_private
from daemon.files.trouble import told
from daemon.files.write import replace_file, sweep
from primer.models import KEY_VARIABLES
from rules.errors import ConfigurationError

_HEADING = "# Keys that memproc sends to their providers. Nobody else may read this file: chmod 600."
_LINE = re.compile(r"([A-Z0-9_]+)\s*=\s*([!#-&(-~]+)")  # no spaces, no quotes: no key has any
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_KNOWN = frozenset(KEY_VARIABLES.values())


def keys_file(folder: Path) -> Path:
    """Where the file is, in the state folder `folder`."""
    return folder / "keys.env"


def read_keys(folder: Path) -> Mapping[str, str]:
    """Each variable's key; none where there is no file.

    Raises ConfigurationError where others can read the file or a line is broken, which is named by its number
    alone, and FileTrouble where it cannot be read.
    """
    path = keys_file(folder)
    found: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        match = _LINE.fullmatch(said)
        if match is None or match[1] not in _KNOWN or match[1] in found:
            raise ConfigurationError(
                f"Line {number} of {path} is not a key.",
                "Write one VARIABLE=value a line, without quotes, each variable once. The variables that memproc "
                f"knows: {', '.join(sorted(_KNOWN))}.",
            )
        found[match[1]] = match[2]
    return found


def write_key(folder: Path, variable: str, value: str) -> Path:
    """Put a key into the file, in the place of the one it has; the folder is made where it is missing.

    Raises as `read_keys` does: a file that is not in order is not made worse.
    """
    lines = _without(folder, variable) or [_HEADING]
    return _write(folder, [*lines, f"{variable}={value}"])


def remove_key(folder: Path, variable: str) -> bool:
    """Take a key out of the file, and say whether it was there. Raises as `read_keys` does."""
    if variable not in read_keys(folder):
        return False
    _write(folder, _without(folder, variable))
    return True


def _without(folder: Path, variable: str) -> list[str]:
    """The file's lines but the variable's own; comments stay as they are."""
    read_keys(folder)
    return [line for line in _lines(keys_file(folder)) if line.partition("=")[0].strip() != variable]


def _write(folder: Path, lines: list[str]) -> Path:
    path = keys_file(folder)
    make_private(folder)
    content = "".join(f"{line}\n" for line in lines)
    sweep(path.parent)
    replace_file(path, [content.encode("utf-8", "surrogateescape")])
    return path


def _lines(path: Path) -> Iterator[str]:
    """The lines of the file, once it is certain that it is its owner's secret."""
    with told(path, "read"):
        try:
            with path.open("rb") as file:
                refuse_shared(path, os.fstat(file.fileno()))
                data = file.read()
        except FileNotFoundError:
            return
    # Editors on Windows begin a file with a mark and end its lines with two characters.
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    yield from (line.rstrip("\r") for line in text.removesuffix("\n").split("\n"))


def refuse_shared(path: Path, found: os.stat_result) -> None:
    """Raise ConfigurationError where a file with keys, which `found` describes, is not its owner's alone."""
    if sys.platform == "win32":
        return  # there a file in a person's own folders is theirs by inheritance, and has no such bits
    if found.st_uid != os.geteuid():
        raise ConfigurationError(
            f"{path} belongs to another user, so its keys are not used.", f"Make it yours, then: chmod 600 {path}"
        )
    if found.st_mode & _OTHERS:
        raise ConfigurationError(
            f"{path} can be read or changed by others, so its keys are not used.",
            f"Run: chmod 600 {path}. Whoever may have read it knows the keys: consider new ones.",
        )
