"""Build the shim that counts system calls (shim.c), and arm it in this process."""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")
_PRELOAD = "LD_PRELOAD"
_NANO = 1_000_000_000


class Kind(IntFlag):
    """What a system call does. Values as in shim.c."""

    WRITE = 1
    FLUSH = 2
    RENAME = 4
    REMOVE = 8
    CREATE = 16
    CUT = 32
    FOLDER = 64
    READ = 128
    CLOSE = 256
    LOCK = 512
    OPEN = 1024


CHANGES = Kind.WRITE | Kind.FLUSH | Kind.RENAME | Kind.REMOVE | Kind.CREATE | Kind.CUT | Kind.FOLDER
EVERYTHING = CHANGES | Kind.OPEN | Kind.READ | Kind.CLOSE | Kind.LOCK


class Act(IntEnum):
    """What happens to the call of the chosen number. Values as in shim.c."""

    NOTHING = 0
    KILL_BEFORE = 1
    KILL_HALF = 2
    KILL_AFTER = 3
    FAIL_ONCE = 4
    FAIL_ON = 5
    SHORT_ONCE = 6
    SHORT_ON = 7


@dataclass(frozen=True, slots=True)
class Fault:
    """What is to go wrong: `act` at call number `call` of these `kinds`, with the error `errno` if it fails.

    `jump` is how many seconds the wall clock jumps there.
    """

    act: Act = Act.NOTHING
    call: int = -1
    errno: int = 0
    kinds: Kind = CHANGES
    jump: int = 0


NO_FAULT = Fault()


def why_not() -> str:
    """Return why the shim cannot be used here, with what to install; "" where it can."""
    if sys.platform != "linux":
        return "faults are put in between programs and Linux; this system is another one"
    if not shutil.which("cc"):
        return "there is no C compiler (cc) to build the shim with; on Debian: apt install gcc libc6-dev"
    return ""


def build(folder: Path) -> Path:
    """Compile the shim into `folder`; return its path."""
    library = folder / "shim.so"
    command = [
        "cc",
        "-O1",
        "-Wall",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
        str(library),
        str(SOURCE),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return library


def preloaded() -> Path | None:
    """Return the shim with which this process was started, or None."""
    paths = [
        Path(path) for path in os.environ.get(_PRELOAD, "").split() if Path(path).name == "shim.so"
    ]
    return paths[0] if paths else None


def environment(library: Path) -> dict[str, str]:
    """Return this process's environment, for a process to be started with the shim."""
    return {**os.environ, _PRELOAD: str(library)}


def arm(folder: Path, fault: Fault, log: int = -1) -> None:
    """Count calls on files below `folder` from now on, and let one go wrong; `log` is an open file."""
    _library().shim_arm(str(folder).encode(), fault.act, fault.call, fault.errno, fault.kinds, log)


def disarm() -> int:
    """Stop counting; return how many calls there were."""
    _library().shim_disarm()
    return counted()


def counted() -> int:
    """Return how many calls there were until now."""
    return int(_library().shim_count())


def stop_clock(seconds: int, jump: int = 0) -> None:
    """Stop the wall clock at so many seconds since 1970; at the chosen call it jumps by `jump` seconds."""
    _library().shim_clock(seconds, jump)


class SharedClock:
    """A wall clock for processes that are started with `environment`: it begins at a given time, and runs faster.

    Clocks that measure durations are not changed.
    """

    def __init__(self, path: Path, seconds: int, rate: int) -> None:
        self._path, self._rate = path, rate
        self._set(seconds * _NANO)

    @property
    def environment(self) -> dict[str, str]:
        return {"MEMPROC_CLOCK": str(self._path)}

    @property
    def shows(self) -> float:
        """Return the seconds since 1970 that it shows now."""
        return self._now() / _NANO

    def jump(self, seconds: int) -> None:
        """Set it forward, or back, by so many seconds."""
        self._set(self._now() + seconds * _NANO)

    def _now(self) -> int:
        began, shows, rate = struct.unpack("=qqq", self._path.read_bytes())
        return int(shows + (time.monotonic_ns() - began) * rate)

    def _set(self, shows: int) -> None:
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(struct.pack("=qqq", time.monotonic_ns(), shows, self._rate))


@cache
def _library() -> ctypes.CDLL:
    path = preloaded()
    if path is None:
        raise RuntimeError("this process was started without the shim")
    library = ctypes.CDLL(str(path))
    library.shim_arm.argtypes = (
        ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_int,
    )  # fmt: skip
    library.shim_clock.argtypes = (ctypes.c_longlong, ctypes.c_longlong)
    library.shim_count.restype = ctypes.c_long
    return library
