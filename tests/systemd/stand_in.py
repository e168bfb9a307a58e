"""memproc whose `watch` does what a file in the home folder says, to show what systemd makes of it."""

import os
import signal
import sys
from pathlib import Path
from time import sleep

from daemon.cli import main
from service import notify

BEHAVIOUR = "behaviour"
SAW = "saw"


def watch() -> int:
    """Run as the daemon does: ready at once, a sign of life now and then, away at SIGTERM."""
    home = Path.home()
    behaviour = home / BEHAVIOUR
    codes = {"crash": 1, "settings": 2}
    said = behaviour.read_text().strip() if behaviour.exists() else ""
    if said in codes:
        return codes[said]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(notify.stopping() - 1))
    look(home)
    notify.ready()
    notify.tell_status("stands in for memproc")
    while True:
        notify.watchdog()
        sleep(0.1)


def look(home: Path) -> None:
    """Note what the sandbox allows and what was handed over."""
    state = home / ".local/state/memproc"
    saw = []
    for place in (home / "memproc/inbox", state, home, Path("/usr")):
        try:
            (place / "try").write_text("")
            (place / "try").unlink()
            saw.append(f"may write {place}")
        except OSError as trouble:
            saw.append(f"{trouble.strerror}: {place}")
    credentials = os.environ.get("CREDENTIALS_DIRECTORY")
    if credentials:
        saw += [f"{file.name}={file.read_text().strip()}" for file in Path(credentials).iterdir()]
    if state.exists():
        (state / SAW).write_text("\n".join(saw))


if __name__ == "__main__":
    sys.exit(watch() if sys.argv[-1:] == ["watch"] else main())
