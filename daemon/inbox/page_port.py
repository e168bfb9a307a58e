"""Hold the page's port on loopback, and start the page's process when a browser connects.

So the address is always the same and always memproc's own, and while the page is not open, only
this thread is in memory. The process is given the listening socket, and ends by itself when nothing
was asked for a while (daemon/page/server.py).
"""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from rules.errors import FileTrouble
from service.command import memproc_argv

LOOPBACK = "127.0.0.1"
CAN_HAND_OVER = sys.platform != "win32"
"""Whether a child process can be given a listening socket by its number."""
_WAITING_CONNECTIONS = 64
_AFTER_FAULT_SECONDS = 5.0
_STOP_SECONDS = 10.0
_GIVES_BACK = {"MALLOC_TRIM_THRESHOLD_": "65536"}
"""After how many free bytes glibc gives memory back to the system.

Its own limit grows with what is freed, and the page's process would then keep 2 MB that it does not
use (https://man7.org/linux/man-pages/man3/mallopt.3.html).
"""


def listen(port: int) -> socket.socket:
    """Return a listening socket on loopback; port 0 takes any that is free. Raise FileTrouble."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if CAN_HAND_OVER:  # on Windows the option lets another program take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(_WAITING_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise FileTrouble(
            f"The page cannot be shown at port {port} of this computer: {error.strerror}.",
            "Choose another number for page.port in memproc.toml, then open the page again.",
        ) from error
    return listener


def start_page(
    toml: Path | None, listener: socket.socket, *, quiet: bool = False
) -> subprocess.Popen[bytes]:
    """Start the process that serves the page on this socket.

    Its errors go to our own error output, unless it is to be `quiet`: a reader of a command's whole
    output would wait for the page's end too.
    """
    listener.set_inheritable(True)
    number = listener.fileno()
    return subprocess.Popen(  # noqa: S603  our own Python, a path and a number
        memproc_argv(toml, "page", "--socket", str(number)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if quiet else None,
        pass_fds=(number,),
        start_new_session=True,
        env={**os.environ, **_GIVES_BACK},
    )


class PagePort:
    """The port, from the daemon's start to its end."""

    def __init__(
        self, port: int, toml: Path | None, trouble: Callable[[FileTrouble], None]
    ) -> None:
        """Listen and wait in a thread.

        Where the port is taken, call `trouble`, and have no page.
        """
        self._toml = toml
        self._stopping = threading.Event()
        self._wake, self._wakened = socket.socketpair()
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None
        try:
            self._listener = listen(port)
        except FileTrouble as fault:
            trouble(fault)
            return
        self._thread = threading.Thread(
            target=self._serve, args=(self._listener,), name="page", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the page's process, and close the port."""
        self._stopping.set()
        self._wake.close()
        if self._thread:
            self._thread.join(_STOP_SECONDS)
        self._wakened.close()
        if self._listener:
            self._listener.close()

    def _serve(self, listener: socket.socket) -> None:
        """Hand each connection to a page of its own until told to stop."""
        with DefaultSelector() as selector:
            selector.register(listener, EVENT_READ)
            selector.register(self._wakened, EVENT_READ)
            while not self._stopping.is_set():
                selector.select()
                if self._stopping.is_set():
                    return
                # No more processes for now: the connection waits, and it is tried again.
                with suppress(OSError):
                    self._wait_for(start_page(self._toml, listener))

    def _wait_for(self, page: "subprocess.Popen[bytes]") -> None:
        """Wait until the page's process has ended; one that failed is not started again at once."""
        while page.poll() is None:
            if self._stopping.wait(0.2):
                page.terminate()
                with suppress(subprocess.TimeoutExpired):
                    page.wait(_STOP_SECONDS)
                page.kill()
                page.wait()
        if page.returncode:
            self._stopping.wait(_AFTER_FAULT_SECONDS)
