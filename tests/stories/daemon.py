"""Run the real `memproc watch` for a person, and read what its archive and its log say meanwhile."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from tests.chats import Json, export_bytes, long_chat
from tests.stories.person import Person
from tests.stories.reports import raw_conversation, report
from tests.waiting import LIMIT_SECONDS

STOP_SECONDS = 32.0
"""How long to wait for the daemon's end; it allows itself half a minute."""
QUICK = '[watch]\nsettle_seconds = 0.5\n[notify]\nwhen = "never"\n'
"""Settings for memproc.toml with which half a second without a change of the file is enough."""

_LOOK_SECONDS = 0.2
_GUARD = Path(__file__).parents[1] / "guard"
_PLACES = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".state", "XDG_DATA_HOME": ".data"}
ENDED = ("written", "done", "skipped", "gone")
Found = TypeVar("Found")


def quick_person(home: Path) -> Person:
    """Make a person whose daemon does not wait long, and whose chats become few memories."""
    person = Person(home, tail=3200, step=800, chunk=800)
    person.settings(QUICK)
    return person


@dataclass(frozen=True, slots=True)
class Row:
    """A dropped file as the log and the status describe it; `tries` is 0 for a finished one."""

    id: int
    name: str
    state: str
    reason: str
    next_step: str
    tries: int = 0

    @property
    def is_taken(self) -> bool:
        """Return whether the work on it was finished."""
        return self.state in ("written", "done")


@dataclass(frozen=True, slots=True)
class Daemon:
    """The process of a daemon, and the person for whom it runs."""

    person: Person
    process: "subprocess.Popen[bytes]"

    def rows(self, name: str = "") -> list[Row]:
        """Return all files that were ever seen, or those of this name, in order."""
        queue = self.status()["queue"]  # before the log, which says how each of these went on
        every = {row.id: row for row in logged(self.person)}
        for file in queue:
            number, last = file["arrival"], every.get(file["arrival"])
            if last is None or last.state not in ENDED:
                every[number] = Row(
                    number,
                    file["file"],
                    file["state"],
                    file["reason"],
                    file["next_step"],
                    file["tries"],
                )
        return [row for _, row in sorted(every.items()) if name in ("", row.name)]

    def states(self) -> dict[str, int]:
        """Return how many files are in each state."""
        states: dict[str, int] = self.status()["files"]
        return states

    def comes_to(
        self, name: str, *states: str, saying: str = "", seconds: float = LIMIT_SECONDS
    ) -> Row:
        """Wait until the newest file of this name is in one of the states, with this text in its reason."""

        def there() -> Row | None:
            newest = next(reversed(self.rows(name)), None)
            return newest if newest and newest.state in states and saying in newest.reason else None

        return self.until(there, f"{name} is {' or '.join(states)} ({saying})", seconds)

    def until(
        self, look: Callable[[], Found | None], what: str, seconds: float = LIMIT_SECONDS
    ) -> Found:
        """Wait for something to be there, as long as the daemon runs."""
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

    def status(self) -> Json:
        """Return what `memproc status --json` prints."""
        found = report(self.person, "status")
        assert isinstance(found, dict)
        return found

    def problem(self, what: str) -> str:
        """Return what the status says about a part of the daemon that needs attention; "" if it needs none."""
        problems = self.status()["problems"]
        return next((problem["reason"] for problem in problems if problem["what"] == what), "")

    def said(self) -> str:
        """Return all that the daemons of this person have printed."""
        return (self.person.home / "said.txt").read_text(encoding="utf-8")

    def worker(self) -> int:
        """Wait for the worker, and return its process id."""
        return self.until(lambda: next(iter(children(self.process.pid)), 0), "there is a worker")

    def stop(self) -> int:
        """Ask the daemon to end, as a service manager does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)


@contextmanager
def running(person: Person, **environment: str) -> Iterator[Daemon]:
    """Yield a running daemon, until the block ends; its home folder is in the person's, not the test's."""
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
                "Watching the inbox" in daemon.said()[begun:]
                or "is watched by" in daemon.said()[begun:]
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
    """Stop a process for the block; it goes on afterwards."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def children(pid: int) -> list[int]:
    """Return the processes that the main thread of this process has started."""
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_there(pid: int) -> bool:
    """Return whether the process still runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def talk(name: str, tokens: int) -> Json:
    """Return a chat of about so many tokens, with an id of its own; a longer one begins with the shorter."""
    return long_chat(tokens, tokens_each=200, id=name, chatID=name, chatTitle=f"Talk of {name}")


def export(name: str, tokens: int) -> bytes:
    """Return such a chat as an export; the settings of a `Person` leave up to about 1,600 tokens alone."""
    return export_bytes(talk(name, tokens))


def logged(person: Person) -> list[Row]:
    """Return each file with the last state that the daemon's log gives it."""
    entries = report(person, "logs")["entries"]
    every = [entry["values"] for entry in entries if entry["event"] == "FileIs"]
    files = {values["arrival"]: values for values in every}
    return [
        Row(number, *(values[name] for name in ("file", "state", "reason", "next_step")))
        for number, values in files.items()
    ]


def known(person: Person) -> dict[str, int]:
    """Return how many messages of each chat the archive has; a longer talk begins with the shorter one."""
    return {chat["chat_id"]: chat["messages"] for chat in report(person, "chats")["chats"]}


def held_in(*contents: bytes) -> dict[str, int]:
    """Return how many messages of each chat these exports have; for a chat in several, the last one counts."""
    chats = [chat for content in contents for chat in json.loads(content)["data"]["chats"]]
    return {chat["chatID"]: len(chat["messages"]) for chat in chats}


def all_is_processed(daemon: Daemon, *finals: bytes) -> None:
    """Check that exactly these contents were taken, each is finished, and no file of the work is left."""
    assert {row.state for row in daemon.rows()} <= {"written", "done", "gone"}, daemon.rows()
    held = held_in(*finals)
    assert {outcome["chat_id"] for outcome in daemon.status()["outcomes"]} == held.keys()
    assert known(daemon.person).items() <= held.items(), "of short chats it keeps nothing"
    daemon.until(
        lambda: not copies(daemon.person), "the copies are gone"
    )  # which is done after the work is told
    assert daemon.person.memproc("verify").code == 0


def copies(person: Person) -> list[str]:
    """Return the copies in the state folder of the files that are worked on."""
    folder = person.home / "state" / "arrivals"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def messages(person: Person, chat_id: str) -> list[Json]:
    """Return the whole raw conversation in the archive."""
    return raw_conversation(person, chat_id)


def updated(person: Person, chat_id: str) -> Json:
    """Return the chat in its updated export."""
    every = [json.loads(path.read_bytes())["data"]["chats"][0] for path in person.updated()]
    (found,) = [chat for chat in every if chat["chatID"] == chat_id]
    assert isinstance(found, dict)
    return found


def memories_in(chat: Json) -> int:
    """Return how many memories are in a chat."""
    kinds = [message.get("memproc", {}).get("kind") for message in chat["messages"]]
    return kinds.count("memory") // 6


def _environment(person: Person) -> dict[str, str]:
    """Return the test's environment with a home folder in the person's, no key, and no way to notify."""
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
