"""Open the page or a folder: `memproc open`; and, hidden, serve the page."""

import secrets
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlencode

import click

from daemon.cli.commands import TROUBLE
from daemon.cli.printing import print_error
from daemon.cli.settings import Settings, pass_settings
from daemon.files.lock import Busy, daemon_lock, hold, is_held
from daemon.files.private import make_private
from daemon.inbox.page_port import (
    LOOPBACK,
    PortTaken,
    listen,
    page_lock,
    port_trouble,
    start_page,
)
from daemon.page.sessions import answer_challenge, new_link
from rules.errors import FileTrouble

_PLACES = ("page", "inbox", "updated", "config")
_ANSWER_SECONDS = 60.0
_FAILS_WITHIN_SECONDS = 3.0
_MOST_PORTS = 10
"""The number of ports that are tried: the page's own, and the next ones."""
_LAST_PORT = 65_535


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
    if place == "page":
        port = _start_page(settings)
        link = urlencode({"link": new_link(settings.folders.state)})
        address = f"http://{LOOPBACK}:{port}/enter?{link}"
    else:
        path = settings.config_file.path if place == "config" else getattr(settings.folders, place)
        if path is None:
            raise FileTrouble(
                "There is no memproc.toml yet; the defaults count.", "Write one with: memproc init"
            )
        if not path.exists():
            raise FileTrouble(f"There is no {path}.", "Make the folders with: memproc init")
        address = str(path)
    settings.done(address=address)
    if only_print:
        settings.draw(address)
        return 0
    shown = "the page" if place == "page" else address
    if not _opens(address):
        print_error(f"No program could be found that opens {shown}. Open this yourself:")
        settings.draw(address)
        return TROUBLE
    settings.say(f"Opened {shown}. If you do not see it, open this yourself:\n{address}")
    return 0


@click.command(hidden=True)
@click.option("--socket", "number", type=int, help="A listening socket that was handed over.")
@pass_settings
def page_command(settings: Settings, number: int | None) -> None:
    """Serve the page on a socket of the daemon's, until it is idle.

    The lock tells a daemon that comes up meanwhile that the port is our own page's.
    """
    if number is None:
        raise click.UsageError("To see the page: memproc open")
    from daemon.page.access import dispatcher
    from daemon.page.app import Desk, application
    from daemon.page.bridge import PREFIX as BRIDGE
    from daemon.page.bridge import bridge
    from daemon.page.routes import ACTIONS, VIEWS
    from daemon.page.server import serve

    config, folders = settings.config, settings.folders
    make_private(folders.state)
    with socket.socket(fileno=number) as listener, ExitStack() as held:
        desk, port = Desk(config, folders, settings.path), listener.getsockname()[1]
        with suppress(Busy):  # the one before it is just ending
            held.enter_context(hold(page_lock(folders.state, port), "shows the page"))
        others = {} if desk.is_demo else {BRIDGE: bridge(desk, port)}
        if config.recall.connector:
            from daemon.page.connector import PREFIX as CONNECTOR
            from daemon.page.connector import connector
            from daemon.recall.library import Library

            library = Library(config, folders.state)
            others[CONNECTOR] = connector(library, port, config.recall.origins)
        serve(listener, dispatcher(application(desk, port, VIEWS, ACTIONS), others))


def _opens(address: str) -> bool:
    """Open an address or a file. Return False where no program opens it.

    xdg-open may run as long as the browser: if it has not failed after a few seconds, it has
    worked.
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


def _start_page(settings: Settings) -> int:
    """Start the page unless it answers, and return its port.

    If another program has the port and the system does not say which, the next free port is used
    and reported. Raises FileTrouble where the system says which program has it.
    """
    own_port = settings.config.page.port
    try:
        start_page_unless_there(settings, own_port)
    except PortTaken as taken:
        if taken.program:
            raise
        for port in range(own_port + 1, min(own_port + _MOST_PORTS, _LAST_PORT + 1)):
            with suppress(PortTaken):
                start_page_unless_there(settings, port)
                print_error(f"{taken.message} So the page is at the next one, {port}.")
                return port
        raise
    return own_port


def start_page_unless_there(settings: Settings, port: int) -> None:
    """Start the page unless it answers at `port`.

    Raises FileTrouble where another program, or another person's memproc, has the port.
    """
    state = settings.folders.state
    if _is_ours(state, port):
        return
    try:
        listener = listen(port)
    except OSError as fault:
        raise port_trouble(port, fault) from fault
    with listener:
        started = start_page(settings.path, listener, quiet=True)
    if not _is_ours(state, port, started):
        raise FileTrouble("The page did not start.", "See what is wrong with: memproc doctor")


def _is_ours(state: Path, port: int, started: "subprocess.Popen[bytes] | None" = None) -> bool:
    """Return whether memproc's page for this archive answers at the port.

    It must prove that it can read our state folder before it gets the secret of a link. `started`
    is the page's process if we have just started it. If not, and neither a page nor a daemon of
    ours holds a lock, nothing is asked: another program at the port might never answer.
    """
    import httpx

    locks = (page_lock(state, port), daemon_lock(state))
    if not started and not any(map(is_held, locks)):
        return False
    challenge = secrets.token_hex(16)
    try:
        reply = httpx.get(
            f"http://{LOOPBACK}:{port}/proof",
            params={"challenge": challenge},
            timeout=_ANSWER_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError:
        return False
    expected = answer_challenge(state, challenge)
    return secrets.compare_digest(reply.text.encode(), expected.encode())
