"""Keep the paired devices.

Of a token only the hash is kept. It is the key with which the device signs its calls.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from secrets import token_hex, token_urlsafe
from time import monotonic, sleep

from daemon.files.lock import Busy, hold
from daemon.files.private import make_private
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import FileTrouble

_WAIT_SECONDS = 5.0
_PAUSE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Device:
    """A paired browser; `origin` is the page that it was paired on."""

    id: str
    name: str
    """The browser and its system, as in Chrome on Linux."""
    origin: str
    day: str
    key_hex: str
    """SHA-256 of the token, in hexadecimal digits."""
    used: str = ""
    """The day of its last call; empty if it has made none."""

    @property
    def key(self) -> bytes:
        """Return the key that signs the device's calls and our replies."""
        return bytes.fromhex(self.key_hex)


def bridge_folder(state: Path) -> Path:
    """Return the folder for everything that the bridge keeps."""
    return state / "bridge"


def devices(state: Path) -> tuple[Device, ...]:
    """List the paired devices, oldest first. Raises FileTrouble where their file cannot be read."""
    path = _file(state)
    try:
        with file_errors(path, "read"):
            text = path.read_bytes() if path.exists() else b"[]"
        return tuple(Device(**row) for row in json.loads(text))
    except (ValueError, TypeError) as fault:
        raise FileTrouble(
            f"{path} is damaged, so no device can use the bridge.",
            "Remove it, then pair again: memproc pair",
        ) from fault


def find_device(state: Path, device_id: str) -> Device | None:
    """Return the device of this id, or None."""
    return next((device for device in devices(state) if device.id == device_id), None)


def add_device(state: Path, name: str, origin: str, day: str) -> tuple[Device, str]:
    """Add a device, and return it with its token, which is stored nowhere. Raises FileTrouble.

    The caller must hold `exclusive`.
    """
    token = token_urlsafe(32)
    device = Device(token_hex(8), name, origin, day, sha256(token.encode()).hexdigest())
    _write(state, (*devices(state), device))
    return device, token


def note_use(state: Path, device: Device, day: str) -> None:
    """Note the day of a device's call, which tells a pairing that is over. Raises FileTrouble."""
    if device.used == day:
        return
    with exclusive(state):
        used = (
            replace(each, used=day) if each.id == device.id else each for each in devices(state)
        )
        _write(state, tuple(used))


def forget_devices(state: Path, ids: frozenset[str]) -> None:
    """Remove devices, which are not answered any more. Raises FileTrouble."""
    with exclusive(state):
        _write(state, tuple(device for device in devices(state) if device.id not in ids))


@contextmanager
def exclusive(state: Path) -> Iterator[None]:
    """Lock the devices and the code against other processes. Raises Busy after five seconds."""
    make_private(bridge_folder(state))
    with ExitStack() as stack:
        end = monotonic() + _WAIT_SECONDS
        while not _is_held_now(stack, bridge_folder(state) / "lock", is_last=monotonic() > end):
            sleep(_PAUSE_SECONDS)
        yield


def _is_held_now(stack: ExitStack, lock: Path, *, is_last: bool) -> bool:
    """Try to take the lock. Raises Busy where the last try fails."""
    try:
        stack.enter_context(hold(lock, "is pairing a device"))
    except Busy:
        if is_last:
            raise
        return False
    return True


def _write(state: Path, kept: tuple[Device, ...]) -> None:
    replace_file(_file(state), [json.dumps([asdict(device) for device in kept]).encode()])


def _file(state: Path) -> Path:
    return bridge_folder(state) / "devices.json"
