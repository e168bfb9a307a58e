"""What became of a chat or a file, and what is said where it could not be processed."""

import traceback
from dataclasses import dataclass

from daemon.archive.archive import Archive, damage_behind
from daemon.events import Written
from daemon.files.unforeseen import account
from daemon.models.ask import Unsent
from rules.errors import (
    ArchiveError,
    DamagedChat,
    FileTrouble,
    MemprocError,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
)
from rules.plan.chat_plan import LeftAlone


@dataclass(frozen=True, slots=True)
class SetAside:
    """A file, or a chat in it, that was skipped because something went wrong; everything of it is as it was."""

    what: str
    reason: str
    next_step: str
    later: bool = False
    """Nothing is wrong with it: a disk was full, or a provider out of reach. Another time it may go well."""
    chat_id: str = ""
    """Empty for a file, and for a chat without an id."""


Outcome = Written | LeftAlone | SetAside
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, Unsent, BrokenPipeError)
_PASSING = (FileTrouble, OSError, OutOfReach)


def set_aside(archive: Archive, what: str, fault: Exception, chat_id: str = "") -> SetAside:
    """Skip a file or a chat after an error, foreseen or not, so that the rest goes on.

    Raises the error again where nothing can go on: the archive cannot be used, a cap on money is reached, a provider
    refuses everything, the work is to end, or nobody is left to read the output.
    """
    if isinstance(fault, _FATAL) and not isinstance(fault, DamagedChat):
        raise fault
    if isinstance(fault, MemoryError):
        traceback.clear_frames(fault.__traceback__)  # they hold the chat that was too large
    fault = damage_behind(archive, fault) or fault
    message, next_step = (fault.message, fault.next_step) if isinstance(fault, MemprocError) else account(fault)
    return SetAside(what, message, next_step, later=isinstance(fault, _PASSING), chat_id=chat_id)


def without_chats(name: str) -> SetAside:
    """Skip an export that holds nothing to work on."""
    return SetAside(name, f"{name} is an export without any chats.", "Choose the chats when you export.")
