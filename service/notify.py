"""Tell systemd that the program is ready, busy or alive; without systemd, do nothing.

The protocol is one datagram of `NAME=value` lines to the socket named by $NOTIFY_SOCKET. Where
systemd does not watch for hangs, `StallExit` ends a program that hangs, so that it is started
again.
"""

import os
import socket
from collections.abc import Callable
from threading import Event, Thread

STALLED = 70
"""The exit code of a program that was ended because it hung."""
_LOOKS = 4


def ready() -> bool:
    """Report that the program is up; systemd's start command waits up to two minutes for it."""
    return _send("READY=1")


def tell_status(text: str) -> bool:
    """Set the line that `systemctl status` shows; it must not contain text of messages."""
    return _send(f"STATUS={' '.join(text.split())}")


def watchdog() -> bool:
    """Report that the program is alive; after two minutes without this, systemd restarts it."""
    return _send("WATCHDOG=1")


def stopping() -> bool:
    """Report that the program is ending; systemd expects no watchdog messages from here on."""
    return _send("STOPPING=1")


def _send(message: str) -> bool:
    """Send one message. Return whether a service manager took it; nothing is raised if not."""
    name = os.environ.get("NOTIFY_SOCKET", "")
    if not name.startswith(("/", "@")):
        return False
    address = "\0" + name[1:] if name.startswith("@") else name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)
            sender.sendto(message.encode(), address)
    except OSError:
        return False
    return True


class StallExit:
    """Ends the process if `feed` is not called for `seconds` between `start` and `stop`."""

    def __init__(self, seconds: float, leave: Callable[[int], object] = os._exit) -> None:
        self._look_seconds = seconds / _LOOKS
        self._leave = leave
        self._fed = True
        self._silent_looks = 0
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="stall", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def feed(self) -> None:
        """Report that the program is alive; call it only where that is certain."""
        self._fed = True

    def stop(self) -> None:
        """Stop watching."""
        self._stopped.set()
        self._thread.join()

    def look(self) -> bool:
        """Check once, as the thread does four times in `seconds`. Return whether the program hangs.

        Checks are counted rather than seconds, because a computer that slept has missed only one.
        """
        self._silent_looks = 0 if self._fed else self._silent_looks + 1
        self._fed = False
        return self._silent_looks >= _LOOKS

    def _watch(self) -> None:
        while not self._stopped.wait(self._look_seconds):
            if self.look():
                self._leave(STALLED)
                return
