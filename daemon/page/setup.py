"""Show the service, the version and the steps of a first visit; keep keys, and pair browsers.

Model servers on this computer are looked for when the user presses a button. A slow computer takes
minutes to try a model, so the command runs in a thread while the page shows that it goes on.
"""

import threading
from concurrent.futures import Future
from importlib.metadata import version
from time import time

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.bridge.devices import devices, newest_code, open_code
from daemon.config.search import own_file
from daemon.files.candidates import put_sample
from daemon.files.clock import now
from daemon.files.lock import daemon_runs
from daemon.models.own_server import USUAL, look_around
from daemon.page.actions import CommandResult, do_command, runs
from daemon.page.app import View, desk_of, field, render, show_at
from daemon.page.files import to_what_was_dropped
from daemon.reports.devices import devices_report
from daemon.status.place import current_pause
from primer.models import KEY_VARIABLES
from rules.errors import RefusedArguments

_LONGEST_SECONDS = 1_200.0
"""How long the command may take; the trial itself must end earlier."""
_TRIAL = "/start/trial"


def service_page(request: Request) -> Response:
    """Show whether the daemon runs, and what the system says about its service."""
    desk = desk_of(request)
    with desk.archive() as archive:
        paused = current_pause(archive, now())
    return render(
        request,
        "service.html",
        runs=daemon_runs(desk.folders.state),
        paused=paused,
        state=do_command(desk.toml, "service", "status").says,
    )


def about_page(request: Request) -> Response:
    """Show the version, and where all files are."""
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


def on_key(*command: str) -> View:
    """Return the action that runs `memproc key` with these words for a provider.

    A key that is entered goes to the command's standard input, and is never shown.
    """

    def act(request: Request) -> Response:
        address = "/start" if field(request, "from") == "start" else "/settings"
        return runs(address, "key", *command, "--", "{provider}", given="{key}")(request)

    return act


def take_sample(request: Request) -> Response:
    """Put the sample conversation into the inbox, as if it had been dropped there."""
    put_sample(desk_of(request).folders.inbox)
    return to_what_was_dropped(request)


def look_for_models(request: Request) -> Response:
    """Show the model servers that answer at three programs' usual ports; no address is entered."""
    return render(request, "own_models.html", servers=look_around())


def use_model(request: Request) -> Response:
    """Begin to try an offered model, unless a trial is going on, and show that.

    After the trial, the model writes the memories of every chat. Raises RefusedArguments.
    """
    root = field(request, "root")
    if root not in USUAL:
        raise RefusedArguments("That is no server that was offered.", "Look for models again.")
    if _is_over(request):
        trial: Future[CommandResult] = Future()
        command = ("init", "--yes", f"--local={root}", f"--model={field(request, 'model')}")
        toml, request.app.state.trial = desk_of(request).toml, trial

        def carry_out() -> None:
            try:
                trial.set_result(do_command(toml, *command, longest=_LONGEST_SECONDS))
            except BaseException as fault:  # a thread's end: raised in the view that shows it
                trial.set_exception(fault)

        threading.Thread(target=carry_out, name="trial", daemon=True).start()
    return RedirectResponse(_TRIAL, 303)


def trial_page(request: Request) -> Response:
    """Show that a model is being tried, or, once, the result. Raises what its command raised."""
    trial: Future[CommandResult] | None = request.app.state.trial
    if not _is_over(request):
        return render(request, "own_trial.html")
    request.app.state.trial = None
    if trial is None:
        return RedirectResponse("/start")
    return show_at(request, "/start", trial.result().or_raise().says)


def live_trial(request: Request) -> Response:
    """Answer the page, which asks every two seconds, with 204 once the trial is over."""
    is_over = _is_over(request)
    return Response(status_code=204) if is_over else render(request, "own_trial_part.html")


def _is_over(request: Request) -> bool:
    trial: Future[CommandResult] | None = request.app.state.trial
    return trial is None or trial.done()


def pairing_page(request: Request) -> Response:
    """Show the paired browsers, and the code while it is valid."""
    desk = desk_of(request)
    return render(
        request,
        "pairing.html",
        report=devices_report(devices(desk.folders.state)),
        digits=_digits(request),
        port=desk.config.page.port,
    )


def code_page(request: Request) -> Response:
    """Send the code to the page, which asks every two seconds; 204 once it is used or expired."""
    digits = _digits(request)
    return render(request, "code.html", digits=digits) if digits else Response(status_code=204)


def show_code(request: Request) -> Response:
    """Make a new code."""
    open_code(desk_of(request).folders.state, time())
    return RedirectResponse("/pairing", 303)


def _digits(request: Request) -> str:
    """Return the digits of the open code, or ""."""
    newest = newest_code(desk_of(request).folders.state)
    return newest.digits if newest and newest.seconds_left(time()) else ""
