"""Looks up what the checks look at: the machine and its installation, and the house of a memproc.toml."""

import os
import shutil
import site
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from platformdirs import user_config_path

from daemon.config import Config, folders
from daemon.doctor.finding import Finding, error, ok
from daemon.doctor.place import Machine, Place
from daemon.layout import core_layout
from daemon.models.tokens import tables
from daemon.opening import keys
from daemon.paths import Folders
from daemon.seeing.place import Place as Daemon
from daemon.texts import load_texts
from rules.errors import ConfigurationError
from service import ask as lingering
from service.ask import Account, Answer, Ask, ask_system
from service.keeper import Place as Computer
from service.keeper import standing_here
from service.recipe import Program

_LIMIT_SECONDS = 3.0
_WORLD = Path("/")


@dataclass(frozen=True, slots=True)
class Usable:
    """A memproc.toml that can be used, and what it says."""

    finding: Finding
    config: Config
    folders: Folders


def ask_briefly(argv: Sequence[str]) -> Answer:
    """Ask the system, and wait three seconds at most."""
    return ask_system(argv, _LIMIT_SECONDS)


def settings(load: Callable[[], Config], where: Callable[[], Path | None]) -> Usable | Finding:
    """What memproc.toml says, if it, its folders and its texts can be used, or the finding that says what is wrong."""
    try:
        path, config = where(), load()
        for own in (config, *map(config.with_override, config.chats.override)):
            load_texts(own.texts.path)
            core_layout(own.core)
        places = folders(config)
    except ConfigurationError as trouble:
        told = f"{trouble.message} What needs it was not looked at."
        return error("memproc.toml", told, trouble.next_step)
    told = f"{path} can be used." if path else "There is none: every setting is at its default."
    return Usable(ok("memproc.toml", told), config, places)


def machine(environ: Mapping[str, str], ask: Ask = ask_briefly) -> Machine:
    """The computer that this runs on."""
    user = os.getuid() if sys.platform != "win32" else 0
    account = Account(str(user), user, environ, (_WORLD / "run" / "user" / str(user)).is_dir())
    home = Path.home()
    # How it would be installed does not matter to the question how it stands.
    program = Program(("memproc", "watch"), (), (), home, home)
    stands = standing_here(Computer(sys.platform, account, home), program, ask)
    linux = sys.platform.startswith("linux")
    return Machine(
        now=datetime.now(UTC),
        system=sys.platform,
        user=user,
        home=home,
        python=sys.version_info[:3],
        sqlite=sqlite3.sqlite_version_info,
        litellm=_version("litellm"),
        site_packages=tuple(_site_packages()),
        tokenizers=_tokenizers(environ),
        proc=_WORLD / "proc",
        service=stands,
        lingers=lingering.lingers(ask(lingering.question(account.name))) if linux else None,
    )


def house(machine: Machine, usable: Usable, thorough: bool) -> Place:
    """The house that memproc.toml describes."""
    return Place(
        machine=machine,
        config=usable.config,
        folders=usable.folders,
        key=keys(usable.folders),
        credentials=user_config_path("memproc", appauthor=False) / "credentials",
        lock=Daemon(usable.folders.state).lock,
        free=lambda folder: shutil.disk_usage(folder).free,
        thorough=thorough,
    )


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _site_packages() -> Iterator[Path]:
    """Where Python looks for `.pth` files, each folder once."""
    own = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    yield from dict.fromkeys(Path(folder).resolve() for folder in (*site.getsitepackages(), *own))


def _tokenizers(environ: Mapping[str, str]) -> Path:
    """The folder that TIKTOKEN_CACHE_DIR names, else LiteLLM's."""
    return Path(environ.get("TIKTOKEN_CACHE_DIR") or tables())
