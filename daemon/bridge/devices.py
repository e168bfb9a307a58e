"""Keep the paired devices, pair new ones by a code, and sign calls and replies.

A code has six digits and can be used once, within two minutes and five attempts. One is open at a
time, in a file that is shared with a `memproc pair` in another process. The file also says how the
code ended, so that both processes know.

Only the hash of a device's token is kept. It is the key of the signatures, so that the token is
never sent again, and the nonce keeps a call from being accepted twice:

    call     HMAC-SHA256 of the method, the path, the time, the nonce, and the body's SHA-256
    reply    HMAC-SHA256 of the nonce, the status, and the body's SHA-256

Each part has a line of its own. The time is in milliseconds of Unix time, the nonce 32 hexadecimal
digits.
"""

import hmac
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from secrets import randbelow, token_hex, token_urlsafe
from time import monotonic, sleep

from daemon.files.lock import Busy, hold
from daemon.files.private import make_new, make_private
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file
from rules.errors import FileTrouble

_WAIT_SECONDS = 5.0
_PAUSE_SECONDS = 0.02

CODE_SECONDS = 120.0
MOST_TRIES = 5
TOLD_SECONDS = 600.0
"""How long after a code was made the page that was to be paired may ask how it ended."""
_NEXT_STEP = "Make a new one with: memproc pair"

