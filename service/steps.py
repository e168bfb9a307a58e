"""The single steps of installing and removing, each with the sentence that announces it."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from service.recipe import Run


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A folder that is missing; only its owner will see into it."""

    path: Path


@dataclass(frozen=True, slots=True)
class Write:
    """A file to write, in the place of an older one of ours, if there is one."""

    path: Path
    content: bytes
    text: str


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """A file that stays as it is; `reason` completes "it ..."."""

    path: Path
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True)
class Erase:
    """A file of ours that is not needed any more."""

    path: Path


Step = MakeFolder | Write | LeaveAlone | Erase | Run


def sentence(step: Step) -> str:
    """What a step is about to do, in one line."""
    match step:
        case MakeFolder():
            return f"Making the folder {step.path}"
        case Write():
            return f"Writing {step.path}"
        case LeaveAlone():
            return f"Leaving {step.path} as it is: it {step.reason}. {step.next_step}"
        case Erase():
            return f"Removing {step.path}"
        case Run():
            return f"Running {shlex.join(step.argv)}"
