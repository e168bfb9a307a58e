"""Speaks to systemd: ready, what is going on, still alive, about to stop. Elsewhere it does nothing.

The protocol is one datagram of `NAME=value` lines to the socket that $NOTIFY_SOCKET names.
"""

import os
import socket


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
