"""Let TypingMind in a browser send its chats: `memproc pair` lists, adds and forgets browsers."""

from importlib.resources import files
from pathlib import Path
from time import sleep, time

import click

from daemon.bridge.devices import (
    Device,
    PairingCode,
    close_code,
    devices,
    find_device,
    forget_devices,
    newest_code,
    open_code,
)
from daemon.cli import NearGroup
from daemon.cli.page import start_page_unless_there
from daemon.cli.printing import in_width
from daemon.cli.settings import Settings, pass_settings
from daemon.files.lock import daemon_runs
from daemon.files.write import replace_file
from daemon.reports.devices import devices_report
from daemon.reports.report import Step
from rules.errors import FileTrouble, MemprocError, NotFound

_LOOK_SECONDS = 0.25
SCRIPT = "memproc-typingmind.js"
REMOVE_THE_ADDRESS = (
    "Now remove the extension's address in TypingMind, on every device: Settings, Extensions. "
    "TypingMind syncs it, and runs whatever answers there, inside your chats."
)


@click.group(cls=NearGroup, default="code")
def pair_command() -> None:
    """Let TypingMind in a browser send its chats to memproc and take them back, without files."""


@pair_command.command("code")
@pass_settings
def pair_code_command(settings: Settings) -> int:
    """Show a code, and wait until it is used.

    It is good for two minutes, and `memproc pair` alone shows it, too.
    """
    state, page = settings.folders.state, settings.config.page
    start_page_unless_there(settings, page.port)
    shown = open_code(state, time())
    lines = [
        f"Code: {shown.digits}",
        "",
        "Give it to memproc's extension in TypingMind. It is good once, and for two minutes.",
        "Is the extension not there yet? In TypingMind: Settings, Extensions, and the address "
        "where you host it (write it with: memproc pair script). "
        f"To try it, http://127.0.0.1:{page.port}/bridge/typingmind.js",
    ]
    if not page.enabled:
        lines.append(
            "page.enabled is false in memproc.toml, "
            "so TypingMind is answered only while the page is open."
        )
    elif not daemon_runs(state):
        lines.append(
            "TypingMind is answered while the page is open, "
            "and always by the service: memproc service install"
        )
    click.echo("\n".join(map(in_width, lines)))
    try:
        device = _wait(state, shown)
    finally:
        close_code(state, shown)
    click.echo(f"Paired: {device.name}, on {device.origin}.")
    return 0


@pair_command.command(name="list")
@pass_settings
def pair_list_command(settings: Settings) -> None:
    """List the browsers that are paired."""
    settings.show(devices_report(devices(settings.folders.state)))


@pair_command.command("forget")
@click.argument("ids", metavar="ID...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every browser that is paired.")
@pass_settings
def pair_forget_command(settings: Settings, ids: tuple[str, ...], everything: bool) -> None:
    """Answer these browsers no more.

    An ID is that of `memproc pair list`, or as much of its beginning as is needed.
    """
    paired = devices(settings.folders.state)
    if not ids and not everything:
        raise click.UsageError("Name the browsers by their ids (memproc pair list), or say --all.")
    forgotten = list(paired) if everything else []
    for written in () if everything else ids:
        fits = [device for device in paired if written and device.id.startswith(written)]
        if len(fits) != 1:
            what = "can be any of several" if fits else "is no id of a paired browser"
            raise NotFound(f'"{written}" {what}.', "See them with: memproc pair list")
        forgotten += fits
    forget_devices(settings.folders.state, frozenset(device.id for device in forgotten))
    settings.done(
        *(f"Forgotten: {device.name}, on {device.origin}." for device in forgotten),
        REMOVE_THE_ADDRESS if forgotten else "Nothing was paired.",
        forgotten=[device.id for device in forgotten],
    )


@pair_command.command("script")
@click.argument("path", type=click.Path(path_type=Path), default=SCRIPT)
@pass_settings
def pair_script_command(settings: Settings, path: Path) -> None:
    """Write the extension to PATH, to be hosted.

    Put it on an HTTPS address of your own, and give that address to TypingMind.
    """
    if path.is_dir():
        path = path / SCRIPT
    if path.exists() and b"memproc" not in path.read_bytes():
        raise FileTrouble(
            f"{path} is there already, and is something else.", "Choose another name."
        )
    replace_file(path.absolute(), [(files("daemon.bridge") / "typingmind.js").read_bytes()])
    says = (
        f"Written: {path}. Put it where only you can change it, on an HTTPS address, "
        "and give that address to TypingMind: Settings, Extensions."
    )
    settings.done(says, next=(Step("Then", "pair"),), path=path)


def _wait(state: Path, shown: PairingCode) -> Device:
    """Wait for a device to pair with the code, and return it; MemprocError where the code ends."""
    while True:
        code = newest_code(state)
        if code is None or code.made_at != shown.made_at:
            message = "Another code was made meanwhile, so this one is not good any more."
            raise MemprocError(message, "Use that one.")
        if code.device and (device := find_device(state, code.device)):
            return device
        if not code.seconds_left(time()):
            message = f"Nothing was paired. {code.why_over}"
            raise MemprocError(message, "Make a new code: memproc pair")
        sleep(_LOOK_SECONDS)
