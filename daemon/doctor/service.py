"""The daemon: whether the system keeps it up, and whether it reaches the inbox itself, and not only the shell."""

from collections.abc import Iterator, Mapping

from daemon.archive.archive import Archive
from daemon.archive.signs import Sign
from daemon.doctor.finding import Finding, error, ok, warning
from daemon.doctor.place import Machine, Place
from daemon.files.lock import is_held
from daemon.seeing.moments import seconds_between
from rules.typingmind.dates import write_date
from service.ask import NoBus

_SLOW_SECONDS, _PROOF_SECONDS = 120.0, 1.0
_START = "memproc service install, or in a terminal: memproc watch"


def service(machine: Machine) -> Iterator[Finding]:
    """The system's service is installed and runs."""
    stands = machine.service
    if isinstance(stands, NoBus):
        yield warning("service", stands.message, "memproc service status says what can be done.")
        return
    told = " ".join(stands.sentences)
    match stands.state:
        case "running":
            yield ok("service", told)
        case "troubled":
            yield error("service", told, "memproc logs says what happened; then: memproc service install")
        case "stopped" | "not installed":
            yield warning("service", told, "memproc service install")


def lingering(machine: Machine) -> Iterator[Finding]:
    """The service goes on while nobody is logged in, where there is a service."""
    if isinstance(machine.service, NoBus) or machine.service.state == "not installed":
        yield ok("lingering", "It matters once there is a service.")
    elif machine.lingers is False:
        told = "The service stops when you log out, and starts when you log in."
        yield warning("lingering", told, "loginctl enable-linger")
    else:
        told = "The service runs from boot on." if machine.lingers else "This system decides it in another way."
        yield ok("lingering", told)


def reach(place: Place) -> Iterator[Finding]:
    """The running daemon reads the inbox, by its own signs: a shell may be allowed what a service is not."""
    if not is_held(place.lock):
        told = "No daemon runs, so this says only what your shell can reach."
        yield warning("daemon", told, _START)
        return
    with Archive.read(place.folders.state) as archive:
        signs = {name: Sign(value, at) for name, value, at in archive.run("SELECT name, value, at FROM sign")}
    if wrong := _value(signs, "config_error"):
        told = f"It works by the settings from before, since memproc.toml is wrong: {wrong}"
        yield error("daemon", told, "memproc config check")
    yield _of_inbox(place, signs)


def _of_inbox(place: Place, signs: Mapping[str, Sign]) -> Finding:
    name, scan = "daemon and inbox", _at(signs, "last_scan")
    mode, why = _value(signs, "watch_mode"), _value(signs, "watch_note")
    silent = seconds_between(scan, write_date(place.machine.now))
    if note := _value(signs, "inbox_note"):
        return error(name, note, _allow(place.machine))
    if silent is None or silent > 2 * place.config.watch.rescan_seconds + _SLOW_SECONDS:
        told = f"It runs, and has not looked through the inbox {f'since {scan}' if scan else 'yet'}."
        return error(name, told, "Start it anew: memproc service install")
    if mode == "none" or _is_in_doubt(signs):
        told = f"It looks through the inbox from time to time, but the watch is not proved: {why}"
        return warning(name, told, "It tries by itself; memproc status says when the watch was last proved.")
    return ok(name, f"It looks through the inbox, last at {scan} ({mode}: {why}).")


def _is_in_doubt(signs: Mapping[str, Sign]) -> bool:
    """Whether the daemon has said something of its watch since it last proved it, or since it began."""
    proved = max(_at(signs, "last_cookie"), _at(signs, "started_at"))
    since = seconds_between(proved, _at(signs, "watch_note"))
    return since is not None and since > _PROOF_SECONDS


def _value(signs: Mapping[str, Sign], name: str) -> str:
    return signs[name].value if name in signs else ""


def _at(signs: Mapping[str, Sign], name: str) -> str:
    return signs[name].at if name in signs else ""


def _allow(machine: Machine) -> str:
    if machine.system == "darwin":
        return (
            "Choose an inbox outside Documents, Desktop and Downloads; or give memproc's Python Full Disk Access, "
            "in System Settings under Privacy & Security."
        )
    return "Make it readable and writable for the service's account, or choose another in memproc.toml, [folders]."
