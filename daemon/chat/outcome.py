"""What becomes of a chat: written, unchanged or skipped; and skipping one while others go on."""

import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from daemon.archive.archive import Archive, damage_behind
from daemon.events import ChatIs, OutcomeKind
from daemon.files.reasons import describe
from daemon.models.ask import Unsent
from rules.errors import (
    ArchiveError,
    DamagedChat,
    FileTrouble,
    MemprocError,
    NotAccepted,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
)
from rules.plan.chat_plan import ChatPlan, Unchanged

T = TypeVar("T")
_FATAL = (ArchiveError, OverBudget, ProviderRefuses, Unsent, BrokenPipeError)
_PASSING = (FileTrouble, OSError, OutOfReach)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file, or a chat in it, that was skipped; everything of it is as it was."""

    what: str
    reason: str
    next_step: str
    later: bool = False
    """Nothing is wrong with it, and it may go well later: a full disk, a provider out of reach."""
    chat_id: str = ""
    """Empty for a file, and for a chat without an id."""
    retry_after: float | None = None
    """Seconds that a provider out of reach asks to wait (0: it does not say); None: none is."""
    doubted: str = ""
    """SHA-256 of the chat's bytes where its state may be a mistake, which `accept` answers."""


@dataclass(frozen=True, slots=True)
class ExportWritten:
    """A chat that is finished, proved and in its place."""

    plan: ChatPlan
    path: str
    memories: int
    extracted: int
    tokens_before: int
    tokens_after: int
    backup: str
    """The place of the version that was replaced; empty where there was none."""
    over_budget: str = ""
    """A clause on why its memories take more than `[fold]` says; empty where they do not."""


Outcome = ExportWritten | Unchanged | Skipped
OUTCOME_KINDS: Mapping[type[Outcome], OutcomeKind] = {
    ExportWritten: "written",
    Unchanged: "unchanged",
    Skipped: "skipped",
}


def event_of(outcome: Outcome) -> ChatIs:
    """Return what is told of an outcome."""
    match outcome:
        case ExportWritten(plan=plan):
            return ChatIs(
                plan.chat_id, plan.title, "written", outcome.over_budget, path=outcome.path,
                tokens_before=outcome.tokens_before, tokens_after=outcome.tokens_after,
                memories=outcome.memories, extracted=outcome.extracted,
                is_kept=bool(outcome.backup),
            )  # fmt: skip
        case Unchanged():
            return ChatIs(
                outcome.chat_id,
                outcome.title,
                "unchanged",
                outcome.reason,
                outcome.next_step,
                path=outcome.path,
            )
        case Skipped():
            return ChatIs(
                outcome.chat_id, outcome.what, "skipped", outcome.reason, outcome.next_step,
                later=outcome.later, retry_after=outcome.retry_after,
            )  # fmt: skip


def as_skipped(archive: Archive, what: str, fault: Exception, chat_id: str = "") -> Skipped:
    """Skip a file or a chat after an error, foreseen or not, so that the rest goes on.

    Raises the error again where nothing can go on: the archive cannot be used, a cap on money is
    reached, a provider refuses everything, the work is to end, or the output's reader is gone.
    """
    # DamagedChat is an ArchiveError too, but damage to one chat stops that chat alone.
    if isinstance(fault, _FATAL) and not isinstance(fault, DamagedChat):
        raise fault
    if isinstance(fault, MemoryError):
        traceback.clear_frames(fault.__traceback__)  # they hold the chat that was too large
    fault = damage_behind(archive, fault) or fault
    if isinstance(fault, MemprocError):
        message, next_step = fault.message, fault.next_step
    else:
        message, next_step = describe(fault)
    later = isinstance(fault, _PASSING)
    retry_after = fault.retry_after if isinstance(fault, OutOfReach) else None
    doubted = fault.sha256 if isinstance(fault, NotAccepted) else ""
    return Skipped(what, message, next_step, later, chat_id, retry_after, doubted)


def until_fault(
    archive: Archive, what: str, outcomes: Iterable[T], chat_id: str = ""
) -> Iterator[T | Skipped]:
    """Yield outcomes of a file or a chat; an error that ends them becomes a Skipped.

    Raises what `as_skipped` raises: then nothing can go on.
    """
    try:
        yield from outcomes
    except Exception as fault:  # the boundary of a chat: the others go on
        yield as_skipped(archive, what, fault, chat_id)


def skip_without_chats(name: str) -> Skipped:
    """Skip an export that holds nothing to work on."""
    return Skipped(
        name, f"{name} is an export without any chats.", "Choose the chats when you export."
    )
