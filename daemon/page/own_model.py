"""Offer the model servers that answer on this computer, once that is pressed, and set one up.

A slow computer takes minutes for the trial, so the command goes on while the page shows that it is waited for.
"""

import threading
from concurrent.futures import Future

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from daemon.models.own_server import USUAL, OwnServer, look_around
from daemon.page.actions import CommandResult, do_command
from daemon.page.app import desk_of, field, render, show_at
from rules.errors import RefusedArguments

_LONGEST_SECONDS = 1_200.0
"""More than the trial itself may take."""
_TRIAL = "/start/trial"


def look_for_models(request: Request) -> Response:
    """Show what answers at the usual ports of three servers. No address is typed here."""
    servers: tuple[OwnServer, ...] = look_around()
    return render(request, "own_models.html", servers=servers)


def use_model(request: Request) -> Response:
    """Begin to try a model that was offered, unless one is tried now, and show that.

    Then it writes the memories of every chat. Raises RefusedArguments.
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
    """Show that a model is being tried; or, once, what came of it. Raises what its command raised."""
    trial: Future[CommandResult] | None = request.app.state.trial
    if not _is_over(request):
        return render(request, "own_trial.html")
    request.app.state.trial = None
    if trial is None:
        return RedirectResponse("/start")
    return show_at(request, "/start", trial.result().or_raise().says)


def live_trial(request: Request) -> Response:
    """Answer the page that asks every two seconds; 204 once the trial is over."""
    is_over = _is_over(request)
    return Response(status_code=204) if is_over else render(request, "own_trial_part.html")


def _is_over(request: Request) -> bool:
    trial: Future[CommandResult] | None = request.app.state.trial
    return trial is None or trial.done()
