"""Tells systemd that the program is ready, what it does, and that it is still alive; elsewhere it does nothing.

The protocol is one datagram of `NAME=value` lines to the socket that $NOTIFY_SOCKET names. Where there is no systemd
to notice that the program hangs, `StallExit` ends it, so that it is started again.
"""

import os
import socket
from collections.abc import Callable
from threading import Event, Thread

STALLED = 70
"""The exit code of a program that was ended because it hung."""
_LOOKS = 4


def ready() -> bool:
    """The program works from here on; systemd's start command waits for this, at most two minutes."""
    return _send("READY=1")


def tell_status(text: str) -> bool:
    """One line that `systemctl status` shows; it must hold no message text."""
    return _send(f"STATUS={' '.join(text.split())}")


def watchdog() -> bool:
    """Still alive. To be sent only where that is certain: without it for two minutes, systemd restarts the program."""
    return _send("WATCHDOG=1")


def stopping() -> bool:
    """The program is about to leave; its watchdog is silent from here on."""
    return _send("STOPPING=1")


def _send(message: str) -> bool:
    """Whether somebody took the message. A service manager that is busy or gone is no fault of ours."""
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
    """Ends the process when `feed` was not called for so many seconds, between `start` and `stop`."""

    def __init__(self, seconds: float, leave: Callable[[int], object] = os._exit) -> None:
        self._look_seconds = seconds / _LOOKS
        self._leave = leave
        self._fed = True
        self._silent_looks = 0
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="stall", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def feed(self) -> None:
        """Still alive; to be called only where that is certain."""
        self._fed = True

    def stop(self) -> None:
        """Watch no longer."""
        self._stopped.set()
        self._thread.join()

    def look(self) -> bool:
        """Look once, as the thread does four times in its `seconds`: whether the program has stalled by now.

        Looks are counted, not seconds: a process that was asleep with its computer has missed one look, no more.
        """
        self._silent_looks = 0 if self._fed else self._silent_looks + 1
        self._fed = False
        return self._silent_looks >= _LOOKS

    def _watch(self) -> None:
        while not self._stopped.wait(self._look_seconds):
            if self.look():
                self._leave(STALLED)
                return
