"""What memproc keeps: the archive is sound, the backups can be read, the updated exports are as they were written."""

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import Distribution, distributions
from pathlib import Path
from shlex import quote
from typing import TypeVar

from daemon.archive.archive import Archive, check
from daemon.archive.jobs import Sign
from daemon.archive.schema import OLDEST_SQLITE
from daemon.files.backup import all_versions
from daemon.files.backup import check as check_backups
from daemon.files.lock import is_held
from daemon.files.paths import archive_path
from daemon.keys import Key, NoKey, credential_files, read_keys
from daemon.models.catalogue import Facts, facts, known_models
from daemon.models.faults import nearest
from daemon.models.roles import Roles, is_ones_own
from daemon.status.doctor import Asker, Finding, Machine, Place, askers, error, ok, roles_of, seen_chats, warning
from daemon.status.outputs import standing_exports
from daemon.status.sentences import seconds_between
from primer.models import AS_OF, KEY_VARIABLES, key_variables, provider_of
from primer.request import Model
from rules.errors import ArchiveError, ChatSetAside, ConfigurationError, MemprocError
from rules.recognize.recognize import recognise
from rules.typingmind.dates import parse_date, write_date
from rules.typingmind.warnings import warnings
from service.ask import NoBus

_SLACK = timedelta(minutes=2)
_TIMES = (
    ("chat", "last_seen"),
    ("output", "written_at"),
    ("reply", "answered_at"),
    ("arrival", "changed_at"),
    ("sign", "at"),
)
_COPY = "Copy the state folder away, then put the newest copy of the archive, out of its folder copies, in its place."
_VERIFY_AGAIN = "Drop the chat's export into the inbox again to have it made anew."


def archive(place: Place) -> Iterator[Finding]:
    """The archive is whole: its structure, and with `--thorough` each raw message against its hash."""
    if not archive_path(place.folders.state).exists():
        yield ok("archive", "There is none yet: it comes with the first run.")
        return
    try:
        faults = _faults(place)
    except ArchiveError as trouble:
        yield error("archive", trouble.message, trouble.next_step)
        return
    if faults:
        yield error("archive", f"It is damaged: {'; '.join(faults[:3])}.", _COPY)
    else:
        how = "every message against its hash" if place.thorough else "its structure; more with --thorough"
        yield ok("archive", f"It is sound ({how}).")


def archive_clock(place: Place) -> Iterator[Finding]:
    """The clock does not stand before the newest row of the archive."""
    with Archive.read(place.folders.state) as kept:
        newest = max((_newest(kept, table, column) for table, column in _TIMES), default="")
    written = parse_date(newest) if newest else None
    if written and written.astimezone(UTC) > place.machine.now + _SLACK:
        told = f"It shows {_shown(place.machine.now)}, and the archive's newest row is of {_shown(written)}."
        yield error("clock and archive", told, "Set the clock: the order of what is kept goes by it.")
    else:
        yield ok("clock and archive", "Nothing in the archive is from the future.")


def backups(place: Place) -> Iterator[Finding]:
    """The newest kept version of each chat can be read to its last byte; with `--thorough` every one."""
    folder = place.folders.backups
    kept = all_versions(folder)
    newest = {of_chat[-1].path.relative_to(folder).as_posix() for of_chat in kept.values()}
    damages = check_backups(folder, lambda file: place.thorough or file in newest)
    for damage in damages:
        told = f"{damage.path}: {damage.reason}"
        yield error("backups", told, "Look at all that is kept: memproc verify. Keep what is whole in a second place.")
    if not damages:
        number = sum(map(len, kept.values()))
        looked_at = "all of them" if place.thorough else "the newest of each chat; all with --thorough"
        told = f"Versions kept: {number:,}. They can be read ({looked_at})." if number else "Nothing is kept yet."
        yield ok("backups", told)


def outputs(place: Place) -> Iterator[Finding]:
    """The newest updated export of each chat is there, as it was written."""
    with Archive.read(place.folders.state) as kept:
        written = tuple(standing_exports(kept))
    for export in written:
        if export.state == "gone":
            yield warning(
                "updated exports", f'The one of "{export.title}" is not at {export.path} any more.', _VERIFY_AGAIN
            )
        elif export.state == "changed":
            yield error("updated exports", f"{export.path} was changed after memproc wrote it.", _VERIFY_AGAIN)
    if all(export.state == "as written" for export in written):
        yield ok("updated exports", f"As they were written: {len(written):,}." if written else "None is written yet.")


