"""Home lives: what is dropped has its line, what is wrong is refused, what was skipped goes aside."""

import os
import re
import zipfile
from pathlib import Path
from time import time

import pytest

from daemon.files.lock import hold
from daemon.page.sessions import SESSION_SECONDS
from tests.chats import chat, conversation, export_bytes
from tests.stories.person import Person
from tests.stories.test_page import ADDRESS, LIGHTHOUSE, Browser, buttons

__all__ = ["buttons"]
CONFLICT = 409
PDF = b"%PDF-1.7 a letter"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody whose inbox is empty."""
    somebody = Person(tmp_path / "ada")
    somebody.inbox.mkdir(parents=True, exist_ok=True)
    return somebody


def drop_together(browser: Browser, *files: tuple[str, bytes], accept: str = "*/*") -> str:
    """Send several files in one form, and return the answer."""
    token = re.search(r'data-form-token="(\w+)"', browser.source("/"))
    assert token
    answer = browser._client.post(
        "/drop",
        data={"form_token": token[1]},
        files=[("export", file) for file in files],
        headers={"Origin": ADDRESS, "Accept": accept},
    )
    return str(answer.text)


@pytest.mark.usefixtures("buttons")
def test_two_exports_dropped_at_once_are_both_taken(person: Person) -> None:
    browser = Browser(person)
    drop_together(
        browser,
        ("one.json", export_bytes(chat(*conversation(3, 40)))),
        ("two.json", export_bytes(chat(*conversation(4, 40)))),
    )
    assert sorted(path.name for path in person.inbox.iterdir()) == ["one.json", "two.json"]
    home = browser.open("/")
    for name in ("one.json", "two.json"):
        assert f"{name} Received. It waits for a run." in home


@pytest.mark.usefixtures("buttons")
def test_a_wrong_file_is_refused_at_the_upload_and_the_right_one_beside_it_is_taken(
    person: Person,
) -> None:
    browser = Browser(person)
    text = drop_together(
        browser,
        ("Doc.pdf", PDF),
        ("notes.json", b"# Notes\n- tea"),
        ("empty.json", b""),
        ("one.json", export_bytes(chat(*conversation(3, 40)))),
    )
    assert "Doc.pdf is a PDF." in text
    assert "notes.json is a Markdown text, not JSON." in text
    assert "empty.json is empty." in text
    assert [path.name for path in person.inbox.iterdir()] == ["one.json"]
    told = drop_together(browser, ("Doc.pdf", PDF), accept="application/json")
    assert told.startswith('{"refused":["Doc.pdf is a PDF.')


@pytest.mark.usefixtures("buttons")
def test_a_dropped_file_keeps_the_letters_of_its_name(person: Person) -> None:
    browser, content = Browser(person), export_bytes(chat(*conversation(3, 40)))
    long = "🌊" * 200
    for name in ("Ada & Léa, 7%! 🌊.json", f"{long}.json"):
        browser.upload(name, content)
    names = sorted(path.name for path in person.inbox.iterdir())
    assert names[0] == "Ada & Léa, 7%! 🌊.json"
    assert re.fullmatch("🌊{40,}[.]json", names[1])


def test_the_marks_change_with_the_inbox_and_carry_no_text(person: Person) -> None:
    browser = Browser(person)
    before = browser._client.get("/live?live=1").json()
    assert browser._client.get("/live?live=1").json() == before
    person.drop(export_bytes(chat(*conversation(3, 40))), f"{LIGHTHOUSE}.json")
    after = browser._client.get("/live?live=1")
    assert after.json()["work"] != before["work"]
    assert after.json()["files"] == 1
    assert LIGHTHOUSE not in after.text


def test_what_the_page_asks_by_itself_prolongs_no_session(person: Person) -> None:
    browser = Browser(person)
    (session,) = (browser.state / "page").glob("session-*")
    old = time() - SESSION_SECONDS / 2
    os.utime(session, (old, old))
    for address in ("/live?live=1", "/?live=1"):
        answer = browser._client.get(address)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
    assert session.stat().st_mtime == pytest.approx(old, abs=1)
    answer = browser._client.get("/")
    assert f"Max-Age={SESSION_SECONDS}" in answer.headers["set-cookie"]
    assert session.stat().st_mtime > old + 1


def test_home_reloads_without_javascript_only_while_work_is_under_way(person: Person) -> None:
    browser = Browser(person)
    assert "http-equiv" not in browser.source("/")
    with hold(browser.state / "daemon.lock"):
        person.drop(export_bytes(chat(*conversation(3, 40))), "one.json")
        again = re.search(r"5;url=/[?]live=(\d+)", browser.source("/"))
        assert again
        assert again[0] in browser.source(f"/?live={again[1]}"), "the hour begins once"
        assert "http-equiv" not in browser.source(f"/?live={int(again[1]) - 3601}")


@pytest.mark.usefixtures("buttons")
def test_a_skipped_file_is_put_aside_and_brought_back(person: Person) -> None:
    browser = Browser(person)
    aside = person.inbox.parent / "backups" / "aside"
    path = person.drop(PDF, "Doc.pdf")
    assert "Doc.pdf Skipped. It is a PDF." in browser.open("/")
    assert "Doc.pdf was put aside." in browser.send("/inbox/aside", name="Doc.pdf")
    assert "was put aside" not in browser.open("/inbox"), "a notice is shown once"
    assert not path.exists()
    person.drop(b"%PDF-2 another", "Doc.pdf")
    browser.send("/inbox/aside", name="Doc.pdf")
    assert (aside / "Doc.pdf").read_bytes() == PDF, "never onto a file that is there"
    assert (aside / "Doc 2.pdf").read_bytes() == b"%PDF-2 another"
    assert "Doc.pdf is in the inbox again." in browser.send("/inbox/back", name="Doc.pdf")
    assert path.read_bytes() == PDF
    for name in ("../memproc.toml", "none.json", ""):
        browser.send("/inbox/aside", status=CONFLICT, name=name)
        browser.send("/inbox/back", status=CONFLICT, name=name)


@pytest.mark.usefixtures("buttons")
def test_no_file_is_moved_while_a_chat_is_worked_on(person: Person) -> None:
    browser = Browser(person)
    path = person.drop(PDF, "Doc.pdf")
    with hold(browser.state / "lock"):
        assert "is processing the inbox" in browser.send(
            "/inbox/aside", status=CONFLICT, name="Doc.pdf"
        )
    assert path.read_bytes() == PDF


@pytest.mark.full
@pytest.mark.usefixtures("buttons")
def test_what_was_put_aside_is_erased_with_its_chat_and_packed_with_the_archive(
    person: Person,
) -> None:
    browser = Browser(person)
    person.drop(export_bytes(chat(*conversation(20, 400))), "lighthouse.json")
    assert person.memproc("run").code == 0
    browser.send("/inbox/aside", name="lighthouse.json")
    aside = person.inbox.parent / "backups" / "aside" / "lighthouse.json"
    assert aside.exists()
    parcel = person.inbox.parent / "all.zip"
    assert person.memproc("export-archive", str(parcel)).code == 0
    with zipfile.ZipFile(parcel) as packed:
        assert "backups/aside/lighthouse.json" in packed.namelist()
    assert person.memproc("erase", LIGHTHOUSE, "--yes").code == 0
    assert not aside.exists()
