"""Change settings in the text of a memproc.toml, and keep the previous file.

Comments and all else stay as they are. A file that was changed meanwhile is left alone. The
previous file is kept beside memproc.toml, under a name with the fingerprint of the file that
replaced it: so it is put back only while that file is still there.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import tomli
import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, Table, Whitespace

from daemon.config.loading import parse_settings
from daemon.config.settings import Config
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import ConfigurationError

SettingName = tuple[str, ...]
"""The names that lead to a setting: its table, any tables within that, and its own name."""

_SHOWN = 12
"""How many digits of a fingerprint are in a file's name."""
_ONE_AT_A_TIME = Lock()


def with_settings(text: str, settings: Mapping[SettingName, object]) -> str:
    """Return the text with these values; a missing setting is added at the end of its table.

    Raises ConfigurationError where a setting is written in a way that cannot be changed by itself.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
        for (*tables, name), value in settings.items():
            _set(document, tables, name, value)
        changed = tomlkit.dumps(document).replace("\n", line_end)
        _check(text, changed, settings)
    except (TOMLKitError, ValueError, KeyError, TypeError) as fault:
        names = ", ".join(".".join(name) for name in settings)
        raise ConfigurationError(
            f"{names} cannot be changed by itself, as memproc.toml is written.",
            "Change it yourself: memproc config edit",
        ) from fault
    return changed


def _set(document: tomlkit.TOMLDocument, tables: Sequence[str], name: str, value: object) -> None:
    """Set a value; a new one ends its table, before blank lines and comments at the end."""
    settings: Any = document
    for table in tables:
        if table not in settings:
            settings[table] = tomlkit.table()
            if settings is not document:  # separate it from what follows
                settings[table].add(tomlkit.nl())
        settings = settings[table]
    removed: list[Comment | Whitespace] = []
    if isinstance(settings, Table) and name not in settings:
        # Blank lines and comments at the end of a table are about the next one.
        body = settings.value.body
        while body and isinstance(item := body[-1][1], Comment | Whitespace):
            body.pop()
            removed.append(item)
    settings[name] = value
    for item in reversed(removed):
        settings.add(item)


def _check(before: str, after: str, settings: Mapping[SettingName, object]) -> None:
    """Raise ValueError unless these settings, and no others, have changed."""
    expected = tomli.loads(before)
    for (*tables, name), value in settings.items():
        inner = expected
        for table in tables:
            inner = inner.setdefault(table, {})
        inner[name] = value
    if tomli.loads(after) != expected:
        raise ValueError("something else was changed, too")


def fingerprint_file(path: Path) -> str:
    """Return the SHA-256 of a memproc.toml. Raises FileTrouble where it cannot be read."""
    return sha256(_read(path)).hexdigest()


def save_settings(path: Path, seen: str, settings: Mapping[SettingName, object]) -> Config:
    """Write these settings into the file, whose fingerprint must be `seen`.

    Return all settings of the file. Raises ConfigurationError where the file was changed meanwhile,
    or would become wrong, and FileTrouble; then the file is unchanged.
    """
    with _ONE_AT_A_TIME:
        before = _unchanged(path, seen)
        after = with_settings(before.decode("utf-8-sig"), settings).encode()
        config = parse_settings(after, path)
        _replace(path, before, after)
    return config


def undo_settings(path: Path, seen: str) -> Config:
    """Put the previous file back, and keep the present one instead. Raises as `save_settings`."""
    with _ONE_AT_A_TIME:
        now = _unchanged(path, seen)
        if not can_undo(path, seen):
            raise ConfigurationError(
                f"There is no file from before to put back in the place of {path}.",
                "Change it yourself: memproc config edit",
            )
        before = _read(_previous_path(path, seen))
        config = parse_settings(before, path)
        _replace(path, now, before)
    return config


def can_undo(path: Path, seen: str) -> bool:
    """Return whether the file that preceded the one with the fingerprint `seen` is kept."""
    return _previous_path(path, seen).is_file()


def _unchanged(path: Path, seen: str) -> bytes:
    """Return the file's content. Raises ConfigurationError unless its fingerprint is `seen`."""
    content = _read(path)
    if sha256(content).hexdigest() != seen:
        raise ConfigurationError(
            f"{path} was changed meanwhile, so nothing was written.",
            "Look at the settings again, then change what you wanted to.",
        )
    return content


def _replace(path: Path, before: bytes, after: bytes) -> None:
    """Keep the previous file, then write the new one, and remove older kept files."""
    previous = _previous_path(path, sha256(after).hexdigest())
    replace_file(previous, [before])
    replace_file(path, [after])
    for other in path.parent.glob(f"{path.name}.before-*"):
        if other != previous:
            with file_errors(other, "removed"):
                other.unlink(missing_ok=True)


def _previous_path(path: Path, fingerprint: str) -> Path:
    return path.with_name(f"{path.name}.before-{fingerprint[:_SHOWN]}")


def _read(path: Path) -> bytes:
    with file_errors(path, "read"):
        return path.read_bytes()
