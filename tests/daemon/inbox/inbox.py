"""An inbox with a clock that only tests move: files are put there, and looked at, whenever a story wants it."""

import io
import json
import os
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from daemon.archive.archive import Archive
from daemon.inbox.scanner import Scanned, Scanner
from daemon.inbox.watch_plan import WatchPlan
from rules.typingmind.dates import write_date

SETTLE = 5.0
_BEGIN = datetime(2026, 11, 21, tzinfo=UTC)


def export(number: int) -> bytes:
    """An export like no other; each second one is a ZIP."""
    text = json.dumps({"data": {"chats": [{"id": f"chat {number}", "messages": []}]}}).encode()
    if number % 2 == 0:
        return text
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w") as package:
        package.writestr(zipfile.ZipInfo("data.json"), text)
    return packet.getvalue()


@dataclass
class Inbox:
    """The folders, the archive, the time, and what a scan hands to the next one."""

    root: Path
    archive: Archive
    subfolders: bool = False
    seconds: float = 0.0
    _moments: "count[int]" = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.restart()

    @property
    def folder(self) -> Path:
        return self.root / "inbox"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def now(self) -> str:
        return write_date(_BEGIN + timedelta(seconds=self.seconds))

    def put(self, name: str, data: bytes) -> Path:
        """Write into the file as it stands, or make it."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        self._dated(path)
        return path

    def swap(self, name: str, data: bytes) -> Path:
        """Put another file in its place."""
        temp = self.folder / f".{name}.tmp"
        temp.write_bytes(data)
        self._dated(temp)
        return temp.replace(self.folder / name)

    def scan(self, after: float = 0.0) -> Scanned:
        """A scan, so many seconds later."""
        self.seconds += after
        plan = WatchPlan(
            inbox=self.folder,
            updated=self.root / "updated",
            backups=self.root / "backups",
            state=self.state,
            settle_seconds=SETTLE,
            mode="auto",
            subfolders=self.subfolders,
            night="",
            notify="never",
            config=None,
        )
        return self._scanner.scan(plan, self.now, self.seconds)

    def settle(self) -> Scanned:
        """See what is there, let it settle, and look again."""
        self.scan()
        return self.scan(SETTLE)

    def restart(self) -> None:
        """What was not in the archive is forgotten."""
        self._scanner = Scanner(self.archive)

    def states(self) -> list[tuple[str, str]]:
        """Name and state of every arrival, in their order."""
        rows = self.archive.run("SELECT path, state FROM arrival ORDER BY id")
        return [(Path(path).relative_to(self.folder).as_posix(), state) for path, state in rows]

    def last(self) -> tuple[str, str, str]:
        """State, reason and next step of the newest arrival."""
        state, reason, next_step = self.archive.run(
            "SELECT state, reason, next_step FROM arrival ORDER BY id DESC LIMIT 1"
        )[0]
        return state, reason, next_step

    def copies(self) -> list[bytes]:
        """What lies in the folder of copies."""
        folder = self.state / "arrivals"
        return [path.read_bytes() for path in sorted(folder.iterdir())] if folder.exists() else []

    def _dated(self, path: Path) -> None:
        # A date of its own for every write: between two of a test, real clocks may not tick.
        moment = next(self._moments)
        os.utime(path, ns=(moment, moment))
