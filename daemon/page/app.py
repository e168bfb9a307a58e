"""The page as an application: its routes, the session that each needs, and how a view becomes HTML.

A view is a function from a request to a response. It reads the archive by the same functions as the commands, and
changes nothing by itself: what a button does is done by the very command that a person would type (actions.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from daemon.config.settings import Config
from daemon.files.paths import Folders
from daemon.page.access import SAFE_METHODS, Access
from daemon.page.sessions import (
    answer_challenge,
    follow_link,
    form_token,
    is_form_token,
    is_session,
)
from daemon.page.words import FILTERS
from rules.errors import MemprocError

_HERE = Path(__file__).parent
_COOKIE = "memproc"


@dataclass(frozen=True, slots=True)
class Desk:
    """The context of every view: settings, folders, and the memproc.toml that commands are to be given."""

    config: Config
    folders: Folders
    toml: Path | None


View = Callable[[Request], Response]


def application(
    desk: Desk, port: int, views: Mapping[str, View], actions: Mapping[str, View]
) -> Access:
    """The whole page. `views` answer GET, `actions` answer POST, by their paths."""
    templates = Jinja2Templates(directory=_HERE / "templates")
    templates.env.filters.update(FILTERS)
    routes = [
        Route("/enter", _enter),
        Route("/proof", _proof),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
        *(Route(path, _within_session(view), methods=["GET"]) for path, view in views.items()),
        *(
            Route(path, _within_session(action), methods=["POST"])
            for path, action in actions.items()
        ),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: _told, MemprocError: _told, Exception: _told},
    )
    app.state.desk, app.state.templates = desk, templates
    return Access(app, port)


def desk_of(request: Request) -> Desk:
    """The settings and folders that this page was started with."""
    desk: Desk = request.app.state.desk
    return desk


def field(request: Request, name: str) -> str:
    """The text of a field of the form; empty where there is none."""
    value = request.state.form.get(name)
    return value if isinstance(value, str) else ""


def said(request: Request) -> str:
    """The output of a button's command, for the page that is shown after it."""
    return request.query_params.get("said", "")


def render(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page made of a template; `form_token` stands in each of its forms."""
    session = request.cookies.get(_COOKIE, "")
    values |= {"form_token": form_token(session), "path": request.url.path}
    templates: Jinja2Templates = request.app.state.templates
    return templates.TemplateResponse(request, template, values, status_code=status)


async def _enter(request: Request) -> Response:
    """Exchange a one-time link for a session's cookie, and go on to where the link leads."""
    state = desk_of(request).folders.state
    session = await run_in_threadpool(follow_link, state, request.query_params.get("link", ""))
    if session is None:
        return render(request, "enter.html", 401)
    response = RedirectResponse("/" + quote(request.query_params.get("to", "").lstrip("/\\")), 303)
    response.set_cookie(
        _COOKIE, session, max_age=365 * 24 * 3600, httponly=True, samesite="strict", path="/"
    )
    return response


async def _proof(request: Request) -> Response:
    """Prove to `memproc open` that this page is memproc's own."""
    challenge = request.query_params.get("challenge", "")
    return PlainTextResponse(
        await run_in_threadpool(answer_challenge, desk_of(request).folders.state, challenge)
    )


def _within_session(view: View) -> Callable[[Request], Any]:
    """The view for those who have a session, and whose forms are ours; views may wait, so they run in a thread."""

    async def guarded(request: Request) -> Response:
        session = request.cookies.get(_COOKIE, "")
        if not await run_in_threadpool(is_session, desk_of(request).folders.state, session):
            return render(request, "enter.html", 401)
        if request.method in SAFE_METHODS:
            return await run_in_threadpool(view, request)
        async with request.form() as form:  # what was uploaded is closed, whatever comes of it
            token = form.get("form_token") or request.headers.get("x-form-token", "")
            if not isinstance(token, str) or not is_form_token(session, token):
                raise HTTPException(
                    403, "This form is not from the page that is open now. Load it again."
                )
            request.state.form = form
            return await run_in_threadpool(view, request)

    return guarded


async def _told(request: Request, fault: Exception) -> Response:
    """Any error as a page in words; what nobody foresaw is described without what it was about."""
    from daemon.files.unforeseen import describe

    if isinstance(fault, HTTPException):
        message, next_step, status = fault.detail, "", fault.status_code
    elif isinstance(fault, MemprocError):
        message, next_step, status = fault.message, fault.next_step, 409
    else:
        (message, next_step), status = describe(fault), 500
    return render(request, "trouble.html", status, message=message, next_step=next_step)
