"""At night, what had to be put off is found and put back into the queue; what cannot go better is left alone."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from daemon.archive.archive import Archive
from daemon.archive.arrivals import find_arrival
from daemon.chat.outcome import ExportWritten, Skipped
from daemon.config.loading import parse_settings
from daemon.events import ignore_event
from daemon.files.candidates import sighting_of
from daemon.files.paths import Folders
from daemon.inbox.intake import copy_path, enqueue
from daemon.inbox.jobs import postponed
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.trip import go_round, run_export
from primer.reply import Request
from rules.arrival import MOST_FAILURES, State
from rules.errors import NotNow
from tests.chats import export_bytes, long_chat
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel, ended

MORNING, NIGHT = "2026-09-01T08:00:00.000Z", "2026-09-02T02:00:00.000Z"
SETTINGS = """
[budget]
unpriced = true
[models]
agent = "test/agent"
context_manager = "test/context-manager"
{more}
[tail]
tokens = 2400
step = 400
[chunk]
tokens = 600
"""
TALK = long_chat(5200, tokens_each=200)
REFUSING = ScriptedModel(
    {"quote": [ended("", "content_filter")], "perspective": [ended("", "content_filter")]}
)


@dataclass
class Home:
    """A daemon's folders, with its archive, and files that were dropped in the morning."""

    folders: Folders
    archive: Archive

    def context(
        self, model: Callable[[Request], Completion] | None = None, more: str = ""
    ) -> Context:
        config = parse_settings(
            SETTINGS.format(more=more).encode(), self.folders.state / "memproc.toml"
        )
        ask = ScriptedModel() if model is None else model
        return Context(
            config,
            self.folders,
            self.archive,
            ask,
            no_keys,
            lambda: MORNING,
            ignore_event,
            pause=lambda seconds: None,
        )

    def drop(self, name: str, content: bytes, state: State, tries: int = 0) -> int:
        """A dropped file that is in this state now; the number of its arrival."""
        path = self.folders.inbox / name
        path.write_bytes(content)
        seen = sighting_of(path.lstat())
        row = (
            str(path),
            seen.device,
            seen.inode,
            seen.size,
            seen.mtime_ns,
            hashlib.sha256(content).hexdigest(),
        )
        self.archive.run(
            "INSERT INTO arrival (path, device, inode, size, mtime_ns, sha256, state, tries, seen_at, changed_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, state, tries, MORNING, MORNING),
        )
        return int(self.archive.run("SELECT max(id) FROM arrival")[0][0])

    def work(self, name: str, model: Callable[[Request], Completion]) -> Any:
        (outcome,) = go_round(self.context(model), self.folders.inbox / name, run_export)
        return outcome

    def enqueue(self, *arrivals: int) -> tuple[int, ...]:
        return enqueue(self.archive, self.folders.state, arrivals, NIGHT)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    folders = Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))
    for folder in (folders.inbox, folders.state):
        folder.mkdir()
    with Archive.memory() as archive:
        yield Home(folders, archive)


def out_of_reach(_: Request) -> Completion:
    raise NotNow("The provider is out of reach.", "Try later.")


def test_a_chat_whose_provider_was_down_is_tried_again_at_night(home: Home) -> None:
    arrival = home.drop("talk.json", export_bytes(TALK), "skipped")
    assert isinstance(home.work("talk.json", out_of_reach), Skipped)

    assert postponed(home.context()) == (arrival,)


def test_a_file_that_waits_keeps_its_time_and_one_that_is_paused_is_looked_at(home: Home) -> None:
    """A provider may have named that time; the budget may have turned."""
    home.drop("waits.json", export_bytes(TALK), "waiting")
    paused = home.drop("paused.json", export_bytes(TALK), "paused")

    assert postponed(home.context()) == (paused,)


def test_files_that_can_never_go_through_are_left_alone(home: Home) -> None:
    home.drop("photo.json", b"no export", "skipped")
    home.drop("crashing.json", export_bytes(TALK), "skipped", tries=MOST_FAILURES)
    gone = home.drop("gone.json", export_bytes(TALK), "skipped")
    Path(find_arrival(home.archive, gone).path).unlink()

    assert postponed(home.context()) == ()


def test_a_chat_that_went_on_in_a_newer_file_is_not_put_back(home: Home) -> None:
    home.drop("old.json", export_bytes(TALK), "skipped")
    newer = long_chat(6000, tokens_each=200)
    home.drop("new.json", export_bytes(newer), "written")
    assert isinstance(home.work("new.json", ScriptedModel()), ExportWritten)

    assert postponed(home.context()) == ()


def test_extracted_memories_are_asked_for_again_once_there_is_something_new_to_ask(
    home: Home,
) -> None:
    arrival = home.drop("talk.json", export_bytes(TALK), "written")
    done = home.work("talk.json", replace(REFUSING))
    assert isinstance(done, ExportWritten)
    assert done.extracted > 0

    assert postponed(home.context()) == ()
    assert postponed(home.context(more='fallback = "test/other"')) == (arrival,)


@pytest.mark.parametrize("state", ["waiting", "paused"])
def test_what_waits_is_put_back_by_day_too(home: Home, state: State) -> None:
    arrival = home.drop("talk.json", export_bytes(TALK), state, tries=2)

    assert home.enqueue(arrival) == (arrival,)

    found = find_arrival(home.archive, arrival)
    assert (found.state, found.tries, found.next_look_at) == ("copied", 0, None)


def test_a_copy_that_was_put_away_is_made_again_from_the_dropped_file(home: Home) -> None:
    content = export_bytes(TALK)
    arrival = home.drop("talk.json", content, "written")

    assert home.enqueue(arrival) == (arrival,)

    found = find_arrival(home.archive, arrival)
    assert copy_path(home.folders.state, str(found.sha256), found.path).read_bytes() == content


def test_without_a_copy_a_file_that_was_changed_is_not_put_back(home: Home) -> None:
    arrival = home.drop("talk.json", export_bytes(TALK), "written")
    (home.folders.inbox / "talk.json").write_bytes(b"something else")

    assert home.enqueue(arrival) == ()
    assert find_arrival(home.archive, arrival).state == "written"


@pytest.mark.parametrize("state", ["working", "copied", "gone", "done"])
def test_only_what_was_put_off_is_put_back(home: Home, state: State) -> None:
    arrival = home.drop("talk.json", export_bytes(TALK), state)

    assert home.enqueue(arrival) == ()
    assert find_arrival(home.archive, arrival).state == state
