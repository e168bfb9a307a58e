"""Ask a model, the journal first: a reply is durable before it is used, and no request is sent twice (D15)."""

from collections.abc import Callable
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, recall, record
from daemon.models.completion import Completion
from daemon.models.purse import Booked, Purse, release, reserve, settle
from daemon.models.unsent import Unsent
from primer.request import Request
from rules.errors import CutOff, MemprocError, OutOfReach

MOST_CUT_OFF = 6
"""So often a request whose answer got lost is sent: each time may have been billed."""

Complete = Callable[[Request], Completion]
Clock = Callable[[], str]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of a call, what was booked for it, and when it left."""

    completion: Completion
    booked: Booked
    asked_at: str


def ask(
    archive: Archive,
    purse: Purse,
    request: Request,
    chat_id: str,
    complete: Complete,
    clock: Clock,
    heard: Callable[[Reply], None],
) -> Reply:
    """The reply to a request: from the journal, or from the model and then into the journal; `heard` hears the latter.

    What the call may cost is reserved before it leaves, and settled in the same transaction in which its reply is
    kept. Raises ModelError where the model could not be asked, OverBudget at a cap, ArchiveError where the reply
    could not be kept.
    """
    known = recall(archive, request.key)
    if known is not None:
        return known
    answer = _paid(purse, request, chat_id, complete, clock)
    with archive.transaction():
        usd = settle(purse, answer.booked, answer.completion)
        kept = record(archive, _reply(request, answer, usd, clock()), chat_id, request.parameters)
    heard(kept)
    return kept


def _paid(purse: Purse, request: Request, chat_id: str, complete: Complete, clock: Clock) -> _Answer:
    """The answer to a call that was reserved for. One that was cut off stays reserved, and is reserved for anew."""
    for attempt in range(1, MOST_CUT_OFF + 1):
        asked_at = clock()
        booked = reserve(purse, request, chat_id, asked_at)
        try:
            return _Answer(complete(request), booked, asked_at)
        except CutOff as fault:
            if attempt == MOST_CUT_OFF:
                told = f"{fault.message} Its answer got lost {attempt} times."
                raise OutOfReach(told, fault.next_step) from fault
        except (MemprocError, Unsent):
            release(purse, booked)
            raise
    raise AssertionError("the last attempt answers or raises")


def _reply(request: Request, answer: _Answer, usd: float | None, answered_at: str) -> Reply:
    completion = answer.completion
    return Reply(
        request=request.key,
        model=request.model.name,
        step=request.step,
        text=completion.text,
        finish=completion.finish,
        tokens_in=completion.tokens_in,
        tokens_out=completion.tokens_out,
        tokens_cached=completion.tokens_cached,
        tokens_cache_written=completion.tokens_cache_written,
        usd=usd,
        asked_at=answer.asked_at,
        answered_at=answered_at,
        litellm_usd=completion.usd,
    )
