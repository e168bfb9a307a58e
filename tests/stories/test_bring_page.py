"""Conversations of another program are chosen on the page: drop, search, tick, see the plan, go."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.exports.files import zip_bytes
from tests.foreign import talks, trees
from tests.stories.cycle import ENGINE
from tests.stories.person import Person
from tests.stories.test_page import SEE_OTHER, Browser, in_this_process
from tests.waiting import until

FILE = "chatgpt.zip"
EXPORT = zip_bytes(
    {
        "conversations-000.json": trees.exported(
            talks.chatgpt("festival", 40, title="Festival & <b>friends</b>"),
            talks.chatgpt("sea", 2, day=90, title="The sea"),
        )
    }
)


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """The browser of a person whose memories the engine extracts."""
    monkeypatch.setattr(subprocess, "run", in_this_process)
    person = Person(tmp_path / "nessa")
    person.settings(f"{ENGINE}[page]\nport = 27183\n")
    return Browser(person)


@pytest.mark.full
def test_a_dropped_export_of_another_program_waits_for_a_choice(browser: Browser) -> None:
    browser.upload(FILE, EXPORT)
    home = browser.open("/")
    assert f"{FILE} Choose what to bring from it. Choose conversations…" in home
    assert f"/bring?file={FILE}" in browser.source("/")
    text = trees.exported(talks.claude("sea", 2))
    browser.upload("claude.json", text)
    assert (browser.person.inbox / "claude.json").read_bytes() == text


@pytest.mark.full
def test_conversations_are_searched_and_ticked(browser: Browser) -> None:
    browser.upload(FILE, EXPORT)
    listed = browser.open("/bring", file=FILE)
    assert listed.index("The sea") < listed.index("Festival & <b>friends</b>"), "the newest first"
    assert "80 messages" in listed
    assert "The sea" not in browser.open("/bring", file=FILE, find="fest")
    browser.open("/bring", status=409, file="../memproc.toml")
    assert "No conversation was ticked." in browser.send("/bring/plan", status=409, file=FILE)


@pytest.mark.full
def test_the_plan_is_shown_and_nothing_is_done_before_the_person_goes(browser: Browser) -> None:
    browser.upload(FILE, EXPORT)
    person = browser.person
    shown = browser.send("/bring/plan", file=FILE, chat="festival")
    assert "80 messages become the chat" in shown
    assert "It costs nothing" in shown
    assert "new memories, extracted without a model" in shown
    assert "Bring it" in shown
    assert not person.updated()
    assert browser._client.follow_redirects
    browser._client.follow_redirects = False
    browser.send("/bring/go", file=FILE, chat="festival", status=SEE_OTHER)
    until(lambda: len(person.updated()) == 1)
    (chat,) = json.loads(person.updated()[0].read_bytes())["data"]["chats"]
    assert chat["chatTitle"] == "Festival & <b>friends</b>"
    browser._client.follow_redirects = True
    assert "brought before, in Festival" in browser.open("/bring", file=FILE)
    again = browser.send("/bring/plan", file=FILE, chat="festival")
    assert "Nothing is new" in again
    assert "Bring it" not in again


def test_what_cannot_be_read_is_told_on_a_page_of_its_own(browser: Browser) -> None:
    browser.person.drop(b'[{"title": "Aria", "turns": []}]', "x.json")
    assert "has title , turns ," in browser.open("/bring", file="x.json", status=409)


@pytest.mark.full
def test_an_export_rests_while_it_holds_conversations_that_were_not_brought(
    browser: Browser,
) -> None:
    browser.upload(FILE, EXPORT)
    person = browser.person
    assert person.memproc("run").code == 1
    assert person.memproc("bring", FILE, "--chat", "festival", "--yes").code == 0
    left = "It rests: 1 of its 2 conversations was not brought."
    ended = person.memproc("run")
    assert (ended.code, "1 unchanged" in ended.out) == (0, True)
    assert f"{FILE} {left} Bring more…" in browser.open("/")
    assert f"{FILE}: {left} Bring more…" in browser.open("/inbox")
    status = person.memproc("status").out
    assert f"{FILE}: {left}\n    -> To bring more: memproc bring {FILE}" in status
    assert "Needs attention" not in status
    assert person.memproc("bring", FILE, "--chat", "sea", "--yes").code == 0
    assert "At rest" not in person.memproc("status").out
    assert f"{FILE} All of its conversations were brought." in browser.open("/")
    person.drop(EXPORT + b"\n", FILE)
    assert f"{FILE} Choose what to bring from it." in browser.open("/")
