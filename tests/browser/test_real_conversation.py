"""A real conversation of 100,000 tokens, from the file that is dropped on the page to the one that is downloaded."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser.conftest import Opened, free_port, started_browser
from tests.browser.test_page import go, press, shows, text
from tests.stories.identical import exports
from tests.stories.person import Person

SMALLEST, LARGEST = 300_000, 1_500_000
"""Bytes of an export of about 100,000 tokens."""
REAL = [path for path in exports() if SMALLEST < path.stat().st_size < LARGEST][:1]
A_MOMENT = 10.0
"""Seconds in which each view has to be there, on a busy computer too."""
pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not REAL,
        reason="no real export of 100,000 tokens: set MEMPROC_EXPORTS to a folder with one",
    ),
]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """The page of somebody whose chat was dropped on it and processed there, with the sizes that are usual."""
    person = Person(tmp_path_factory.mktemp("real") / "ada", tail=30_000, step=8_000, chunk=4_000)
    person.settings(f"[page]\nport = {free_port()}\n")
    link = person.spawn("open", "--print").out.strip()
    with started_browser() as browser:
        page = Opened(person, browser, link.partition("/enter")[0])
        browser.get(link)
        assert shows(page, "Begin here")
        browser.find_element(By.ID, "export").send_keys(str(REAL[0]))
        assert shows(page, "new memories")
        assert shows(page, "It costs nothing.")
        press(page, "Process all")
        assert shows(page, "tokens in all")
        assert shows(page, "Download for TypingMind")
        yield page


def address(page: Opened) -> str:
    (chat,) = json.loads(page.person.memproc("chats", "--json").out)["chats"]
    return f"/chat/{chat['chat_id']}"


def each_memory(page: Opened) -> list[str]:
    listed = json.loads(
        page.person.memproc("memories", address(page).rpartition("/")[2], "--json").out
    )["memories"]
    return [memory["memory_id"] for memory in listed]


def test_the_chat_shows_every_memory_and_how_much_it_takes(real: Opened) -> None:
    go(real, address(real))
    titles = [link.text for link in real.browser.find_elements(By.CSS_SELECTOR, ".time > li > a")]
    numbered = [title.partition(":")[0] for title in titles]
    assert numbered == [f"Memory {number}" for number in range(1, len(each_memory(real)) + 1)]
    strip = real.browser.find_element(By.CSS_SELECTOR, "svg.strip").get_attribute("aria-label")
    assert "word for word" in str(strip)


def test_the_quote_of_a_memory_is_marked_in_its_message(real: Opened) -> None:
    for memory in each_memory(real)[::6]:
        go(real, f"/memory/{memory}")
        quote = real.browser.find_element(By.CSS_SELECTOR, "blockquote").text
        marks = [mark.text for mark in real.browser.find_elements(By.TAG_NAME, "mark")]
        assert any(" ".join(mark.split()) in " ".join(quote.split()) for mark in marks)


def test_everything_is_searched_and_each_hit_opens_where_it_stands(real: Opened) -> None:
    go(real, "")
    field = real.browser.find_element(By.ID, "words")
    field.send_keys("the", Keys.ENTER)
    assert shows(real, "best matches")
    real.browser.find_element(By.CSS_SELECTOR, "article .who a").click()
    WebDriverWait(real.browser, 20).until(lambda browser: "/search" not in browser.current_url)
    assert "/memory/" in real.browser.current_url or "/chat/" in real.browser.current_url
    assert "the" in text(real)


def test_the_first_version_is_compared_with_the_present_one(real: Opened) -> None:
    go(real, f"{address(real)}/versions?from=1")
    assert f"{len(each_memory(real))} memories" in text(real)
    press(real, "Go back to version 1…")
    assert shows(real, "What would change if you went back to it")


def test_the_download_is_the_updated_export(real: Opened) -> None:
    (path,) = real.person.updated()
    fetched = real.browser.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0]).then(r => r.text()).then(done)",
        f"{address(real)}/download",
    )
    assert fetched == Path(path).read_text("utf-8")


@pytest.mark.parametrize("width", [390, 1200])
def test_no_view_is_wider_than_the_screen_or_slow(real: Opened, width: int) -> None:
    real.browser.set_window_size(width, 1000)
    chat, memory = address(real), f"/memory/{each_memory(real)[0]}"
    for view in (
        "",
        chat,
        f"{chat}/core",
        f"{chat}/facts",
        f"{chat}/versions?from=1",
        memory,
        "/search?words=the",
    ):
        began = monotonic()
        go(real, view)
        assert monotonic() - began < A_MOMENT, view
        inner, scroll = real.browser.execute_script(
            "return [innerWidth, document.documentElement.scrollWidth]"
        )
        assert scroll <= inner, view
