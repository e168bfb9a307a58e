"""Pair browsers on the page: a code for a new one, and the list of paired ones."""

from time import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.bridge.codes import newest_code, open_code
from daemon.bridge.devices import devices
from daemon.page.actions import run_then_show
from daemon.page.app import desk_of, render


def pairing_page(request: Request) -> Response:
    """Show the paired browsers, and the code while it is good."""
    desk = desk_of(request)
    return render(
        request, "pairing.html", devices=devices(desk.folders.state), digits=_digits(request),
        port=desk.config.page.port
    )  # fmt: skip


def code_page(request: Request) -> Response:
    """Show the code to the page that asks every two seconds; 204 once it is used or over."""
    digits = _digits(request)
    return render(request, "code.html", digits=digits) if digits else Response(status_code=204)


def show_code(request: Request) -> Response:
    """Make a new code."""
    open_code(desk_of(request).folders.state, time())
    return RedirectResponse("/pairing", 303)


def forget_device(request: Request) -> Response:
    """Forget a browser, which is not answered any more."""
    return run_then_show(request, "/pairing", "pair", "forget", "--", request.path_params["device"])


def _digits(request: Request) -> str:
    """Return the digits of the open code, or ""."""
    newest = newest_code(desk_of(request).folders.state)
    return newest.digits if newest and newest.seconds_left(time()) else ""
