"""Hold the page's port on loopback, and start the page's process when a browser connects.

So the address is always the same and memproc's own, and while the page is not open, only this
thread is in memory. The process gets the listening socket, and ends by itself when it was idle for
a while (daemon/page/server.py). If the port is taken, it is waited for; most often a page has it
that `memproc open` started before the daemon came up.
"""

import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

from daemon.files.lock import is_held
from rules.errors import FileTrouble
from service.command import memproc_argv, run_program

LOOPBACK = "127.0.0.1"
CAN_HAND_OVER = sys.platform != "win32"
"""Whether a child process can inherit a listening socket by its number."""
_WAITING_CONNECTIONS = 64
_AFTER_FAULT_SECONDS = 5.0
_STOP_SECONDS = 10.0
_TAKEN_SECONDS = 2.0
"""The time between two attempts at a port that is taken."""
_LISTENING = "0A"
"""The state in Linux's list of sockets."""
_LSOF_SECONDS = 3.0
_SHOWN_ALREADY = (
    "It is shown already, by a process that `memproc open` began. The daemon takes over when that "
    "ends, ten minutes after its last use."
)
_AS_SOON_AS_FREE = "The daemon takes the port as soon as it is free."
_GIVES_BACK = {"MALLOC_TRIM_THRESHOLD_": "65536"}
"""Has glibc return memory to the system above this many free bytes.

By default the limit grows with what is freed, and the page's process would keep 2 MB that it does
not use (https://man7.org/linux/man-pages/man3/mallopt.3.html).
"""


def page_lock(state: Path, port: int) -> Path:
    """Return the path of the lock that this archive's page holds while it listens at the port."""
    return state / f"page-{port}.lock"


def listen(port: int) -> socket.socket:
    """Return a listening socket on loopback; port 0 takes any that is free. Raise OSError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if CAN_HAND_OVER:  # on Windows the option lets another program take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen(_WAITING_CONNECTIONS)
    except OSError:
        listener.close()
        raise
    return listener


class PortTaken(FileTrouble):
    """Another program has the page's port; `program` is "" where the system does not say which."""

    def __init__(self, port: int) -> None:
        self.program = program_at_port(port)
        name = f": {self.program}" if self.program else ""
        close = "Close that program; or c" if self.program else "C"
        super().__init__(
            "Another program, or the memproc of another person, "
            f"answers at port {port} of this computer{name}.",
            f"{close}hoose another number for page.port in memproc.toml, then open the page again.",
        )


def port_trouble(port: int, fault: OSError) -> FileTrouble:
    """Return the error for a port at which the page cannot listen."""
    if fault.errno == errno.EADDRINUSE:
        return PortTaken(port)
    return FileTrouble(
        f"The page cannot be shown at port {port} of this computer: {fault.strerror}.",
        "Choose another number for page.port in memproc.toml, then open the page again.",
    )


def program_at_port(port: int) -> str:
    """Return the program that listens at a port, such as "node (process 123)".

    It is empty where the system does not say, as for a process of another account.
    """
    for process, name in (_of_linux if sys.platform == "linux" else _of_lsof)(port):
        return f"{name} (process {process})"
    return ""


def _of_linux(port: int) -> Iterator[tuple[str, str]]:
    """Yield number and name of each process that listens at the port, by Linux's /proc."""
    sockets = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                _, local, _, state, *_, inode = line.split()[:10]
                if state == _LISTENING and int(local.rpartition(":")[2], 16) == port:
                    sockets.add(f"socket:[{inode}]")
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(str(file.readlink()) in sockets for file in (process / "fd").iterdir()):
                yield process.name, (process / "comm").read_text().strip()


def _of_lsof(port: int) -> Iterator[tuple[str, str]]:
    """Yield the same by lsof, which every macOS has."""
    argv = ("lsof", "-nP", f"-iTCP:{port}", "-sTCP:LISTEN", "-Fpc")
    fields = {line[:1]: line[1:] for line in run_program(argv, _LSOF_SECONDS).out.splitlines()}
    if "p" in fields:
        yield fields["p"], fields.get("c", "a program")


def start_page(
    toml: Path | None, listener: socket.socket, *, quiet: bool = False
) -> subprocess.Popen[bytes]:
    """Start the process that serves the page on this socket.

    Its errors go to our own standard error, unless it is `quiet`: a reader of a command's whole
    output would otherwise wait for the page's end, too.
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
        self, port: int, toml: Path | None, state: Path, tell: Callable[[FileTrouble | None], None]
    ) -> None:
        """Listen, and wait in a thread.

        `tell` is called in any thread: with the trouble if the port is taken, and with None once it
        is free. A trouble without a next step passes by itself: our own page has the port.
        """
        self._port, self._toml, self._state, self._tell = port, toml, state, tell
        self._stopping = threading.Event()
        self._wake, self._wakened = socket.socketpair()
        self._is_told: bool | None = None
        """Whether the last trouble told was that our own page has the port; None: none was told."""
        self._listener = self._try()
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the page's process, and close the port."""
        self._stopping.set()
        self._wake.close()
        self._thread.join(_STOP_SECONDS)
        self._wakened.close()
        if self._listener:
            self._listener.close()

    def _try(self) -> socket.socket | None:
        """Take the port if it is free; else tell why not, if that is news."""
        try:
            listener = listen(self._port)
        except OSError as fault:
            is_ours = False
            with suppress(FileTrouble):
                is_ours = is_held(page_lock(self._state, self._port))
            if is_ours != self._is_told:
                trouble = port_trouble(self._port, fault)
                self._tell(
                    FileTrouble(_SHOWN_ALREADY, "")
                    if is_ours
                    else FileTrouble(trouble.message, f"{trouble.next_step} {_AS_SOON_AS_FREE}")
                )
            self._is_told = is_ours
            return None
        if self._is_told is not None:
            self._tell(None)
        return listener

    def _serve(self) -> None:
        """Take the port, and hand each connection to a page of its own until told to stop."""
        while self._listener is None:
            if self._stopping.wait(_TAKEN_SECONDS):
                return
            self._listener = self._try()
        with DefaultSelector() as selector:
            selector.register(self._listener, EVENT_READ)
            selector.register(self._wakened, EVENT_READ)
            while not self._stopping.is_set():
                selector.select()
                if self._stopping.is_set():
                    return
                # If no process can be started now, the connection waits, and this is repeated.
                with suppress(OSError):
                    self._wait_for(start_page(self._toml, self._listener))

    def _wait_for(self, page: "subprocess.Popen[bytes]") -> None:
        """Wait until the page's process has ended, and a while longer if it failed."""
        while page.poll() is None:
            if self._stopping.wait(0.2):
                page.terminate()
                with suppress(subprocess.TimeoutExpired):
                    page.wait(_STOP_SECONDS)
                page.kill()
                page.wait()
        if page.returncode:
            self._stopping.wait(_AFTER_FAULT_SECONDS)
