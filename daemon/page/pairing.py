"""The bridge to TypingMind on the page: a code to pair a browser with, and the browsers that are paired."""

from time import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.bridge.codes import newest_code, open_code
from daemon.bridge.devices import devices
from daemon.page.actions import after
from daemon.page.app import desk_of, render, said


def pairing_page(request: Request) -> Response:
    """The paired browsers, and the code as long as it is good."""
    desk = desk_of(request)
    return render(
        request, "pairing.html", devices=devices(desk.folders.state), digits=_digits(request),
        port=desk.config.page.port, said=said(request),
    )  # fmt: skip


def code_page(request: Request) -> Response:
    """The code, for the page that asks again every two seconds; 204 once it is over, or a browser was paired."""
    digits = _digits(request)
    return render(request, "code.html", digits=digits) if digits else Response(status_code=204)


def show_code(request: Request) -> Response:
    """Make a new code."""
    open_code(desk_of(request).folders.state, time())
    return RedirectResponse("/pairing", 303)


def forget_device(request: Request) -> Response:
    """Answer a browser no more."""
    return after(request, "/pairing", "pair", "forget", "--", request.path_params["device"])


def _digits(request: Request) -> str:
    """Return the digits of a code that is good now, as they can be pasted; empty where there is none."""
    newest = newest_code(desk_of(request).folders.state)
    return newest.digits if newest and newest.seconds_left(time()) else ""
