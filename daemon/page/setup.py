"""Show the service, the version and the four steps of a first visit; keep keys, and pair browsers."""

from importlib.metadata import version
from time import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.archive.archive import Archive
from daemon.bridge.devices import devices, newest_code, open_code
from daemon.config.search import own_file
from daemon.files.candidates import put_sample
from daemon.files.clock import now
from daemon.files.lock import daemon_runs
from daemon.page.actions import do_command, run_then_show
from daemon.page.app import desk_of, field, render
from daemon.page.files import to_what_was_dropped
from daemon.reports.devices import devices_report
from daemon.status.place import current_pause
from primer.models import KEY_VARIABLES


def service_page(request: Request) -> Response:
    """Show whether memproc runs, and what the system says of its service."""
    desk = desk_of(request)
    with Archive.read(desk.folders.state) as archive:
        paused = current_pause(archive, now())
    return render(
        request,
        "service.html",
        runs=daemon_runs(desk.folders.state),
        paused=paused,
        state=do_command(desk.toml, "service", "status").says,
    )


def about_page(request: Request) -> Response:
    """Show the version, and where everything lies."""
    desk = desk_of(request)
    places = (
        ("Inbox", desk.folders.inbox),
        ("Updated exports", desk.folders.updated),
        ("Backups", desk.folders.backups),
        ("Archive and log", desk.folders.state),
        ("Settings", desk.toml or own_file()),
    )
    return render(request, "about.html", version=version("memproc-daemon"), places=places)


def setup_page(request: Request) -> Response:
    """Show the four steps, each optional: folders, a key, the service, a sample."""
    folders = desk_of(request).folders
    return render(
        request,
        "start.html",
        folders=folders,
        has_folders=folders.inbox.is_dir(),
        runs=daemon_runs(folders.state),
        providers=sorted(KEY_VARIABLES),
    )


def post_key(request: Request) -> Response:
    """Keep a provider's key. It goes to the command's standard input, and is never shown."""
    return run_then_show(
        request, _back(request), "key", "set", "--", _provider(request), given=field(request, "key")
    )


def post_test_key(request: Request) -> Response:
    """Ask the provider one tiny question, to see whether the key works."""
    return run_then_show(request, _back(request), "key", "test", "--", _provider(request))


def post_forget_key(request: Request) -> Response:
    """Remove a provider's key from where memproc keeps it."""
    return run_then_show(request, _back(request), "key", "forget", "--", _provider(request))


def make_folders(request: Request) -> Response:
    """Write memproc.toml and make the folders."""
    return run_then_show(request, "/start", "init", "--yes")


def install_service(request: Request) -> Response:
    """Have the system run memproc."""
    return run_then_show(request, "/start", "service", "install")


def _provider(request: Request) -> str:
    provider = field(request, "provider")
    return provider if provider in KEY_VARIABLES else ""


def _back(request: Request) -> str:
    return "/start" if field(request, "from") == "start" else "/settings"


def take_sample(request: Request) -> Response:
    """Put the sample conversation into the inbox, as if it had been dropped there."""
    put_sample(desk_of(request).folders.inbox)
    return to_what_was_dropped(request)


def pairing_page(request: Request) -> Response:
    """Show the paired browsers, and the code while it is good."""
    desk = desk_of(request)
    return render(
        request,
        "pairing.html",
        report=devices_report(devices(desk.folders.state)),
        digits=_digits(request),
        port=desk.config.page.port,
    )


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
