"""The whole trip over the bridge: the real extension at its own pace, the real server, and a chat of the client."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.bridge import (
    NUMBERS,
    OTHER,
    ChatClient,
    collapsed,
    said,
    served_client,
    undo,
    uuids,
)
from tests.browser.conftest import free_port
from tests.chats import chat, conversation, texts
from tests.stories.person import Person

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver as Browser

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

LONG = chat(*conversation(30, 400), tokenUsage=NUMBERS)
SECONDS = 60.0


@pytest.fixture
def trip(tmp_path: "Path", browser: "Browser") -> Iterator[tuple[ChatClient, Person, int]]:
    """The client at an origin that memproc knows, and somebody whose page runs at a port."""
    with served_client() as address:
        person, port = Person(tmp_path / "ada"), free_port()
        person.settings(f'[page]\nport = {port}\n[bridge]\norigins = ["{address.rstrip("/")}"]\n')
        yield ChatClient(browser, address), person, port


def test_a_chat_goes_to_memproc_and_comes_back_with_memories(
    trip: tuple[ChatClient, Person, int],
) -> None:
    client, person, port = trip
    with person.start("pair") as pairing:
        assert pairing.stdout is not None
        first = pairing.stdout.readline()
        code = re.sub(r"\D", "", first)
        client.begin(LONG, OTHER, script=f"http://127.0.0.1:{port}/bridge/typingmind.js")
        client.pair(code)
        assert "Paired: Chrome" in pairing.communicate(timeout=SECONDS)[0]
    due = client.says("memories due", SECONDS)
    assert re.fullmatch(r"1\d\.\dk tokens, \d+ memories due, free", due)
    client.press()
    client.says("Done: the chat begins with", SECONDS)
    updated = person.chat()
    assert client.stored()["messages"] == updated["messages"]
    assert uuids(updated["messages"][-8:]) == uuids(LONG["messages"][-8:])
    assert [path.name for path in person.inbox.iterdir()] == [
        "From TypingMind, The lighthouse (kxecrzvvc1).json"
    ]
    (block,) = collapsed(client)
    assert re.fullmatch(r"\d+ memories, November 2024", block)
    client.run("void document.querySelector('[data-memproc-title]').click()")
    assert collapsed(client)[1].startswith("Memory 1, 7 November 2024")
    client.run("void document.querySelectorAll('[data-memproc-title]')[2].click()")
    client.open_panel()
    client.browser.save_screenshot(str(Path(__file__).parents[2] / "docs" / "bridge.png"))
    client.open_panel()
    client.say("And then?")
    assert client.run("app.sent.at(-1)")[:-1] == texts(updated["messages"])
    client.says("nothing due", SECONDS)
    undo(client)
    client.says("The chat is as it was", SECONDS)
    assert client.stored()["messages"][:60] == LONG["messages"]
    client.says("26 memories ready to be put in, free", SECONDS)
    assert said(client)[60:] == ["And then?", "Yes, I remember that well."]
    client.press()
    client.says("Done: the chat begins with 26 memories", SECONDS)
    assert texts(client.stored()["messages"])[:10] == texts(updated["messages"])[:10]
    assert client.is_intact()
