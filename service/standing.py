"""Why systemd gave a service up, in a sentence with the next step."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.ask import Answer
from service.systemd import UNIT

FAILURE_QUESTION = ("systemctl", "--user", "show", UNIT, "--property=Result,ExecMainStatus")
_CONFIGURATION_ERROR = "2"
_REASONS = {
    "exit-code": "it ended with an error each time it was started",
    "signal": "it was killed each time it was started",
    "core-dump": "it crashed each time it was started",
    "watchdog": "it hung each time it was started",
    "timeout": "it did not come up in time",
    "oom-kill": "it needed more memory than it may have",
    "start-limit-hit": "it was started too often within five minutes",
    "resources": "the system could not give it what it needs",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the service is down; it may come up again as it is, or only after `next_step`."""

    message: str
    next_step: str
    may_pass: bool = True


def properties(answer: Answer) -> Mapping[str, str]:
    """What `systemctl show` answered."""
    pairs = (line.partition("=") for line in answer.out.splitlines())
    return {name: value for name, _, value in pairs}


def failure(said: Mapping[str, str]) -> Failure:
    """What to tell, from the properties that QUESTION asks for."""
    if said.get("Result") == "exit-code" and said.get("ExecMainStatus") == _CONFIGURATION_ERROR:
        message = "The memproc service is down: its settings cannot be used."
        return Failure(message, "Say: memproc config check", may_pass=False)
    reason = _REASONS.get(said.get("Result", ""), "its service manager gave it up")
    return Failure(f"The memproc service is down: {reason}.", "See: memproc logs, then: memproc service install")


QUESTION = (
    "systemctl", "--user", "show", UNIT,
    "--property=LoadState,UnitFileState,ActiveState,SubState,Result,ExecMainStatus,MainPID,NRestarts,"
    "ActiveEnterTimestamp,StatusText,DropInPaths,NeedDaemonReload",
)  # fmt: skip

State = Literal["running", "troubled", "stopped", "not installed"]


@dataclass(frozen=True, slots=True)
class Standing:
    """The state in one word, and sentences for the person."""

    state: State
    sentences: tuple[str, ...]


NOT_INSTALLED = Standing("not installed", ("The service is not installed. Say: memproc service install",))


def standing(answer: Answer, lingers: bool | None) -> Standing:
    """How the systemd service stands, from the answer to QUESTION and whether the user's services linger."""
    said = properties(answer)
    if answer.code != 0 or said.get("LoadState") != "loaded":
        return NOT_INSTALLED
    state, first = _state(said)
    return Standing(state, (first, *_starts(said, lingers), *_further(said)))


def _state(said: Mapping[str, str]) -> tuple[State, str]:
    active = said.get("ActiveState")
    if active == "active":
        doing = f": {said['StatusText']}" if said.get("StatusText") else "."
        return "running", (
            f"The service runs since {said.get('ActiveEnterTimestamp', 'a moment')} (process {said.get('MainPID')}, "
            f"started again {_times(said.get('NRestarts', '0'))}){doing}"
        )
    if active == "failed":
        down = failure(said)
        return "troubled", f"{down.message} {down.next_step}"
    if active in ("activating", "deactivating", "reloading"):
        return "troubled", f"The service is {active} ({said.get('SubState')})."
    return "stopped", "The service is installed, and does not run. Say: systemctl --user start memproc"


def _times(number: str) -> str:
    return {"0": "never", "1": "once"}.get(number, f"{number} times")


def _starts(said: Mapping[str, str], lingers: bool | None) -> tuple[str, ...]:
    if said.get("UnitFileState") != "enabled":
        return ("It does not start by itself. Say: systemctl --user enable memproc",)
    if lingers:
        return ("It starts at boot, logged in or not.",)
    return ("It starts when you log in, and stops when you leave. To have it run always: loginctl enable-linger",)


def _further(said: Mapping[str, str]) -> tuple[str, ...]:
    reload = "Its unit was changed since it was read. Say: systemctl --user daemon-reload"
    drop_ins = said.get("DropInPaths", "")
    return (
        *((reload,) if said.get("NeedDaemonReload") == "yes" else ()),
        *((f"Added to its unit: {drop_ins}",) if drop_ins else ()),
    )
