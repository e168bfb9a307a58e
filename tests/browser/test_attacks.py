"""Pages from elsewhere, open in the same browser, can read nothing of memproc's and do nothing with it."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser.conftest import Opened, free_port, started_browser
from tests.waiting import until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Another site, on another port of this computer: the nearest that a foreign page can come."""

    class Blank(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body>")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", free_port()), Blank)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def outcome(page: Opened, script: str, *arguments: object) -> object:
    """What a script of the foreign page comes to: "refused", or what it got."""
    page.browser.set_script_timeout(20)
    return page.browser.execute_async_script(
        f"const done = arguments[arguments.length - 1];\n{script}", *arguments
    )


READ = "fetch(arguments[0], {credentials: 'include'}).then(r => r.text()).then(done, () => done('refused'))"
BLIND = (
    "fetch(arguments[0], {method: 'POST', mode: 'no-cors', credentials: 'include', "
    "headers: {'Content-Type': 'application/x-www-form-urlencoded'}, body: 'a=1'})"
    ".then(() => done('sent'), () => done('refused'))"
)
IMAGE = "const i = new Image(); i.onload = () => done('shown'); i.onerror = () => done('refused'); i.src = arguments[0]"
SCRIPT = (
    "const s = document.createElement('script'); s.onload = () => done('run'); s.onerror = () => done('refused'); "
    "s.src = arguments[0]; document.body.append(s)"
)
SOCKET = (
    "const w = new WebSocket(arguments[0].replace('http', 'ws')); w.onopen = () => done('open'); "
    "w.onerror = () => done('refused')"
)


@pytest.mark.parametrize(
    ("script", "path"),
    [
        (READ, "/"),
        (READ, "/search?words=a"),
        (IMAGE, "/static/icon.svg"),
        (SCRIPT, "/static/page.js"),
        (SOCKET, "/"),
    ],
)
def test_a_foreign_page_reads_nothing(page: Opened, elsewhere: str, script: str, path: str) -> None:
    page.browser.get(elsewhere)
    assert outcome(page, script, page.address + path) == "refused"


def test_a_foreign_page_does_nothing(page: Opened, elsewhere: str) -> None:
    page.browser.get(elsewhere)
    outcome(page, BLIND, f"{page.address}/service/pause")
    page.browser.execute_script(
        "const f = document.createElement('form'); f.method = 'post'; f.action = arguments[0]; "
        "f.innerHTML = '<input name=a value=1>'; document.body.append(f); f.submit()",
        f"{page.address}/service/pause",
    )
    until(lambda: "Pages from elsewhere may not use memproc." in page.browser.page_source)
    assert json.loads(page.person.memproc("status", "--json").out)["paused"] is None


def test_a_foreign_page_shows_us_in_no_frame(page: Opened, elsewhere: str) -> None:
    page.browser.get(elsewhere)
    page.browser.execute_script(
        "document.body.innerHTML = `<iframe src='${arguments[0]}/'></iframe>`", page.address
    )
    page.browser.switch_to.frame(0)
    assert "memproc" not in page.browser.page_source.replace(page.address, "")
    page.browser.switch_to.default_content()


def test_a_name_that_is_made_to_point_here_shows_nothing(page: Opened) -> None:
    port = page.address.rpartition(":")[2]
    with started_browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as rebound:
        rebound.get(f"http://evil.example:{port}/")
        assert "This is memproc on another address." in rebound.page_source


def test_a_browser_without_a_link_sees_how_to_get_one(page: Opened) -> None:
    with started_browser() as stranger:
        stranger.get(page.address)
        assert "memproc open" in stranger.page_source
        assert "lighthouse" not in stranger.page_source
