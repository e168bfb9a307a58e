"""Live a day of the daemon in minutes: drop files, kill it and its children, and let the clock jump.

In the end every file must have been worked on exactly once. The number of the trial decides what happens when.
"""

import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic, sleep

from service.command import memproc_argv
from tests.chats import chat, conversation, export_bytes
from tests.faults import oracle
from tests.faults.errors import ending_faults
from tests.faults.prepared import Prepared
from tests.faults.scenes import DAY, FIRST
from tests.faults.shim import SharedClock
from tests.faults.trial import CLOCK

_SECONDS = 150
_RATE = DAY // _SECONDS
_MOST_FILES = 30
_LIMIT_SECONDS = 240.0
_JUMPS = (3600, -3600, DAY, -DAY)


class KilledDaemon:
    """The daemon of a lab, which is killed and started again."""

    def __init__(self, prepared: Prepared, clock: SharedClock) -> None:
        self._lab, self._clock = prepared.lab, clock
        self.said = prepared.lab.root / "daemon-said"
        self.said.write_bytes(b"")
        self.start()

    def start(self) -> None:
        argv = memproc_argv(self._lab.home / "memproc.toml", "watch")
        with self.said.open("ab") as output:
            environment = {**os.environ, **self._clock.environment}
            self.process = subprocess.Popen(
                argv, stdout=output, stderr=output, cwd=self._lab.home, env=environment
            )

    def kill(self) -> None:
        """Kill the daemon, as a system does that needs its memory, and start the next one."""
        self.process.kill()
        self.process.wait()
        self.start()

    def kill_child(self) -> None:
        """Kill the worker's process, if there is one now."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for child in path.read_text().split() if path.exists() else ():
            with suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)

    def stop(self) -> int:
        """Ask the daemon to end; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def a_day(prepared: Prepared, number: int) -> Iterator[str]:
    """Live through the day; yield what is wrong in the evening."""
    prepared.reset()
    lab, chance = prepared.lab, Random(number)
    clock = SharedClock(lab.root / "clock", CLOCK, _RATE)
    daemon = KilledDaemon(prepared, clock)
    try:
        yield from _until_evening(prepared, daemon, clock, chance)
        if not _comes_true(lambda: _unfinished(lab.home) == 0):
            yield f"{_unfinished(lab.home)} files are not finished: {daemon.said.read_text()[-600:]}"
        code = daemon.stop()
    finally:
        daemon.process.kill()
        daemon.process.wait()
    yield from ending_faults(code, daemon.said.read_text(errors="replace"), "")
    yield from _is_done_once(lab.home)
    yield from oracle.database_faults(lab.home)
    yield from oracle.backup_faults(lab.home / "backups")
    (lab.home / "inbox" / "notes.pdf").unlink()  # which a run by hand would be asked to read
    later = int(clock.shows) + 2 * DAY
    again = lab.attempt(lab.memproc("run"), seconds=later)
    if again.code or "0 written" not in again.out:
        yield f"a run more was not quiet: {again}"
    if (verified := lab.attempt(lab.memproc("verify"), seconds=later)).code:
        yield f"verify finds: {verified.err[:300]}"


def _until_evening(
    prepared: Prepared, daemon: KilledDaemon, clock: SharedClock, chance: Random
) -> Iterator[str]:
    dropped = 0
    evening = monotonic() + _SECONDS
    while monotonic() < evening:
        match chance.choices(("drop", "kill", "kill child", "jump"), (6, 4, 1, 2))[0]:
            case "drop" if dropped < _MOST_FILES:
                dropped += 1
                name, turns = f"chat{dropped:04}", chance.randrange(FIRST, FIRST + 5)
                spoken = conversation(turns, 400, first=1_000 * dropped)
                content = export_bytes(chat(*spoken, id=name, chatID=name))
                (prepared.lab.home / "inbox" / f"{dropped}.json").write_bytes(content)
            case "kill":
                if daemon.process.poll() is not None:
                    yield f"it ended with {daemon.process.returncode} by itself"
                daemon.kill()
            case "kill child":
                daemon.kill_child()
            case "jump":
                clock.jump(chance.choice(_JUMPS))
        sleep(chance.uniform(0.2, 6.0))


def _comes_true(condition: Callable[[], bool]) -> bool:
    end = monotonic() + _LIMIT_SECONDS
    while monotonic() < end:
        with suppress(sqlite3.Error):  # the daemon writes to it meanwhile
            if condition():
                return True
        sleep(0.5)
    return False


def _contents(home: Path) -> dict[str, str]:
    """Return the names of the exports in the inbox by their hashes."""
    return {
        sha256(path.read_bytes()).hexdigest(): path.name for path in (home / "inbox").glob("*.json")
    }


def _unfinished(home: Path) -> int:
    """Return how many exports are not finished yet."""
    with closing(sqlite3.connect(home / "state" / "archive.sqlite3")) as archive:
        written = {
            row[0] for row in archive.execute("SELECT sha256 FROM arrival WHERE state = 'written'")
        }
    return len(_contents(home).keys() - written)


def _is_done_once(home: Path) -> Iterator[str]:
    """Yield what is wrong unless each content has one finished arrival and one output, and all texts are archived."""
    with closing(sqlite3.connect(home / "state" / "archive.sqlite3")) as archive:
        for digest, name in _contents(home).items():
            arrivals = archive.execute(
                "SELECT state FROM arrival WHERE sha256 = ?", (digest,)
            ).fetchall()
            outputs = archive.execute(
                "SELECT path FROM output WHERE source_sha256 = ?", (digest,)
            ).fetchall()
            if [state for (state,) in arrivals if state != "done"] != ["written"]:
                yield f"{name} came to {arrivals}"
            if len(outputs) != 1 or not Path(outputs[0][0]).exists():
                yield f"{name} has {len(outputs)} outputs"
    texts = frozenset[bytes]().union(
        *(oracle.texts_of(path.read_bytes()) for path in (home / "inbox").glob("*.json"))
    )
    if lost := texts - oracle.raw_texts(home, exports=False):
        yield f"{len(lost)} raw messages of the day are not in the archive"
