"""Offer the model servers that answer on this computer, once that is pressed, and set one up."""

from starlette.requests import Request
from starlette.responses import Response

from daemon.models.own_server import USUAL, OwnServer, look_around
from daemon.page.actions import run_then_show
from daemon.page.app import field, render
from rules.errors import RefusedArguments


def look_for_models(request: Request) -> Response:
    """Show what answers at the usual ports of three servers. No address is typed here."""
    servers: tuple[OwnServer, ...] = look_around()
    return render(request, "own_models.html", servers=servers)


def use_model(request: Request) -> Response:
    """Have a model that was offered write the memories of every chat. Raises RefusedArguments."""
    root = field(request, "root")
    if root not in USUAL:
        raise RefusedArguments("That is no server that was offered.", "Look for models again.")
    model = f"--model={field(request, 'model')}"
    return run_then_show(request, "/start", "init", "--yes", f"--local={root}", model)
