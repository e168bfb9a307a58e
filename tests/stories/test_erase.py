"""A chat is erased for good: nothing of it is left in any file of memproc's, and nothing of another chat is touched."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from daemon.files.paths import is_sent, sent_name
from daemon.recovery import erase as erasure
from tests.chats import export_bytes
from tests.stories.erasing import OTHER, SECRET, contents, put_back, secret_chat, written_twice
from tests.stories.person import Person
from tests.stories.reports import raw_texts, report

pytestmark = pytest.mark.timeout(200)


@pytest.fixture
def eve(lived: Person) -> Iterator[Person]:
    """A person with two chats, both compressed twice; the secret one is in every place that memproc knows."""
    with put_back(lived) as eve:
        yield eve


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """The same person, whose folder each test gets as it was."""
    return written_twice(tmp_path_factory.mktemp("lived") / "eve")


def test_nothing_of_an_erased_chat_is_left_in_any_file(eve: Person) -> None:
    said_before = {
        path.parts[len(eve.home.parts)]
        for path, content in contents(eve.home)
        if b"secret1234" in content
    }
    assert said_before == {"state", "backups", "updated", "expanded"}

    ended = eve.memproc("erase", "secret1234", "--yes")

    assert (ended.code, ended.err) == (0, "")
    for path, content in contents(eve.home):
        for trace in (SECRET.encode(), b"secret1234"):
            assert trace not in content, f"{path} still has {trace[:40]!r}"
    assert not [path for path in eve.home.rglob("*") if SECRET in path.name], (
        "nor is a folder called after it"
    )
    assert eve.memproc("show", "secret1234").code == 2
    assert eve.memproc("verify").code == 0
    assert list((eve.home / "state" / "copies").glob("*.sqlite3")), (
        "a copy of the archive is kept all the same"
    )


def test_nothing_of_another_chat_is_touched(eve: Person) -> None:
    def of_the_other() -> dict[str, bytes]:
        return {
            str(path): content
            for path, content in contents(eve.home)
            if "state" not in path.parts and path.name != "INDEX.tsv" and b"other12345" in content
        }

    before, known = of_the_other(), known_of_the_other(eve)
    assert eve.memproc("erase", "secret1234", "--yes").code == 0
    assert of_the_other() == before
    assert known_of_the_other(eve) == known
    assert eve.memproc("verify").code == 0
    again = eve.memproc("run")
    assert "0 written, 1 unchanged" in again.out


def known_of_the_other(eve: Person) -> list[Any]:
    """All that memproc tells of the other chat."""
    commands = ("memories", "versions", "calls", "facts", "core", "keep")
    reports = [report(eve, command, "other12345") for command in commands]
    (chat,) = (chat for chat in report(eve, "chats")["chats"] if chat["chat_id"] == "other12345")
    return [*reports, chat, raw_texts(eve, "other12345")]


def test_what_there_is_is_shown_first_and_nothing_is_changed_without_a_yes(eve: Person) -> None:
    before = eve.bytes_of_everything()
    ended = eve.memproc("erase", f"About {SECRET}")
    assert ended.code == 0
    assert ended.out.endswith(" erase secret1234 --yes\n")
    for word in (
        "raw messages",
        "memories",
        "backups",
        "copies of the archive",
        str(eve.home / "updated"),
    ):
        assert word in ended.out
    assert eve.bytes_of_everything() == before
    assert eve.memproc("memories", "secret1234").code == 0


def test_an_export_in_the_inbox_is_named_and_stays(eve: Person) -> None:
    path = eve.drop(export_bytes(secret_chat()), "again.json")
    ended = eve.memproc("erase", "secret1234", "--yes")
    assert path.exists()
    assert str(path) in ended.out
    assert str(eve.inbox / "other.json") not in ended.out


STEPS = ["remove_file", "_erase_backups", "rewrite_index", "erase_rows"]


@pytest.mark.sampled
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("after", [False, pytest.param(True, marks=pytest.mark.long)])
def test_an_erasure_that_was_cut_short_can_be_said_again(
    eve: Person, monkeypatch: pytest.MonkeyPatch, step: str, after: bool
) -> None:
    whole: Callable[..., object] = getattr(erasure, step)

    def cut(*arguments: object) -> None:
        if after:
            whole(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasure, step, cut)
        assert eve.memproc("erase", "secret1234", "--yes").code == 130
    ended = eve.memproc("erase", "secret1234", "--yes")
    assert ended.code == (2 if step == "erase_rows" and after else 0), ended.err
    for path, content in contents(eve.home):
        assert SECRET.encode() not in content, path
    assert eve.memproc("verify").code == 0


@pytest.mark.full
def test_a_fork_keeps_what_it_shares_with_the_erased_chat(ada: Person) -> None:
    fork = {**OTHER, "id": "forked1234", "chatID": "forked1234", "chatTitle": "Fork"}
    ada.drop(export_bytes(OTHER), "a.json")
    ada.drop(export_bytes(fork), "b.json")
    assert ada.memproc("run").code == 0
    assert ada.memproc("expand", "forked1234", "--output", ada.home / "before.json").code == 0
    assert ada.memproc("erase", "other12345", "--yes").code == 0
    assert ada.memproc("expand", "forked1234", "--output", ada.home / "after.json").code == 0
    assert (ada.home / "after.json").read_bytes() == (ada.home / "before.json").read_bytes()
    assert ada.memproc("verify").code == 0


def test_what_the_bridge_has_put_into_the_inbox_goes_and_what_the_person_dropped_stays(
    eve: Person,
) -> None:
    content = export_bytes(secret_chat())
    sent = eve.drop(content, sent_name("A title", "secret1234"))
    assert is_sent(sent.name)
    both = eve.drop(
        export_bytes(secret_chat(), OTHER), sent.name.replace("secret1234", "both12345")
    )
    own = eve.drop(content, "own.json")
    ended = eve.memproc("erase", "secret1234", "--yes")
    assert (sent.exists(), both.exists(), own.exists()) == (False, True, True)
    assert str(own) in ended.out
