"""What is kept word for word, on the page: kept with one press, shown with what is asked, released."""

from pathlib import Path

import pytest

from tests.stories.cycle import Cycle
from tests.stories.keeping import keep, kept_there, states
from tests.stories.test_page import Browser, buttons

__all__ = ["buttons"]


@pytest.fixture
def ada(tmp_path: Path, buttons: None) -> Cycle:
    """A chat with memories, imported again."""
    return Cycle.lived(tmp_path)


def test_marked_words_are_kept_with_one_press_and_released_with_another(ada: Cycle) -> None:
    browser, address = Browser(ada.person), f"/chat/{ada.chat_id}"
    memory, key = ada.names()[0], ada.bounds()[0][2]
    assert f'name="key" value="{key}"' in browser.source(f"/memory/{memory}/words")
    said = next(one for one in ada.expanded() if one["uuid"] == key)["content"][0]["text"]
    words = " ".join(said.split()[:6])
    assert 'Nothing of "The lighthouse" is kept word for word.' in browser.open(f"{address}/kept")
    shown = browser.send(f"{address}/keep", key=key, words=words)
    assert "Kept, word for word: passage 1" in shown
    assert f"1 passage, {shown_tokens(browser, address)} of 2,000 tokens" in shown
    assert words in shown
    ada.goes_round()
    assert kept_there(ada).endswith(f"the person said:\n{words}")
    assert "Released: passage 1" in browser.send(f"{address}/kept/1/release")
    assert states(ada) == {}


def test_a_hit_of_the_search_is_kept_as_a_whole(ada: Cycle) -> None:
    browser, at = Browser(ada.person), ada.live()[-2]
    first, uuid = ada.said(at).split()[0], ada.messages[at]["uuid"]
    hits = browser.source(f"/search?words={first}&in=raw")
    assert f'value="{uuid}"' in hits
    browser.send(f"/chat/{ada.chat_id}/keep", key=uuid, words="")
    assert ada.said(at) in keep(ada, "--json").replace('\\"', '"')


@pytest.mark.full
def test_both_wordings_of_an_edited_message_are_shown_and_the_old_ones_stay(ada: Cycle) -> None:
    browser, at = Browser(ada.person), ada.live()[-2]
    words = ada.said(at)
    ada.device.pin(ada.chat_id, at)
    ada.hand_in()
    ada.device.edit(ada.chat_id, at, "I would rather not say.")
    ada.talk(1).hand_in()
    assert "reads otherwise in the chat now" in browser.open("/")
    shown = browser.open(f"/chat/{ada.chat_id}/kept")
    assert " ".join(words.split()) in shown
    assert "I would rather not say." in shown
    browser.send(f"/chat/{ada.chat_id}/kept/1/yes")
    assert "rather not say" not in browser.open(f"/chat/{ada.chat_id}/kept")
    assert states(ada) == {1: "kept"}


def shown_tokens(browser: Browser, address: str) -> str:
    return browser.open(f"{address}/kept").split(" passage, ")[1].split()[0]
