"""What a check has found: how well it is, in words, and what mends it."""

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
from typing import Literal

from platformdirs import user_config_path

from daemon.archive.archive import Archive
from daemon.archive.exports import last_output
from daemon.archive.messages import whole
from daemon.config import Config, folders
from daemon.config.layout import core_layout
from daemon.config.providers import ModelSettings
from daemon.config.texts import load_texts
from daemon.context import keys
from daemon.files.paths import Folders
from daemon.files.read import read_export
from daemon.models.roles import CHAT, FindKey, Roles, choose_roles
from daemon.models.tokens import tables
from daemon.status.status import Place as Daemon
from primer.request import EXTRACTIVE
from rules.errors import ChatSetAside, ConfigurationError, FileTrouble, NotAnExport
from rules.typingmind.chat import Chat, read_messages
from rules.typingmind.document import read_document
from rules.typingmind.message import Message
from rules.typingmind.spans import Span
from rules.typingmind.warnings import why_not
from service import ask as lingering
from service.ask import Account, Answer, Ask, NoBus, ask_system
from service.keeper import Place as Computer
from service.keeper import standing_here
from service.recipe import Program
from service.standing import Standing

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`name` is what was looked at, `told` what was seen, `mend` the one command or action that helps."""

    name: str
    level: Level
    told: str
    mend: str = ""


def ok(name: str, told: str) -> Finding:
    """All is well with it."""
    return Finding(name, "ok", told)


def warning(name: str, told: str, mend: str) -> Finding:
    """It works, but not as well as it could, or not for long."""
    return Finding(name, "warning", told, mend)


def error(name: str, told: str, mend: str) -> Finding:
    """It does not work, or something may be lost."""
    return Finding(name, "error", told, mend)


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer, the account and the installation. No check of it needs memproc.toml."""

    now: datetime
    system: str
    """As `sys.platform` names it."""
    user: int
    """The account's number; 0 where accounts have none."""
    home: Path
    python: tuple[int, ...]
    sqlite: tuple[int, ...]
    litellm: str
    """The version that is installed; empty where none is."""
    site_packages: tuple[Path, ...]
    """The folders that Python loads packages from, and runs `.pth` files of at every start."""
    tokenizers: Path
    """The folder in which tiktoken looks for its tables."""
    proc: Path
    """Where Linux shows its processes and limits."""
    service: Standing | NoBus
    lingers: bool | None
    """Whether the account's services run while nobody is logged in; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Place:
    """The house: settings, folders and keys, on its machine."""

    machine: Machine
    config: Config
    folders: Folders
    key: FindKey
    credentials: Path
    """The folder whose files systemd hands to the service, one key each."""
    lock: Path
    """Held by the daemon for as long as it lives."""
    free: Callable[[Path], int]
    """Bytes that are free on the disk of a folder."""
    thorough: bool
    """Whether everything that is kept is to be read, however long that takes."""


_NO_CHAT = Chat("{}", Span(0, 2), (), ())


@dataclass(frozen=True, slots=True)
class Asker:
    """What decides which models are asked; `who` is how the person knows it."""

    who: str
    is_a_chat: bool
    chat: Chat
    messages: tuple[Message, ...]
    models: ModelSettings


def askers(place: Place) -> Iterator[Asker]:
    """memproc.toml first, then the chats, where they have a say."""
    config = place.config
    for own in (config, *map(config.with_override, config.chats.override)):
        models = own.models
        # Without a chat there is no model of its own; what else is configured is looked at all the same.
        configured = models.model_copy(update={"agent": EXTRACTIVE}) if models.agent == CHAT else models
        yield Asker("memproc.toml", False, _NO_CHAT, (), configured)
    with Archive.read(place.folders.state) as archive:
        for seen in seen_chats(archive, config):
            models = config.of(seen.chat).models
            if models.agent == CHAT:
                yield Asker(f'"{seen.chat.title}"', True, seen.chat, seen.messages, models)


def roles_of(place: Place, asker: Asker, key: FindKey) -> Roles | ChatSetAside:
    """The models that would be asked now, or why none can be."""
    try:
        return choose_roles(asker.chat, asker.messages, asker.models, key, place.machine.now.date())
    except ChatSetAside as trouble:
        return trouble


_LARGEST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """A chat that memproc works on."""

    chat: Chat
    messages: tuple[Message, ...]


def seen_chats(archive: Archive, config: Config) -> Iterator[Seen]:
    """Every chat that memproc.toml does not leave out, the one seen last at the end.

    Its settings are those of its newest export. Its messages are the updated export's, since that is what the
    person has imported; where none was written yet, they are the raw ones.
    """
    rows = archive.run("SELECT chat_id, title, head, tail FROM chat ORDER BY last_seen, id")
    for chat_id, title, head, tail in rows:
        # A chat that came without `messages` has all of itself in its head, and no tail.
        messages = b",".join(_messages(archive, chat_id)) if tail else b""
        text = b"".join((b'{"chats":[', head, messages, tail, b"]}"))
        for chat in read_document(f'The chat "{title}" in the archive', text).chats:
            if not why_not(chat, config.chats.include, config.chats.exclude):
                yield Seen(chat, read_messages(chat))


def _messages(archive: Archive, chat_id: str) -> tuple[bytes, ...]:
    output = last_output(archive, chat_id)
    if output is None:
        return whole(archive, chat_id).messages
    path = Path(output.path)
    try:
        small = path.stat().st_size <= _LARGEST_BYTES
        chats = tuple(read_export(path).chats()) if small else ()
    except (OSError, FileTrouble, NotAnExport):
        return ()  # another check tells of it
    own = [chat for chat in chats if chat.chat_id == chat_id]
    if chats and not own:
        return whole(archive, chat_id).messages  # it became a new chat, and stays raw itself
    return tuple(chat.slice(span) for chat in own for span in chat.messages)


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
