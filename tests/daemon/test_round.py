"""Whatever one chat raises, at whatever stop of its trip, it is set aside, and everything else is done."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import daemon.round
from daemon.archive.archive import Archive
from daemon.config import parse
from daemon.files.folders import make_private
from daemon.house import House, Written, tell_nobody
from daemon.paths import Folders
from daemon.round import Outcome, SetAside, go_round
from rules.export.chat import Chat
from rules.plan.selection import refuse_doubled
from tests.chats import export_bytes, long_chat
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel

WHEN = "2026-09-01T00:00:00.000Z"
SETTINGS = (
    b"[tail]\ntokens = 800\nstep = 200\n[chunk]\ntokens = 200\n[core]\nenabled = false\n[facts]\nenabled = false\n"
)
SECRET = "said in confidence"
BAD = "thebadchat"
PACKAGES = tuple(str(Path(daemon.round.__file__).parents[1] / name) for name in ("daemon", "rules", "primer"))


class Unheard(Exception):
    """One that nobody has thought of."""


FAULTS: list[Callable[[], Exception]] = [
    lambda: Unheard(SECRET),
    lambda: TypeError(SECRET),
    lambda: KeyError(SECRET),
    lambda: UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    lambda: RecursionError(SECRET),
    lambda: sqlite3.IntegrityError(SECRET),
    lambda: OSError(28, SECRET),
]
"""What a chat may raise without anybody having foreseen it."""


@dataclass
class Inbox:
    """Three files, and a bad chat beside a good one in the second of them."""

    home: Path
    archive: Archive = field(default_factory=Archive.memory)

    def go_round(self) -> list[Outcome]:
        for name in ("inbox", "updated"):
            make_private(self.home / name)
        paths = []
        for name, ids in (("a", ["chat_one_a"]), ("b", ["chat_one_b", BAD, "chat_two_b"]), ("c", ["chat_one_c"])):
            paths.append(self.home / "inbox" / f"{name}.json")
            paths[-1].write_bytes(export_bytes(*(long_chat(1800, chatID=one, id=one, chatTitle=one) for one in ids)))
        folders = Folders(*(self.home / name for name in ("inbox", "updated", "backups", "state")))
        config = parse(SETTINGS, self.home / "memproc.toml")
        house = House(config, folders, self.archive, ScriptedModel(), no_keys, lambda: WHEN, tell_nobody)
        return list(go_round(house, paths))

    def good_ones(self) -> dict[str, bytes]:
        """The updated files of all chats but the bad one."""
        files = (self.home / "updated").iterdir()
        return {path.name: path.read_bytes() for path in files if BAD not in path.name}


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, fault: Callable[[], BaseException] | None, at: int) -> Iterator[list[str]]:
    """Have our own function that is called as the `at`-th in the trip of the bad chat raise this; gives their names."""
    called: list[str] = []

    def on_call(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGES):
            return
        if frame.f_code in (daemon.round.set_aside.__code__, daemon.round.go_round.__code__):
            sys.setprofile(None)
            return
        called.append(frame.f_code.co_qualname)
        if fault is not None and len(called) == at + 1:
            sys.setprofile(None)
            raise fault()

    def begin(chat: Chat, doubled: frozenset[str]) -> None:
        sys.setprofile(on_call if chat.chat_id == BAD else None)
        refuse_doubled(chat, doubled)

    with monkeypatch.context() as patched:
        patched.setattr(daemon.round, "refuse_doubled", begin)
        try:
            yield called
        finally:
            sys.setprofile(None)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """The updated files of a round in which nothing fails, and how many of our functions its bad chat calls."""
    inbox = Inbox(tmp_path_factory.mktemp("undisturbed"))
    with pytest.MonkeyPatch.context() as monkeypatch, failing(monkeypatch, None, 0) as called:
        outcomes = inbox.go_round()
    assert [type(one) for one in outcomes] == [Written] * 5
    assert len(inbox.good_ones()) == 4
    return inbox.good_ones(), len(called)


@settings(max_examples=15)
@given(stop=st.floats(0, 1, exclude_max=True), fault=st.sampled_from(FAULTS))
def test_whatever_one_chat_raises_at_whatever_stop_all_others_are_done(
    tmp_path_factory: pytest.TempPathFactory,
    undisturbed: tuple[dict[str, bytes], int],
    stop: float,
    fault: Callable[[], Exception],
) -> None:
    inbox = Inbox(tmp_path_factory.mktemp("inbox"))
    files, calls = undisturbed
    with pytest.MonkeyPatch.context() as monkeypatch, failing(monkeypatch, fault, int(stop * calls)) as called:
        outcomes = inbox.go_round()
    assert called, "the bad chat was begun"
    assert inbox.good_ones() == files
    aside = [one for one in outcomes if isinstance(one, SetAside)]
    assert len(aside) <= 1
    for one in aside:
        assert one.what == BAD
        assert SECRET not in one.reason + one.next_step
    again = inbox.go_round()
    assert not [one for one in again if isinstance(one, SetAside)], "it was the fault's, and not the archive's"
    assert len(list((inbox.home / "updated").iterdir())) == 5
    inbox.archive.close()
