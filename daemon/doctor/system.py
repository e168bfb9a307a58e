"""The computer: its clock, and how many folders it can watch."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Machine
from primer.models import AS_OF

RELEASED = date.fromisoformat(AS_OF)
"""This release knows the world as of that day, so no clock that is right shows an earlier one."""
_FEW_WATCHES = 8192
_SPARE_INSTANCES = 8
_MORE_INSTANCES = "sudo sysctl fs.inotify.max_user_instances=512"
_MORE_WATCHES = "sudo sysctl fs.inotify.max_user_watches=524288"


def clock(machine: Machine) -> Iterator[Finding]:
    """The clock does not show a day before this release."""
    shown = f"{machine.now:%Y-%m-%d %H:%M} UTC"
    if machine.now.date() < RELEASED:
        told = f"It shows {shown}, and this memproc was made on {RELEASED}."
        yield error("clock", told, "Set the clock: times and the ends of models are judged by it.")
    else:
        yield ok("clock", f"It shows {shown}.")


def watches(machine: Machine) -> Iterator[Finding]:
    """Linux has a watch left for the inbox: each account may have only so many."""
    if not machine.system.startswith("linux"):
        yield ok("watches", "This system does not count them.")
        return
    limits = machine.proc / "sys" / "fs" / "inotify"
    instances, most = (int((limits / f"max_user_{what}").read_text()) for what in ("instances", "watches"))
    used = sum(_is_inotify(link) for link in _open_files(machine.proc, machine.user))
    told = f"{used:,} of {instances:,} inotify instances are used, with {most:,} watches at most."
    if used + _SPARE_INSTANCES > instances:
        yield warning("watches", f"{told} Without one, the inbox is polled.", _MORE_INSTANCES)
    elif most < _FEW_WATCHES:
        yield warning("watches", f"{told} Sub-folders of the inbox may not all be watched.", _MORE_WATCHES)
    else:
        yield ok("watches", told)


def _open_files(proc: Path, user: int) -> Iterator[Path]:
    """What the account's processes have open; processes that end meanwhile, or may not be looked at, have nothing."""
    for process in proc.iterdir():
        if not process.name.isdigit():
            continue
        try:
            if process.stat().st_uid == user:
                yield from list((process / "fd").iterdir())
        except OSError:
            continue


def _is_inotify(link: Path) -> bool:
    try:
        return str(link.readlink()) == "anon_inode:inotify"
    except OSError:
        return False
