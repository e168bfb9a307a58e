"""Where memproc's files are, and what they are called.

The folders are absolute paths, or all reasons why they cannot be used. The names of a chat's files
are safe on every platform, and never equal those of another chat:

    Aria (d6a9eafe2b).json            title and id; TypingMind's own ids stay as they are
    Aria (d6a9eafe2b~3f1c….).json     an id that had to be changed gets a hash of the original

The id alone tells two chats apart. It is in the last parentheses, in lower case and without
parentheses of its own, so titles may be equal, and file systems may ignore case.
"""

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, combinations, count
from os.path import realpath
from pathlib import Path
from tempfile import gettempdir

from platformdirs import user_cache_path, user_state_path

INBOX = "~/memproc/inbox"
"""The inbox if memproc.toml names none."""
# Characters; no system goes to longer paths without tricks, and resolving them takes long.
_LONGEST = 4096
_NAMES = ("inbox", "updated", "backups", "state")

SETTINGS_NAME = "memproc.toml"
LONGEST_NAME = 120
"""Bytes of UTF-8 with the suffix: half of what file systems allow, to leave room for additions."""
_LONGEST_ID = 40
_HASH_DIGITS = 20
_PLAIN_ID = re.compile(rf"[0-9a-z_-]{{1,{_LONGEST_ID}}}")
_NOT_PLAIN = re.compile(r"[^0-9a-z_-]+")
# Normalising takes quadratic time on long runs of combining marks; no more could be shown anyway.
_LONGEST_TITLE = 1_000
_HYPHENS = str.maketrans(dict.fromkeys("/\\:|", "-") | dict.fromkeys('<>"?*'))
_JOINERS = "\u200c\u200d"
# Windows keeps these for devices, with or without an ending.
_DEVICES = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"]
)
_SENT = "From TypingMind, "
_DEMO = re.compile(r"demo(-[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of `[folders]`: absolute, without `~` and symbolic links.

    They need not exist yet.
    """

    inbox: Path
    updated: Path
    backups: Path
    state: Path


@dataclass(frozen=True, slots=True)
class NoPath:
    """A text that cannot become a path; `reason` completes "inbox: ..."."""

    reason: str


@dataclass(frozen=True, slots=True)
class RefusedFolders:
    """Why folders cannot be used; `names` has those concerned, the one to change first."""

    names: tuple[str, ...]
    reason: str


def resolve_folders(written: str, base: Path) -> Path | NoPath:
    """Return the absolute path of `written`, from `base` if it is relative; `~` is the home."""
    if "\0" in written:
        return NoPath("must not hold a NUL character")
    if len(written) > _LONGEST:
        return NoPath(f"must not be longer than {_LONGEST} characters")
    try:
        path = Path(written).expanduser()
    except RuntimeError:
        path = Path(written)
    if written.startswith("~") and not path.is_absolute():
        return NoPath(
            f"{Path(written).parts[0]} has no home folder on this system; write the full path"
        )
    return Path(realpath(base / path))


def settle_folders(written: Mapping[str, str]) -> Folders | tuple[RefusedFolders, ...]:
    """Return the folders that `written` (setting -> text) names, or all reasons against them.

    An empty `state` is the platform's state folder. The inbox is the person's: it may not be the
    root or the home folder, nor contain what memproc writes, nor be inside of it.
    """
    here = Path()
    places = {name: resolve_folders(written[name] or str(default_state()), here) for name in _NAMES}
    paths = {name: place for name, place in places.items() if isinstance(place, Path)}
    if len(paths) < len(places):
        return tuple(
            RefusedFolders((name,), no.reason)
            for name, no in places.items()
            if isinstance(no, NoPath)
        )
    folders = Folders(**paths)
    return tuple(_refusals(folders, resolve_folders("~", here))) or folders


def archive_path(state: Path) -> Path:
    """Return the archive's place: one SQLite file in the state folder."""
    return state / "archive.sqlite3"


def arrivals_folder(state: Path) -> Path:
    """Return the folder that keeps copies of dropped files until they have been worked on."""
    return state / "arrivals"


def brought_folder(state: Path) -> Path:
    """Return the folder of the exports made from conversations of other programs."""
    return state / "brought"


def planned_folder(state: Path) -> Path:
    """Return the folder of a chat that is to be brought, while it is being planned."""
    return brought_folder(state) / "plan"


def expanded_folder(updated: Path) -> Path:
    """Return the folder that `memproc expand` writes to, since `updated` is for files to import."""
    return updated.parent / "expanded"


def default_state() -> Path:
    """Return the platform's folder for programs' data, used where no state folder is named."""
    return user_state_path("memproc", appauthor=False)


def demos_folder() -> Path:
    """Return the folder of all demos, each in a folder of its own: `demo`, `demo-2` ..."""
    return user_cache_path("memproc", appauthor=False)


def is_demo(folder: Path) -> bool:
    """Return whether this is the folder of a demo."""
    is_named_so = _DEMO.fullmatch(folder.name) is not None
    return is_named_so and realpath(folder.parent) == realpath(demos_folder())


def runtime_folder() -> Path:
    """Return the folder for locks, and for what is useful only until the next start.

    It may not exist yet.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "memproc"
    return Path(gettempdir()) / (f"memproc-{os.getuid()}" if hasattr(os, "getuid") else "memproc")


def _refusals(folders: Folders, home: Path | NoPath) -> Iterator[RefusedFolders]:
    # Without case, as macOS and Windows compare paths.
    alike = {name: Path(str(getattr(folders, name)).casefold()) for name in _NAMES}
    inbox = alike["inbox"]
    if isinstance(home, Path) and Path(str(home).casefold()).is_relative_to(inbox):
        yield RefusedFolders(
            ("inbox",), f"must not be {folders.inbox}: give exports a folder of their own"
        )
        return
    expanded = expanded_folder(folders.updated)
    for name in ("inbox", "updated"):
        if alike[name] == Path(str(expanded).casefold()):
            yield RefusedFolders((name,), f"must not be {expanded}: memproc expand writes there")
    for name, other in combinations(_NAMES, 2):
        if alike[name] == alike[other]:
            yield RefusedFolders((other, name), f"must not be the same folder as {name}")
        elif name == "inbox" and alike[other].is_relative_to(inbox):
            yield RefusedFolders((other, name), "must not lie in the inbox")
        elif name == "inbox" and inbox.is_relative_to(alike[other]):
            yield RefusedFolders((name, other), f"must not lie in the folder {other}")


def file_name(title: str, chat_id: str) -> str:
    """Return the name of a chat's updated file, with `.json`: at most 120 bytes of UTF-8, in NFC.

    Different chat ids never give the same name, for any titles, even where case is ignored. A new
    title gives a new name: callers that need the old one must remember it.
    """
    safe_id = chat_id
    if not _PLAIN_ID.fullmatch(chat_id):  # its safe characters, and a hash of all of it
        plain = _NOT_PLAIN.sub("-", chat_id[:_LONGEST_TITLE].lower()).strip("-") or "chat"
        digits = sha256(chat_id.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
        safe_id = f"{plain[: _LONGEST_ID - _HASH_DIGITS - 1]}~{digits}"
    ending = f" ({safe_id}).json"
    letters = "".join(_safe(letter) for letter in title[:_LONGEST_TITLE].translate(_HYPHENS))
    text = " ".join(unicodedata.normalize("NFC", letters).split()).strip(" .-~" + _JOINERS)
    if text.split(".")[0].rstrip().upper() in _DEVICES:
        text = f"_{text}"
    fitting = text.encode()[: LONGEST_NAME - len(ending)].decode(errors="ignore")
    return (fitting.rstrip(" ." + _JOINERS) or "Untitled") + ending


def sent_name(title: str, chat_id: str) -> str:
    """Return the inbox name of a chat that the extension sent; no updated file has such a name."""
    return file_name(f"{_SENT}{title}", chat_id)


def is_sent(name: str) -> bool:
    """Return whether the extension sent the file, which then fetches the updated one by itself."""
    return name.startswith(_SENT)


def free_place(folder: Path, stem: str, ending: str = "") -> Path:
    """Return the first unused path: `stem` and `ending`, or `stem-2` and so on."""
    numbers = chain([""], map("-{}".format, count(2)))
    places = (folder / f"{stem}{number}{ending}" for number in numbers)
    return next(place for place in places if not place.exists())


def _safe(letter: str) -> str:
    """Return a blank for white space, "" for what is invisible or turns the writing direction."""
    if letter.isspace():
        return " "
    # Joiners make one emoji out of several, and are needed to write some scripts.
    refused = unicodedata.category(letter).startswith("C") and letter not in _JOINERS
    return "" if refused else letter
