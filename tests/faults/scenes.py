"""Define what is tried: commands in folders with a history, and how a person goes on after each.

A scene is built once, in its final place, since the archive stores absolute paths; each trial begins with a copy of it.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import time_ns

from daemon.archive.archive import Archive
from daemon.archive.chats import known_chats
from daemon.archive.outputs import RESTORED, last_output
from daemon.events import RunFailed
from daemon.files.clock import now
from daemon.files.paths import arrivals_folder
from daemon.files.reasons import unforeseen
from daemon.files.write import sweep
from daemon.inbox.scanner import Scanner
from daemon.inbox.watch_plan import SettingsAre, plan_of, read_settings_here
from rules.errors import ArchiveError, MemprocError
from tests.chats import CHAT_ID, Json, chat, conversation, export_bytes
from tests.daemon.archive.test_rot import FILLED
from tests.faults import shim
from tests.faults.trial import CLOCK, Lab, Work
from tests.lives.keeper import SECTIONS
from tests.lives.memproc import TEXTS

DAY = 86_400
OTHER_ID = "otherchat1"
_FOLDERS = '[folders]\ninbox = "inbox"\nupdated = "updated"\nbackups = "backups"\nstate = "state"\n[page]\nenabled = false\n'
_SMALL = '[tail]\ntokens = 2000\nstep = 500\n[chunk]\ntokens = 500\nbounds = "size"\n'
_ENGINE = "[core]\nenabled = false\n[facts]\nenabled = false\n"
_MODELS = (
    '[models]\nagent = "test/agent"\ncontext_manager = "test/small"\nconcurrency = 1\n[budget]\nunpriced = true\n'
    "[fold]\nbudget = 700\n[memory]\nhindsight = 2\n"
    '[facts]\nbudget = 300\n[texts]\nfolder = "texts"\n'
)
"""Settings for memories with core memory and facts, hindsight, and folds as soon as there are a few memories."""
FIRST, MORE = 9, 3
"""The turns of 400 tokens in the first round, and those that come in each later one."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Something that a person does: how to build the folders, the work, and what they do if it went wrong."""

    name: str
    build: Callable[[Lab], None]
    work: Callable[[Lab], Work]
    again: Callable[[Lab], Work]
    """The work that ends in the undisturbed state, whatever was done before."""
    does_pay: bool = False
    """Whether models are asked."""


def with_settings(lab: Lab, more: str) -> None:
    """Make an empty home folder with these settings in memproc.toml."""
    shutil.rmtree(lab.home, ignore_errors=True)
    (lab.home / "inbox").mkdir(parents=True)
    (lab.home / "texts").mkdir()
    for name, text in TEXTS.items():
        (lab.home / "texts" / f"{name}.md").write_text(text)
    sections = "".join(
        f"[core.sections.{name}]\n"
        + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        for name, values in SECTIONS.items()
    )
    (lab.home / "memproc.toml").write_text(
        _FOLDERS + _SMALL + more + (sections if more.startswith(_MODELS) else "")
    )


def drop(lab: Lab, *chats: Json) -> None:
    """Put an export into the inbox."""
    (lab.home / "inbox" / "export.json").write_bytes(export_bytes(*chats))


def talk(turns: int = FIRST, chat_id: str = CHAT_ID) -> Json:
    """Return a chat of so many turns."""
    return chat(
        *conversation(turns, 400),
        id=chat_id,
        chatID=chat_id,
        chatTitle=f"The lighthouse of {chat_id}",
    )


def talked_on(lab: Lab, turns: int = MORE) -> list[Json]:
    """Return the chats of the updated exports, imported and talked on."""
    chats: list[Json] = []
    for path in sorted((lab.home / "updated").glob("*.json")):
        chats += json.loads(path.read_bytes())["data"]["chats"]
    for each in chats:
        each["messages"] += conversation(turns, 400, first=100 + len(each["messages"]))
    return chats


def memproc(lab: Lab, *arguments: str, day: int = 0) -> None:
    """Run a command, which must succeed, on that day; in this process, which so imports all its modules."""
    ended = lab.attempt(lab.memproc(*arguments), seconds=CLOCK + day * DAY)
    if ended.code:
        raise RuntimeError(
            f"memproc {' '.join(arguments)} ended with {ended.code}: {ended.out}{ended.err}"
        )


def _first(settings: str, *ids: str) -> Callable[[Lab], None]:
    def build(lab: Lab) -> None:
        with_settings(lab, settings)
        drop(lab, *(talk(chat_id=chat_id) for chat_id in ids or (CHAT_ID,)))

    return build


def _second(settings: str, *ids: str) -> Callable[[Lab], None]:
    def build(lab: Lab) -> None:
        _first(settings, *ids)(lab)
        memproc(lab, "run", day=-2)
        drop(lab, *talked_on(lab))

    return build


def _lived(lab: Lab) -> None:
    """Live two rounds, so that versions are kept."""
    _second(_ENGINE)(lab)
    memproc(lab, "run", day=-1)


def _lost(lab: Lab) -> None:
    """Live two rounds, and remove the archive."""
    _lived(lab)
    shutil.rmtree(lab.home / "state")


def _rotten(lab: Lab) -> None:
    """Live two rounds with models, edit by hand, fill tables of the daemon, and put new talk into the inbox."""
    _second(_MODELS)(lab)
    for arguments in (
        ("run",),
        ("core", CHAT_ID, "set", "human", "Likes tea."),
        ("facts", CHAT_ID, "add", "Likes tea."),
    ):
        memproc(lab, *arguments, day=-1)
    with Archive.open(lab.home / "state") as archive:
        for statement in FILLED:
            archive.run(statement.replace("INSERT INTO", "INSERT OR IGNORE INTO"))
    drop(lab, *talked_on(lab))


