"""The daemon's voice: everything goes into the log, and what is worth it onto the desktop."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.status.log import FileIs, Resumed, Trouble
from tests.daemon.watching.standins import Daemon, daemon

READY = FileIs(1, "summer.json", "written", "ready to be imported")


@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Daemon]:
    with daemon(tmp_path) as running:
        yield running


def test_what_happens_is_logged_in_its_order(ada: Daemon) -> None:
    ada.telling.tell(READY)
    ada.telling.tell(Resumed())
    assert ada.told == [READY, Resumed()]
    log = (ada.plan.state / "logs" / "memproc.log").read_text()
    assert log.index("FileIs") < log.index("Resumed")


def test_only_what_is_worth_it_becomes_a_notice(ada: Daemon) -> None:
    ada.telling.tell(Resumed())
    ada.telling.tell(READY)
    ((notice, when),) = ada.notifier.given
    assert (notice.kind, when) == ("ready", "problems")
    assert "summer.json" in notice.text


def test_notices_go_by_what_memproc_toml_says_now(ada: Daemon) -> None:
    ada.telling.when = "never"
    ada.telling.tell(READY)
    assert [when for _, when in ada.notifier.given] == ["never"]


def test_a_log_that_cannot_be_written_is_told_in_the_archive_until_it_can_be_again(ada: Daemon) -> None:
    blocked = ada.plan.state / "logs"
    blocked.write_text("in the way")
    ada.telling.tell(Resumed())
    assert str(blocked) in (ada.sign("log_note") or "")
    assert len(ada.of(Trouble)) == 1
    blocked.unlink()
    ada.telling.tell(Resumed())
    assert ada.sign("log_note") == ""


def test_notices_on_their_way_are_looked_after_and_none_is_left_behind(ada: Daemon) -> None:
    ada.telling.step()
    assert (ada.notifier.steps, ada.notifier.stopped) == (1, False)
    ada.telling.stop()
    assert ada.notifier.stopped
