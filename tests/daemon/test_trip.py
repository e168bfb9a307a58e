"""Whatever one chat raises, at whatever stop of its trip, it is skipped, and everything else is done."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import daemon.trip
from daemon.archive.archive import Archive
from daemon.archive.seals import seal_in_sql
from daemon.chat.outcome import ExportWritten, Outcome, Skipped, as_skipped, until_fault
from daemon.config.loading import parse_settings
from daemon.events import ignore_event
from daemon.files.paths import Folders
from daemon.files.private import make_private
from daemon.models.ask import Unsent
from daemon.models.context import Context
from daemon.trip import go_round, run_export
from rules.errors import ArchiveError, OverBudget, ProviderRefuses
from rules.plan.chat_plan import refuse_doubled
from rules.typingmind.chat import Chat
from tests.chats import export_bytes, long_chat
from tests.nokeys import no_keys
from tests.scripted import ScriptedModel
from tests.stories.person import Person

WHEN = "2026-09-01T00:00:00.000Z"
SETTINGS = b"[tail]\ntokens = 2400\nstep = 600\n[chunk]\ntokens = 600\n[core]\nenabled = false\n[facts]\nenabled = false\n"
SECRET = "said in confidence"
BAD = "thebadchat"
PACKAGES = tuple(
    str(Path(daemon.trip.__file__).parents[1] / name) for name in ("daemon", "rules", "primer")
)


class Unheard(Exception):
    """One that nobody has thought of."""


FAULTS: list[Callable[[], Exception]] = [
    lambda: Unheard(SECRET),
    lambda: TypeError(SECRET),
    lambda: KeyError(SECRET),
    lambda: UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    lambda: RecursionError(SECRET),
    lambda: MemoryError(SECRET),
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
        for name, ids in (
            ("a", ["chat_one_a"]),
            ("b", ["chat_one_b", BAD, "chat_two_b"]),
            ("c", ["chat_one_c"]),
        ):
            paths.append(self.home / "inbox" / f"{name}.json")
            paths[-1].write_bytes(
                export_bytes(*(long_chat(3400, chatID=one, id=one, chatTitle=one) for one in ids))
            )
        folders = Folders(*(self.home / name for name in ("inbox", "updated", "backups", "state")))
        config = parse_settings(SETTINGS, self.home / "memproc.toml")
        context = Context(
            config, folders, self.archive, ScriptedModel(), no_keys, lambda: WHEN, ignore_event
        )
        return [outcome for path in paths for outcome in go_round(context, path, run_export)]

    def good_ones(self) -> dict[str, bytes]:
        """The updated files of all chats but the bad one."""
        files = (self.home / "updated").iterdir()
        return {path.name: path.read_bytes() for path in files if BAD not in path.name}


@contextmanager
def failing(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[], BaseException] | None, at: int
) -> Iterator[list[str]]:
    """Have our own function that is called as the `at`-th in the trip of the bad chat raise this; gives their names."""
    called: list[str] = []

    def on_call(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGES):
            return
        if frame.f_code.co_name == "<genexpr>" or frame.f_code in (
            until_fault.__code__,
            seal_in_sql.__code__,
        ):
            return  # called only to be closed, where Python drops what is raised; what catches it; what SQLite calls
        if frame.f_code in (as_skipped.__code__, daemon.trip.go_round.__code__):
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
        patched.setattr(daemon.trip, "refuse_doubled", begin)
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
    assert [type(one) for one in outcomes] == [ExportWritten] * 5
    assert len(inbox.good_ones()) == 4
    return inbox.good_ones(), len(called)


@settings(max_examples=settings().max_examples // 7)  # each is a trip of five chats
@given(stop=st.floats(0, 1, exclude_max=True), fault=st.sampled_from(FAULTS))
@example(stop=1 - 2**-53, fault=FAULTS[0])
def test_whatever_one_chat_raises_at_whatever_stop_all_others_are_done(
    tmp_path_factory: pytest.TempPathFactory,
    undisturbed: tuple[dict[str, bytes], int],
    stop: float,
    fault: Callable[[], Exception],
) -> None:
    inbox = Inbox(tmp_path_factory.mktemp("inbox"))
    files, calls = undisturbed
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        failing(monkeypatch, fault, int(stop * calls)) as called,
    ):
        outcomes = inbox.go_round()
    assert called, "the bad chat was begun"
    assert inbox.good_ones() == files
    aside = [one for one in outcomes if isinstance(one, Skipped)]
    assert len(aside) <= 1
    for one in aside:
        assert one.what == BAD
        assert SECRET not in one.reason + one.next_step
    again = inbox.go_round()
    assert not [one for one in again if isinstance(one, Skipped)], (
        "it was the fault's, and not the archive's"
    )
    assert len(list((inbox.home / "updated").iterdir())) == 5
    inbox.archive.close()


@pytest.mark.parametrize(
    "fault",
    [ArchiveError("a", "b"), OverBudget("a", "b", WHEN), ProviderRefuses("a", "b"), Unsent()],
)
def test_what_nothing_can_go_on_after_stops_everything(fault: Exception) -> None:
    with pytest.raises(type(fault)):
        as_skipped(Archive.memory(), "a chat", fault)


def test_a_mistake_is_told_with_its_place_and_never_with_what_it_says() -> None:
    try:
        refuse_doubled(None, frozenset())  # type: ignore[arg-type]
    except AttributeError as bug:
        told = as_skipped(Archive.memory(), "a chat", bug)
    assert told.reason == (
        "This is a mistake in memproc itself (AttributeError in rules/plan/chat_plan.py, line "
        f"{told.reason.split('line ')[1].split(',')[0]}, refuse_doubled). Nothing of yours was changed by it."
    )
    note = Path(told.next_step.removeprefix("Please report the file "))
    assert "refuse_doubled" in note.read_text()
    assert "chat_id" not in note.read_text()
    note.unlink()


def test_plan_and_run_set_the_bad_chat_aside_and_end_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_for_the_bad_one(chat: Chat, places: object) -> tuple[str, ...]:
        if chat.chat_id == BAD:
            raise KeyError(SECRET)
        return ()

    monkeypatch.setattr("daemon.chat.survey.find_warnings", fail_for_the_bad_one)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ada = Person(tmp_path / "ada", tail=2400, step=600, chunk=600)
    ada.settings('[models]\nagent = "memproc/extractive"\ncontext_manager = "memproc/extractive"\n')
    for name, chat_id in (("a", BAD), ("b", "goodchat01")):
        ada.drop(
            export_bytes(long_chat(5600, chatID=chat_id, id=chat_id, chatTitle=chat_id)),
            f"{name}.json",
        )
    for command, told in (
        ("plan", "would be skipped"),
        ("run", "1 written, 0 unchanged, 1 skipped"),
    ):
        ended = ada.memproc(command)
        assert ended.code == 1
        assert told in ended.out
        assert "mistake in memproc itself (KeyError" in ended.out + ended.err
        assert SECRET not in ended.out + ended.err
    assert len(ada.updated()) == 1
