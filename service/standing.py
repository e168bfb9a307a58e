"""How the service stands: installed, running, and what its system says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from service.ask import Answer
from service.failure import failure, properties
from service.systemd import UNIT

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
