"""Open the house for work: folders made, the archive held by one process, texts read, the model at hand."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from daemon.archive.archive import Archive
from daemon.clock import now
from daemon.config import Config
from daemon.files.folders import make_private
from daemon.files.lock import hold
from daemon.files.write import sweep
from daemon.house import House, Tell
from daemon.keys.find import find_key
from daemon.layout import core_layout
from daemon.models.completion import complete
from daemon.models.pace import Pace
from daemon.models.patience import patiently
from daemon.models.roles import FindKey
from daemon.paths import Folders
from daemon.texts import load_texts


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
        for folder in (folders.updated, folders.state):
            sweep(folder)
        pace, run = Pace(), f"{now()} {os.getpid()}"
        ask = patiently(pace.keeping(complete))
        yield House(config, folders, archive, ask, keys(folders), now, tell, run, pace=pace)
