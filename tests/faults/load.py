"""Much at once: thousands of files, odd entries, six commands side by side, and a clock that jumps in the middle.

clock      the clock on the wall jumps at a call, by a day or ten years, there or back
together   six commands at once, as often as the number says
many       5,000 small files and 20 large ones in the inbox, among entries that are no files
"""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.chats import export_bytes
from tests.faults import oracle
from tests.faults.errors import said
from tests.faults.point import Point
from tests.faults.prepared import Prepared, Series
from tests.faults.scenes import DAY, talk
from tests.faults.shim import Fault
from tests.faults.trial import Lab, TrialEnd

NAME = "load"
_JUMPS = {"clock+1": DAY, "clock-1": -DAY, "clock+3650": 3650 * DAY, "clock-3650": -3650 * DAY}
_COMMANDS = (("run",), ("run",), ("verify",), ("plan",), ("chats",), ("run",))
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
    """Each call at which the clock may jump; a hundred times six commands; one great heap of files."""
    if prepared.scene.name == "intake":
        yield Point(NAME, prepared.scene.name, 1, "many")
    else:
        for how in _JUMPS:
            for number in range(1, prepared.last_call + 1):
                yield Point(NAME, prepared.scene.name, number, how)
        for number in range(1, 101):
            yield Point(NAME, prepared.scene.name, number, "together")


def attempt(prepared: Prepared, point: Point) -> Iterator[str]:
    """Load it, and see that all is well; what is wrong."""
    if point.how == "many":
        yield from _many(prepared)
    elif point.how == "together":
        yield from _together(prepared)
    else:
        end = prepared.attempt(Fault(call=point.number, jump=_JUMPS[point.how]))
        yield from said(end.code, end.out, end.err)
        yield from _is_done(prepared)


def _is_done(prepared: Prepared) -> Iterator[str]:
    """All is done, once: a run more changes nothing, and everything is sound. Dates are what the clock has said."""
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


def _together(prepared: Prepared) -> Iterator[str]:
    """Six commands at once: who comes too late says so; all is done in the end."""
    prepared.reset()
    for end in _side_by_side(prepared.lab, [prepared.lab.memproc(*command) for command in _COMMANDS]):
        yield from said(end.code, end.out, end.err)
    end = prepared.lab.attempt(prepared.lab.memproc("run"))
    yield from said(end.code, end.out, end.err)
    yield from _is_done(prepared)


def _side_by_side(lab: Lab, works: list[Callable[[], int]]) -> list[TrialEnd]:
    """Each in a process and a lab of its own, around the one home."""
    children: list[tuple[int, Lab]] = []
    for number, work in enumerate(works):
        own = Lab(lab.root / f"beside{number}")
        own.root.mkdir(exist_ok=True)
        if not own.home.is_symlink():
            own.home.symlink_to(lab.home)
        children.append((own.begin(work), own))
    return [own.end(child) for child, own in children]


def _many(prepared: Prepared) -> Iterator[str]:
    """The daemon's looks, until nothing is left to take: every file is copied whole, and nothing else stops it."""
    prepared.reset()
    inbox, lab = prepared.lab.home / "inbox", prepared.lab
    contents = {
        export_bytes({**talk(1), "id": f"small{number}", "chatID": f"small{number}"}) for number in range(_SMALL)
    }
    large = export_bytes(talk(_LARGE_TURNS))
    contents |= {large + b" " * number for number in range(_LARGE)}
    for number, content in enumerate(contents):
        (inbox / f"{number}.json").write_bytes(content)
    _odd_entries(inbox)
    for _ in range(_SMALL // 100 + 10):  # a look takes a hundred files
        end = lab.attempt(prepared.scene.work(lab))
        yield from said(end.code, end.out, end.err)
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


LOAD = Series(NAME, ("new-chat", "whole-export", "intake"), points, attempt)
