"""The page shows a code to pair a browser with, and the browsers that are paired."""

import re
from pathlib import Path
from time import time

import pytest
from starlette.testclient import TestClient

from daemon.bridge.devices import devices, newest_code, note_use, pair
from daemon.config.loading import load, load_folders
from daemon.page.app import Desk, application
from daemon.page.routes import ACTIONS, VIEWS
from daemon.page.sessions import new_link
from tests.stories.person import Person

PORT = 27183


@pytest.fixture
def ada(tmp_path: Path) -> Person:
    return Person(tmp_path / "ada")


@pytest.fixture
def page(ada: Person) -> TestClient:
    """The page of somebody who has followed a link of `memproc open`."""
    config = load(ada.toml)
    app = application(Desk(config, load_folders(config), ada.toml), PORT, VIEWS, ACTIONS)
    browser = TestClient(
        app, base_url=f"http://127.0.0.1:{PORT}", headers={"Origin": f"http://127.0.0.1:{PORT}"}
    )
    assert browser.get("/enter", params={"link": new_link(ada.home / "state")}).status_code == 200
    return browser


def press(page: TestClient, address: str) -> str:
    """Send the form at this address, with the token that stands in it; what the page shows then."""
    shown = page.get("/pairing").text
    assert f'action="{address}"' in shown
    token = re.findall(r'name="form_token" value="(\w+)"', shown)[0]
    return str(page.post(address, data={"form_token": token}).text)


def test_a_browser_is_paired_and_forgotten_on_the_page(page: TestClient, ada: Person) -> None:
    state = ada.home / "state"
    assert page.get("/pairing/code").status_code == 204
    shown = press(page, "/pairing/code")
    code = newest_code(state)
    assert code is not None
    assert code.digits in shown, "as they can be pasted"
    assert code.digits in page.get("/pairing/code").text
    pair(state, code.digits, "Firefox on Linux", "https://www.typingmind.com", time(), "2026-11-22")
    assert page.get("/pairing/code").status_code == 204
    since = "<td>https://www.typingmind.com</td><td>2026-11-22</td>"
    assert f"{since}<td>never</td>" in page.get("/pairing").text
    (device,) = devices(state)
    note_use(state, device, "2026-11-25")
    assert f"{since}<td>2026-11-25</td>" in page.get("/pairing").text
    told = press(page, f"/pairing/{device.id}/forget")
    assert "remove the extension&#39;s address in TypingMind, on every device" in told
    assert devices(state) == ()


def test_a_code_on_the_page_needs_a_session(page: TestClient, ada: Person) -> None:
    page.cookies.clear()
    for answer in (
        page.get("/pairing"),
        page.get("/pairing/code"),
        page.post("/pairing/code", data={"x": "y"}),
    ):
        assert answer.status_code == 401
    assert newest_code(ada.home / "state") is None
