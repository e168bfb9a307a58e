"""A computer of its own with a real systemd, in namespaces of this one: booted, used, switched off, gone."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from service.systemd import paths_in_temporary

CHECKOUT = Path(__file__).parents[2]
SYSTEMD = Path("/lib/systemd/systemd")
_BOOT = Path(__file__).with_name("boot.sh")
_LIMIT_SECONDS = 60.0
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def why_not() -> str:
    """Why no such computer can be had here; empty where it can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "a systemd of our own needs Linux and root"
    if places := paths_in_temporary((CHECKOUT, Path(sys.prefix), Path(sys.base_prefix))):
        return f"{places[0]} lies where the sandbox of a service hides what is there: check memproc out in a home folder"
    if not SYSTEMD.exists():
        return "systemd is not installed here"
    for tool in ("unshare", "nsenter", "setpriv", "useradd", "dbus-daemon", "loginctl"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed here"
    return "" if _cgroups() else "there is no cgroup2 file system here"


@dataclass
class Machine:
    """A computer with one account. What it writes stays in `disk`, in memory, until it is thrown away."""

    name: str = "ada"
    number: int = 1234
    disk: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="memproc-machine-", dir="/dev/shm"))
    )

    def __post_init__(self) -> None:
        self.cgroup = _cgroups()[0] / self.disk.name
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        return Path("/home") / self.name

    def boot(self) -> None:
        """Switch it on, and wait until it is up."""
        self.cgroup.mkdir()
        into = f'echo $$ > {self.cgroup}/cgroup.procs && exec "$@"'
        spaces = (
            "--mount",
            "--cgroup",
            "--pid",
            "--ipc",
            "--uts",
            "--net",
            "--fork",
            "--kill-child",
        )
        needed = dict.fromkeys(
            str(Path(path).resolve()) for path in (CHECKOUT, sys.base_prefix, sys.prefix)
        )
        boot = ("bash", str(_BOOT), str(self.disk), self.name, str(self.number), *needed)
        self.process = subprocess.Popen(["bash", "-c", into, "boot", "unshare", *spaces, *boot])
        wait_for(self._is_up)

    def switch_off(self) -> None:
        """Cut the power. The disk stays as it is."""
        if self.process is not None:
            if init := self._init():
                os.kill(init, 9)
            self.process.wait(_LIMIT_SECONDS)
            self.process = None
            wait_for(self._cgroup_is_gone)

    def throw_away(self) -> None:
        """Switch it off, and forget its disk."""
        self.switch_off()
        shutil.rmtree(self.disk)

    def root(self, *argv: str) -> "subprocess.CompletedProcess[str]":
        """Run a command as root."""
        return self._run([*argv], {"HOME": "/root"})

    def ada(self, *argv: str) -> "subprocess.CompletedProcess[str]":
        """Run a command as the person, as after a login: with a user manager within reach."""
        number = str(self.number)
        drop = ["setpriv", "--reuid", number, "--regid", number, "--clear-groups"]
        environ = {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": f"/run/user/{number}",
            "USER": self.name,
        }
        return self._run([*drop, "--", *argv], environ)

    def write(self, path: Path, text: str, mode: int = 0o644) -> None:
        """Put a file on the disk, the person's own if it lies in their home."""
        inside = self._inside(path)
        inside.parent.mkdir(parents=True, exist_ok=True)
        inside.write_text(text)
        inside.chmod(mode)
        if path.is_relative_to(self.home):
            self.root("chown", "-R", f"{self.name}:", str(self.home))

    def read(self, path: Path) -> str:
        """A file's text; empty where there is none."""
        inside = self._inside(path)
        return inside.read_text() if inside.exists() else ""

    def erase(self, path: Path) -> None:
        """Remove a file, if it is there."""
        self._inside(path).unlink(missing_ok=True)

    def _inside(self, path: Path) -> Path:
        """Where a file of the machine can be reached from here."""
        return Path(f"/proc/{self._init()}/root", *path.parts[1:])

    def _run(self, argv: list[str], environ: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        enter = [
            "nsenter",
            "--target",
            str(self._init() or 0),
            "--mount",
            "--pid",
            "--ipc",
            "--uts",
            "--net",
            "--cgroup",
        ]
        values = [
            f"{name}={value}"
            for name, value in ({"PATH": _PATH, "LANG": "C.UTF-8"} | environ).items()
        ]
        whole = [*enter, "env", "-i", "--chdir=/", *values, *argv]
        return subprocess.run(
            whole, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False
        )

    def _is_up(self) -> bool:
        assert self.process is not None and self.process.poll() is None, (
            "it does not boot: see what it said above"
        )
        return self.root("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def _init(self) -> int | None:
        """Its process 1, as it is numbered here."""
        assert self.process is not None, "it is switched off"
        try:
            children = (
                Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
                .read_text()
                .split()
            )
        except FileNotFoundError:
            return None
        return int(children[0]) if children else None

    def _cgroup_is_gone(self) -> bool:
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            try:
                os.rmdir(folder)  # noqa: PTH106  in a cgroup, only folders can be removed
            except OSError:
                return False
        return True


def wait_for(true: Callable[[], bool], seconds: float = _LIMIT_SECONDS) -> float:
    """Wait until something is true, and say how many seconds that took."""
    begin = monotonic()
    while not true():
        assert monotonic() - begin < seconds, f"it did not come true within {seconds:g} seconds"
        sleep(0.02)
    return monotonic() - begin


def of_an_idle_computer(seconds: float) -> float:
    """As many seconds as that takes at least while this computer has other things to do as well."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _cgroups() -> list[Path]:
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return [Path(parts[1]) for parts in mounts if parts[2] == "cgroup2"]
