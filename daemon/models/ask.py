"""What is raised instead of sending a request, by something that is no fault of the model's."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, record
from daemon.models.completion import Completion
from daemon.models.purse import Booked, Purse, release, reserve, settle
from primer.request import Request
from rules.errors import CutOff, MemprocError, OutOfReach


class Unsent(Exception):
    """The request has not left: whoever makes the calls was told to end first."""


MOST_CUT_OFF = 6
"""So often a request whose answer got lost is sent: each time may have been billed."""

Complete = Callable[[Request], Completion]
Clock = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that may leave: what was booked for it, when that was, and the how-manieth time it is."""

    request: Request
    booked: Booked
    at: str
    attempt: int = 1


def begin(purse: Purse, request: Request, chat_id: str, now: str, attempt: int = 1) -> Asked:
    """Reserve what a call may cost at most; it may leave when this returns.

    Raises OverBudget where a cap says no, UnknownPrice where nobody knows what it costs.
    """
    return Asked(request, reserve(purse, request, chat_id, now), now, attempt)


def keep(archive: Archive, purse: Purse, asked: Asked, chat_id: str, answer: Completion, now: str) -> Reply:
    """The reply that an answer is, when the journal has it. Raises ArchiveError where it could not be kept."""
    with archive.transaction():
        usd = settle(purse, asked.booked, answer)
        request = asked.request
        name, step = request.model.name, request.step
        reply = reply_of(answer, usd, request=request.key, model=name, step=step, asked_at=asked.at, now=now)
        return record(archive, reply, chat_id, request.parameters)


def fail(purse: Purse, asked: Asked, fault: BaseException) -> BaseException | None:
    """What is raised where a call was made in vain; None: its answer got lost, and it is sent once more.

    A call that was cut off may have been billed: it stays reserved, and is reserved for anew when it is repeated.
    """
    if isinstance(fault, CutOff):
        if asked.attempt < MOST_CUT_OFF:
            return None
        told = OutOfReach(f"{fault.message} Its answer got lost {asked.attempt} times.", fault.next_step)
        told.__cause__ = fault
        return told
    if isinstance(fault, (MemprocError, Unsent)):
        release(purse, asked.booked)
    return fault


def reply_of(
    answer: Completion,
    usd: float | None,
    *,
    request: str,
    model: str,
    step: str,
    asked_at: str,
    now: str,
    batch: str = "",
) -> Reply:
    """The reply that an answer to `request` is, by its key; `batch` names the batch that it came by."""
    return Reply(
        request=request,
        model=model,
        step=step,
        text=answer.text,
        finish=answer.finish,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        tokens_cached=answer.tokens_cached,
        tokens_cache_written=answer.tokens_cache_written,
        usd=usd,
        asked_at=asked_at,
        answered_at=now,
        litellm_usd=answer.usd,
        batch=batch,
        calls=answer.calls,
    )
