"""What is changed on the page reaches the chat from the page, where its newest export is there."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.cycle import ENGINE, Cycle
from tests.stories.test_page import Browser, buttons
from tests.waiting import until

__all__ = ["buttons"]
NOT_YET = "What you have changed here is not in the file to download yet."
FACT, SECTION = "The key hangs behind the clock.", "I keep the lamp."


@pytest.fixture
def ada(tmp_path: Path, buttons: None) -> Cycle:
    """A chat with memories whose newest export lies in the inbox."""
    lived = Cycle.lived(tmp_path)
    replace(lived.person, layers=True).settings(ENGINE)
    lived.hand_in()
    return lived.imports()


@pytest.mark.full
def test_fact_core_memory_kept_words_and_a_recalled_memory_reach_the_file_by_one_press(
    ada: Cycle,
) -> None:
    forgotten = ada.shown()[0]
    ada.forget(forgotten).hand_in()
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    key = ada.bounds()[0][2]
    said = next(message for message in ada.expanded() if message["uuid"] == key)
    words = " ".join(said["content"][0]["text"].split()[:6])
    changes: tuple[tuple[str, str | None, dict[str, str]], ...] = (
        (f"{address}/facts", "/facts/add", {"text": FACT}),
        (f"{address}/core", "/core/persona/set", {"text": SECTION}),
        (f"{address}/kept", "/keep", {"key": key, "words": words}),
        (f"/memory/{forgotten}", None, {}),
    )
    for view, action, fields in changes:
        shown = browser.send(f"{address}{action}" if action else f"{view}/recall", 200, **fields)
        assert "memproc run" not in shown, "the terminal's next step"
        assert f'data-once="{address}/plan-line"' in browser.source(view) or view.startswith(
            "/memory"
        )
        assert NOT_YET in browser.open(f"{address}/plan-line")
    planned = browser.open(f"{address}/plan")
    assert "writes its updated export, without a call" in planned
    assert "Write it, free" in planned
    before = ada.updated().read_bytes()
    browser.send(f"{address}/run")
    until(lambda: ada.updated().read_bytes() != before)
    written = ada.updated().read_text()
    opening = json.dumps(json.loads(written)["data"]["chats"][0]["messages"][0])
    for text in (FACT, SECTION, words):
        assert text in opening
    assert forgotten in written
    assert NOT_YET not in browser.open(f"{address}/plan-line")


@pytest.mark.full
def test_where_the_newest_export_is_gone_the_page_says_so_and_what_to_do(ada: Cycle) -> None:
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    browser.send(f"{address}/facts/add", text=FACT)
    for export in (ada.person.home / "inbox").iterdir():
        export.unlink()
    due = browser.open(f"{address}/plan-line")
    assert "Its newest export is not there any more." in due
    assert "Export the chat again, and drop it on Home" in " ".join(due.split()).replace(" :", ":")


@pytest.mark.full
def test_an_older_state_is_not_written_over_a_chat_that_has_gone_on(ada: Cycle) -> None:
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    old = ada.export()
    ada.talk(1).hand_in()
    browser.send(f"{address}/facts/add", text=FACT)
    ada.person.drop(old, f"{ada.chat_id}.json")
    assert "It would be skipped: see why" in browser.open(f"{address}/plan-line")
    assert "Write it" not in browser.source(f"{address}/plan-line")


@pytest.mark.full
def test_a_skipped_plan_is_accepted_by_one_press_where_a_run_has_noted_that_very_state(
    ada: Cycle,
) -> None:
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    old, accept = ada.export(), "Accept it as it is"
    ada.talk(1).hand_in()
    path = ada.person.drop(old, f"{ada.chat_id}.json")
    planned = browser.open(f"{address}/plan")
    assert ("It would be skipped." in planned, accept in planned) == (True, False)
    assert "Run it, free" in planned
    browser.send(f"{address}/run")
    until(lambda: accept in browser.open(f"{address}/plan"))
    double = json.loads(old)
    double["data"]["chats"] *= 2
    ada.person.drop(json.dumps(double).encode(), path.name)
    planned = browser.open(f"{address}/plan")
    assert ("two chats with the id" in planned, accept in planned) == (True, False)
    ada.person.drop(old, path.name)
    browser.send(f"{address}/accept")
    planned = browser.open(f"{address}/plan")
    assert ("It would be skipped." in planned, accept in planned) == (False, False)


@pytest.mark.sampled
@pytest.mark.parametrize("change", ["talked on", "memory deleted"])
def test_a_file_that_the_chat_is_newer_than_is_not_offered_for_import(
    ada: Cycle, change: str
) -> None:
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    for view in ("/", address):
        assert "Download for TypingMind" in browser.open(view)
    before = ada.updated().read_bytes()
    (ada.talk(1) if change == "talked on" else ada.forget(ada.shown()[-1])).hand_in()
    assert ada.updated().read_bytes() == before
    for view in ("/", address):
        shown = browser.open(view)
        assert "Download for TypingMind" not in shown
        assert "there is nothing to import" in shown
    assert "It replaces the chat" not in browser.open("/")
    ada.talk().goes_round()
    for view in ("/", address):
        shown = browser.open(view)
        assert "Download for TypingMind" in shown
        assert "there is nothing to import" not in shown


@pytest.mark.full
def test_what_the_settings_keep_out_of_the_chat_is_told_where_it_is_changed(ada: Cycle) -> None:
    off = "The chat does not show this"
    address = f"/chat/{ada.chat_id}"
    for view in ("facts", "core"):
        assert off not in Browser(ada.person).open(f"{address}/{view}")
    ada.person.settings(ENGINE)
    for view in ("facts", "core"):
        assert off in Browser(ada.person).open(f"{address}/{view}")
