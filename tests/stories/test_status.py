"""A person looks at the daemon, has it rest for a while, and reads what it did."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from tests.chats import export_bytes
from tests.stories.daemon import QUICK, Daemon, export, running, talk
from tests.stories.person import Person
from tests.waiting import LIMIT_SECONDS

pytestmark = [
    pytest.mark.timeout(200),
    pytest.mark.skipif(sys.platform != "linux", reason="the stories of the daemon look into /proc"),
]
LONG, SHORT = 2600, 600


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that runs all day; each test leaves it well."""
    eve = Person(tmp_path_factory.mktemp("eve"))
    eve.settings(QUICK)
    with running(eve) as day:
        yield day


def modules_of_status(person: Person) -> set[str]:
    """The modules that `memproc status` loads."""
    code = "import sys; from daemon.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, *person.argv("status")[1:]]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=person.home)
    return set(ran.stderr.split())


@pytest.mark.full
def test_status_loads_settings_for_chats_alone_and_planners_for_none_without_folds(
    ada: Person,
) -> None:
    assert "pydantic" not in modules_of_status(ada)
    ada.drop(export("one", LONG))
    assert ada.memproc("run").code == 0
    loaded = modules_of_status(ada)
    assert not {name for name in loaded if name.startswith(("rules.extract.", "rules.recognize."))}