def _faults(place: Place) -> list[str]:
    with Archive.read(place.folders.state) as kept:
        if place.thorough:
            return list(check(kept))
        return [str(fault) for (fault,) in kept.run("PRAGMA quick_check") if fault != "ok"]


def _newest(kept: Archive, table: str, column: str) -> str:
    return str(kept.run(f"SELECT coalesce(max({column}), '') FROM {table}")[0][0])  # noqa: S608  the names are ours


def _shown(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


_OTHERS = 0o077
_TIGHT_BYTES, _FULL_BYTES = 1_000_000_000, 200_000_000


def folders(place: Place) -> Iterator[Finding]:
    """The four folders are there. All but the inbox come with the first run."""
    worked = archive_path(place.folders.state).exists()
    missing = [(name, path) for name, path in _named(place) if not path.is_dir()]
    for name, path in missing:
        if path.exists():
            told = f"{path} is not a folder."
            yield error(f"folder {name}", told, "Move it away, or choose another folder in memproc.toml, [folders].")
        elif worked or name == "inbox":
            told = f"{path} is not there. Was it moved, or its disk taken away?"
            yield error(f"folder {name}", told, "Put it back; to make a new one: memproc init")
        else:
            yield warning(f"folder {name}", f"{path} is not there yet.", "memproc init")
    if not missing:
        yield ok("folders", f"All four are there: {', '.join(str(path) for _, path in _named(place))}.")


def rights(place: Place) -> Iterator[Finding]:
    """The folders belong to the account, which may use them, and nobody else can look into them (0700, 0600)."""
    if place.machine.system == "win32":
        yield ok("rights", "On Windows, what lies in a person's own folders is theirs alone.")
        return
    found = [finding for name, path in _there(place) for finding in _rights(place, name, path)]
    yield from found or [ok("rights", "What memproc keeps is yours, and nobody else can read it.")]


def disk(place: Place) -> Iterator[Finding]:
    """There is room on each disk that the folders lie on: below 200 MB is an error, below 1 GB a warning."""
    disks: dict[int, list[str]] = {}
    room: dict[int, int] = {}
    for name, path in _there(place):
        number = path.stat().st_dev
        disks.setdefault(number, []).append(name)
        room.setdefault(number, place.free(path))
    for number, names in disks.items():
        told = f"{room[number] / 1e9:,.1f} GB are free for {', '.join(names)}."
        if room[number] < _FULL_BYTES:
            yield error("disk space", told, "Free some space: below 200 MB the next write may fail.")
        elif room[number] < _TIGHT_BYTES:
            yield warning("disk space", told, "Free some space before it runs out.")
        else:
            yield ok("disk space", told)


def _rights(place: Place, name: str, path: Path) -> Iterator[Finding]:
    stands = path.stat()
    if stands.st_uid != place.machine.user:
        told = f"{path} belongs to another account (number {stands.st_uid})."
        yield error(f"folder {name}", told, f"sudo chown -R {place.machine.user} {quote(str(path))}")
    elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        told = f"{path} cannot be read and written by your account."
        yield error(f"folder {name}", told, f"chmod u+rwx {quote(str(path))}")
    elif stands.st_mode & _OTHERS:
        told = f"Other accounts can look into {path}, where your conversations lie."
        yield warning(f"folder {name}", told, f"chmod 700 {quote(str(path))}")
    elif name != "inbox" and (open_to_others := [file for file in path.rglob("*") if _is_open(file)]):
        told = f"In {path}, other accounts have rights to {open_to_others[0]} ({len(open_to_others):,} in all)."
        yield warning(f"folder {name}", told, f"chmod -R go= {quote(str(path))}")


def _is_open(file: Path) -> bool:
    """Whether others have rights to a file; one that has just gone has none."""
    try:
        return bool(file.lstat().st_mode & _OTHERS) and not file.is_symlink()
    except FileNotFoundError:
        return False


def _named(place: Place) -> tuple[tuple[str, Path], ...]:
    house = place.folders
    return (("inbox", house.inbox), ("updated", house.updated), ("backups", house.backups), ("state", house.state))


def _there(place: Place) -> list[tuple[str, Path]]:
    return [(name, path) for name, path in _named(place) if path.is_dir()]


PYTHON = ((3, 11), (3, 15))
LITELLM = ((1, 105, 7), (1, 110))
MALICIOUS = ("1.82.7", "1.82.8")
"""They stole keys from every machine that ran them, in March 2026."""
_AGAIN = "Install memproc again in an environment of its own: pipx install --force ."
# tiktoken names a table by the SHA-1 of its address, and knows the SHA-256 of its bytes.
TABLE = "fb374d419588a4632f3f557e76b4b70aebbca790"
TABLE_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def python(machine: Machine) -> Iterator[Finding]:
    """Python is one that memproc is made for."""
    shown, (oldest, beyond) = _dotted(machine.python), PYTHON
    if oldest <= machine.python < beyond:
        yield ok("Python", f"{shown}.")
    else:
        told = f"It is {shown}; memproc is made for {_dotted(oldest)} up to, but not including, {_dotted(beyond)}."
        yield error("Python", told, _AGAIN)


def sqlite(machine: Machine) -> Iterator[Finding]:
    """SQLite is new enough for the archive."""
    if machine.sqlite < OLDEST_SQLITE:
        told = f"It is {_dotted(machine.sqlite)}, and the archive needs {_dotted(OLDEST_SQLITE)} or newer."
        yield error("SQLite", told, "Install memproc with a newer Python.")
    else:
        yield ok("SQLite", f"{_dotted(machine.sqlite)}.")


def litellm(machine: Machine) -> Iterator[Finding]:
    """LiteLLM is there, in a version that memproc was tried with, and is not one of the two malicious ones."""
    version = machine.litellm
    parts = tuple(int(number) for number in re.findall(r"\d+", version)[:3])
    oldest, beyond = LITELLM
    if version in MALICIOUS:
        told = f"LiteLLM {version} is malicious: it reads every key on this machine and sends it away."
        yield error("LiteLLM", told, f"Take the machine off the network, and change every key it held. Then: {_AGAIN}")
    elif not version:
        yield error("LiteLLM", "It is not installed, so no model can be asked.", _AGAIN)
    elif not oldest <= parts < beyond:
        told = f"It is {version}; memproc was tried with {_dotted(oldest)} up to, but not including, {_dotted(beyond)}."
        yield warning("LiteLLM", told, _AGAIN)
    else:
        yield ok("LiteLLM", f"{version}.")


def tables(machine: Machine) -> Iterator[Finding]:
    """The tokenizer's table lies here whole, so that counting needs no network."""
    path = machine.tokenizers / TABLE
    if not path.is_file():
        yield error("tokenizer", f"Its table is not at {path}, so it would be downloaded.", _AGAIN)
    elif hashlib.sha256(path.read_bytes()).hexdigest() != TABLE_SHA256:
        yield error("tokenizer", f"Its table {path} is damaged.", _AGAIN)
    else:
        yield ok("tokenizer", "Its table is here; tokens are counted offline.")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


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


_MALICIOUS = "litellm_init.pth"
_WITHOUT_RECORD = {"_virtualenv.pth": b"import _virtualenv"}
"""What makers of virtual environments put there, and what stands in it."""
_LEFTOVERS = (".config/sysmon", ".config/systemd/user/sysmon.service")
_STOLEN = "Take the machine off the network, remove it, and change every key and password that was on it."


def start_files(machine: Machine) -> Iterator[Finding]:
    """Every `.pth` file that runs code is one that its distribution has brought, unchanged."""
    seen = 0
    found: list[Finding] = []
    for folder in machine.site_packages:
        recorded = _recorded(folder)
        for path in sorted(folder.glob("*.pth")):
            seen += 1
            found += _judged_stray(path, recorded)
    yield from found or [ok(".pth files", f"There: {seen}. None runs code that no package has brought.")]


def leftovers(machine: Machine) -> Iterator[Finding]:
    """Nothing lies here that the malicious versions of LiteLLM are known to leave behind."""
    found = [machine.home / place for place in _LEFTOVERS if (machine.home / place).exists()]
    for path in found:
        yield error("leftovers", f"{path} is what malicious versions of LiteLLM leave behind.", _STOLEN)
    if not found:
        yield ok("leftovers", "Nothing that the malicious versions of LiteLLM leave behind.")


def _judged_stray(path: Path, recorded: dict[str, str]) -> Iterator[Finding]:
    content = path.read_bytes()
    if path.name == _MALICIOUS:
        yield error(".pth files", f"{path} is the malicious versions' of LiteLLM, and runs at every start.", _STOLEN)
    elif not _runs_code(content) or content.strip() == _WITHOUT_RECORD.get(path.name):
        return
    elif path.name not in recorded:
        told = f"{path} runs code at every start of Python, and belongs to no installed package."
        yield warning(".pth files", told, f"If you do not know it, remove it: rm {quote(str(path))}")
    elif recorded[path.name] not in ("", _hash(content)):
        told = f"{path} runs code at every start of Python, and was changed after it was installed."
        yield warning(".pth files", told, "Install memproc again in an environment of its own: pipx install --force .")


def _recorded(folder: Path) -> dict[str, str]:
    """The `.pth` files that distributions name as theirs, each with its hash as a RECORD writes it, if there is one."""
    return {
        name: digest
        for distribution in distributions(path=[str(folder)])
        for name, digest in _files(distribution)
        if name.endswith(".pth") and "/" not in name
    }


def _files(distribution: Distribution) -> Iterator[tuple[str, str]]:
    for file in distribution.files or ():
        yield file.as_posix(), file.hash.value if file.hash and file.hash.mode == "sha256" else ""


def _runs_code(content: bytes) -> bool:
    return any(line.startswith((b"import ", b"import\t")) for line in content.splitlines())


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def chats(place: Place) -> Iterator[Finding]:
    """No chat has a context limit, TypingMind's own summaries, an unfinished answer, or more than 3 MiB."""
    seen = told = 0
    with Archive.read(place.folders.state) as archive:
        for chat in seen_chats(archive, place.config):
            seen += 1
            for sentence in warnings(chat.chat, recognise(chat.messages, {})):
                told += 1
                # Each says first what is wrong, and in its last sentence what to do.
                wrong, _, mend = sentence.rpartition(". ")
                yield warning(f'chat "{chat.chat.title}"', f"{wrong}.", mend)
    if not told:
        yield ok(
            "chats", f"Seen: {seen:,}. Nothing in them spoils their memories." if seen else "None has been seen yet."
        )


_WHERE = {
    "environment": "in the environment",
    "credential": "handed over by systemd",
    "file": "in memproc's own file",
    "keyring": "in the system's keyring",
}


@dataclass(frozen=True, slots=True)
class _Need:
    """A provider whose key was looked for: for whom, with what success, and whether work stops without it."""

    provider: str
    who: str
    found: Key | NoKey
    stops: bool


def keys_file(place: Place) -> Iterator[Finding]:
    """The files with keys can be used, and nobody else can read them."""
    try:
        number = len(read_keys(place.folders.state)) + len(credential_files(place.credentials))
    except ConfigurationError as trouble:
        yield error("key files", trouble.message, trouble.next_step)
        return
    yield ok("key files", f"Keys in memproc's own files: {number}." if number else "There are none.")


def keys(place: Place) -> Iterator[Finding]:
    """Every provider that would be asked has a key, for your shell and for the service."""
    needs: dict[str, _Need] = {}
    for asker in askers(place):
        for need in _needs(place, asker):
            if need.provider not in needs or need.stops:
                needs[need.provider] = need
    handed = {variable for variable, _ in credential_files(place.credentials)}
    for need in needs.values():
        yield _judged(place, need, not handed.isdisjoint(key_variables(need.provider)))
    if not needs:
        yield ok("keys", "No model is known yet that needs one.")


def _needs(place: Place, asker: Asker) -> Iterator[_Need]:
    asked: dict[str, Key | NoKey] = {}

    def find(provider: str) -> Key | NoKey:
        return asked.setdefault(provider, place.key(provider))

    roles = roles_of(place, asker, find)
    stops = isinstance(roles, ChatSetAside)
    told = (roles.message,) if isinstance(roles, ChatSetAside) else roles.notices
    for provider, found in asked.items():
        # A server of one's own needs none, and nothing is told of it then.
        if isinstance(found, Key) or any(found.reason in sentence for sentence in told):
            yield _Need(provider, asker.who, found, stops)


def _judged(place: Place, need: _Need, handed: bool) -> Finding:
    name, mend = f"key {need.provider}", f"memproc key set {need.provider}"
    if isinstance(need.found, NoKey):
        if handed:
            return ok(name, "The service has it from systemd; this shell has none.")
        told = f"There is none, for {need.who}: {need.found.reason}."
        if need.stops:
            return error(name, told, mend)
        return warning(name, f"{told} So memproc makes the memories without a model.", mend)
    if need.found.where == "environment" and not handed and _has_service(place):
        told = "It is in the environment of this shell, which the service does not have."
        return warning(name, told, f"{mend}, then: memproc service install")
    return ok(name, f"It is {_WHERE[need.found.where]}.")


def _has_service(place: Place) -> bool:
    stands = place.machine.service
    return not isinstance(stands, NoBus) and stands.state != "not installed"


def known(place: Place) -> Iterator[Finding]:
    """LiteLLM's map knows every model that would be asked; on a server of one's own a name means what it likes."""
    names: dict[str, str] = {}
    for asker in askers(place):
        roles = _roles(place, asker)
        for model in _models(roles) if isinstance(roles, Roles) else ():
            names.setdefault(model.name, asker.who)
    unknown = {name: who for name, who in names.items() if facts(name) == Facts()}
    for name, who in unknown.items():
        near = nearest(name, known_models())
        mend = f"Correct it{', perhaps to ' + near[0] if near else ''}, in memproc.toml, [models]."
        yield warning("models known", f"LiteLLM's map does not know {name}, for {who}.", mend)
    if not unknown:
        yield ok("models known", f"{', '.join(names)}." if names else "None is known yet that would be asked.")


def ends(place: Place) -> Iterator[Finding]:
    """None of the models has ended, ends soon, or cannot be asked as it is configured."""
    told: dict[str, Finding] = {}
    for asker in askers(place):
        for finding in _of(place, asker):
            told.setdefault(finding.told, finding)
    yield from told.values()
    if not told:
        yield ok("models' ends", "No model that would be asked is retired, or ends within 60 days.")


def _of(place: Place, asker: Asker) -> Iterator[Finding]:
    roles, name = _roles(place, asker), "models' ends"
    if isinstance(roles, ChatSetAside):
        yield error("models", roles.message, roles.next_step)
        return
    mend = "Name another in memproc.toml, [models]."
    if asker.is_a_chat:
        mend = f"Choose another model for {asker.who} in TypingMind, or name one in memproc.toml, [models]."
    today = place.machine.now.date().isoformat()
    ended = tuple(model.name for model in _models(roles) if (facts(model.name).ends_on or today) < today)
    for notice in roles.notices:
        yield error(name, notice, mend) if ended and notice.startswith(ended) else warning(name, notice, mend)


def _roles(place: Place, asker: Asker) -> Roles | ChatSetAside:
    """The models that would be asked if there were a key for each."""

    def find(provider: str) -> Key:
        with suppress(MemprocError):  # the check of the key files tells what is wrong with them
            if isinstance(found := place.key(provider), Key):
                return found
        return Key("none", "environment")

    return roles_of(place, asker, find)


def _models(roles: Roles) -> Iterator[Model]:
    """Those of providers whose models LiteLLM lists."""
    for model in (roles.agent, roles.context_manager, roles.fallback):
        if model and provider_of(model.name) in KEY_VARIABLES and not is_ones_own(model.options):
            yield model


OF_MACHINE: tuple[Callable[[Machine], Iterator[Finding]], ...] = (
    python,
    sqlite,
    litellm,
    start_files,
    leftovers,
    tables,
    clock,
    watches,
    service,
    lingering,
)
"""They need no memproc.toml."""

OF_HOUSE: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    folders,
    rights,
    disk,
    reach,
    keys_file,
    keys,
    known,
    ends,
    archive,
    archive_clock,
    backups,
    outputs,
    chats,
)
"""They need one that can be used."""

_Seen = TypeVar("_Seen")
_ORDER = ("error", "warning", "ok")


def carry_out(checks: Sequence[Callable[[_Seen], Iterator[Finding]]], seen: _Seen) -> Iterator[Finding]:
    """What every check finds. One that cannot be done is a warning that says so, and the others go on."""
    for examine in checks:
        name = examine.__name__.replace("_", " ")
        try:
            yield from examine(seen)
        except MemprocError as trouble:
            yield warning(name, f"This could not be looked at: {trouble.message}", trouble.next_step)
        except (OSError, ValueError) as trouble:
            told = f"This could not be looked at ({type(trouble).__name__}: {trouble})."
            yield warning(name, told, "Mend that, then say memproc doctor again.")


def worst_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Errors, then warnings, then what is well; each in the order of the checks."""
    return tuple(sorted(findings, key=lambda finding: _ORDER.index(finding.level)))
