"""Files on their way into the inbox, by every road: each final content is processed, and no half file is taken."""

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from tests.chats import export_bytes
from tests.stories.daemon import (
    QUICK,
    Daemon,
    all_is_processed,
    copies,
    export,
    held_in,
    known,
    memories_in,
    messages,
    running,
    talk,
    updated,
)
from tests.stories.person import Person

pytestmark = [
    pytest.mark.timeout(200),
    pytest.mark.skipif(sys.platform != "linux", reason="the stories look into /proc"),
]
SHORT = 600  # tokens: such a chat is left alone, which takes no time


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that runs all day, and has stopped in good order at its end."""
    ida = Person(tmp_path_factory.mktemp("ida"))
    ida.settings(QUICK)
    with running(ida) as day:
        yield day


@pytest.mark.long
def test_an_export_is_dropped_and_the_updated_one_is_found(day: Daemon) -> None:
    content = export("dropped", 2600)
    path = day.person.drop(content, "dropped.json")
    row = day.comes_to("dropped.json", "written")
    assert "ready to be imported" in row.reason
    assert path.read_bytes() == content
    chat = updated(day.person, "dropped")
    assert memories_in(chat) > 0
    assert chat["messages"][-1] == talk("dropped", 2600)["messages"][-1]
    status = day.status()
    assert (status["exit_code"], status["problems"]) == (0, [])
    assert status["outcomes"][0]["kind"] == "written"
    assert "dropped.json" in day.person.memproc("logs").out


@pytest.mark.full
def test_a_copy_that_stalls_at_a_bracket_is_called_cut_off_and_taken_once_it_goes_on(
    day: Daemon,
) -> None:
    content = export("stalled", SHORT)
    half = content[: content.index(b"}", len(content) // 2) + 1]
    path = day.person.drop(half, "stalled.json")
    row = day.comes_to("stalled.json", "skipped")
    assert "cut off" in row.reason
    with path.open("ab") as writing:
        writing.write(content[len(half) :])
    day.comes_to("stalled.json", "done")


@pytest.mark.full
def test_a_writer_who_begins_again_and_again_is_heard_to_the_end(day: Daemon) -> None:
    path = day.person.inbox / "again.json"
    drafts = [
        export_bytes(talk("again", 200 * number) | {"preview": "x" * 300_000})
        for number in range(1, 151)
    ]
    for content in drafts:
        path.write_bytes(content)
    whole = held_in(drafts[-1])["again"]
    day.until(lambda: known(day.person).get("again") == whole, "the last draft is taken")
    day.comes_to("again.json", "written")
    assert {row.state for row in day.rows("again.json")} <= {"written", "done"}, "and none in half"


@pytest.mark.long
def test_a_file_that_is_replaced_while_it_settles_is_gone_and_the_other_one_counts(
    day: Daemon,
) -> None:
    content = export("replaced", SHORT)
    path = day.person.drop(content[:500], "replaced.json")
    day.comes_to("replaced.json", "settling", saying="JSON not closed at byte 500")
    new = day.person.home / "new.json"
    new.write_bytes(content)
    new.replace(path)
    day.comes_to("replaced.json", "done")
    assert [row.state for row in day.rows("replaced.json")] == ["gone", "done"]


@pytest.mark.long
def test_a_file_that_is_replaced_while_it_is_worked_on_is_taken_again(day: Daemon) -> None:
    first, second = export("worked-on", 5000), export("worked-on", 5600)
    path = day.person.drop(first, "worked-on.json")
    day.comes_to("worked-on.json", "working")
    new = day.person.home / "new.json"
    new.write_bytes(second)
    new.replace(path)
    day.until(lambda: len(day.rows("worked-on.json")) == 2, "the new one is seen")
    day.comes_to("worked-on.json", "written")
    assert [row.state for row in day.rows("worked-on.json")] == ["written", "written"]
    assert messages(day.person, "worked-on") == talk("worked-on", 5600)["messages"]
    assert (
        updated(day.person, "worked-on")["messages"][-1] == talk("worked-on", 5600)["messages"][-1]
    )


@pytest.mark.full
def test_a_file_that_is_moved_in_is_taken(day: Daemon) -> None:
    content = export("moved", SHORT)
    outside = day.person.home / "outside.json"
    outside.write_bytes(content)
    outside.rename(day.person.inbox / "moved.json")
    day.comes_to("moved.json", "done")
    assert len(day.rows("moved.json")) == 1


@pytest.mark.full
def test_a_download_counts_once_it_has_its_own_name(day: Daemon) -> None:
    content = export("fetched", SHORT)
    part = day.person.drop(content[:400], "fetched.json.part")
    crdownload = day.person.drop(content, "other.json.crdownload")
    day.person.drop(content, ".hidden.json")
    (day.person.inbox / "linked.json").symlink_to(day.person.toml)
    scans = day.status()["life"]["last_event"]
    with part.open("ab") as more:
        more.write(content[400:])
    part.rename(day.person.inbox / "fetched.json")
    day.comes_to("fetched.json", "done")
    assert scans
    names = {row.name for row in day.rows()}
    assert not names & {"fetched.json.part", "other.json.crdownload", ".hidden.json", "linked.json"}
    crdownload.unlink()


@pytest.mark.long
def test_a_file_that_is_taken_away_before_it_is_complete_is_gone(day: Daemon) -> None:
    path = day.person.drop(export("withdrawn", SHORT)[:700], "withdrawn.json")
    day.comes_to("withdrawn.json", "settling", saying="JSON not closed at byte 700")
    assert "JSON not closed at byte 700" in day.person.memproc("status").out
    path.unlink()
    row = day.comes_to("withdrawn.json", "gone")
    assert row.next_step == ""


@pytest.mark.full
def test_a_zip_is_an_export_too(day: Daemon) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("data.json", export("zipped", 2600))
    content = packed.getvalue()
    path = day.person.drop(content[:-40], "zipped.zip")
    day.comes_to("zipped.zip", "settling", saying="ZIP without its directory")
    with path.open("ab") as more:
        more.write(content[-40:])
    day.comes_to("zipped.zip", "written")
    assert len([row for row in day.rows("zipped.zip") if row.is_taken]) == 1
    assert memories_in(updated(day.person, "zipped")) > 0


@pytest.mark.full
def test_what_is_no_export_is_skipped_and_the_others_go_on(day: Daemon) -> None:
    path = day.person.drop(b'{"data": "of another kind"}', "odd.json")
    day.person.drop(export("after", SHORT), "after.json")
    row = day.comes_to("odd.json", "skipped")
    assert row.next_step
    day.comes_to("after.json", "done")
    assert day.status()["exit_code"] == 1
    path.write_bytes(export("odd", SHORT))
    day.comes_to("odd.json", "done")
    assert day.status()["problems"] == []


@pytest.mark.long
def test_the_inbox_goes_and_comes_back_in_every_way(tmp_path: Path) -> None:
    ida = Person(tmp_path / "ida")
    ida.settings(QUICK)
    away, contents = (
        ida.home / "away",
        [export(name, SHORT) for name in ("one", "two", "three", "four")],
    )
    with running(ida) as daemon:
        shutil.rmtree(ida.inbox)
        daemon.until(
            lambda: "not there" in daemon.status()["life"]["why"],
            "it is said that the inbox is not there",
        )
        assert "is not there" in ida.memproc("status").out
        ida.inbox.mkdir()
        ida.drop(contents[0], "one.json")
        daemon.comes_to("one.json", "done")

        ida.inbox.rename(away)
        (away / "two.json").write_bytes(contents[1])
        away.rename(ida.inbox)
        daemon.comes_to("two.json", "done")
        assert len(daemon.rows()) == 2, "what was there before is known"

        ida.inbox.rename(away)
        ida.inbox.mkdir()
        ida.drop(contents[2], "three.json")
        daemon.comes_to("three.json", "done")
        ida.drop(contents[3], "four.json")
        daemon.comes_to("four.json", "done")
        daemon.until(lambda: daemon.status()["problems"] == [], "all is well again")
        all_is_processed(daemon, *contents)


@pytest.mark.long
def test_a_disk_is_taken_away_and_put_back_as_the_inbox(tmp_path: Path) -> None:
    ida = Person(tmp_path / "ida")
    ida.settings(QUICK)
    contents = [export(name, SHORT) for name in ("one", "two", "three")]
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(ida.inbox)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a disk needs root")
    try:
        with running(ida) as daemon:
            ida.drop(contents[0], "one.json")
            daemon.comes_to("one.json", "done")
            subprocess.run(["umount", ida.inbox], check=True)
            ida.drop(contents[1], "two.json")
            daemon.comes_to("two.json", "done")
            subprocess.run(mount, check=True)
            ida.drop(contents[2], "three.json")
            daemon.comes_to("three.json", "done")
            all_is_processed(daemon, *contents)
    finally:
        while os.path.ismount(ida.inbox):
            subprocess.run(["umount", "--lazy", ida.inbox], check=True)
    assert not copies(ida)
