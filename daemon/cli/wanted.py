"""Which exports a command is about."""

from pathlib import Path

from daemon.cli.settings import Settings
from daemon.files.inbox import exports_in
from rules.errors import FileTrouble


def wanted_exports(settings: Settings, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Those named, files or folders, or the inbox's. Raises FileTrouble without an inbox."""
    inbox = settings.folders.inbox
    if not paths and not inbox.is_dir():
        raise FileTrouble(f"There is no inbox {inbox}.", "Make the folders with: memproc init")
    return tuple(export for path in paths or (inbox,) for export in exports_in(path))
