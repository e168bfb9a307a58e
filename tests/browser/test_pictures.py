"""The pictures of the documentation: the page with the sample conversation, as `make test-browser` draws them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daemon.files.candidates import put_sample
from tests.browser.conftest import Opened, free_port
from tests.browser.test_page import go
from tests.stories.person import Person

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver as Browser

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
FOLDER = Path(__file__).parents[2] / "docs" / "page"
PICTURES = {
    ("home", 1280): "",
    ("chat", 1280): "CHAT",
    ("chat", 390): "CHAT",
    ("memory", 1280): "MEMORY",
    ("memory", 390): "MEMORY",
    ("read", 1280): "CHAT/read",
    ("search", 1280): "/search?words=clock",
    ("versions", 1280): "CHAT/versions?from=1",
}
"""The view of each picture, by its name and width in pixels."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, browser: "Browser") -> Iterator[Opened]:
    """The page of a person who has tried the sample and nothing else, in sizes as `memproc demo` has them."""
    person = Person(tmp_path_factory.mktemp("sample"), tail=6000, step=1500, chunk=1500)
    person.settings(f"[page]\nport = {free_port()}\n")
    put_sample(person.inbox)
    ended = person.spawn("run")
    assert ended.code == 0, ended.err
    link = person.spawn("open", "--print").out.strip()
    browser.get(link)
    yield Opened(person, browser, link.partition("/enter")[0])
    browser.set_window_size(1200, 1000)


@pytest.mark.parametrize(("name", "width"), PICTURES)
def test_each_picture_is_drawn_of_the_sample_and_shows_no_folder_of_a_test(
    sample: Opened, name: str, width: int
) -> None:
    (chat,) = json.loads(sample.person.memproc("chats", "--json").out)["chats"]
    memories = json.loads(sample.person.memproc("memories", chat["chat_id"], "--json").out)[
        "memories"
    ]
    view = PICTURES[name, width].replace("CHAT", f"/chat/{chat['chat_id']}")
    sample.browser.set_window_size(width, 900)
    go(sample, view.replace("MEMORY", f"/memory/{memories[2]['memory_id']}"))
    assert str(sample.person.home) not in sample.browser.page_source
    sample.browser.save_screenshot(str(FOLDER / f"{name}-{width}.png"))


def test_each_picture_is_shown_by_a_page_of_the_documentation() -> None:
    papers = [FOLDER.parents[1] / "README.md", *FOLDER.parent.glob("*.md")]
    shown = "".join(paper.read_text("utf-8") for paper in papers)
    for picture in FOLDER.iterdir():
        assert f"page/{picture.name})" in shown, f"no page shows {picture.name}"
