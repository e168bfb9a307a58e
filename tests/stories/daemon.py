"""A person whose daemon runs: the real `memproc watch`, and what its archive and its log say meanwhile."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from daemon.archive.archive import Archive
from daemon.archive.messages import raw_conversation
from tests.chats import Json, export_bytes, long_chat
from tests.stories.person import Person

LIMIT_SECONDS = 60.0
STOP_SECONDS = 32.0
"""Half a minute is what the daemon allows itself."""
QUICK = '[watch]\nsettle_seconds = 0.5\n[notify]\nwhen = "never"\n'
"""For memproc.toml: half a second of standing still is enough."""

_LOOK_SECONDS = 0.05
_GUARD = Path(__file__).parents[1] / "guard"
_PLACES = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".state", "XDG_DATA_HOME": ".data"}
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Row:
    """A dropped file as the archive has it."""

    id: int
    name: str
    state: str
    reason: str
    next_step: str
    sha256: str | None
    tries: int


@dataclass(frozen=True, slots=True)
class Daemon:
    """A daemon's process, and the person whom it serves."""

    person: Person
    process: "subprocess.Popen[bytes]"

    def rows(self, name: str = "") -> list[Row]:
        """All files that were ever seen, or those of this name, in their order."""
        with Archive.read(self.person.home / "state") as archive:
            found = archive.run(
                "SELECT id, path, state, reason, next_step, sha256, tries FROM arrival ORDER BY id"
            )
        every = [Row(number, Path(path).name, *rest) for number, path, *rest in found]
        return [row for row in every if name in ("", row.name)]

    def states(self) -> dict[str, int]:
        """How many files are in each state."""
        with Archive.read(self.person.home / "state") as archive:
            return dict(archive.run("SELECT state, count(*) FROM arrival GROUP BY state"))

    def comes_to(
        self, name: str, *states: str, saying: str = "", seconds: float = LIMIT_SECONDS
    ) -> Row:
        """Wait until the newest file of this name is in one of the states, with this in its reason."""

        def there() -> Row | None:
            newest = next(reversed(self.rows(name)), None)
            return newest if newest and newest.state in states and saying in newest.reason else None

        return self.until(there, f"{name} is {' or '.join(states)} ({saying})", seconds)

    def until(
        self, look: Callable[[], Found | None], what: str, seconds: float = LIMIT_SECONDS
    ) -> Found:
        """Wait for something to be there, while the daemon lives."""
        end = monotonic() + seconds
        while not (found := look()):
            assert self.process.poll() is None, (
                f"the daemon ended ({self.process.returncode}): {self.said()}"
            )
            assert monotonic() < end, (
                f"waited in vain until {what}\n{self.said()[-4000:]}\n{self.rows()[-20:]}"
            )
            sleep(_LOOK_SECONDS)
        return found

    def sign(self, name: str) -> str:
        """What the daemon says of itself under this name; empty where nothing stands there."""
        with Archive.read(self.person.home / "state") as archive:
            row = archive.one("SELECT value FROM sign WHERE name = ?", (name,))
        return str(row[0]) if row else ""

    def status(self) -> Json:
        """What `memproc status --json` prints."""
        found = json.loads(self.person.memproc("status", "--json").out)
        assert isinstance(found, dict)
        return found

    def said(self) -> str:
        """All that the daemons of this person have printed."""
        return (self.person.home / "said.txt").read_text(encoding="utf-8")

    def worker(self) -> int:
        """The worker's process, once there is one."""
        return self.until(lambda: next(iter(children(self.process.pid)), 0), "there is a worker")

    def stop(self) -> int:
        """Ask it to end, as a service does; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def running(person: Person, **environment: str) -> Iterator[Daemon]:
    """A daemon that is up, until the block ends; its home folder is in the person's, whatever the test's is."""
    own = {**_environment(person), **environment}
    with (person.home / "said.txt").open("ab") as said:
        begun = said.tell()
        process = subprocess.Popen(
            person.argv("watch"), stdout=said, stderr=said, cwd=person.home, env=own
        )
    daemon = Daemon(person, process)
    try:
        daemon.until(
            lambda: (
                "is watched by" in daemon.said()[begun:]
                or "looked through" in daemon.said()[begun:]
            ),
            "up",
        )
        yield daemon
        if process.poll() is None:
            assert daemon.stop() == 0, daemon.said()
        assert "Traceback" not in daemon.said()
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


@contextmanager
def standing_still(pid: int) -> Iterator[None]:
    """Whatever this process does, it goes on with it only after the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def children(pid: int) -> list[int]:
    """The processes that the main thread of this one has started."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_there(pid: int) -> bool:
    """Whether the process still runs; one that only waits for its parent to hear of its end does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def talk(name: str, tokens: int) -> Json:
    """A chat of its own of about so many tokens; a longer one begins with the shorter."""
    return long_chat(tokens, tokens_each=200, id=name, chatID=name, chatTitle=f"Talk of {name}")


def export(name: str, tokens: int) -> bytes:
    """A talk as a file; up to about 1,600 tokens are left alone by the settings of a `Person`."""
    return export_bytes(talk(name, tokens))


def digest(content: bytes) -> str:
    """By which the archive knows a content."""
    return sha256(content).hexdigest()


def accepted(daemon: Daemon, name: str) -> list[str]:
    """The contents that were taken under this name, in their order."""
    return [row.sha256 for row in daemon.rows(name) if row.sha256]


def all_is_processed(daemon: Daemon, *finals: bytes) -> None:
    """Exactly these contents were taken, each has come to its end, and nothing is left of the work on them."""
    taken = [row for row in daemon.rows() if row.sha256]
    assert {row.sha256 for row in taken} == {digest(content) for content in finals}
    assert {row.state for row in taken} <= {"written", "done"}, taken
    assert {row.state for row in daemon.rows() if not row.sha256} <= {"gone"}
    daemon.until(
        lambda: not copies(daemon.person), "the copies are gone"
    )  # which is done after the work is told
    assert daemon.person.memproc("verify").code == 0


def copies(person: Person) -> list[str]:
    """What lies in the state folder of the files that are worked on."""
    folder = person.home / "state" / "arrivals"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def messages(person: Person, chat_id: str) -> list[Json]:
    """The whole raw conversation, as the archive has it."""
    with Archive.read(person.home / "state") as archive:
        return [json.loads(raw) for raw in raw_conversation(archive, chat_id).messages]


def updated(person: Person, chat_id: str) -> Json:
    """The chat in its updated export."""
    every = [json.loads(path.read_bytes())["data"]["chats"][0] for path in person.updated()]
    (found,) = [chat for chat in every if chat["chatID"] == chat_id]
    assert isinstance(found, dict)
    return found


def memories_in(chat: Json) -> int:
    """How many memories stand in a chat."""
    kinds = [message.get("memproc", {}).get("kind") for message in chat["messages"]]
    return kinds.count("memory") // 6


def _environment(person: Person) -> dict[str, str]:
    """The test's own, with a home folder in the person's, no key, and nobody to notify."""
    home = person.home / "home"
    (home / "runtime").mkdir(parents=True, exist_ok=True, mode=0o700)
    places = {name: str(home / inside) for name, inside in _PLACES.items()}
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_API_KEY")
        and name not in ("NOTIFY_SOCKET", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY")
    }
    own: dict[str, Any] = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "runtime"),
        "PYTHONPATH": str(_GUARD),
    }
    return {**kept, **places, **own, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
