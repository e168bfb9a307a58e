"""Load memproc: thousands of files, odd entries, six commands side by side, and a clock that jumps in the middle.

clock      the clock on the wall jumps at a call, by a day or ten years, there or back
together   six commands at once; as `minutes` for five of them, as the series `hour` for sixty
rewritten  a file of the inbox is written again and again while it is read, by the chance of this number
elsewhere  the inbox lies on another file system, and the command is killed at a call
many       5,000 small files and 20 large ones in the inbox, among entries that are no files
day        a day of the daemon in minutes, with kills: day.py
"""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from time import monotonic

from tests.chats import export_bytes
from tests.faults import disks, oracle
from tests.faults.day import a_day
from tests.faults.errors import ending_faults
from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.rewriting import rewritten
from tests.faults.scenes import DAY, talk
from tests.faults.shim import Act, Fault
from tests.faults.trial import Lab, TrialEnd

NAME = "load"
_JUMPS = {"clock+1": DAY, "clock-1": -DAY, "clock+3650": 3650 * DAY, "clock-3650": -3650 * DAY}
_COMMANDS = (("run",), ("run",), ("verify",), ("plan",), ("chats",), ("run",))
_MINUTES = 5
_ROOM_BYTES = 256 << 20
_SMALL, _LARGE, _LARGE_TURNS = 5_000, 20, 2_000
_NAMES = (
    "ä.json",
    "a b.json",
    "-rf.json",
    "'.json",
    "%2f.json",
    "名.json",
    "a\nb.json",
    ".hidden.json",
    "A.JSON",
    "x" * 200,
)


def points(prepared: Prepared) -> Iterator[Point]:
    """Yield the points of each way: calls at which the clock jumps or memproc is killed, chances, one heap of files."""
    for how in _WAYS:
        for number in range(1, _how_many(prepared, how) + 1):
            yield Point(NAME, prepared.scene.name, number, how)


