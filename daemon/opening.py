"""Open the house for work: folders made, the archive held by one process, texts read, the model at hand."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

from daemon.archive.archive import Archive
from daemon.clock import now
from daemon.config import Config
from daemon.files.folders import make_private
from daemon.files.lock import hold
from daemon.files.unlisted import list_again
from daemon.files.write import sweep
from daemon.house import House, Tell
from daemon.keys.find import find_key
from daemon.layout import core_layout
from daemon.models.completion import complete
from daemon.models.pace import Pace
from daemon.models.patience import patiently
from daemon.models.roles import FindKey
from daemon.moving.leftovers import sweep_export, sweep_stages
from daemon.paths import Folders
from daemon.texts import load_texts
from rules.errors import FileTrouble


def keys(folders: Folders) -> FindKey:
    """Where keys are looked for; each provider's is looked for once, since a keyring may take its time."""
    return cache(lambda provider: find_key(provider, os.environ, folders.state))


@contextmanager
def open_house(config: Config, folders: Folders, tell: Tell) -> Iterator[House]:
    """Everything that trips need, for as long as they go on.

    Raises Busy where another memproc works with this archive, and ArchiveError, FileTrouble or
    ConfigurationError where something cannot be opened.
    """
    load_texts(config.texts.path)  # wrong ones are told before anything is done
    core_layout(config.core)
    for folder in (folders.state, folders.updated, folders.backups):
        make_private(folder)
    with hold(folders.state / "lock"), Archive.open(folders.state) as archive:
        _tidy_up(folders)
        pace, run = Pace(), f"{now()} {os.getpid()}"
        ask = patiently(pace.keeping(complete))
        yield House(config, folders, archive, ask, keys(folders), now, tell, run, pace=pace)


def _tidy_up(folders: Folders) -> None:
    """Take away what killed processes have left, and see to backups that they have not listed yet."""
    backups = folders.backups
    shelves = (path for part in ("originals", "versions") for path in (backups / part).glob("*") if path.is_dir())
    for folder in (folders.updated, folders.state, folders.state / "copies", backups, *shelves):
        sweep(folder)
    sweep_stages(folders)
    sweep_export(folders.state)
    with suppress(FileTrouble):  # an index that cannot be read stops what needs it
        list_again(backups)
