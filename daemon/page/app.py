"""Build the page as an application: routes, the session that each needs, views rendered as HTML.

A view is a function from a request to a response. It reads the archive by the same functions as the
commands, and changes nothing: a button runs the command that a person would type (routes.py). The
newest plan of each chat is kept, for the bridge and for the page, and one is made at a time: making
one starts a process, and a chat changes with every message.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates
from starlette.types import ASGIApp

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat
from daemon.config.settings import Config
from daemon.files.clock import about
from daemon.files.paths import Folders, archive_path, is_demo
from daemon.page import words
from daemon.page.access import SAFE_METHODS, with_access
from daemon.page.message_blocks import render_markdown
from daemon.page.sessions import (
    SESSION_SECONDS,
    answer_challenge,
    follow_link,
    form_token,
    is_form_token,
    is_session,
)
from rules.conversation.memory_title import short_name
from rules.errors import MemprocError
from rules.wording import as_sentence, capital, counted, cut_title

_HERE = Path(__file__).parent
_COOKIE = "memproc"
_NOT_FOUND = 404
_UNASKED = "live"
"""The query parameter of requests that the page sends by itself, which prolong no session."""
_NOT_IN_A_DEMO = ("/drop", "/bring", "/keys", "/pairing", "/service", "/start")
"""Prefixes of the addresses that take conversations or a key, or set up a service."""
_FILTERS: Mapping[str, Callable[..., str]] = {
    "as_sentence": as_sentence,
    "after_name": words.after_name,
    "capital": capital,
    "counted": counted,
    "cut": cut_title,
    "markdown": render_markdown,
    "short_name": short_name,
    "tokens": words.tokens,
    "usd": words.usd,
    "date": words.day_in_words,
    "day": words.shown_day,
    "days": words.days,
    "minute": words.minute,
    "time": words.time_element,
    "clock": words.clock_element,
    "local_day": words.local_day,
    "about": about,
    "said": words.said_element,
    "with_commands": words.with_commands,
}
"""The templates' filters, by name."""

View = Callable[[Request], Response]

Plan = dict[str, Any]
"""A plan as the extension reads it, or as the page shows it."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every view needs: settings, folders, and the memproc.toml to give to commands."""

    config: Config
    folders: Folders
    toml: Path | None

    def archive(self) -> Archive:
        """Open the archive for reading; an empty one where there is none yet."""
        return Archive.read(self.folders.state, zone=self.config.memory.zone)

    @property
    def is_demo(self) -> bool:
        """Return whether this is the page of a demo, which takes none of the user's own data."""
        return is_demo(self.folders.state.parent)


class Plans:
    """The newest plan of each chat, in one process of the page."""

    def __init__(self) -> None:
        self._one_at_a_time = Lock()
        self._by_chat: dict[str, tuple[object, Plan]] = {}
        """Each chat's plan, with the fingerprint of all that it was made from."""

    def get(self, desk: "Desk", chat_id: str, body: bytes, make: Callable[[], Plan]) -> Plan:
        """Return the chat's plan, made again once `body`, the archive or settings have changed."""
        with self._one_at_a_time:
            archive = archive_path(desk.folders.state)
            paths = (archive, archive.with_name(f"{archive.name}-wal"), desk.toml)
            states = (_file_state(path) if path else None for path in paths)
            fingerprint = (sha256(body).digest(), *states)
            known = self._by_chat.get(chat_id)
            if known is None or known[0] != fingerprint:
                known = self._by_chat[chat_id] = (fingerprint, make())
            return known[1]


