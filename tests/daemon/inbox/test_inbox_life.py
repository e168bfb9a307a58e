"""Whatever is written, renamed, replaced and deleted, and whenever it is looked at: final contents are copied once."""

import shutil
import tempfile
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from daemon.archive.archive import Archive
from daemon.archive.arrivals import change_state, find_arrival, next_work
from daemon.archive.log import entries_after
from daemon.events import FileIs
from daemon.inbox.intake import forget_copy
from rules.errors import FileTrouble
from tests.daemon.inbox.inbox import SETTLE, Inbox, export

names = st.sampled_from(["a.json", "b.json", "c.zip"])
numbers = st.integers(0, 5)
parts = st.sampled_from([0.0, 0.02, 0.3, 0.6, 0.95])
WHOLE = {export(number) for number in range(6)}


class InboxLife(RuleBasedStateMachine):
    """A person and their programs on one side, scans at any moment on the other."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.inbox = Inbox(self.root, Archive.memory())
        self.writing: dict[str, bytes] = {}
        """What will be the content of files that are being written."""

    @rule(name=names, number=numbers, part=parts)
    def begin_to_write(self, name: str, number: int, part: float) -> None:
        whole = export(number)
        self.inbox.put(name, whole[: int(len(whole) * part)])
        self.writing[name] = whole

    @rule(name=names)
    def finish(self, name: str) -> None:
        if name in self.writing:
            self.inbox.put(name, self.writing.pop(name))

    @rule(name=names, number=numbers)
    def save_at_once(self, name: str, number: int) -> None:
        self.inbox.swap(name, export(number))
        self.writing.pop(name, None)

    @rule(name=names, to=names)
    def rename(self, name: str, to: str) -> None:
        if name != to and (self.inbox.folder / name).exists():
            (self.inbox.folder / name).replace(self.inbox.folder / to)
            self.writing.pop(to, None)
            if name in self.writing:
                self.writing[to] = self.writing.pop(name)

    @rule(name=names)
    def delete(self, name: str) -> None:
        (self.inbox.folder / name).unlink(missing_ok=True)
        self.writing.pop(name, None)

    @rule(after=st.sampled_from([0, 0.25, 2, SETTLE, 30, 4_000]))
    def look(self, after: float) -> None:
        self.inbox.scan(after)

    @rule()
    def let_it_settle(self) -> None:
        self.inbox.settle()

    @rule()
    def restart(self) -> None:
        self.inbox.restart()

    @rule()
    def move_the_inbox_away_for_a_while(self) -> None:
        away = self.root / "away"
        self.inbox.folder.rename(away)
        with pytest.raises(FileTrouble):
            self.inbox.scan(1)
        away.rename(self.inbox.folder)

    @rule()
    def work(self) -> None:
        arrival = next_work(self.inbox.archive, self.inbox.now)
        if arrival is not None:
            change_state(self.inbox.archive, arrival.id, "working", "", "", self.inbox.now)
            change_state(self.inbox.archive, arrival.id, "written", "", "", self.inbox.now)
            forget_copy(
                self.inbox.archive, self.inbox.state, find_arrival(self.inbox.archive, arrival.id)
            )

    @invariant()
    def no_file_that_is_open_at_its_end_is_accepted(self) -> None:
        """One that was cut off at a bracket may be taken; whoever reads it refuses it, and the whole one follows."""
        partial = set(self.inbox.copies()) - WHOLE
        assert all(content.endswith((b"}", b"]")) for content in partial)

    @invariant()
    def a_copy_lies_there_for_all_that_is_to_be_worked_on(self) -> None:
        hashes = {
            row[0]
            for row in self.inbox.archive.run("SELECT sha256 FROM arrival WHERE state = 'copied'")
        }
        assert hashes == {sha256(copy).hexdigest() for copy in self.inbox.copies()}

    @invariant()
    def the_state_is_that_of_the_last_step(self) -> None:
        states = dict(self.inbox.archive.run("SELECT id, state FROM arrival"))
        assert states == {event.arrival: event.state for event in self.steps()}

    def steps(self) -> list[FileIs]:
        """Every change of a file's state, in its order."""
        noted = (entry.event for entry in entries_after(self.inbox.archive, 0))
        return [event for event in noted if isinstance(event, FileIs)]

    def teardown(self) -> None:
        for name, whole in self.writing.items():
            self.inbox.put(name, whole)
        self.inbox.settle()
        self.inbox.settle()
        try:
            self.each_final_content_was_copied_once()
        finally:
            self.inbox.archive.close()
            shutil.rmtree(self.root)

    def each_final_content_was_copied_once(self) -> None:
        copied = Counter(
            find_arrival(self.inbox.archive, event.arrival).sha256
            for event in self.steps()
            if event.state == "copied"
        )
        assert set(copied.values()) <= {1}
        for path in self.inbox.folder.iterdir():
            assert sha256(path.read_bytes()).hexdigest() in copied
        assert {row[0] for row in self.inbox.archive.run("SELECT state FROM arrival")} <= {
            "copied",
            "written",
            "done",
            "gone",
        }


TestInboxLife = InboxLife.TestCase
TestInboxLife.settings = settings(stateful_step_count=30)
