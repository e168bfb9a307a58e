"""Find the daemon's folders, what it waits for, and the pause that is in force."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import tomli

from daemon.archive.archive import Archive
from daemon.archive.signs import remove_signs, set_sign, sign
from daemon.files.clock import at
from daemon.files.lock import hold, is_held
from daemon.files.paths import INBOX, NoPath, default_state, resolve_folders, runtime_folder
from daemon.files.private import is_own, make_own
from daemon.files.write import replace_file
from rules.errors import MemprocError
from rules.typingmind.dates import write_date

RESCAN_SECONDS = 300.0
"""The time between two full scans of the inbox by the daemon, with or without events."""

_SIGN = "paused_until"


@dataclass(frozen=True, slots=True)
class DaemonPlace:
    """The folder of the archive and locks, and the inbox that is watched."""

    state: Path
    inbox: Path | NoPath = field(default_factory=lambda: resolve_folders(INBOX, Path()))


@dataclass(frozen=True, slots=True)
class Pause:
    """No work is started until `until` (UTC); empty: until `memproc resume`."""

    until: str


def read_place(toml: Path) -> DaemonPlace | None:
    """Return the folders that memproc.toml names, even if other settings are wrong; else None.

    Of a broken file the lines before the broken one are read.
    """
    try:
        text = toml.read_bytes().decode("utf-8-sig")
        try:
            tables, is_whole = tomli.loads(text), True
        except tomli.TOMLDecodeError as error:
            sound = text.splitlines(keepends=True)[: error.lineno - 1]
            tables, is_whole = tomli.loads("".join(sound)), False
    except (OSError, ValueError):
        return None
    folders = tables.get("folders", {})
    # A broken file may name the state folder below the broken line.
    unnamed = "" if is_whole else None
    written = folders.get("state", unnamed) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve_folders(written or str(default_state()), toml.parent)
    inbox = resolve_folders(str(folders.get("inbox", INBOX)), toml.parent)
    return DaemonPlace(state, inbox) if isinstance(state, Path) else None


@contextmanager
def shown_as_waiting(config: Path | None, trouble: MemprocError) -> Iterator[None]:
    """Have `waits_for` return `trouble` while the block runs; do nothing if that fails.

    It is stored outside the state folder, whose disk may be what is missing.
    """
    path = _waiting_place(config)
    with ExitStack() as stack:
        with suppress(MemprocError, OSError):
            make_own(path.parent)
            stack.enter_context(hold(path.with_suffix(".lock"), "waits"))
            replace_file(path, [json.dumps([trouble.message, trouble.next_step]).encode()])
        yield


def waits_for(config: Path | None) -> MemprocError | None:
    """Return the error that the daemon of this memproc.toml waits for; None where none waits."""
    for path in (_waiting_place(config), _waiting_place(None)):
        with suppress(MemprocError, OSError, ValueError, TypeError):
            if is_own(path.parent) and is_held(path.with_suffix(".lock")):
                return MemprocError(*json.loads(path.read_bytes()))
    return None


def _waiting_place(config: Path | None) -> Path:
    """Return the path of the file for this memproc.toml, or for a daemon without one."""
    name = sha256(str(config.absolute() if config else "").encode()).hexdigest()[:16]
    return runtime_folder() / f"waiting-{name}.json"


def begin_pause(archive: Archive, length: timedelta | None, now: str) -> str:
    """Pause from `now` for `length`, or until `end_pause` if it is None.

    Return when the pause ends, else "". Durable when this returns.
    """
    until = write_date(at(now) + length) if length else ""
    set_sign(archive, _SIGN, until, now)
    return until


def end_pause(archive: Archive, now: str) -> Pause | None:
    """End the pause, and return it; None where there was none."""
    pause = current_pause(archive, now)
    remove_signs(archive, _SIGN)
    return pause


def current_pause(archive: Archive, now: str) -> Pause | None:
    """Return the pause that is in force at `now`; None where work may begin."""
    entry = sign(archive, _SIGN)
    return Pause(entry.value) if entry and (not entry.value or now < entry.value) else None
