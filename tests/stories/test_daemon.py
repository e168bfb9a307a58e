"""A person and their daemon, side by side: a second one, commands while it works, settings that change, many files."""

import json
import os
import signal
import socket
import subprocess
import sys
from logging import getLogger
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from daemon.inbox import page_port
from tests.stories.daemon import (
    QUICK,
    all_is_processed,
    export,
    memories_in,
    messages,
    running,
    standing_still,
    talk,
    updated,
)
from tests.stories.person import Person

pytestmark = [
    pytest.mark.timeout(200),
    pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc"),
]
SHORT = 600


def free_port() -> int:
    """A port that nothing listens at, just now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def ida(tmp_path: Path) -> Person:
    """A person whose daemon does not wait long."""
    ida = Person(tmp_path / "ida")
    ida.settings(QUICK)
    return ida


@pytest.mark.full
def test_a_second_daemon_says_who_is_there_already(ida: Person, tmp_path: Path) -> None:
    with running(ida) as daemon, pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_RUNTIME_DIR", str(ida.home / "home" / "runtime"))
        second = ida.spawn("watch")
        assert (second.code, second.out) == (1, "")
        assert f"Another memproc (process {daemon.process.pid}, since " in second.err
        assert "is at work on this archive" in second.err

        other = Person(tmp_path / "other")
        other.toml.write_text(
            other.toml.read_text().replace('"inbox"', json.dumps(str(ida.inbox))) + QUICK
        )
        third = other.spawn("watch")
        assert (third.code, third.out) == (1, "")
        assert f"(process {daemon.process.pid}, since " in third.err
        assert "is at work on this inbox" in third.err

        ida.drop(export("one", SHORT), "one.json")
        daemon.comes_to("one.json", "done")
    assert ida.memproc("status").code == 2
    with running(ida):
        assert ida.memproc("status").code == 0


@pytest.mark.full
def test_a_page_that_was_open_before_the_daemon_is_waited_for(ida: Person) -> None:
    port = free_port()
    ida.settings(f"{QUICK}[page]\nport = {port}\n")
    link = ida.spawn("open", "--print").out.strip()
    assert f":{port}/enter?" in link
    holder = json.loads((ida.home / "state" / f"page-{port}.lock.json").read_bytes())
    with running(ida) as daemon:
        daemon.until(lambda: daemon.status()["life"]["page"], "it is told who has the port")
        for command, code in (("status", 0), ("doctor", 0)):
            ended = ida.memproc(command)
            assert ended.code == code
            assert "a process that `memproc open` began" in " ".join(ended.out.split())
        assert "page.port" not in daemon.said(), "nothing is to be chosen or closed"
        assert ida.spawn("open", "--print").code == 0, "the page that is there answers"
        os.kill(holder["pid"], signal.SIGTERM)
        daemon.until(lambda: not daemon.status()["life"]["page"], "the port is taken over")
        assert "the daemon shows it from now on" in daemon.said()
        assert f":{port}/enter?" in ida.spawn("open", "--print").out
        assert daemon.status()["life"]["page"] == ""


@pytest.mark.full
def test_a_program_that_has_the_pages_port_is_named_and_waited_for(ida: Person) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ida.settings(f"{QUICK}[page]\nport = {port}\n")
        ended = ida.spawn("open", "--print")
        assert ended.code == 1
        assert f"at port {port} of this computer: " in ended.err
        assert f"(process {os.getpid()})" in ended.err and "Close that program" in ended.err
        with running(ida) as daemon:
            daemon.until(lambda: daemon.problem("the page"), "it is told who has the port")
            status = ida.memproc("status")
            assert status.code == 1
            assert f"(process {os.getpid()})" in status.out
            other.close()
            daemon.until(lambda: not daemon.status()["life"]["page"], "the port is taken over")
            assert ida.memproc("status").code == 0


@pytest.mark.full
def test_where_the_system_does_not_say_who_has_the_port_the_page_takes_the_next_one(
    ida: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ida.settings(f"[page]\nport = {port}\n")
        monkeypatch.setattr(page_port, "program_at_port", lambda port: "")
        started: list[subprocess.Popen[bytes]] = []
        start = page_port.start_page

        def noted(toml: Path | None, listener: socket.socket, *, quiet: bool = False) -> Any:
            started.append(start(toml, listener, quiet=quiet))
            return started[-1]

        monkeypatch.setattr("daemon.cli.page.start_page", noted)
        ended = ida.memproc("open", "--print")
    assert ended.code == 0
    (lock,) = (ida.home / "state").glob("page-*.lock.json")
    next_port = int(lock.name.removeprefix("page-").removesuffix(".lock.json"))
    assert port < next_port < port + 10
    assert f":{next_port}/enter?" in ended.out
    assert f"So the page is at the next one, {next_port}." in ended.err
    for page in started:
        page.terminate()
        page.wait()


@pytest.mark.full
def test_commands_by_hand_and_the_daemon_get_along(ida: Person) -> None:
    long, other = export("long", 40_000), export("other", 2600)
    with running(ida) as daemon:
        path = ida.drop(long, "long.json")
        daemon.comes_to("long.json", "working")
        daemon.until(lambda: "chunks become memories" in daemon.said(), "the work has begun")
        with standing_still(worker := daemon.worker()):
            ended = ida.memproc("run", path)
            assert (ended.code, ended.out) == (1, "")
            assert f"Another memproc (process {worker}, since " in ended.err
            assert ida.memproc("plan", path).code == 0
            assert daemon.status()["queue"][0]["state"] == "working"
            assert ida.memproc("chats").code == 0
        daemon.comes_to("long.json", "written")

        ida.memproc("pause")
        ida.drop(other, "other.json")
        daemon.comes_to("other.json", "copied")
        daemon.until(lambda: "Paused until" in daemon.said(), "the pause is told")
        by_hand = ida.memproc("run", ida.inbox / "other.json")
        assert (by_hand.code, by_hand.err) == (0, "")
        assert "1 written" in by_hand.out
        assert daemon.rows("other.json")[0].state == "copied"
        ida.memproc("resume")
        row = daemon.comes_to("other.json", "done", "written")
        assert row.state == "done", "a run by hand has done all of it"
        all_is_processed(daemon, long, other)
    assert memories_in(updated(ida, "other")) > 0


@pytest.mark.long
def test_a_run_by_hand_is_waited_for(ida: Person) -> None:
    content = export("second", 2600)
    ida.drop(export("first", 9000), "first.json")
    by_hand = ida.start("run")
    assert by_hand.stdout is not None
    assert by_hand.stdout.readline()
    with running(ida) as daemon:
        ida.drop(content, "second.json")
        daemon.comes_to("second.json", "written")
        out, err = by_hand.communicate(timeout=100)
        assert (by_hand.returncode, err) == (0, ""), out
        daemon.comes_to("first.json", "done")
        assert [row.tries for row in daemon.rows()] == [0, 0], "waiting is no failure"


@pytest.mark.long
def test_settings_are_broken_and_mended_while_it_runs(ida: Person) -> None:
    good = ida.toml.read_text()
    with running(ida) as daemon:
        ida.toml.write_text(good + "[chunk\ntokens = 500\n")
        daemon.until(lambda: daemon.problem("the settings"), "the mistake is noticed")
        line = f"line {len(good.splitlines()) + 1}"
        assert line in daemon.problem("the settings")
        assert line in daemon.said()
        status = ida.memproc("status")
        assert status.code == 1
        assert line in status.out
        content = export("meanwhile", 2600)
        ida.drop(content, "meanwhile.json")
        daemon.comes_to("meanwhile.json", "written")
        assert memories_in(updated(ida, "meanwhile")) > 0, "the last good settings count"

        ida.toml.write_text(good.replace("tokens = 1600", "tokens = 6000"))
        daemon.until(lambda: not daemon.problem("the settings"), "the mended settings are read")
        assert daemon.status()["problems"] == []
        ida.drop(export("after", 2600), "after.json")
        row = daemon.comes_to("after.json", "done")
        assert "live tail" in row.reason, "the new settings count"

        said = len(daemon.said())
        daemon.process.send_signal(signal.SIGHUP)
        daemon.until(lambda: "memproc.toml" in daemon.said()[said:], "it is read again")
        said = len(daemon.said())
        ida.toml.write_text(good.replace('inbox = "inbox"', 'inbox = "another"'))
        daemon.until(
            lambda: "folders.inbox" in daemon.said()[said:], "what needs a restart is named"
        )
        ida.drop(export("last", SHORT), "last.json")
        daemon.comes_to("last.json", "done")


@pytest.mark.full
def test_settings_that_are_wrong_at_the_start_end_it_with_the_line(ida: Person) -> None:
    ida.toml.write_text(ida.toml.read_text() + '[watch2]\nmode = "native"\n')
    ended = ida.spawn("watch")
    assert (ended.code, ended.out) == (2, "")
    assert "watch2" in ended.err
    assert "line" in ended.err


@pytest.mark.long
def test_in_polling_mode_files_are_found_too(ida: Person) -> None:
    ida.settings(QUICK.replace("[notify]", 'mode = "poll"\n[notify]'))
    with running(ida) as daemon:
        assert daemon.status()["life"]["mode"] == "poll"
        content = export("one", SHORT)
        ida.drop(content, "one.json")
        daemon.comes_to("one.json", "done")
        all_is_processed(daemon, content)


def many(ida: Person, number: int) -> None:
    """Files of three contents, all dropped while the daemon stands still; each must be seen."""
    contents = [export(f"chat{each}", SHORT) for each in range(3)]
    with running(ida) as daemon:
        daemon.process.send_signal(signal.SIGSTOP)
        for each in range(number):
            (ida.inbox / f"{each:05}.json").write_bytes(contents[each % 3])
        daemon.process.send_signal(signal.SIGCONT)

        began = monotonic()
        daemon.until(lambda: sum(daemon.states().values()) == number, "all are seen", seconds=60)
        seen = monotonic() - began
        daemon.until(lambda: daemon.states() == {"done": number}, "all are done", seconds=600)
        getLogger(__name__).info(
            "%d files: seen in %.1f s, done in %.1f s", number, seen, monotonic() - began
        )
        assert len(daemon.rows()) == len({row.name for row in daemon.rows()}) == number
        all_is_processed(daemon, *contents)


@pytest.mark.full
def test_files_that_come_while_it_stands_still_are_all_seen(ida: Person) -> None:
    many(ida, 20)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_twenty_thousand_files_that_come_while_it_stands_still_are_all_seen(ida: Person) -> None:
    many(ida, 20_000)


@pytest.mark.long
def test_what_was_dropped_while_no_daemon_ran_is_found_at_the_start(ida: Person) -> None:
    contents = [export("one", 2600), export("two", SHORT)]
    ida.drop(contents[0], "one.json")
    ida.drop(contents[1], "two.json")
    ida.drop(contents[0][:300], "half.json")
    with running(ida) as daemon:
        daemon.comes_to("one.json", "written")
        daemon.comes_to("two.json", "done")
        daemon.comes_to("half.json", "settling", saying="JSON not closed at byte 300")
        assert daemon.stop() == 0
    with running(ida) as daemon:
        ida.drop(contents[0][:500], "half.json")
        daemon.comes_to("half.json", "settling", saying="JSON not closed at byte 500")
        (ida.inbox / "half.json").unlink()
        daemon.comes_to("half.json", "gone")
        all_is_processed(daemon, *contents)
        assert len(daemon.rows()) == 3
    assert messages(ida, "one") == talk("one", 2600)["messages"]
    assert (ida.home / "state").stat().st_mode & 0o777 == 0o700
