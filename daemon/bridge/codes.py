"""Make and check pairing codes: six digits, good once, for two minutes and five tries.

One code is open at a time, in a file shared with a `memproc pair` in another process. The file also
says how the code ended, so that both can tell.
"""

import json
from dataclasses import asdict, dataclass, replace
from hmac import compare_digest
from pathlib import Path
from secrets import randbelow

from daemon.bridge.devices import Device, add_device, bridge_folder, exclusive
from daemon.files.reasons import file_errors
from daemon.files.write import replace_file

CODE_SECONDS = 120.0
MOST_TRIES = 5
TOLD_SECONDS = 600.0
"""How long the page that was to be paired can ask what became of the code."""
_NEXT_STEP = "Make a new one with: memproc pair"


@dataclass(frozen=True, slots=True)
class PairingCode:
    """A code and its fate; `made_at` is in seconds of Unix time."""

    digits: str
    made_at: float
    tries: int = 0
    device: str = ""
    """The id of the device paired with it."""

    def seconds_left(self, now: float) -> float:
        """Return the seconds for which the code is good; 0 once it is used or tried too often."""
        is_over = self.device or self.tries >= MOST_TRIES or now < self.made_at
        return 0.0 if is_over else max(0.0, self.made_at + CODE_SECONDS - now)

    @property
    def why_over(self) -> str:
        """Say in a sentence why the code is no longer good."""
        if self.device:
            return "This code was used already."
        if self.tries >= MOST_TRIES:
            return "Five codes were wrong, so this one is not good any more."
        return "The two minutes of this code are over."


@dataclass(frozen=True, slots=True)
class RefusedCode:
    """Why nothing was paired, in a sentence for the person."""

    reason: str


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """A newly paired device with its token, which is shown only now."""

    device: Device
    token: str


def open_code(state: Path, now: float) -> PairingCode:
    """Make a code, replacing the one before. Raises FileTrouble."""
    code = PairingCode(f"{randbelow(10**6):06}", now)
    with exclusive(state):
        _write(state, code)
    return code


def close_code(state: Path, code: PairingCode) -> None:
    """End the code, if it is still the newest. Raises FileTrouble."""
    with exclusive(state):
        newest = newest_code(state)
        if newest and newest.made_at == code.made_at and not newest.device:
            _write(state, replace(newest, made_at=newest.made_at - CODE_SECONDS))


def newest_code(state: Path) -> PairingCode | None:
    """Return the newest code, open or over; None where the file is missing or damaged."""
    path = _file(state)
    with file_errors(path, "read"):
        text = path.read_bytes() if path.exists() else b""
    try:
        return PairingCode(**json.loads(text))
    except (ValueError, TypeError):
        return None


def is_asked_for(state: Path, now: float) -> bool:
    """Return True if a code was made lately; unpaired pages of TypingMind may then call."""
    code = newest_code(state)
    return code is not None and 0 <= now - code.made_at < TOLD_SECONDS


def pair(
    state: Path, digits: str, name: str, origin: str, now: float, day: str
) -> PairedDevice | RefusedCode:
    """Pair a device if these are the open code's digits. Each try counts. Raises FileTrouble."""
    with exclusive(state):
        code = newest_code(state)
        if code is None or not code.seconds_left(now):
            return RefusedCode(f"{code.why_over if code else 'There is no code.'} {_NEXT_STEP}")
        code = replace(code, tries=code.tries + 1)
        _write(state, code)
        if not compare_digest(code.digits.encode(), digits.encode("utf-8", "replace")):
            left = MOST_TRIES - code.tries
            if not left:
                return RefusedCode(f"{code.why_over} {_NEXT_STEP}")
            tries = f"{left} {'try is' if left == 1 else 'tries are'} left."
            return RefusedCode(f"That is not the code. {tries}")
        device, token = add_device(state, name, origin, day)
        _write(state, replace(code, digits="", device=device.id))
    return PairedDevice(device, token)


def _write(state: Path, code: PairingCode) -> None:
    replace_file(_file(state), [json.dumps(asdict(code)).encode()])


def _file(state: Path) -> Path:
    return bridge_folder(state) / "code.json"