def application(
    desk: Desk, port: int, views: Mapping[str, View], actions: Mapping[str, View]
) -> ASGIApp:
    """Return the whole page. `views` answer GET and `actions` answer POST, by their paths."""
    templates = Jinja2Templates(directory=_HERE / "templates")
    templates.env.filters.update(_FILTERS)
    routes: list[BaseRoute] = [
        Route("/enter", _enter),
        Route("/proof", _proof),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    for path, view in views.items():
        routes.append(Route(path, _within_session(view), methods=["GET"]))
    for path, act in actions.items():
        routes.append(Route(path, _within_session(act), methods=["POST"]))
    kinds = (HTTPException, MemprocError, Exception)
    app = Starlette(routes=routes, exception_handlers=dict.fromkeys(kinds, _show_error))
    app.state.desk = desk
    app.state.templates = templates
    app.state.notices = {}
    app.state.plans = Plans()
    app.state.trial = None
    return with_access(app, port)


def desk_of(request: Request) -> Desk:
    """Return the settings and folders that this page was started with."""
    desk: Desk = request.app.state.desk
    return desk


def field(request: Request, name: str) -> str:
    """Return the text of a form's field, or ""."""
    value = request.state.form.get(name)
    return value if isinstance(value, str) else ""


@contextmanager
def named_chat(request: Request) -> Iterator[tuple[Archive, KnownChat]]:
    """Open the archive, and yield it with the chat that the address names. Raises NotFound."""
    desk = desk_of(request)
    with desk.archive() as archive:
        yield archive, find_chat(archive, request.path_params["chat"])


def render(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Fill a template with `values`, the form token, the path, and the notice.

    Only templates of whole pages call `notice`: it is shown once, and not by requests of the page
    itself.
    """
    session = request.cookies.get(_COOKIE, "")
    notices: dict[str, str] = request.app.state.notices
    values |= {"form_token": form_token(session), "path": request.url.path}
    values["is_demo"] = desk_of(request).is_demo
    values["notice"] = lambda: "" if is_unasked(request) else notices.pop(session, "")
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, template, values, status_code=status)


def show_at(request: Request, address: str, notice: str) -> Response:
    """Redirect to `address`; the session's next page shows the notice once."""
    notices: dict[str, str] = request.app.state.notices
    notices[request.cookies.get(_COOKIE, "")] = notice
    return RedirectResponse(address, 303)


def is_unasked(request: Request) -> bool:
    """Return whether the page sent this request by itself."""
    return _UNASKED in request.query_params


async def _enter(request: Request) -> Response:
    """Exchange a one-time link for a session's cookie, and redirect to where the link leads."""
    state = desk_of(request).folders.state
    session = await run_in_threadpool(follow_link, state, request.query_params.get("link", ""))
    if session is None:
        return render(request, "enter.html", 401)
    response = RedirectResponse("/" + quote(request.query_params.get("to", "").lstrip("/\\")), 303)
    _set_cookie(response, session)
    return response


def _set_cookie(response: Response, session: str) -> None:
    """Set the session's cookie, to be kept by the browser for as long as the session lasts."""
    response.set_cookie(
        _COOKIE, session, max_age=SESSION_SECONDS, httponly=True, samesite="strict", path="/"
    )


async def _proof(request: Request) -> Response:
    """Answer the challenge by which `memproc open` checks that this page is memproc's own."""
    state, challenge = desk_of(request).folders.state, request.query_params.get("challenge", "")
    return PlainTextResponse(await run_in_threadpool(answer_challenge, state, challenge))


def _within_session(view: View) -> Callable[[Request], Any]:
    """Require a session, and for actions a form token. Views may block, so they run in a thread."""

    async def guarded(request: Request) -> Response:
        session, prolong = request.cookies.get(_COOKIE, ""), not is_unasked(request)
        state = desk_of(request).folders.state
        if not await run_in_threadpool(is_session, state, session, prolong):
            return render(request, "enter.html", 401)
        if desk_of(request).is_demo and request.scope["path"].startswith(_NOT_IN_A_DEMO):
            raise MemprocError(
                "This is the demo, which takes no conversations, keys or service.",
                "Begin with your own, in a terminal: memproc init",
            )
        if request.method in SAFE_METHODS:
            response = await run_in_threadpool(view, request)
            if prolong:
                _set_cookie(response, session)
            return response
        async with request.form() as form:  # closes the uploaded files
            token = form.get("form_token") or request.headers.get("x-form-token", "")
            if not isinstance(token, str) or not is_form_token(session, token):
                reason = "This form is not from the page that is open now. Load it again."
                raise HTTPException(403, reason)
            request.state.form = form
            return await run_in_threadpool(view, request)

    return guarded


async def _show_error(request: Request, fault: Exception) -> Response:
    """Show an error as a page; an unforeseen one is described without its message."""
    from daemon.files.reasons import describe

    if isinstance(fault, HTTPException):
        status, next_step = fault.status_code, ""
        message = "There is no page at this address." if status == _NOT_FOUND else fault.detail
    elif isinstance(fault, MemprocError):
        message, next_step, status = fault.message, fault.next_step, 409
    else:
        (message, next_step), status = describe(fault), 500
    return render(request, "trouble.html", status, message=message, next_step=next_step)


def _file_state(path: Path) -> tuple[int, int] | None:
    """Return time of change and size; None for no file, or an empty one as readers leave it."""
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return (state.st_mtime_ns, state.st_size) if state.st_size else None