MOST_OFF_SECONDS = 120.0
_KEPT_SECONDS = 3 * MOST_OFF_SECONDS
_NONCE = re.compile(r"[0-9a-f]{32}")
_TIME = re.compile(r"[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Device:
    """A paired browser; `origin` is the page that it was paired on."""

    id: str
    name: str
    """The browser and its system, such as Chrome on Linux."""
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


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code and its state; `made_at` is in seconds of Unix time."""

    digits: str
    made_at: float
    tries: int = 0
    device: str = ""
    """The id of the device paired with it."""

    def seconds_left(self, now: float) -> float:
        """Return the seconds for which the code is valid; 0 once it is used or tried too often."""
        is_over = self.device or self.tries >= MOST_TRIES or now < self.made_at
        return 0.0 if is_over else max(0.0, self.made_at + CODE_SECONDS - now)

    @property
    def why_over(self) -> str:
        """Return a sentence on why the code is no longer valid."""
        if self.device:
            return "This code was used already."
        if self.tries >= MOST_TRIES:
            return "Five codes were wrong, so this one is not good any more."
        return "The two minutes of this code are over."


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """A newly paired device with its token, which is shown only now."""

    device: Device
    token: str


def bridge_folder(state: Path) -> Path:
    """Return the folder for everything that the bridge keeps."""
    return state / "bridge"


def devices(state: Path) -> tuple[Device, ...]:
    """List the paired devices, oldest first. Raises FileTrouble where their file cannot be read."""
    path = _devices_file(state)
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


def note_use(state: Path, device: Device, day: str) -> None:
    """Store the day of a device's call, which shows whether a pairing is still used.

    Raises FileTrouble.
    """
    if device.used == day:
        return
    with exclusive(state):
        paired = (
            replace(known, used=day) if known.id == device.id else known for known in devices(state)
        )
        _write_devices(state, tuple(paired))


def forget_devices(state: Path, ids: frozenset[str]) -> None:
    """Remove devices, whose calls are then refused. Raises FileTrouble."""
    with exclusive(state):
        _write_devices(state, tuple(device for device in devices(state) if device.id not in ids))


@contextmanager
def exclusive(state: Path) -> Iterator[None]:
    """Lock the devices and the code against other processes. Raises Busy after five seconds."""
    make_private(bridge_folder(state))
    with ExitStack() as stack:
        end = monotonic() + _WAIT_SECONDS
        while True:
            try:
                stack.enter_context(hold(bridge_folder(state) / "lock", "is pairing a device"))
                break
            except Busy:
                if monotonic() > end:
                    raise
                sleep(_PAUSE_SECONDS)
        yield


def _write_devices(state: Path, paired: tuple[Device, ...]) -> None:
    replace_file(_devices_file(state), [json.dumps([asdict(device) for device in paired]).encode()])


def _devices_file(state: Path) -> Path:
    return bridge_folder(state) / "devices.json"


def open_code(state: Path, now: float) -> PairingCode:
    """Make a code, replacing the one before. Raises FileTrouble."""
    code = PairingCode(f"{randbelow(10**6):06}", now)
    with exclusive(state):
        _write_code(state, code)
    return code


def close_code(state: Path, code: PairingCode) -> None:
    """Close the code, if it is still the newest and unused. Raises FileTrouble."""
    with exclusive(state):
        newest = newest_code(state)
        if newest and newest.made_at == code.made_at and not newest.device:
            _write_code(state, replace(newest, made_at=newest.made_at - CODE_SECONDS))


def newest_code(state: Path) -> PairingCode | None:
    """Return the newest code, open or not; None where the file is missing or damaged."""
    path = _code_file(state)
    with file_errors(path, "read"):
        text = path.read_bytes() if path.exists() else b""
    try:
        return PairingCode(**json.loads(text))
    except (ValueError, TypeError):
        return None


def is_asked_for(state: Path, now: float) -> bool:
    """Return whether a code was made recently; unpaired pages of TypingMind may then call."""
    code = newest_code(state)
    return code is not None and 0 <= now - code.made_at < TOLD_SECONDS


def pair(
    state: Path, digits: str, name: str, origin: str, now: float, day: str
) -> PairedDevice | str:
    """Pair a device if these are the open code's digits; else return why not, for the person.

    Each attempt counts. The token is stored nowhere. Raises FileTrouble.
    """
    with exclusive(state):
        code = newest_code(state)
        if code is None or not code.seconds_left(now):
            return f"{code.why_over if code else 'There is no code.'} {_NEXT_STEP}"
        code = replace(code, tries=code.tries + 1)
        _write_code(state, code)
        if not is_same_secret(code.digits, digits):
            tries_left = MOST_TRIES - code.tries
            if not tries_left:
                return f"{code.why_over} {_NEXT_STEP}"
            tries = f"{tries_left} {'try is' if tries_left == 1 else 'tries are'} left."
            return f"That is not the code. {tries}"
        token = token_urlsafe(32)
        device = Device(token_hex(8), name, origin, day, sha256(token.encode()).hexdigest())
        _write_devices(state, (*devices(state), device))
        _write_code(state, replace(code, digits="", device=device.id))
    return PairedDevice(device, token)


def _write_code(state: Path, code: PairingCode) -> None:
    replace_file(_code_file(state), [json.dumps(asdict(code)).encode()])


def _code_file(state: Path) -> Path:
    return bridge_folder(state) / "code.json"


def call_mac(key: bytes, method: str, path: str, time: str, nonce: str, body: bytes) -> str:
    """Return the signature that a call must have."""
    return _mac(key, method, path, time, nonce, sha256(body).hexdigest())


def reply_mac(key: bytes, nonce: str, status: int, body: bytes) -> str:
    """Return the signature of our reply."""
    return _mac(key, nonce, str(status), sha256(body).hexdigest())


def is_same_secret(expected: str, given: str) -> bool:
    """Compare two codes or signatures in constant time."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))


def is_nonce(text: str) -> bool:
    """Return whether the text has the form of a nonce, which becomes a file's name."""
    return _NONCE.fullmatch(text) is not None


def is_timely(time: str, now: float) -> bool:
    """Return whether the call was made within two minutes of `now`, in seconds of Unix time."""
    return _TIME.fullmatch(time) is not None and abs(int(time) / 1000 - now) <= MOST_OFF_SECONDS


def is_first(state: Path, nonce: str, now: float) -> bool:
    """Use up the nonce. Return False if it was used before.

    Each nonce is an empty file, which only one process can make and which outlives the page's
    process. It is removed once a call of its time would be refused as too old. Raises FileTrouble.
    """
    folder = bridge_folder(state) / "nonces"
    make_private(folder)
    with file_errors(folder, "written"):
        for file in folder.iterdir():
            with suppress(FileNotFoundError):  # another call has removed it
                if now - file.stat().st_mtime > _KEPT_SECONDS:
                    file.unlink()
        try:
            make_new(folder / nonce).close()
        except FileExistsError:
            return False
    return True


def _mac(key: bytes, *parts: str) -> str:
    return hmac.new(key, "\n".join(parts).encode("utf-8", "replace"), sha256).hexdigest()
