"""Sign calls and replies, so that the token is never sent again and no call counts twice.

    call     HMAC-SHA256 of the method, the path, the time, the nonce, and the body's SHA-256
    reply    HMAC-SHA256 of the nonce, the status, and the body's SHA-256

Each part has a line of its own. The time is in milliseconds of Unix time, the nonce 32 hexadecimal
digits.
"""

import hmac
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from daemon.bridge.devices import bridge_folder
from daemon.files.private import make_new, make_private
from daemon.files.reasons import file_errors

MOST_OFF_SECONDS = 120.0
_KEPT_SECONDS = 3 * MOST_OFF_SECONDS
_NONCE = re.compile(r"[0-9a-f]{32}")
_TIME = re.compile(r"[0-9]{1,15}")


def call_mac(key: bytes, method: str, path: str, time: str, nonce: str, body: bytes) -> str:
    """Return the signature that a call must have."""
    return _mac(key, method, path, time, nonce, sha256(body).hexdigest())


def reply_mac(key: bytes, nonce: str, status: int, body: bytes) -> str:
    """Return the signature of our reply."""
    return _mac(key, nonce, str(status), sha256(body).hexdigest())


def is_mac(expected: str, given: str) -> bool:
    """Compare two signatures in constant time."""
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))


def is_nonce(text: str) -> bool:
    """Return True if the text has the form of a nonce; it becomes a file's name."""
    return _NONCE.fullmatch(text) is not None


def is_timely(time: str, now: float) -> bool:
    """Return True if the call was made within two minutes of `now`, in seconds of Unix time."""
    return _TIME.fullmatch(time) is not None and abs(int(time) / 1000 - now) <= MOST_OFF_SECONDS


def is_first(state: Path, nonce: str, now: float) -> bool:
    """Use up the nonce. Return False if it was used before.

    Each nonce is an empty file, which only one process can make and which outlasts the page's
    process. It is removed once a call of its time would be too old. Raises FileTrouble.
    """
    folder = bridge_folder(state) / "nonces"
    make_private(folder)
    _sweep(folder, now)
    with file_errors(folder, "written"):
        try:
            make_new(folder / nonce).close()
        except FileExistsError:
            return False
    return True


def _sweep(folder: Path, now: float) -> None:
    with file_errors(folder, "tidied up"):
        for file in folder.iterdir():
            with suppress(FileNotFoundError):  # another call has just removed it
                if now - file.stat().st_mtime > _KEPT_SECONDS:
                    file.unlink()


def _mac(key: bytes, *parts: str) -> str:
    return hmac.new(key, "\n".join(parts).encode("utf-8", "replace"), sha256).hexdigest()
