"""Have the system keep memproc running, check on it, or remove it: `memproc service`."""

import getpass
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click
from platformdirs import user_config_path, user_log_path

import daemon
from daemon.archive.archive import Archive
from daemon.archive.signs import remove_signs
from daemon.bridge.devices import bridge_folder
from daemon.cli import NearGroup
from daemon.cli.manual import man_page_path
from daemon.cli.pair import REMOVE_THE_ADDRESS
from daemon.cli.printing import print_error
from daemon.cli.settings import Settings, pass_settings
from daemon.config.keys import NoKey, credential_files, find_key
from daemon.config.search import own_file
from daemon.files.lock import daemon_runs
from daemon.files.paths import archive_path, demos_folder, expanded_folder
from daemon.reports.report import Step
from daemon.status.status import OF_THE_DAEMON
from primer.models import KEY_VARIABLES
from rules.errors import ArchiveError, ConfigurationError, FileTrouble, MemprocError
from service.command import run_program
from service.desktop import notice_command
from service.install import InstallStep, StepFailed, to_install, to_remove
from service.manager import offer, recipe_for, state_here
from service.systemd import NOT_AGAIN, START_AGAIN
from service.systemd import recipe as systemd_recipe
from service.systemd_state import NoUserManager, failure
from service.unit import Account, Program

_PASSED_ON = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
_CODES = {"running": 0, "troubled": 1, "stopped": 2, "not installed": 2}


@click.group(cls=NearGroup)
def service_command() -> None:
    """Have the system keep memproc running: from login on, and again after a crash."""


@service_command.command("install")
@click.option("--dry-run", is_flag=True, help="Only print what would be written and run.")
@click.option("--no-sandbox", is_flag=True, help="Let the service do all that your account may do.")
@pass_settings
def service_install_command(settings: Settings, dry_run: bool, no_sandbox: bool) -> int:
    """Install the service and start it; installing again brings an older one up to date.

    Changes of yours go into a drop-in (`systemctl --user edit memproc`), and stay.
    """
    service_settings = _settings_of_the_service(settings)
    program, account = _program(service_settings), _account()
    if service_settings.config_file.path is None:
        settings.say(
            "There is no memproc.toml of yours, so every setting is at its default. "
            "To write one: memproc init"
        )
    with _in_our_words():
        try:
            recipe = recipe_for(account, program, run_program, no_sandbox=no_sandbox)
        except NoUserManager as fault:
            if not dry_run:
                raise
            # What would be written can be shown all the same.
            recipe = systemd_recipe(program, account.units, "none")
            _print(to_install(recipe, run_program), settings)
            settings.say(f"It would not start now: {fault.message}\n{fault.next_step}")
            return 0
        for remark in recipe.remarks:
            settings.say(remark)
        steps = to_install(recipe, run_program)
        if dry_run:
            return _print(steps, settings)
        code = _carry_out(steps, settings)
    further = offer(account, run_program)
    see = Step("To see how it is", "service status")
    settings.done("The service runs.", further, next=(see,))
    return code


@service_command.command("remove")
@click.option("--dry-run", is_flag=True, help="Only print what would be removed and run.")
@pass_settings
def service_remove_command(settings: Settings, dry_run: bool) -> int:
    """Stop the service and remove it. Folders, archive, keys and settings stay where they are."""
    return _remove(settings, dry_run=dry_run)


@service_command.command("status")
@pass_settings
def service_status_command(settings: Settings) -> int:
    """Say whether the service runs.

    Exit code 0: it runs; 1: it needs attention; 2: it does not run.
    """
    with _in_our_words():
        state = state_here(_account(), run_program, _program(settings).command)
    settings.done(*state.sentences, state=state.state)
    return _CODES[state.state]


@click.command
@pass_settings
def uninstall_command(settings: Settings) -> int:
    """Stop the service and remove it, and say what stays and how to remove each."""
    try:
        code = _remove(settings)
    except MemprocError as fault:  # there may be no service manager, and all else is told the same
        settings.say(f"The service was not looked at: {fault.message}")
        code = fault.exit_code
    stays = list(_what_stays(settings))
    first = Step("This stays. To take a whole conversation with you first", "expand CHAT")
    settings.done(next=(first,), stays=dict(stays))
    settings.draw("\n".join(f"{what}:\n    {how}" for what, how in stays))
    return code


