"""`memproc service`: have the system keep memproc running, look how it stands, or have it removed."""

import getpass
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from platformdirs import user_config_path, user_log_path

from daemon.cli.settings import Settings, pass_settings
from daemon.config.search import own_file
from daemon.keys import credential_files
from daemon.status.sentences import visible
from rules.errors import ConfigurationError, FileTrouble
from service.ask import Account, NoBus, ask_system
from service.desktop import commands
from service.install import Failed, carry_out, to_install, to_remove
from service.keeper import Place, keeper, offers, on_paper, standing_here
from service.recipe import LeaveAlone, Program, Run, Step, Write, sentence
from service.standing import FAILURE_QUESTION, failure, properties
from service.systemd import START_AGAIN, Sandbox

_PASSED_ON = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
_CODES = {"running": 0, "troubled": 1, "stopped": 2, "not installed": 2}


@click.group
def service() -> None:
    """Have the system keep memproc running: from login on, and again after a crash."""


@service.command
@click.option("--dry-run", is_flag=True, help="Only print what would be written and run.")
@click.option("--no-sandbox", is_flag=True, help="Let the service do all that your account may do.")
@pass_settings
def install(settings: Settings, dry_run: bool, no_sandbox: bool) -> int:
    """Install the service and start it; installing again brings an older one up to date.

    Changes of yours go into a drop-in (`systemctl --user edit memproc`), and stay.
    """
    own = _settings_of_the_service(settings)
    program, place = _program(own), _place()
    if own.found.path is None:
        settings.say(
            "There is no memproc.toml of yours, so every setting is at its default. To write one: memproc init"
        )
    kept = keeper(place, program, ask_system, Sandbox.NONE if no_sandbox else None)
    if isinstance(kept, NoBus):
        if dry_run:  # what would be written can be shown all the same
            _show(to_install(on_paper(place, program), _read, Path.is_dir))
        return _say_no(kept)
    steps = to_install(kept.recipe, _read, Path.is_dir)
    for remark in kept.remarks:
        settings.say(remark)
    if dry_run:
        return _show(steps)
    failed = carry_out(steps, settings.say, ask_system)
    if failed is not None:
        return _say_failed(failed)
    settings.say("The service runs. How it stands: memproc service status")
    for offer in offers(place, ask_system):
        settings.say(offer)
    return _left(steps)


@service.command
@click.option("--dry-run", is_flag=True, help="Only print what would be removed and run.")
@pass_settings
def remove(settings: Settings, dry_run: bool) -> int:
    """Stop the service and remove it. Folders, archive, keys and settings stay where they are."""
    kept = keeper(_place(), _program(settings), ask_system, Sandbox.NONE)
    if isinstance(kept, NoBus):
        return _say_no(kept)
    steps = to_remove(kept.recipe, _read)
    if dry_run:
        return _show(steps)
    failed = carry_out(steps, settings.say, ask_system)
    if failed is not None:
        return _say_failed(failed)
    settings.say("The service is removed." if steps else "There was no service of memproc to remove.")
    return _left(steps)


@service.command
@pass_settings
def status(settings: Settings) -> int:
    """How the service stands. Exit code 0: it runs; 1: it wants attention; 2: it does not run."""
    stands = standing_here(_place(), _program(settings), ask_system)
    if isinstance(stands, NoBus):
        return _say_no(stands)
    for line in stands.sentences:
        click.echo(visible(line))
    return _CODES[stands.state]


@service.command(hidden=True)
def failed() -> int:
    """Tell the person that the service is down, and see that it is started again; systemd runs this when it fails."""
    down = failure(properties(ask_system(FAILURE_QUESTION)))
    next_step = down.next_step
    if down.may_pass and ask_system(START_AGAIN.argv).code == 0:
        next_step = "It is started again in ten minutes. See: memproc logs"
    click.echo(visible(f"{down.message} {next_step}"), err=True)
    for argv in commands(down.message, next_step):
        if ask_system(argv).code == 0:
            break
    return 0


def _settings_of_the_service(settings: Settings) -> Settings:
    """Those of the person: never a file that merely lies in the folder where they happen to be, as in a checkout.

    Raises ConfigurationError where only such a file is there.
    """
    found = settings.found
    if not found.is_here:
        return settings
    if own_file().is_file():
        settings.say(f"The service gets {own_file()}, and not {found.path}, which counts in this folder only.")
        return Settings(own_file(), settings.quiet)
    raise ConfigurationError(
        f"{found.path} counts in this folder only, and in your own configuration folder there is none for the service.",
        f"Write one there: memproc init. Or name this one: memproc --config {found.path} service install",
    )


def _program(settings: Settings) -> Program:
    """What the service runs. Raises FileTrouble where there is no command to run, and as `Settings.folders` does."""
    folders, found = settings.folders, settings.found.path
    config = ("--config", str(found.absolute())) if found else ()
    command = (*_command(), *config)
    return Program(
        command=(*command, "watch"),
        notice=(*command, "service", "failed"),
        writes=(folders.inbox, folders.updated, folders.backups, folders.state),
        home=Path.home(),
        log=user_log_path("memproc", appauthor=False) / "service.log",
        environment=tuple((name, os.environ[name]) for name in _PASSED_ON if os.environ.get(name)),
        credentials=credential_files(user_config_path("memproc", appauthor=False) / "credentials"),
    )


def _command() -> tuple[str, ...]:
    """The arguments that run memproc, by the absolute path of the console script that runs now."""
    if sys.platform == "win32":  # the console script would open a window
        windowless = Path(sys.executable).with_name("pythonw.exe")
        return (str(windowless), "-c", "import sys; from daemon.cli import main; sys.exit(main())")
    for script in (Path(sys.argv[0]).absolute(), Path(sys.executable).with_name("memproc")):
        if script.name == "memproc" and os.access(script, os.X_OK) and script.is_file():
            return (str(script),)
    raise FileTrouble(
        f"There is no command `memproc` beside {sys.executable}.",
        "Install memproc as the README says, then run the `memproc` of that installation.",
    )


def _place() -> Place:
    number = os.getuid() if sys.platform != "win32" else 0
    name = getpass.getuser()
    if sys.platform == "win32":
        name = f"{os.environ.get('USERDOMAIN', '.')}\\{name}"
    account = Account(name, number, os.environ, Path(f"/run/user/{number}").is_dir())
    units = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    return Place(sys.platform, account, units)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as trouble:
        raise FileTrouble(
            f"{path} cannot be read: {trouble.strerror}.", "Make it readable, then try again."
        ) from trouble


def _show(steps: Sequence[Step]) -> int:
    for step in steps:
        click.echo(visible(sentence(step)))
        if isinstance(step, Write):
            click.echo(visible("".join(f"    {line}\n" for line in step.text.splitlines())))
    if not steps:
        click.echo("There is nothing to do.")
    return 0


def _say_no(no_bus: NoBus) -> int:
    click.echo(visible(f"memproc: {no_bus.message}\n{no_bus.next_step}"), err=True)
    return 1


def _say_failed(failed: Failed) -> int:
    click.echo(visible(f"memproc: That did not work: {failed.reason}"), err=True)
    if isinstance(failed.step, Run) and "restart" in failed.step.argv:
        click.echo("Why: journalctl --user -u memproc -n 20, or run it in the foreground: memproc watch", err=True)
    return 1


def _left(steps: Sequence[Step]) -> int:
    """1 where a file was left as the person made it, since then not all was done that was asked for."""
    return 1 if any(isinstance(step, LeaveAlone) for step in steps) else 0
