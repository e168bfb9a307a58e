"""What a trip needs of the world, models among it, opened for as long as trips go on."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from time import sleep

from daemon.archive.archive import Archive
from daemon.config.keys import FindKey, keys
from daemon.config.loading import core_layout, load_texts
from daemon.config.settings import Config
from daemon.events import Note, Tell, ignore_event
from daemon.files.clock import now
from daemon.files.lock import hold
from daemon.files.paths import Folders
from daemon.files.private import make_private
from daemon.files.removal import tidy_up
from daemon.models.completion import Completion, complete
from daemon.models.splitting import splitter
from primer.reply import Request

Complete = Callable[[Request], Completion]
Clock = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Context:
    """Everything outside the rules that a trip uses; tests replace parts of it."""

    config: Config
    folders: Folders
    archive: Archive
    complete: Complete
    """Asks a model once."""
    key: FindKey
    clock: Clock
    tell: Tell
    run: str = ""
    """The name of this run in the ledger, for the cap on one run."""
    pause: Callable[[float], None] = sleep
    """Waits that many seconds for a provider; may raise what ends the work."""
    notices: set[str] = field(default_factory=set)
    """Notices that this run has told, and does not repeat for each chat."""
    refusing: set[str] = field(default_factory=set)
    """Models that refused even the smallest request in this run, and have answered none since."""
    plan_at_most: int = 0
    """The most that the chat's planned work may cost, in picodollars; 0 where not known."""

    def tell_once(self, notice: str) -> None:
        """Tell a notice, unless this run has told it already."""
        if notice not in self.notices:
            self.notices.add(notice)
            self.tell(Note(notice))

    def today(self) -> date:
        """Return the day that the clock shows, in UTC."""
        return date.fromisoformat(self.clock()[:10])


def check_named_files(config: Config) -> None:
    """Raise ConfigurationError where texts, a layout or a splitter of the settings is unusable."""
    for chat_config in config.variants:
        load_texts(chat_config.texts.path)
        core_layout(chat_config.core)
        splitter(chat_config.chunk.bounds)


def context_to_read(config: Config, folders: Folders, archive: Archive) -> Context:
    """Return a context over an archive that is open for reading: nothing is sent or written."""
    return Context(config, folders, archive, complete, keys(folders.state), now, ignore_event)


@contextmanager
def open_context(config: Config, folders: Folders, tell: Tell) -> Iterator[Context]:
    """Open everything that trips need, for as long as the block runs.

    Raises Busy where another memproc works with this archive, and ArchiveError, FileTrouble or
    ConfigurationError where something cannot be opened.
    """
    load_texts(config.texts.path)  # faults in them are told before anything is done
    core_layout(config.core)
    for folder in (folders.state, folders.updated, folders.backups):
        make_private(folder)
    with (
        hold(folders.state / "lock"),
        Archive.open(folders.state, zone=config.memory.zone) as archive,
    ):
        for trouble in tidy_up(folders):
            tell(Note(str(trouble)))
        yield Context(
            config,
            folders,
            archive,
            complete,
            keys(folders.state),
            now,
            tell,
            run=f"{now()} {os.getpid()}",
        )
