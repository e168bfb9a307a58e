"""Examine an installation of memproc: gather what the checks need, and carry them out.

A check is a generator: it takes the `Machine`, or the `Setup` that memproc.toml describes, and
yields findings. The checks are in `checks`, `folder_checks` and `model_checks`.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from platformdirs import user_config_path

from daemon.config.keys import keys
from daemon.config.loading import load_folders
from daemon.config.settings import Config
from daemon.models.context import check_named_files
from daemon.models.tokens import tables
from daemon.status.checks import daemon, litellm, packages, service, tokenizer, versions
from daemon.status.findings import LEVELS, Finding, Machine, Setup, error, ok, warning
from daemon.status.folder_checks import archive, backups, disk, folders, outputs, rights
from daemon.status.model_checks import check_keys, key_files, models, own_models
from rules.errors import ConfigurationError, FileTrouble, MemprocError
from service.command import RunCommand, run_program
from service.manager import state_here
from service.systemd_state import NoUserManager
from service.unit import Account, ServiceState

OF_MACHINE = (versions, litellm, packages, tokenizer, service)
"""The checks that need no memproc.toml."""
OF_SETUP = (
    folders,
    rights,
    disk,
    daemon,
    archive,
    backups,
    outputs,
    key_files,
    check_keys,
    models,
    own_models,
)
"""The checks that need a valid memproc.toml."""
_DAEMON = Path(__file__).parents[1]
_TESTED = "locks/tested.txt"
_PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_LIMIT_SECONDS = 3.0
_Checked = TypeVar("_Checked", Machine, Setup)
_run_briefly = partial(run_program, limit_seconds=_LIMIT_SECONDS)


def examine(
    load: Callable[[], Config],
    find: Callable[[], tuple[Path | None, str]],
    is_thorough: bool,
    also: Sequence[Callable[[Setup], Iterator[Finding]]],
) -> list[Finding]:
    """Carry out all checks. Return the findings: errors first, then warnings.

    `load` returns the settings, `find` the memproc.toml that they come from and a sentence on
    others that could have applied. `also` are checks from rooms above this one.
    """
    machine = look_at_machine(os.environ)
    try:
        toml, choice = find()
        config = load()
        setup = look_at_setup(machine, toml, config, is_thorough)
    except ConfigurationError as fault:
        text = f"{fault.message}\nWhat needs it was not looked at."
        findings = [error("memproc.toml", text, fault.next_step)]
    else:
        text = f"{toml} can be used." if toml else "There is none: every setting is at its default."
        findings = [ok("memproc.toml", f"{text} {choice}".rstrip())]
        findings += [
            warning("memproc.toml", note, f"Take it out of {toml}") for note in config.notes
        ]
        findings += run_checks((*OF_SETUP, *also), setup)
    return sorted(
        [*findings, *run_checks(OF_MACHINE, machine)],
        key=lambda finding: LEVELS.index(finding.level),
    )


def look_at_machine(environ: Mapping[str, str], run: RunCommand = _run_briefly) -> Machine:
    """Return what the checks need to know of this computer."""
    user = os.getuid() if sys.platform != "win32" else 0
    account = Account(
        sys.platform, str(user), user, environ, Path(f"/run/user/{user}").is_dir(), Path.home()
    )
    try:
        service_state = state_here(account, run)
    except NoUserManager as fault:
        why = (fault.message, "To see what helps: memproc service install")
        service_state = ServiceState("not installed", why)
    try:
        litellm_version = version("litellm")
    except PackageNotFoundError:
        litellm_version = ""
    return Machine(
        now=datetime.now(UTC),
        system=sys.platform,
        user=user,
        litellm=litellm_version,
        untested=tuple(_untested(tested_pins())),
        tokenizers=Path(environ.get("TIKTOKEN_CACHE_DIR") or tables()),
        service=service_state,
    )


def tested_pins() -> str:
    """Return the list of tested packages, from the package `daemon`, or a checkout next to it.

    Raise FileTrouble if it is in neither place.
    """
    for place in (_DAEMON / _TESTED, _DAEMON.parent / _TESTED):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileTrouble(
        f"{_TESTED} is missing from the installation in {_DAEMON}.", "Install memproc again."
    )


def _untested(pins: str) -> Iterator[str]:
    """Yield each installed package whose version was not tested, with the tested one.

    A package may be pinned twice, for older and newer Pythons. One that is not installed is not
    needed.
    """
    tested: dict[str, list[str]] = {}
    for name, pinned in _PIN.findall(pins):
        tested.setdefault(name, []).append(pinned)
    for name, pinned in tested.items():
        with suppress(PackageNotFoundError):
            if (installed := version(name)) not in pinned:
                yield f"{name} {installed} (tested: {' or '.join(pinned)})"


def look_at_setup(machine: Machine, toml: Path | None, config: Config, is_thorough: bool) -> Setup:
    """Return the setup that memproc.toml describes.

    Raise ConfigurationError where its folders or files that it names cannot be used.
    """
    check_named_files(config)
    places = load_folders(config)
    return Setup(
        machine=machine,
        toml=toml,
        config=config,
        folders=places,
        key=keys(places.state),
        credentials=user_config_path("memproc", appauthor=False) / "credentials",
        free=lambda folder: shutil.disk_usage(folder).free,
        is_thorough=is_thorough,
    )


def run_checks(
    checks: Iterable[Callable[[_Checked], Iterator[Finding]]], checked: _Checked
) -> Iterator[Finding]:
    """Yield the findings of every check; one that fails is a warning, and the others go on."""
    for check in checks:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        try:
            yield from check(checked)
        except MemprocError as fault:
            yield warning(name, f"This could not be looked at: {fault.message}", fault.next_step)
        except (OSError, ValueError) as fault:
            text = f"This could not be looked at ({type(fault).__name__}: {fault})."
            yield warning(name, text, "Mend that, then say memproc doctor again.")
