"""Change settings in the text of a memproc.toml, and keep the file before.

Comments and all else stay as they are. A file that was changed meanwhile is left alone. The file
before lies next to memproc.toml, under a name with the fingerprint of what took its place: so it is
put back only where that is there still.
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
"""A table and a name in it; a table in another one comes after it."""

_SHOWN = 12
"""Letters of a fingerprint in a file's name."""
_ONE_AT_A_TIME = Lock()


def with_settings(text: str, settings: Mapping[SettingName, object]) -> str:
    """Return the text with these values; what is missing is added at the end of its table.

    Raise ConfigurationError where a setting is written in a way that cannot be changed by itself.
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
    """Set a value where its table ends, before the blank lines and comments that follow."""
    settings: Any = document
    for table in tables:
        if table not in settings:
            settings[table] = tomlkit.table()
            if settings is not document:  # what follows is in its way
                settings[table].add(tomlkit.nl())
        settings = settings[table]
    rest: list[Comment | Whitespace] = []
    if isinstance(settings, Table) and name not in settings:
        # Blank lines and comments at the end of a table are about the next one.
        body = settings.value.body
        while body and isinstance(item := body[-1][1], Comment | Whitespace):
            body.pop()
            rest.append(item)
    settings[name] = value
    for item in reversed(rest):
        settings.add(item)


def _check(before: str, after: str, settings: Mapping[SettingName, object]) -> None:
    """Raise ValueError unless these settings, and no others, are changed."""
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
    """Write these settings into the file, whose fingerprint is `seen`, and return all that count.

    Raise ConfigurationError where it was changed meanwhile, or would be wrong, and FileTrouble;
    then it is as it was.
    """
    with _ONE_AT_A_TIME:
        before = _unchanged(path, seen)
        after = with_settings(before.decode("utf-8-sig"), settings).encode()
        config = parse_settings(after, path)
        _replace(path, before, after)
    return config


def undo_settings(path: Path, seen: str) -> Config:
    """Put the file before back, and keep the one of now in its place. Raises as `save_settings`."""
    with _ONE_AT_A_TIME:
        now = _unchanged(path, seen)
        if not can_undo(path, seen):
            raise ConfigurationError(
                f"There is no file from before to put back in the place of {path}.",
                "Change it yourself: memproc config edit",
            )
        before = _read(_kept(path, seen))
        config = parse_settings(before, path)
        _replace(path, now, before)
    return config


def can_undo(path: Path, seen: str) -> bool:
    """Return whether the file before is kept, where the present one has the fingerprint `seen`."""
    return _kept(path, seen).is_file()


def _unchanged(path: Path, seen: str) -> bytes:
    """Return the content of the file. Raise ConfigurationError where it is not what was seen."""
    content = _read(path)
    if sha256(content).hexdigest() != seen:
        raise ConfigurationError(
            f"{path} was changed meanwhile, so nothing was written.",
            "Look at the settings again, then change what you wanted to.",
        )
    return content


def _replace(path: Path, before: bytes, after: bytes) -> None:
    """Keep the file before, then write the new one; older ones are not kept."""
    kept = _kept(path, sha256(after).hexdigest())
    replace_file(kept, [before])
    replace_file(path, [after])
    for other in path.parent.glob(f"{path.name}.before-*"):
        if other != kept:
            with file_errors(other, "removed"):
                other.unlink(missing_ok=True)


def _kept(path: Path, of: str) -> Path:
    return path.with_name(f"{path.name}.before-{of[:_SHOWN]}")


def _read(path: Path) -> bytes:
    with file_errors(path, "read"):
        return path.read_bytes()
