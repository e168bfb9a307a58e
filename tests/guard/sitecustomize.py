"""Python imports this at start where it is on the path: so the guard also holds in the processes of stories."""

# ruff: noqa: PTH100, PTH114, PTH118
# It is asked of every file that is opened, and a Path would take longer than the whole answer.

import os
import sys
from functools import lru_cache
from pathlib import Path
from tempfile import gettempdir

_holds = True
"""None once the interpreter has cleared this module at its end: then the guard asks nothing more."""
_LOOPBACK = ("127.", "localhost", "::1")
_WRITING = {
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
}


class Forbidden(BaseException):
    """A test reached for something that tests must not touch; no `except Exception` swallows it."""


def _home() -> str:
    """The real home folder, whatever HOME says by now."""
    try:
        import pwd
    except ImportError:
        return str(Path.home())
    return pwd.getpwuid(os.getuid()).pw_dir


_HOME = os.path.realpath(os.environ.get("MEMPROC_TEST_FORBIDDEN_HOME", _home())) + os.sep
_ALLOWED = tuple(
    os.path.realpath(place) + os.sep
    for place in (sys.prefix, sys.base_prefix, gettempdir(), str(Path(__file__).parents[2]))
)


_real_folder = lru_cache(os.path.realpath)
"""Links are followed once for each folder: files are opened by the ten thousand."""


def _touches_home(path: object) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    full = os.path.join(_real_folder(folder), name)
    if os.path.islink(full):
        full = os.path.realpath(full)
    return (full + os.sep).startswith(_HOME) and not full.startswith(_ALLOWED)


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    if not _holds:
        return
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else "127."
        if not str(host).startswith(_LOOPBACK):
            raise Forbidden(f"a test reached for the network: {host}")
    elif event == "socket.getaddrinfo":
        if arguments[0] is not None and not str(arguments[0]).startswith(_LOOPBACK):
            raise Forbidden(f"a test asked for the address of {arguments[0]!r}")
    elif event == "open":
        if _touches_home(arguments[0]):
            raise Forbidden(f"a test opened {arguments[0]!r} in the home folder")
    elif (event in _WRITING or event == "sqlite3.connect") and _touches_home(arguments[0]):
        raise Forbidden(f"a test changed {arguments[0]!r} in the home folder")


sys.addaudithook(_guard)
