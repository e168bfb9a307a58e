"""A real Chromium on a page that the real command has opened, with the archive of a real person's chats."""

import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from daemon.files.candidates import put_sample
from tests.browser.bridge import CODE, OTHER, TALK, ChatClient, FakeMemproc, served, served_client
from tests.chats import chat, conversation, export_bytes
from tests.stories.person import Person

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver as Browser

WHAT_TO_INSTALL = (
    "the tests of the page need Chromium and its driver: apt install chromium chromium-driver, or name them with "
    "$MEMPROC_CHROMIUM and $MEMPROC_CHROMEDRIVER"
)


def programs() -> tuple[str, str] | None:
    """The browser and its driver; None where one of them is missing."""
    browser = (
        os.environ.get("MEMPROC_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("google-chrome")
    )
    driver = os.environ.get("MEMPROC_CHROMEDRIVER") or shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@dataclass(frozen=True)
class Opened:
    """A person whose page is open in a browser."""

    person: Person
    browser: "Browser"
    address: str


def free_port() -> int:
    """A port that nobody has now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert isinstance(port, int)
    return port


@contextmanager
def started_browser(*options: str) -> Iterator["Browser"]:
    """A browser without a window, of the size of a desk's."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    found = programs()
    if found is None:
        pytest.skip(WHAT_TO_INSTALL)
    chosen = webdriver.ChromeOptions()
    chosen.binary_location = found[0]
    for option in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1200,1000", *options,
    ):  # fmt: skip
        chosen.add_argument(option)
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=chosen, service=Service(found[1]))
    browser.set_page_load_timeout(60)
    browser.implicitly_wait(5)
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture(scope="session")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Somebody with the sample conversation and a chat of many memories, folds among them."""
    somebody = Person(tmp_path_factory.mktemp("page") / "ada", layers=True)
    somebody.settings(f"[fold]\nbudget = 2500\n[page]\nport = {free_port()}\n")
    put_sample(somebody.inbox)
    somebody.drop(export_bytes(chat(*conversation(30, 400))), "lighthouse.json")
    ended = somebody.spawn("run")
    assert ended.code == 0, ended.err
    return somebody


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One browser for all stories, since it takes long to start."""
    with started_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def page(person: Person, browser: "Browser") -> Iterator[Opened]:
    """The page, opened as `memproc open` does; anew for each file, since its process ends while nobody looks."""
    link = person.spawn("open", "--print")
    assert link.code == 0, link.err
    address = link.out.strip()
    browser.get(address)
    yield Opened(person, browser, address.partition("/enter")[0])


@pytest.fixture
def fake() -> Iterator[FakeMemproc]:
    with served(FakeMemproc()) as answering:
        yield answering


@pytest.fixture
def client(browser: "Browser") -> Iterator[ChatClient]:
    with served_client() as address:
        yield ChatClient(browser, address)


@pytest.fixture
def paired(client: ChatClient, fake: FakeMemproc) -> ChatClient:
    """The client with two chats, the first of them open, and the extension paired."""
    client.begin(TALK, OTHER, script=fake.script)
    client.pair(CODE)
    client.says("1 memory due")
    return client
