"""Requests to the page, as a fuzz target: each is answered or refused, and none gets past the forms without a token."""

import asyncio
import atexit
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, unquote

import anyio.to_thread
from starlette.types import ASGIApp

from daemon.archive.archive import Archive
from daemon.config.settings import Config
from daemon.files.paths import Folders
from daemon.page.app import Desk, application
from daemon.page.routes import ACTIONS, VIEWS
from daemon.page.sessions import follow_link, new_link
from tests.chats import chat, conversation
from tests.fuzz.fields import go

_PORT = 27183
_METHODS = ("GET", "POST", "HEAD", "PUT", "OPTIONS", "")
_STARTS_COMMANDS = {"/settings", "/chat/{chat}/plan", "/chat/{chat}/plan-line"}
_FAULT = 500
# The server in front of the application (h11) lets no other bytes through.
_NAME = re.compile(rb"[-!#$%&'*+.^_`|~0-9a-zA-Z]+")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


def requests(data: bytes) -> None:
    """Send bytes as a request: the method, a line with the path and its query, lines of headers, and the body."""
    method = _METHODS[data[0] % len(_METHODS)] if data else "GET"
    head, _, body = data[1:].partition(b"\n\n")
    target, *lines = head.split(b"\n")
    path, _, query = quote(target, safe="%?&=/:;@+$,!*'()~.-_#[]").encode().partition(b"?")
    page, session = _page()
    headers = [
        (name.strip().lower(), _CONTROL.sub(b"", value.strip()))
        for name, _, value in (line.partition(b":") for line in lines)
        if _NAME.fullmatch(name.strip())
    ]
    ours = {
        b"host": b"127.0.0.1:%d" % _PORT,
        b"origin": b"http://127.0.0.1:%d" % _PORT,
        b"cookie": b"memproc=" + session,
    }
    named = {name for name, _ in headers}
    whole = [*headers, *((name, value) for name, value in ours.items() if name not in named)]
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": "http", "root_path": "",
        "path": "/" + unquote(path.decode()).lstrip("/"), "raw_path": path, "query_string": query,
        "headers": whole, "server": ("127.0.0.1", _PORT), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    with patch.object(anyio.to_thread, "run_sync", _in_this_thread):
        status = _loop().run(_answered(page, scope, body))
    assert 0 < status < _FAULT, (method, path, status)
    assert method in ("GET", "HEAD", "OPTIONS") or status >= 400, (
        "nothing is done without a form's token"
    )


async def _answered(page: ASGIApp, scope: dict[str, Any], body: bytes) -> int:
    status = 0
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return parts.pop() if parts else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    await page(scope, receive, send)
    return status


async def _in_this_thread(work: Callable[..., Any], *arguments: Any, **_: Any) -> Any:
    """In place of a thread for each view: starting those took most of the time of a request."""
    return work(*arguments)


@cache
def _loop() -> asyncio.Runner:
    """One loop for all requests."""
    return asyncio.Runner()


@cache
def _page() -> tuple[ASGIApp, bytes]:
    """The page over folders that know one chat, and the secret of a session in it. What starts commands is left out."""
    home = Path(mkdtemp(prefix="memproc-fuzz-"))
    atexit.register(rmtree, home, ignore_errors=True)
    folders = Folders(*(home / name for name in ("inbox", "updated", "backups", "state")))
    with Archive.open(folders.state) as archive:
        go(home, archive, chat(*conversation(8, 400), id="a", chatID="a"))
    views = {path: view for path, view in VIEWS.items() if path not in _STARTS_COMMANDS}
    session = follow_link(folders.state, new_link(folders.state)) or ""
    return application(Desk(Config(), folders, None), _PORT, views, ACTIONS), session.encode()
