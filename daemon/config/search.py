"""Choose the memproc.toml to use: the one that is named, the one in this folder, or the user's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_config_path

from daemon.files.paths import SETTINGS_NAME, NoPath, resolve_folders
from daemon.files.reasons import remedy
from rules.errors import ConfigurationError, ConfigurationOutOfReach


@dataclass(frozen=True, slots=True)
class FoundConfig:
    """The file to load, or None for the defaults; `how` says why it is used."""

    path: Path | None
    how: str
    is_here: bool = field(default=False, compare=False)
    """Whether the file was found in the current folder, without being named."""
    here: Path | None = field(default=None, compare=False)
    """The folder in which the command is run, whose memproc.toml could have been used, too."""

    @property
    def others(self) -> tuple[str, ...]:
        """Return the files that could have been used instead. Finding them takes time."""
        if self.path is None or self.here is None:
            return ()
        near, others = self.here / SETTINGS_NAME, []
        for place in (near, own_file()):
            if _is_there(place) and place.resolve() != self.path.resolve():
                is_default = place == near and holds_only_defaults(place)
                others.append(f"{place} (nothing but defaults)" if is_default else str(place))
        return tuple(others)

    @property
    def choice(self) -> str:
        """Return a sentence that says which of several files is used; "" where there is one."""
        others = ", ".join(self.others)
        return f"{self.path} is used ({self.how}), and not {others}." if others else ""


def find(explicit: Path | None, here: Path, environ: Mapping[str, str]) -> FoundConfig:
    """Return the configuration to use for a command that is run in the folder `here`.

    The first of these is used: `explicit` (--config), $MEMPROC_CONFIG in `environ`, memproc.toml in
    `here`, memproc.toml in the platform's configuration folder, the defaults. A file in `here` that
    holds only the defaults, as in a checkout of memproc, is not used. Raises ConfigurationError if a
    named file is missing: going on without it would be a surprise.
    """
    if explicit:
        return _named(str(explicit), "--config", here)
    if named := environ.get("MEMPROC_CONFIG"):
        return _named(named, "$MEMPROC_CONFIG", here)
    user_path, near = own_file(), here / SETTINGS_NAME
    if _is_there(near) and near.resolve() != user_path.resolve() and not holds_only_defaults(near):
        return FoundConfig(near, "found in this folder", is_here=True, here=here)
    if _is_there(user_path):
        return FoundConfig(user_path, "found in the system's folder", here=here)
    if _is_there(near):
        return FoundConfig(None, f"{near} holds nothing but the defaults, and these count")
    return FoundConfig(None, "no file found: the defaults count")


def _named(written: str, by: str, here: Path) -> FoundConfig:
    """Return the named file. Raises ConfigurationError where there is none."""
    path = resolve_folders(written, here)
    if isinstance(path, NoPath):
        raise ConfigurationError(
            f"The configuration that {by} names cannot be used: the path {path.reason}.",
            "Correct the path.",
        )
    if not _is_there(path):
        raise ConfigurationOutOfReach(
            f"There is no file {path}, which {by} names as the configuration.",
            f"Correct {by}, or leave it out; `memproc init` writes a new file.",
        )
    return FoundConfig(path, f"named by {by}", here=here)


def own_file() -> Path:
    """Return the path of memproc.toml in the user's configuration folder; it need not exist."""
    return user_config_path("memproc", appauthor=False) / SETTINGS_NAME


def holds_only_defaults(path: Path) -> bool:
    """Return whether all settings in a file have their defaults; False if it cannot be used."""
    from daemon.config.loading import load, load_folders  # late: often no file is read
    from daemon.config.settings import Config

    try:
        config, defaults = load(path), Config()
        same_folders = load_folders(config) == load_folders(defaults)
    except ConfigurationError:
        return False
    written, default = (each.model_dump(exclude={"folders"}) for each in (config, defaults))
    return same_folders and written == default


def _is_there(path: Path) -> bool:
    """Return whether the file exists. Raises ConfigurationOutOfReach where that is unknown now."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigurationOutOfReach(
            f"The configuration {path} cannot be looked at: {error.strerror or error}.",
            remedy(error, "Make it readable, or name another file with --config."),
        ) from error
    return True
