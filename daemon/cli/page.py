"""Open the page or a folder: `memproc open`; and, hidden, serve the page."""

import secrets
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import click

from daemon.cli import TROUBLE
from daemon.cli.printing import print_error
from daemon.cli.settings import Settings, pass_settings
from rules.errors import FileTrouble

_PLACES = ("page", "inbox", "updated", "config")
_ANSWER_SECONDS = 60.0
_FAILS_WITHIN_SECONDS = 3.0


@click.command
@click.argument("place", type=click.Choice(_PLACES), default="page")
@click.option(
    "--print", "only_print", is_flag=True, help="Print the address instead of opening it."
)
@click.option("--demo", "of_demo", is_flag=True, help="Show what the newest demo has made.")
@pass_settings
def open_command(settings: Settings, place: str, only_print: bool, of_demo: bool) -> int:
    """Open the page in your browser; or the inbox, the folder of updated exports, or memproc.toml.

    The page's link is good once, and for two minutes.
    """
    if of_demo:
        from daemon.cli.demo import newest_demo  # late: it imports much of memproc

        settings = newest_demo()
    address = _link(settings) if place == "page" else str(_path(settings, place))
    if only_print:
        click.echo(address)
        return 0
    shown = "the page" if place == "page" else address
    if not _opens(address):
        print_error(f"No program could be found that opens {shown}. Open this yourself:")
        click.echo(address)
        return TROUBLE
    settings.say(f"Opened {shown}. If you do not see it, open this yourself:\n{address}")
    return 0


@click.command(hidden=True)
@click.option(
    "--socket", "number", type=int, required=True, help="A listening socket that was handed over."
)
@pass_settings
def page_command(settings: Settings, number: int) -> None:
    """Serve the page on a socket of the daemon's, until it is idle."""
    from daemon.page.access import dispatcher
    from daemon.page.app import Desk, application
    from daemon.page.bridge import PREFIX as BRIDGE
    from daemon.page.bridge import bridge
    from daemon.page.routes import ACTIONS, VIEWS
    from daemon.page.server import serve

    config, folders = settings.config, settings.folders
    with socket.socket(fileno=number) as listener:
        desk, port = Desk(config, folders, settings.path), listener.getsockname()[1]
        others = {} if desk.is_demo else {BRIDGE: bridge(desk, port)}
        if config.recall.connector:
            from daemon.page.connector import PREFIX as CONNECTOR
            from daemon.page.connector import connector
            from daemon.recall.library import Library

            library = Library(config, folders.state)
            others[CONNECTOR] = connector(library, port, config.recall.origins)
        serve(listener, dispatcher(application(desk, port, VIEWS, ACTIONS), others))


def _opens(address: str) -> bool:
    """Open an address or a file. Return False where no program does.

    xdg-open may live as long as the browser: one that has not failed by then has opened it.
    """
    if sys.platform in ("darwin", "win32"):
        return click.launch(address) == 0
    quiet = subprocess.DEVNULL
    try:
        opener = subprocess.Popen(["xdg-open", address], stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603, S607
        return opener.wait(_FAILS_WITHIN_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return True
    except OSError:
        return False


def _path(settings: Settings, place: str) -> Path:
    """Return the folder or file of that name. Raise FileTrouble where it is not there yet."""
    path = settings.config_file.path if place == "config" else getattr(settings.folders, place)
    if path is None:
        raise FileTrouble(
            "There is no memproc.toml yet; the defaults count.", "Write one with: memproc init"
        )
    if not path.exists():
        raise FileTrouble(f"There is no {path}.", "Make the folders with: memproc init")
    return Path(path)


def _link(settings: Settings) -> str:
    """Make a one-time link to the page."""
    from daemon.inbox.page_port import LOOPBACK
    from daemon.page.sessions import new_link

    start_page_unless_there(settings)
    link = urlencode({"link": new_link(settings.folders.state)})
    return f"http://{LOOPBACK}:{settings.config.page.port}/enter?{link}"


def start_page_unless_there(settings: Settings) -> None:
    """Start the page unless it answers. Raises FileTrouble where the port is another's."""
    from daemon.inbox.page_port import listen, start_page

    port, state = settings.config.page.port, settings.folders.state
    if not _is_ours(state, port):
        with listen(port) as listener:
            started = start_page(settings.path, listener, quiet=True)
        if not _is_ours(state, port, started):
            raise FileTrouble("The page did not start.", "See what is wrong with: memproc doctor")


def _is_ours(state: Path, port: int, started: "subprocess.Popen[bytes] | None" = None) -> bool:
    """Return True if memproc's page for this archive answers at the port.

    It has to prove that it can read our state folder before it gets the secret of a link. `started`
    is the page's process if we started it just now: no answer is then no error. Raises FileTrouble
    where another program, or the memproc of another person, holds the port.
    """
    import httpx

    from daemon.inbox.page_port import LOOPBACK
    from daemon.page.sessions import answer_challenge

    challenge = secrets.token_hex(16)
    try:
        reply = httpx.get(
            f"http://{LOOPBACK}:{port}/proof",
            params={"challenge": challenge},
            timeout=_ANSWER_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError as fault:
        if started or isinstance(fault, httpx.ConnectError):
            return False
        proof = ""
    else:
        proof = reply.text
    if not secrets.compare_digest(proof.encode(), answer_challenge(state, challenge).encode()):
        raise FileTrouble(
            "Another program, or the memproc of another person, "
            f"answers at port {port} of this computer.",
            "Choose another number for page.port in memproc.toml.",
        )
    return True
