"""Keys that systemd hands to the service: one file a key, named by its variable, in $CREDENTIALS_DIRECTORY."""

from collections.abc import Mapping
from pathlib import Path

from daemon.files.trouble import told
from daemon.keys.file import refuse_shared
from primer.models import KEY_VARIABLES
from service.systemd import NO_CREDENTIAL


def credential(variable: str, environ: Mapping[str, str]) -> str:
    """The text that systemd was given for a variable; empty where there is none. Raises FileTrouble."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    path = Path(folder or "/", variable)
    with told(path, "read"):
        text = path.read_text("utf-8", "replace").strip() if folder and path.is_file() else ""
    return "" if text == NO_CREDENTIAL else text


def credential_files(folder: Path) -> tuple[tuple[str, Path], ...]:
    """The variables that have a file in `folder`, each with it, for systemd to hand on.

    Raises ConfigurationError where one can be read by others, and FileTrouble where it cannot be looked at.
    """
    files = tuple((name, folder / name) for name in sorted(KEY_VARIABLES.values()) if (folder / name).is_file())
    for _, path in files:
        with told(path, "read"):
            refuse_shared(path, path.stat())
    return files
