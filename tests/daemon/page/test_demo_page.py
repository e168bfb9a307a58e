"""The page of a demo says on every view that it is one, and takes nothing of the person's own."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from daemon.archive.archive import Archive
from daemon.archive.memories import memories
from daemon.cli import demo, main
from daemon.config.loading import load, load_folders
from daemon.config.settings import SAMPLE, Config
from daemon.files import paths
from daemon.page.app import Desk, application
from daemon.page.routes import ACTIONS, VIEWS
from daemon.page.sessions import new_link
from tests.stories.test_page import buttons

__all__ = ["buttons"]

PORT = 27184
ADDRESS = f"http://127.0.0.1:{PORT}"
TAKING = ("/drop", "/bring", "/keys/", "/service", "/start", "/pairing")
BAND = "This is the demo: a sample conversation"
WITHOUT_A_BAND = (
    "/live",
    "/pairing/code",
    "/inbox/plan-line",
    "/chat/{chat}/plan-line",
    "/chat/{chat}/download",
)
"""Parts of a view, figures, files."""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buttons: None) -> Desk:
    """The settings and folders of a demo."""
    monkeypatch.setattr(paths, "user_cache_path", lambda *_, **__: tmp_path)
    with demo._fresh_folder() as home:
        toml = home / "memproc.toml"
        assert main(["--quiet", "--config", str(toml), "run"]) == 0
    config = load(toml)
    return Desk(config, load_folders(config), toml)


@pytest.fixture
def page(desk: Desk) -> TestClient:
    """The page of a demo in the browser that has followed its link."""
    client = TestClient(
        application(desk, PORT, VIEWS, ACTIONS), base_url=ADDRESS, headers={"Origin": ADDRESS}
    )
    client.get("/enter", params={"link": new_link(desk.folders.state)})
    return client


def _addresses(desk: Desk) -> dict[str, str]:
    """Return an address for each kind of view that a demo has."""
    with Archive.read(desk.folders.state) as archive:
        memory = memories(archive, SAMPLE.chat)[0]
    names = {
        "{chat}": SAMPLE.chat,
        "{memory}": memory.memory_id,
        "{key}": memory.keys[0],
        "{number:int}": "1",
    }
    addresses = {}
    for path in VIEWS:
        if not path.startswith(TAKING):
            addresses[path] = re.sub(r"{[^}]+}", lambda name: names[name[0]], path)
    return addresses


@pytest.mark.full
def test_every_view_says_that_it_is_the_demo_and_how_to_begin_and_offers_no_way_in(
    desk: Desk, page: TestClient
) -> None:
    for path, address in _addresses(desk).items():
        shown = page.get(address)
        assert shown.status_code == 200, address
        if path not in WITHOUT_A_BAND:
            assert BAND in shown.text, address
            assert "<code>memproc init</code>" in shown.text
        for taking in TAKING:
            assert f'="{taking}' not in shown.text, (address, taking)


def test_what_would_take_conversations_a_key_or_a_service_is_refused(
    desk: Desk, page: TestClient
) -> None:
    shown = re.search(r'data-form-token="(\w+)"', page.get("/money").text)
    assert shown
    taking = [path for path in (*VIEWS, *ACTIONS) if path.startswith(TAKING)]
    assert len(taking) == 22
    for path in taking:
        address = path.replace("{device}", "1")
        sent = {"form_token": shown[1]}
        refused = page.get(address) if path in VIEWS else page.post(address, data=sent)
        assert refused.status_code == 409, path
        assert "takes no conversations, keys or service" in refused.text
    assert [path.name for path in desk.folders.inbox.iterdir()] == ["memproc-sample.json"]


def test_a_page_of_the_persons_own_has_no_band(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("inbox", "updated", "backups", "state")]
    assert not Desk(Config(), paths.Folders(*folders), None).is_demo
