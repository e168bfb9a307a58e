"""Speaks to systemd: ready, what is going on, still alive, about to stop. Elsewhere it does nothing.

The protocol is one datagram of `NAME=value` lines to the socket that $NOTIFY_SOCKET names.
"""

import os
import socket
from collections.abc import Callable
from threading import Event, Thread


def ready() -> bool:
    """The program works from here on; systemd's start command waits for this, at most two minutes."""
    return _tell("READY=1")


def status(text: str) -> bool:
    """One line that `systemctl status` shows; it must hold no message text."""
    return _tell(f"STATUS={' '.join(text.split())}")


def watchdog() -> bool:
    """Still alive. To be said only when it is proven: without it for two minutes, systemd starts us anew."""
    return _tell("WATCHDOG=1")


def stopping() -> bool:
    """The program is about to leave; its watchdog is silent from here on."""
    return _tell("STOPPING=1")


def _tell(message: str) -> bool:
    """Send a line, and say whether somebody took it. A service manager that is busy or gone is no fault of ours."""
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


STALLED = 70
_LOOKS = 4


class StallExit:
    """A watchman that wants to hear from the program from time to time, from `start` to `stop`."""

    def __init__(self, seconds: float, leave: Callable[[int], object] = os._exit) -> None:
        self._look_seconds = seconds / _LOOKS
        self._leave = leave
        self._fed = True
        self._silent = 0
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="stall", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def feed(self) -> None:
        """Still alive; to be said only when it is proven."""
        self._fed = True

    def stop(self) -> None:
        """Watch no longer."""
        self._stopped.set()
        self._thread.join()

    def look(self) -> bool:
        """Look once, as the watchman does four times in his `seconds`: whether the program has stalled by now.

        Looks are counted, not seconds: a process that was asleep with its computer has missed one look, no more.
        """
        self._silent = 0 if self._fed else self._silent + 1
        self._fed = False
        return self._silent >= _LOOKS

    def _watch(self) -> None:
        while not self._stopped.wait(self._look_seconds):
            if self.look():
                self._leave(STALLED)
                return
