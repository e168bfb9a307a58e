"""Find where the daemon is, and what it waits for."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import tomli

from daemon.files.lock import hold, is_held
from daemon.files.paths import default_state, resolve_folders, runtime_folder
from daemon.files.private import is_own, make_own
from daemon.files.write import replace_file
from rules.errors import MemprocError

RESCAN_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class DaemonPlace:
    """The folder of archive, log and lock, and how often the daemon looks through the inbox."""

    state: Path
    rescan_seconds: float = RESCAN_SECONDS

    @property
    def lock(self) -> Path:
        """Return the file that the daemon locks for as long as it lives."""
        return self.state / "daemon.lock"


def read_place(toml: Path) -> DaemonPlace | None:
    """Return the place that memproc.toml names, even where other settings are wrong, or None."""
    unnamed: str | None = ""
    try:
        text = toml.read_bytes().decode("utf-8-sig")
        try:
            tables = tomli.loads(text)
        except tomli.TOMLDecodeError as error:
            tables = tomli.loads("".join(text.splitlines(keepends=True)[: error.lineno - 1]))
            unnamed = None  # the state folder may be named below the line where it is broken
    except (OSError, ValueError):
        return None
    folders, watch = tables.get("folders", {}), tables.get("watch", {})
    written = folders.get("state", unnamed) if isinstance(folders, dict) else None
    if not isinstance(written, str):
        return None
    state = resolve_folders(written or str(default_state()), toml.parent)
    seconds = watch.get("rescan_seconds") if isinstance(watch, dict) else None
    rescan_seconds = float(seconds) if isinstance(seconds, int | float) else RESCAN_SECONDS
    return DaemonPlace(state, rescan_seconds) if isinstance(state, Path) else None


@contextmanager
def shown_as_waiting(config: Path | None, trouble: MemprocError) -> Iterator[None]:
    """Let `waits_for` return `trouble` for as long as the block runs; do nothing if that fails.

    It is kept outside the state folder, whose disk may be what is missing.
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
    """Return a file for each memproc.toml, and one for a daemon without any."""
    name = sha256(str(config.absolute() if config else "").encode()).hexdigest()[:16]
    return runtime_folder() / f"waiting-{name}.json"
