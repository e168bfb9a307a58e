"""Plans for the bridge: one is made at a time, and not again while nothing has changed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from daemon.config.settings import Config
from daemon.files.paths import Folders, archive_path
from daemon.page.app import Desk, Plan, Plans
from tests.waiting import LIMIT_SECONDS


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    folders = Folders(*(tmp_path / name for name in ("inbox", "updated", "backups", "state")))
    folders.state.mkdir()
    return Desk(Config(), folders, None)


def test_of_many_calls_for_one_chat_the_first_makes_the_plan(desk: Desk) -> None:
    plans, begun, may_end = Plans(), Event(), Event()
    made: list[str] = []

    def make() -> Plan:
        made.append("plan")
        begun.set()
        assert may_end.wait(LIMIT_SECONDS)
        return {"due": 3}

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(plans.get, desk, "c", b"chat", make) for _ in range(8)]
        assert begun.wait(LIMIT_SECONDS)
        may_end.set()
        assert [call.result(LIMIT_SECONDS) for call in calls] == [{"due": 3}] * 8
    assert made == ["plan"]


def test_plans_of_several_chats_are_made_one_after_the_other(desk: Desk) -> None:
    plans = Plans()
    at_work: list[int] = []
    most: list[int] = []

    def make() -> Plan:
        at_work.append(1)
        most.append(len(at_work))
        at_work.pop()
        return {}

    with ThreadPoolExecutor(8) as pool:
        for number in range(40):
            pool.submit(plans.get, desk, f"c{number}", b"chat", make)
    assert most == [1] * 40


def test_a_log_that_a_reader_has_opened_empty_is_no_change(desk: Desk) -> None:
    plans = Plans()
    made: list[str] = []

    def make() -> Plan:
        made.append("plan")
        return {}

    archive = archive_path(desk.folders.state)
    log = archive.with_name(f"{archive.name}-wal")
    archive.write_bytes(b"pages")
    plans.get(desk, "c", b"chat", make)
    log.touch()
    plans.get(desk, "c", b"chat", make)
    assert len(made) == 1
    log.write_bytes(b"a page")
    plans.get(desk, "c", b"chat", make)
    assert len(made) == 2


def test_a_plan_that_cannot_be_made_is_tried_again(desk: Desk) -> None:
    plans = Plans()

    def fails() -> Plan:
        raise OSError("no process")

    with pytest.raises(OSError, match="no process"):
        plans.get(desk, "c", b"chat", fails)
    assert plans.get(desk, "c", b"chat", lambda: {"due": 1}) == {"due": 1}
