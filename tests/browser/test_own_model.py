"""A model on one's own computer, set up by a press in a real browser, and what Home says of one that is slow or weak."""

import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from daemon.models.own_server import USUAL
from tests.browser.conftest import Opened, free_port
from tests.browser.test_page import go, press, shows
from tests.chats import export_bytes, long_chat
from tests.server.own import Own, clever, is_trial, stupid
from tests.server.reply import Answer, Hang
from tests.server.request import Request
from tests.server.server import ModelServer
from tests.server.setup import Setup
from tests.server.step import read_task
from tests.stories.person import Person

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver as Browser

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]
FAST = 1_000_000.0
"""Tokens a second: no time-out grows by them."""


@dataclass
class Moods:
    """How the model is: slow with its trial, silent about perspectives, or stupid."""

    seconds: float = 4.0
    is_silent: bool = False
    is_stupid: bool = False
    steps: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Answer | Hang:
        if is_trial(request):
            answer = stupid(request) if self.is_stupid else clever(request)
            return Answer(answer.text, seconds=self.seconds)
        self.steps.append(read_task(request).step)
        return Hang() if self.is_silent and self.steps[-1] == "perspective" else clever(request)


def usual_port() -> int:
    """A port at which the page looks for servers, and that is free."""
    for url in USUAL:
        port = urlsplit(url).port or 0
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    pytest.skip("all ports at which the page looks for models are taken")


@pytest.fixture
def moods() -> Moods:
    return Moods()


@pytest.fixture
def opened(tmp_path: Path, browser: "Browser", moods: Moods) -> Iterator[Opened]:
    """The page of somebody with a chat in the inbox, whose model server runs."""
    nessa = Person(tmp_path / "nessa", tail=3200, step=800, chunk=800)
    nessa.settings(f"[page]\nport = {free_port()}\n")
    nessa.drop(export_bytes(long_chat(7_200, tokens_each=300)))
    own = Own("llama.cpp", "local-8k", 8192, slots=1, read=FAST, written=FAST)
    with ModelServer(Setup(script=moods, own=own), port=usual_port()):
        link = nessa.spawn("open", "--print")
        assert link.code == 0, link.err
        address = link.out.strip()
        browser.get(address)
        yield Opened(nessa, browser, address.partition("/enter")[0])


def test_a_press_has_a_model_tried_and_the_page_waits_and_says_what_came_of_it(
    opened: Opened,
) -> None:
    go(opened, "/start")
    press(opened, "Look for a model here")
    assert shows(opened, "llama.cpp")
    press(opened, "Let it write for every chat")
    assert shows(opened, "The model is being tried")
    go(opened, "/start/trial")
    assert shows(opened, "You need not wait here"), "another look begins no other trial"
    assert shows(opened, 'keeps "I" and "you" apart')
    assert "hosted_vllm/local-8k writes and analyses for every chat" in opened.browser.page_source
    assert 'agent = "hosted_vllm/local-8k"' in opened.person.toml.read_text()
    go(opened, "/start/trial")
    assert shows(opened, "Four steps"), "it is said once"


def test_home_says_that_answers_do_not_come_in_time(opened: Opened, moods: Moods) -> None:
    moods.seconds, moods.is_silent = 0.0, True
    set_up(opened)
    run = opened.person.start("run")
    try:
        go(opened, "/")
        assert shows(opened, "since no answer came")
        assert shows(opened, "has not answered in time")
    finally:
        run.terminate()
        run.communicate(timeout=60)


def test_home_says_that_a_model_can_little(opened: Opened, moods: Moods) -> None:
    moods.seconds, moods.is_stupid = 0.0, True
    set_up(opened)
    assert opened.person.spawn("run").code == 0
    assert set(moods.steps) == {"analysis"}
    go(opened, "/")
    assert shows(opened, "does the analysis alone")
    assert shows(opened, "memproc config fit hosted_vllm/local-8k")


def set_up(opened: Opened) -> None:
    """Have the model write, in a terminal, and wait for each answer a second."""
    person = opened.person
    url = next(url for url in USUAL if person.spawn("init", "--local", url, "--yes").code == 0)
    assert url in person.toml.read_text()
    person.toml.write_text(re.sub(r"(?m)^timeout = .*$", "timeout = 1", person.toml.read_text()))
