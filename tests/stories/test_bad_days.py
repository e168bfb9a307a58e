"""Bad days: each ends in a clear sentence and the right exit code, with the old output whole and the way on open."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chats import export_bytes, long_chat
from tests.stories.databases import archive_of, change, locked
from tests.stories.person import Ended, Person

pytestmark = pytest.mark.timeout(200)
CHAT = long_chat(8000, tokens_each=200)
EARLIER = {**CHAT, "messages": CHAT["messages"][:40]}


@pytest.fixture(scope="module")
def better_day(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """A person whose chat was compressed on a better day; their folder is kept beside, as it was."""
    person = Person(tmp_path_factory.mktemp("better") / "bea")
    person.drop(export_bytes(EARLIER))
    assert person.memproc("run").code == 0
    shutil.copytree(person.home, person.home.with_name("as it was"))
    return person


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """Our messages, as an undisturbed run makes them."""
    person = Person(tmp_path_factory.mktemp("undisturbed") / "day")
    person.drop(export_bytes(CHAT))
    assert person.memproc("run").code == 0
    return ours(person)


@pytest.fixture
def bea(better_day: Person) -> Person:
    """The same person, at the same place, since the archive knows it; their chat has gone on since."""
    shutil.rmtree(better_day.home)
    shutil.copytree(better_day.home.with_name("as it was"), better_day.home)
    better_day.drop(export_bytes(CHAT))
    return better_day


def ends_clearly(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, (ended.out, ended.err)
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


def goes_on(person: Person, undisturbed: list[object]) -> None:
    """The next run does all of the work, and the result is that of an undisturbed day."""
    ended = person.memproc("run")
    assert (ended.code, ended.err) == (0, "")
    assert ours(person) == undisturbed
    assert person.memproc("verify").code == 0


def ours(person: Person) -> list[object]:
    return [message for message in person.chat()["messages"] if "memproc" in message]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte; needs the rights to mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.full
def test_the_disk_is_full(bea: Person, undisturbed: list[object], small_disk: Path) -> None:
    old = bea.updated()[0]
    content = old.read_bytes()
    shutil.copytree(bea.home / "updated", small_disk / "updated")
    shutil.rmtree(bea.home / "updated")
    (bea.home / "updated").symlink_to(small_disk / "updated")
    filling = small_disk / "filling"
    filling.write_bytes(
        b"x" * (os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize - 4096)
    )

    ends_clearly(bea.spawn("run"), 1, "skipped", "full")

    assert old.read_bytes() == content
    assert [path.name for path in (small_disk / "updated").iterdir()] == [old.name], (
        "no half-written file is left"
    )
    filling.unlink()
    goes_on(bea, undisturbed)


def test_the_folder_is_read_only(bea: Person, undisturbed: list[object]) -> None:
    if os.geteuid() == 0:
        place = bea.home / "updated"
        bound = subprocess.run(["mount", "--bind", place, place], capture_output=True, check=False)
        if bound.returncode != 0:
            pytest.skip("root writes everywhere, and mounting is not allowed here")
        subprocess.run(["mount", "-o", "remount,bind,ro", place], check=True)
        content = bea.updated()[0].read_bytes()
        try:
            ended = bea.memproc("run")
        finally:
            subprocess.run(["umount", place], check=True)
    else:
        content = bea.updated()[0].read_bytes()
        (bea.home / "updated").chmod(0o500)
        ended = bea.memproc("run")
        (bea.home / "updated").chmod(0o700)
    ends_clearly(ended, 1, "read-only")
    assert bea.updated()[0].read_bytes() == content
    goes_on(bea, undisturbed)


@pytest.mark.parametrize(
    "memories", [pytest.param(number, marks=pytest.mark.long) for number in (0, 1, 3)]
)
def test_killed_in_the_middle(bea: Person, undisturbed: list[object], memories: int) -> None:
    content = bea.updated()[0].read_bytes()
    running = bea.start("run")
    assert running.stdout is not None
    seen = 0
    while seen < memories + 1:
        line = running.stdout.readline()
        assert line, "the run ended before it could be killed"
        seen += ": memory " in line or "become memories" in line or "becomes a memory" in line
    running.kill()
    running.communicate()
    assert bea.updated()[0].read_bytes() == content
    goes_on(bea, undisturbed)


@pytest.mark.full
def test_two_runs_at_once(bea: Person, undisturbed: list[object]) -> None:
    first = bea.start("run")
    assert first.stdout is not None
    assert first.stdout.readline()
    first.send_signal(signal.SIGSTOP)  # it would be through before the second has begun
    second = bea.spawn("run")
    first.send_signal(signal.SIGCONT)
    _, err = first.communicate(timeout=60)
    ends_clearly(second, 1, "Another memproc", f"process {first.pid}")
    assert (first.returncode, err) == (0, "")
    goes_on(bea, undisturbed)


@pytest.mark.long
def test_the_export_is_replaced_while_it_is_worked_on(
    bea: Person, undisturbed: list[object]
) -> None:
    content = bea.updated()[0].read_bytes()
    running = bea.start("run")
    assert running.stdout is not None
    assert running.stdout.readline()
    new = bea.home / "new.json"
    new.write_bytes(export_bytes(CHAT))
    new.replace(bea.inbox / "export.json")
    out, err = running.communicate(timeout=60)
    ends_clearly(
        Ended(running.returncode, out, err), 1, "was replaced", "run memproc again".capitalize()
    )
    assert bea.updated()[0].read_bytes() == content
    goes_on(bea, undisturbed)


@pytest.mark.long
def test_the_archive_is_locked_by_another_program(bea: Person, undisturbed: list[object]) -> None:
    with locked(archive_of(bea)):
        ended = bea.memproc("run")
    ends_clearly(ended, 1, "archive", "locked")
    goes_on(bea, undisturbed)


def test_the_archive_is_damaged(bea: Person, undisturbed: list[object]) -> None:
    path = archive_of(bea)
    sound = path.read_bytes()
    content = bea.updated()[0].read_bytes()
    path.write_bytes(sound[:100] + b"\xff" * (len(sound) - 100))
    for command in ("run", "plan", "chats", "verify"):
        ends_clearly(bea.memproc(command), 1, "archive", "damaged")
    assert bea.updated()[0].read_bytes() == content
    path.write_bytes(sound)
    goes_on(bea, undisturbed)


def test_the_clock_is_set_back(bea: Person) -> None:
    """The archive says that everything happened in the future; what comes now still comes after it."""
    change(archive_of(bea), "UPDATE output SET written_at = '2099-01-01T00:00:00.000Z'")
    index = bea.home / "backups" / "INDEX.tsv"
    index.write_text(index.read_text().replace("2026-", "2099-"))
    newer = json.loads(export_bytes(CHAT))
    newer["data"]["chats"][0]["updatedAt"] = "2099-06-01T00:00:00.000Z"
    bea.drop(json.dumps(newer).encode())

    ended = bea.memproc("run")

    assert (ended.code, ended.err) == (0, "")
    assert bea.chat()["updatedAt"] > "2099-06-01T00:00:00.000Z"
    versions = json.loads(bea.memproc("versions", CHAT["chatID"], "--json").out)["versions"]
    assert [(version["number"], version["kind"]) for version in versions] == [
        (1, "original"),
        (2, "updated"),
    ]


def test_the_configuration_is_wrong_in_five_places(bea: Person, undisturbed: list[object]) -> None:
    good = bea.toml.read_text()
    bea.toml.write_text(
        '[chunk]\ntokens = 3\n[tail]\nstep = "x"\n[typo]\na = 1\n[models]\nagent = 7\n[folders]\ninbox = "/"\n'
    )
    ends_clearly(
        bea.memproc("run"),
        2,
        "chunk.tokens",
        "tail.step",
        "typo",
        "models.agent",
        "folders.inbox",
        "line 2",
    )
    bea.toml.write_text(good)
    goes_on(bea, undisturbed)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b'{"messages":[]}', "Share file"),
        (b'{"data":{"folders":[]}}', "no chats"),
        (export_bytes(CHAT)[:-40], "cut off"),
        (b"\xff\xfe{", "UTF-16"),
        (b"ENCRYPTED:abc", "encrypted"),
        (b'{"data":\n  {"chats": [], // mine\n}}', "line 2, column 17"),
        (b"[" * 100_000 + b"]" * 100_000, "deep"),
    ],
)
def test_a_file_that_is_no_export_is_named_and_nothing_else_is_touched(
    ada: Person, content: bytes, word: str
) -> None:
    path = ada.drop(content, "odd.json")
    ended = ada.memproc("run")
    ends_clearly(ended, 1, "odd.json", word)
    assert path.read_bytes() == content
    assert ada.updated() == []


@pytest.mark.long
def test_interrupted_by_the_person(bea: Person, undisturbed: list[object]) -> None:
    content = bea.updated()[0].read_bytes()
    running = bea.start("run")
    assert running.stdout is not None
    while ": memory " not in running.stdout.readline():
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Interrupted" in err
    assert "Traceback" not in err
    assert bea.updated()[0].read_bytes() == content
    goes_on(bea, undisturbed)