@contextmanager
def looking(person: Person, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A command that goes on until Ctrl-C, which it takes well."""
    process = person.start(*arguments)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(LIMIT_SECONDS) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


def read_until(process: "subprocess.Popen[str]", word: str) -> None:
    """Read its lines up to one with this word."""
    assert process.stdout is not None
    end = monotonic() + LIMIT_SECONDS
    while word not in (line := process.stdout.readline()):
        assert line, process.poll()
        assert monotonic() < end


def test_without_a_daemon_status_says_how_to_start_one(ada: Person) -> None:
    ended = ada.memproc("status")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(
        "Nothing runs by itself: memproc run does the work.\nTo have it run:"
    )
    assert json.loads(ada.memproc("status", "--json").out)["running"] is False
    assert "holds nothing yet" in ada.memproc("logs").out
    assert not (ada.home / "state").exists()


def test_a_pause_is_kept_for_the_next_daemon(ada: Person) -> None:
    paused = ada.memproc("pause", "2h")
    assert paused.code == 0
    assert "Paused until" in paused.out
    assert "(in 2 hours)" in paused.out
    assert "counts for the next one" in paused.out
    assert json.loads(ada.memproc("status", "--json").out)["paused"]["until"] > "2026"
    assert "Resumed." in ada.memproc("resume").out
    assert "was not paused" in ada.memproc("resume").out
    assert ada.memproc("pause", "two hours").code == 2


@pytest.mark.full
def test_a_daemon_that_is_well_says_so(day: Daemon) -> None:
    day.until(lambda: day.status()["life"]["last_scan"], "the inbox is looked through")
    ended = day.person.memproc("status")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("memproc is running: nothing to do")
    assert f"process {day.process.pid}" in ended.out
    status = day.status()
    assert status["life"]["mode"] == "native"
    assert status["life"]["last_scan"] >= status["life"]["since"]


@pytest.mark.long
def test_a_pause_holds_the_work_back_and_nothing_is_forgotten(day: Daemon) -> None:
    person = day.person
    assert "until you say: memproc resume" in person.memproc("pause").out
    person.drop(export("paused", LONG), "paused.json")
    day.comes_to("paused.json", "copied")
    status = day.status()
    assert status["paused"] == {"until": ""}
    assert [file["file"] for file in status["queue"]] == ["paused.json"]
    assert person.memproc("status").out.startswith(
        "memproc is running: paused until memproc resume, 1 file to do"
    )

    assert "Resumed." in person.memproc("resume").out
    day.comes_to("paused.json", "written")
    assert day.status()["exit_code"] == 0


@pytest.mark.full
def test_logs_tell_what_happened_and_each_chat_can_be_asked_for(day: Daemon) -> None:
    person = day.person
    for name in ("first", "second"):
        person.drop(export(name, LONG), f"{name}.json")
        day.comes_to(f"{name}.json", "written")

    told = person.memproc("logs").out
    for word in (
        "watches",
        "first.json was found",
        'The chat "Talk of first"',
        "second.json is done",
    ):
        assert word in told
    for wanted in ("first", "Talk of first"):
        of_first = person.memproc("logs", wanted).out
        assert "first.json is done" in of_first
        assert "second" not in of_first
    assert person.memproc("logs", "nobody").code == 2


def test_the_log_says_of_the_same_content_that_it_is_already_done(day: Daemon) -> None:
    content = export("twice", LONG)
    day.person.drop(content, "twice.json")
    day.comes_to("twice.json", "written")
    before = day.person.bytes_of_everything()
    day.person.drop(content, "twice (1).json")
    row = day.comes_to("twice (1).json", "done")
    assert "already done: the same content was worked on as twice.json" in row.reason
    day.person.drop(day.person.updated()[0].read_bytes(), "ours.json")
    assert "memproc wrote this file itself" in day.comes_to("ours.json", "done").reason
    assert "already done" in day.person.memproc("logs").out
    after = day.person.bytes_of_everything()
    assert {name: after[name] for name in before if "said" not in name} == {
        name: content for name, content in before.items() if "said" not in name
    }


def test_the_journal_names_no_titles_and_neither_it_nor_the_log_holds_texts(day: Daemon) -> None:
    person = day.person
    nameless = talk("nameless", LONG) | {"chatTitle": "Secret of the Well"}
    for field in ("id", "chatID"):
        del nameless[field]
    person.drop(export_bytes(nameless), "nameless.json")
    day.comes_to("nameless.json", "skipped")
    (problem,) = day.status()["problems"]
    assert problem["what"] == "Secret of the Well"
    (person.inbox / "nameless.json").unlink()

    printed = day.said()
    assert "nameless.json" in printed
    assert "Secret" not in printed
    assert "Talk of" not in re.sub(r"Talk of \w+ \(\w+\)\.json", "", printed), (
        "but for the names of files"
    )
    logged = person.memproc("logs", "--json").out
    said = [message["content"] for message in nameless["messages"] if message["role"] == "user"]
    assert not any(str(text)[:40] in printed + logged for text in said)
    assert day.status()["problems"] == []


@pytest.mark.full
def test_following_the_log_shows_what_happens_now(day: Daemon) -> None:
    with looking(day.person, "logs", "-f") as process:
        read_until(process, " watches ")
        day.person.drop(export("now", SHORT), "now.json")
        read_until(process, "Nothing to do for now.json")


@pytest.mark.full
def test_watching_the_status_shows_it_anew(day: Daemon) -> None:
    with looking(day.person, "status", "--watch") as process:
        for _ in range(2):
            read_until(process, "memproc is running: nothing to do")
            read_until(process, "Money:")


@pytest.mark.full
@pytest.mark.parametrize(
    ("right", "wrong", "is_reloaded"),
    [("[chunk]\ntokens = 400", "[chunk]\ntokens = 3", False), ("[chunk]", "[chunk", True)],
)
def test_broken_settings_are_told_by_status_and_the_daemon_goes_on(
    day: Daemon, right: str, wrong: str, is_reloaded: bool
) -> None:
    person = day.person
    good = person.toml.read_text()
    person.toml.write_text(good.replace(right, wrong))
    try:
        if is_reloaded:  # else it finds them changed at its next look
            day.process.send_signal(signal.SIGHUP)
        day.until(lambda: day.problem("the settings"), "the settings are found to be wrong")
        ended = person.memproc("status")
        assert (ended.code, ended.err) == (1, "")
        assert "Needs attention" in ended.out
        assert "line " in ended.out
    finally:
        person.toml.write_text(good)
    day.process.send_signal(signal.SIGHUP)
    day.until(lambda: not day.problem("the settings"), "the settings are right again")
    assert day.status()["exit_code"] == 0


@pytest.mark.full
def test_when_the_daemon_has_ended_status_says_when_it_was_seen_last(
    day: Daemon, tmp_path: Path
) -> None:
    bob = Person(tmp_path / "bob")
    bob.settings(QUICK)
    with running(bob) as daemon:
        assert bob.memproc("status").code == 0
        daemon.process.kill()
        daemon.process.wait()
        ended = bob.memproc("status")
    assert ended.code == 2
    assert "Its last sign of life: " in ended.out
