"""Which memproc.toml counts: the one that was named, the one that is here, or the system's."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from daemon.files.trouble import remedy
from daemon.paths import NoPath, resolve
from rules.errors import ConfigurationError

NAME = "memproc.toml"


@dataclass(frozen=True, slots=True)
class Found:
    """The file to load, or None for the defaults; `how` says in plain words why this one."""

    path: Path | None
    how: str


def find(explicit: Path | None, here: Path, environ: Mapping[str, str]) -> Found:
    """The configuration that counts for a command that is run in the folder `here`.

    In this order: `explicit` (--config), $MEMPROC_CONFIG in `environ`, memproc.toml in `here`, memproc.toml
    in the platform's configuration folder; with none of them, the defaults. Raises ConfigurationError if
    a file that was named is not there: going on without it would be a surprise.
    """
    if explicit is not None:
        return Found(_named(str(explicit), here, "--config"), "named by --config")
    if environ.get("MEMPROC_CONFIG"):
        return Found(_named(environ["MEMPROC_CONFIG"], here, "$MEMPROC_CONFIG"), "named by $MEMPROC_CONFIG")
    for folder, how in ((here, "found in this folder"), (_system_folder(), "found in the system's folder")):
        if _is_there(folder / NAME):
            return Found(folder / NAME, how)
    return Found(None, "no file found: the defaults count")


def _system_folder() -> Path:
    return user_config_path("memproc", appauthor=False)


def _named(written: str, here: Path, by: str) -> Path:
    path = resolve(written, here)
    if isinstance(path, NoPath):
        raise ConfigurationError(
            f"The configuration that {by} names cannot be used: the path {path.reason}.", "Correct the path."
        )
    if not _is_there(path):
        raise ConfigurationError(
            f"There is no file {path}, which {by} names as the configuration.",
            f"Correct {by}, or leave it out; `memproc init` writes a new file.",
        )
    return path


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigurationError(
            f"The configuration {path} cannot be looked at: {error.strerror or error}.",
            remedy(error, "Make it readable, or name another file with --config."),
        ) from error
    return True