def _moved(lab: Lab) -> None:
    """Make a parcel from another computer, an empty archive, and exports of an archive that was lost."""
    _lived(lab)
    memproc(lab, "export-archive", "all.zip", day=-1)
    parcel = (lab.home / "all.zip").read_bytes()
    _first(_ENGINE, OTHER_ID)(lab)
    memproc(lab, "run", day=-1)
    (lab.home / "all.zip").write_bytes(parcel)
    shutil.rmtree(lab.home / "state")
    with Archive.open(lab.home / "state"):
        pass


def _dropped(lab: Lab) -> None:
    """Put three files, two exports and something else, into the inbox of a daemon that has worked before."""
    _second(_ENGINE + "[watch]\nsettle_seconds = 1\n")(lab)
    inbox = lab.home / "inbox"
    (inbox / "other.json").write_bytes(export_bytes(talk(chat_id=OTHER_ID)))
    (inbox / "notes.pdf").write_bytes(b"%PDF-1.7\n")
    for path in inbox.iterdir():
        os.utime(path, ns=(time_ns(), time_ns()))


def _intake(lab: Lab) -> Work:
    """Return the work of the daemon's start and its looks at the inbox: files are seen, settle, and are copied."""

    def work() -> int:
        try:
            return look()
        except (MemprocError, OSError) as trouble:  # the daemon reports it, and tries again
            sys.stderr.write(f"{unforeseen(trouble)}\n")
            return 1

    def look() -> int:
        settings = read_settings_here(lab.home / "memproc.toml")
        if isinstance(settings, RunFailed):
            raise MemprocError(settings.message, settings.next_step)
        plan = plan_of(SettingsAre(**settings.settings))
        with Archive.open(plan.state) as archive:
            sweep(arrivals_folder(plan.state))
            scanner = Scanner(archive)
            for moment in (0.0, 5.0):
                scanner.scan(plan, now(), moment)
        return 0

    return work


def _run(*arguments: str) -> Callable[[Lab], Work]:
    return lambda lab: lab.memproc(*arguments)


def _put_back_again(*command: str) -> Callable[[Lab], Work]:
    """Return the work that repeats the command if it was not finished; otherwise a command that only reads."""

    def work(lab: Lab) -> int:
        with Archive.read(lab.home / "state") as archive:
            last = last_output(archive, CHAT_ID)
        is_done = last is not None and last.messages_sha256 == RESTORED
        return lab.memproc(*command, *(() if is_done else ("--yes",)))()

    return lambda lab: lambda: work(lab)


def _export_again(lab: Lab) -> Work:
    """Return the work that exports again if there is no file; otherwise any command that tidies up."""

    def work() -> int:
        is_done = (lab.home / "all.zip").exists()
        return lab.memproc(*(("undo", CHAT_ID) if is_done else ("export-archive", "all.zip")))()

    return work


def _import_again(lab: Lab) -> Work:
    """Return the work that imports again if that was not finished; otherwise any command that tidies up."""

    def work() -> int:
        with suppress(ArchiveError), Archive.read(lab.home / "state") as archive:
            if known_chats(archive):
                return lab.memproc("undo", CHAT_ID)()
        return lab.memproc("import-archive", "all.zip", "--yes")()

    return work


_SCENES = (
    Scene("run", _first(_MODELS), _run("run"), _run("run"), does_pay=True),
    Scene("second-round", _second(_MODELS), _run("run"), _run("run"), does_pay=True),
    Scene("new-chat", _second(f'{_ENGINE}[output]\nmode = "new-chat"\n'), _run("run"), _run("run")),
    Scene("two-chats", _second(_ENGINE, CHAT_ID, OTHER_ID), _run("run"), _run("run")),
    Scene(
        "restore",
        _lived,
        _run("restore", CHAT_ID, "1", "--yes"),
        _put_back_again("restore", CHAT_ID, "1"),
    ),
    Scene("undo", _lived, _run("undo", CHAT_ID, "--yes"), _put_back_again("undo", CHAT_ID)),
    Scene("rebuild", _lost, _run("rebuild"), _run("rebuild")),
    Scene("export-archive", _lived, _run("export-archive", "all.zip"), _export_again),
    Scene(
        "import-archive",
        _moved,
        _run("import-archive", "all.zip", "--yes"),
        _import_again,
    ),
    Scene("rotten", _rotten, _run("run"), _run("run"), does_pay=True),
    Scene("intake", _dropped, _intake, _intake),
)
SCENES: Mapping[str, Scene] = {scene.name: scene for scene in _SCENES}
COMMANDS = tuple(scene.name for scene in _SCENES if scene.build is not _rotten)
"""The scenes for kills and errors; that for rot is left out, being a second round like another one."""


def warm(lab: Lab) -> None:
    """Run the commands once in this process, so that forked processes find every module loaded."""
    shim.stop_clock(CLOCK)
    _first(_MODELS)(lab)
    lab.here(lab.memproc("plan"))
    _first(_ENGINE)(lab)
    commands = (
        ("run",),
        ("run",),
        ("undo", CHAT_ID, "--yes"),
        ("verify",),
        ("rebuild",),
        ("export-archive", "all.zip"),
    )
    for command in commands:
        lab.here(lab.memproc(*command))
    shutil.rmtree(lab.home / "state")
    lab.here(lab.memproc("import-archive", "all.zip", "--yes"))
    lab.here(_intake(lab))