def _what_stays(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is left on the computer, each with the way to remove it."""
    folders, toml = settings.folders, settings.config_file.path
    remove, remove_file = ("rmdir /s", "del") if sys.platform == "win32" else ("rm -r", "rm")
    expanded = expanded_folder(folders.updated)
    for what, path in (
        ("exports that you dropped", folders.inbox),
        ("updated exports", folders.updated),
        ("expanded conversations", expanded),
        (
            "backups, with the first original of each chat, and the files that you put aside",
            folders.backups,
        ),
        ("the archive, its copies and the log", folders.state),
        ("settings", toml),
        ("the man page", man_page_path()),
        ("the demos, with what was put into them", demos_folder()),
    ):
        if path is not None and path.exists():
            yield what, f"{remove if path.is_dir() else remove_file} {shlex.quote(str(path))}"
    for provider in sorted(KEY_VARIABLES):
        key = find_key(provider, {}, folders.state)
        if not isinstance(key, NoKey):
            yield f"the key for {provider}", f"memproc key forget {provider}"
    if bridge_folder(folders.state).exists():
        forget = "in TypingMind press ⋯ next to the pill, and Forget the pairing"
        yield "what a paired browser keeps for Undo", forget
        yield "the bridge", f"memproc pair forget --all\n{REMOVE_THE_ADDRESS}"
    yield "memproc itself, finally", "pipx uninstall memproc-daemon"


@service_command.command("failed", hidden=True)
def service_failed_command() -> int:
    """Tell the person that the service is down, and have it started again.

    systemd runs this when the service fails.
    """
    down = failure(run_program)
    next_step = down.next_step
    if down.may_pass:
        run_program(NOT_AGAIN.argv)
        if run_program(START_AGAIN.argv).code == 0:
            next_step = "It is started again in ten minutes. See: memproc logs"
    print_error(f"{down.message} {next_step}")
    if argv := notice_command(down.message, next_step):
        run_program(argv)
    return 0


def _settings_of_the_service(settings: Settings) -> Settings:
    """Return the person's own settings, never those of a file found in the current folder.

    Raises ConfigurationError where only such a file exists, as in a checkout.
    """
    file = settings.config_file
    if not file.is_here:
        return settings
    if own_file().is_file():
        settings.say(
            f"The service gets {own_file()}, and not {file.path}, which counts in this folder only."
        )
        return replace(settings, path=own_file())
    raise ConfigurationError(
        f"{file.path} counts in this folder only, "
        "and in your own configuration folder there is none for the service.",
        "Write one there: memproc init. "
        f"Or name this one: memproc --config {file.path} service install",
    )


def _remove(settings: Settings, *, dry_run: bool = False) -> int:
    """Remove the service of this account, or with `dry_run` only show how. Return the exit code."""
    with _in_our_words():
        recipe = recipe_for(_account(), _program(settings), run_program, no_sandbox=True)
        steps = to_remove(recipe, run_program)
        if dry_run:
            return _print(steps, settings)
        code = _carry_out(steps, settings)
    state = settings.folders.state
    if archive_path(state).exists() and not daemon_runs(state):
        with suppress(ArchiveError), Archive.open(state) as archive:
            remove_signs(archive, *OF_THE_DAEMON)  # so that status expects no daemon any more
    none = "There was no service of memproc to remove."
    settings.done("The service is removed." if steps else none, removed=bool(steps))
    return code


def _program(settings: Settings) -> Program:
    """Return the program that the service runs.

    Raises FileTrouble where there is no command to run, and ConfigurationError.
    """
    folders, toml = settings.folders, settings.config_file.path
    command = _command()
    if toml:
        command = (*command, "--config", str(toml.absolute()))
    return Program(
        command=(*command, "watch"),
        notice=(*command, "service", "failed"),
        writes=(folders.inbox, folders.updated, folders.backups, folders.state),
        home=Path.home(),
        code=(Path(daemon.__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix)),
        log=user_log_path("memproc", appauthor=False) / "service.log",
        environment=tuple((name, os.environ[name]) for name in _PASSED_ON if os.environ.get(name)),
        credentials=credential_files(user_config_path("memproc", appauthor=False) / "credentials"),
    )


def _command() -> tuple[str, ...]:
    """Return the command that starts memproc here. Raises FileTrouble where there is none."""
    if sys.platform == "win32":  # the console script would open a window
        windowless = Path(sys.executable).with_name("pythonw.exe")
        start = "import sys; from daemon.cli import main; sys.exit(main())"
        return str(windowless), "-c", start
    scripts = (Path(sys.argv[0]).absolute(), Path(sys.executable).with_name("memproc"))
    for path in scripts:
        if path.name == "memproc" and os.access(path, os.X_OK) and path.is_file():
            return (str(path),)
    raise FileTrouble(
        f"There is no command `memproc` next to {sys.executable}.",
        "Install memproc as docs/install.md says, then run the `memproc` of that installation.",
    )


def _account() -> Account:
    """Return the account that runs this, as service managers name it."""
    name, number = getpass.getuser(), 0
    if sys.platform == "win32":
        name = f"{os.environ.get('USERDOMAIN', '.')}\\{name}"
    else:
        number = os.getuid()
    units = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    return Account(
        sys.platform, name, number, os.environ, Path(f"/run/user/{number}").is_dir(), units
    )


def _carry_out(steps: list[InstallStep], settings: Settings) -> int:
    """Announce and carry out the steps; return 1 if a file was left alone, 0 if all was done."""
    for step in steps:
        settings.say(step.sentence)
        step.carry_out()
    return 1 if any(step.is_refusal for step in steps) else 0


def _print(steps: list[InstallStep], settings: Settings) -> int:
    """Show what would be done, with the text of each file. Return the exit code."""
    for step in steps:
        settings.say(step.intention)
        if step.text:
            settings.say_whole("\n".join(f"    {line}" for line in step.text.splitlines()))
    planned = [{"does": step.intention, "text": step.text} for step in steps]
    settings.done("" if steps else "There is nothing to do.", steps=planned)
    return 0


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Turn the service manager's errors in the block into errors of memproc with a next step."""
    try:
        yield
    except NoUserManager as fault:
        raise MemprocError(fault.message, fault.next_step) from fault
    except StepFailed as fault:
        next_step = "Mend that, then say it again; what was done already does no harm."
        if "restart" in fault.argv:
            next_step = (
                "Why: journalctl --user -u memproc -n 20, "
                "or run it in the foreground: memproc watch"
            )
        raise MemprocError(f"That did not work: {fault}", next_step) from fault