def _how_many(prepared: Prepared, how: str) -> int:
    is_intake = prepared.scene.name == "intake"
    match how:
        case "many":
            return int(is_intake)
        case "day":
            return 30 if is_intake else 0
        case "rewritten":
            return 100
        case "together" | "minutes" if is_intake:
            return 0
        case "together":
            return 100
        case "minutes":
            return 1
        case "elsewhere":
            return 0 if disks.why_not() else prepared.last_call
        case _:
            return 0 if is_intake else prepared.last_call


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Load memproc in the way of the point; yield what is wrong."""
    yield from _WAYS[point.how](prepared, point)


def _jumping(prepared: Prepared, point: Point) -> Iterator[str]:
    end = prepared.attempt(Fault(call=point.number, jump=_JUMPS[point.how]))
    yield from ending_faults(end.code, end.out, end.err)
    yield from _is_done(prepared)


def _elsewhere(prepared: Prepared, point: Point) -> Iterator[str]:
    """Put the inbox on a disk of its own, and kill the command; yield what is wrong."""
    prepared.reset()
    with disks.disk_at(prepared.lab.home / "inbox", _ROOM_BYTES):
        end = prepared.lab.attempt(
            prepared.scene.work(prepared.lab), Fault(Act.KILL_AFTER, point.number)
        )
        yield from prepared.goes_on(end.asked, is_inbox_new=True)


def _is_done(prepared: Prepared) -> Iterator[str]:
    """Yield what is wrong unless all is done once: another run changes nothing, and everything is sound.

    Dates may be any that the clock has shown.
    """
    home, lab = prepared.lab.home, prepared.lab
    before = oracle.updated(home)
    again = lab.attempt(lab.memproc("run"))
    if again.code or again.asked or "0 written" not in again.out or oracle.updated(home) != before:
        yield f"a run more was not quiet: {again}"
    if lost := prepared.unharmed.texts - oracle.raw_texts(home):
        yield f"{len(lost)} raw messages cannot be had back"
    yield from oracle.database_faults(home)
    yield from oracle.backup_faults(home / "backups")
    verified = lab.attempt(lab.memproc("verify"))
    if verified.code:
        yield f"verify finds: {verified.err[:300]}"


def _together(prepared: Prepared, _: Point) -> Iterator[str]:
    """Run six commands at once: those that come too late must say so, and all must be done in the end."""
    yield from _six_at_once(prepared, 0)


def _six_at_once(prepared: Prepared, minutes: int) -> Iterator[str]:
    """Run six commands at once for so long, with a new chat now and then; all must be done in the end."""
    prepared.reset()
    lab, over = prepared.lab, monotonic() + minutes * 60
    for turn in count():
        if turn % 5 == 4:
            (lab.home / "inbox" / f"{turn}.json").write_bytes(
                export_bytes(talk(chat_id=f"talk{turn:06}"))
            )
        for command in _side_by_side(lab, [lab.memproc(*words) for words in _COMMANDS]):
            yield from ending_faults(command.code, command.out, command.err)
        if monotonic() >= over:
            break
    end = lab.attempt(lab.memproc("run"))
    yield from ending_faults(end.code, end.out, end.err)
    yield from _is_done(prepared)


def _side_by_side(lab: Lab, works: list[Callable[[], int]]) -> list[TrialEnd]:
    """Run each work in a process and a lab of its own, all with the same home folder."""
    children: list[tuple[int, Lab]] = []
    for number, work in enumerate(works):
        own = Lab(lab.root / f"beside{number}")
        own.root.mkdir(exist_ok=True)
        if not own.home.is_symlink():
            own.home.symlink_to(lab.home)
        children.append((own.begin(work), own))
    return [own.end(child) for child, own in children]


def _many(prepared: Prepared, _: Point) -> Iterator[str]:
    """Let the daemon look until nothing is left to take: every file must be copied whole, whatever else is there."""
    prepared.reset()
    inbox, lab = prepared.lab.home / "inbox", prepared.lab
    contents = {
        export_bytes({**talk(1), "id": f"small{number}", "chatID": f"small{number}"})
        for number in range(_SMALL)
    }
    large = export_bytes(talk(_LARGE_TURNS))
    contents |= {large + b" " * number for number in range(_LARGE)}
    for place, content in enumerate(contents):
        (inbox / f"{place}.json").write_bytes(content)
    _odd_entries(inbox)
    for _look in range(_SMALL // 100 + 10):  # a look takes a hundred files
        end = lab.attempt(prepared.scene.work(lab))
        yield from ending_faults(end.code, end.out, end.err)
        copies = {path.read_bytes() for path in (lab.home / "state" / "arrivals").iterdir()}
        if contents <= copies:
            return
    yield f"{len(contents - copies)} files were not taken"


def _odd_entries(inbox: Path) -> None:
    for name in _NAMES:
        (inbox / name).write_bytes(b"{")
    os.mkfifo(inbox / "pipe.json")
    (inbox / "folder.json").mkdir()
    (inbox / "link.json").symlink_to("nowhere")
    (inbox / "round.json").symlink_to("round.json")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(inbox / "socket.json"))


_WAYS: Mapping[str, Callable[[Prepared, Point], Iterator[str]]] = {
    **dict.fromkeys(_JUMPS, _jumping),
    "together": _together,
    "minutes": lambda prepared, _: _six_at_once(prepared, _MINUTES),
    "rewritten": lambda prepared, point: rewritten(prepared, point.number),
    "elsewhere": _elsewhere,
    "many": _many,
    "day": lambda prepared, point: a_day(prepared, point.number),
}


def _one(prepared: Prepared) -> Iterator[Point]:
    yield Point(HOUR.name, prepared.scene.name, 1, "together")


LOAD = Series(NAME, ("new-chat", "two-chats", "intake"), points, attempt)
HOUR = Series("hour", ("two-chats",), _one, lambda prepared, _: _six_at_once(prepared, 60))
"""Carried out only if asked for by name."""
