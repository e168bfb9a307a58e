"""The service of a person on a machine: installed, looked at, killed."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.systemd.machine import Machine, wait_for
from tests.systemd.stand_in import BEHAVIOUR, SAW

UNIT = "memproc.service"
REAL = Path(sys.prefix) / "bin" / "memproc"
"""The command of the environment that runs the tests."""


@dataclass(frozen=True)
class ServiceOf:
    """The service that a `memproc` on the machine installs for its person."""

    machine: Machine
    command: Path

    @property
    def units(self) -> Path:
        return self.machine.home / ".config/systemd/user"

    def memproc(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self.machine.ada(str(self.command), *arguments)

    def systemctl(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self.machine.ada("systemctl", "--user", *arguments)

    def install(self, *options: str) -> str:
        """Install the service, which has to work, and give back what was said."""
        done = self.memproc("service", "install", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def shows(self, name: str, unit: str = UNIT) -> str:
        """One property of the unit."""
        return self.systemctl("show", unit, f"--property={name}", "--value").stdout.strip()

    @property
    def process(self) -> int:
        return int(self.shows("MainPID") or 0)

    def signal(self, name: str) -> int:
        """Send a signal to the service's main process, and give back which one that was."""
        process = self.process
        assert process > 1
        self.machine.root("kill", f"-{name}", str(process))
        return process

    def back_after(self, gone: int, seconds: float) -> float:
        """Wait for another process than `gone` to be ready; in seconds."""
        return wait_for(
            lambda: self.shows("ActiveState") == "active" and self.process not in (0, gone), seconds
        )

    def behave(self, how: str) -> None:
        """What the stand-in does when it is started next."""
        self.machine.write(self.machine.home / BEHAVIOUR, how)

    @property
    def saw(self) -> str:
        """What the stand-in found when it was started."""
        return self.machine.read(self.machine.home / ".local/state/memproc" / SAW)

    @property
    def notices(self) -> str:
        """What was shown on the person's desktop."""
        return self.machine.read(self.machine.home / "notices")

    def drop_in(self, text: str) -> Path:
        """Write a change of the person's own, as `systemctl --user edit` does."""
        path = self.units / f"{UNIT}.d" / "override.conf"
        self.machine.write(path, text)
        self.systemctl("daemon-reload")
        return path

    def clear_away(self) -> None:
        """Leave the machine as if the service had never been there."""
        self.memproc("service", "remove")
        self.machine.root("rm", "-rf", *(str(self.machine.home / name) for name in (
            ".config", ".local", "memproc", "notices", BEHAVIOUR)))  # fmt: skip
        self.systemctl("daemon-reload")
        self.systemctl("reset-failed")
