"""The direct transport: each request by itself, several at once, with patience.

The money is reserved before a call leaves, and settled in the transaction that stores its answer.
Each call has a thread, in which nothing else happens.

    refused for now     not billed: asked again in its thread, up to six times
    answer lost         may be billed: reserved and sent again as another call, up to six times
    own server too slow once more, with a longer time-out; then the smallest request follows
    refused, why?       not billed: the smallest request follows. If that is answered, the refusal
                        is about what was asked, and is kept as an answer; else the fault is raised

A server of one's own gets as many calls at once as it has slots; others get `models.concurrency`.
"""

import random
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TypeGuard, TypeVar

from daemon.archive.journal import Reply, SentRequest
from daemon.events import Alive, Event, Tell, TriesAgain
from daemon.files.clock import span
from daemon.models.ask import CallEnding, Unsent, keep_reply, release_call, reserve_call
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.models.hosts import is_local
from daemon.models.patience import timeout_of, with_time
from primer.finish import REFUSED
from primer.models import Model
from primer.reply import (
    EMBEDDING,
    TOO_SLOW,
    TRIAL,
    UNKNOWN_REFUSAL,
    Request,
    smallest_request,
)
from rules.errors import (
    AnswerTooLarge,
    AnswerTooSlow,
    CutOff,
    Forbidden,
    MemprocError,
    NotNow,
    OutOfReach,
    OverBudget,
    ProviderRefuses,
    TimedOut,
    Unexplained,
)
from rules.wording import counted

T = TypeVar("T")

ATTEMPTS = 6
MOST_CUT_OFF = 6
"""How often a request is sent whose answers get lost; each may have been billed."""
_SLOW_TRIES = 2
"""How often a server of one's own is asked for an answer that does not come in time."""
LONGEST_WAIT_SECONDS = 300.0
"""A provider that asks for more is out of reach for now."""
_ABOUT_PASSAGE = (
    " The smallest request was answered, so what was asked is refused, and not the model: to ask "
    "it again later, memproc retry MEMORY."
)
_TOO_SLOW = (
    " The smallest request was answered, so the server is well, and what was asked takes it too "
    "long. It is done without that answer. To ask it again later, memproc retry MEMORY; to give it "
    "longer, timeout in this model's own table of memproc.toml."
)
_TELL_SECONDS = 1.0
"""The seconds between two signs of life while calls are waited for."""
_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 60.0


def persistently(
    ask: Callable[[], T],
    sleep: Callable[[float], None],
    tell: Tell,
    *,
    may_be_billed: bool = False,
) -> T:
    """Call `ask` up to six times, with growing pauses, and return its result.

    `sleep` takes seconds, and `tell` gets the reason of each pause before it. With `may_be_billed`,
    a lost answer raises CutOff instead of being asked for again here, since the caller must reserve
    the cost once more first.

    Raises OutOfReach when the provider has not answered by then, or asks for more than five
    minutes.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return ask()
        except NotNow as fault:
            if isinstance(fault, CutOff) and may_be_billed:
                raise
            await_next(attempt, fault, sleep, tell)
    raise AssertionError("the last attempt answers or raises")


def await_next(attempt: int, fault: NotNow, sleep: Callable[[float], None], tell: Tell) -> None:
    """Pause after the `attempt`-th attempt, which has failed; the arguments are `persistently`'s.

    Raises OutOfReach after the last attempt, or where the provider asks for too long a pause.
    """
    seconds = _pause(attempt, fault.retry_after)
    if attempt == ATTEMPTS or seconds > LONGEST_WAIT_SECONDS:
        raise _out_of_reach(fault, f"It was tried {counted(attempt, 'time')}.") from fault
    tell(TriesAgain(fault.message, attempt, ATTEMPTS, seconds))
    sleep(seconds)


def _out_of_reach(fault: NotNow, tried: str) -> OutOfReach:
    """Return the error that ends the attempts; `tried` is a sentence about them."""
    asked = fault.retry_after or 0.0
    asks = f" It asks to wait for {span(asked)}." if asked > LONGEST_WAIT_SECONDS else ""
    return OutOfReach(f"{fault.message} {tried}{asks}", fault.next_step, asked)


def _pause(attempt: int, retry_after: float | None = None) -> float:
    """Return the seconds to pause: twice as many each time, never fewer than `retry_after`.

    They are spread at random, so that many callers do not come back at once.
    """
    growing = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** (attempt - 1))
    return max(retry_after or 0.0, float(growing * random.uniform(0.5, 1.0)))  # noqa: S311


@dataclass(frozen=True, slots=True, eq=False)
class DirectCall:
    """A request under way."""

    request: Request
    sent: SentRequest
    at: str
    """The time at which it was sent."""
    refused: "list[DirectCall]" = field(default_factory=list)
    """If this is a smallest request, the calls whose refusal it is to explain."""
    future: Future[Completion] = field(default_factory=Future)


class Direct:
    """Send requests one by one; at most `most` are under way at once."""

    def __init__(self, context: Context, chat_id: str, most: int) -> None:
        self._context = context
        self._chat_id = chat_id
        self._most = most
        self._calls: dict[str, DirectCall] = {}
        self._lost = Counter[str]()
        self._too_slow = Counter[str]()
        self._tries = Counter[str]()
        self._until: dict[str, float] = {}
        """When the answer to each request is due at the latest, by the monotonic clock."""
        self._is_closed = False
        self._told: set[tuple[str, int]] = set()

    @property
    def room(self) -> int:
        """Return twice the number of calls at once, since some dialogues wait for others."""
        return 2 * self._most

    @property
    def under_way(self) -> Collection[str]:
        """Return the keys of the requests whose calls have not ended."""
        return self._calls.keys()

    def takes(self, request: Request) -> bool:
        """Take every request."""
        return True

    def send(self, request: Request, key: str) -> bool:
        """Reserve what the call may cost, and send it; False where it must wait for others.

        Raises OverBudget where a cap is reached even when all others are settled, and UnknownPrice.
        """
        calls = dict.fromkeys(self._calls.values())
        at_server = sum(call.request.model.base == request.model.base for call in calls)
        if len(self._calls) >= self._most or 0 < request.model.slots <= at_server:
            return False
        times_slow = self._too_slow[key]
        request = with_time(self._context.archive, request, at_server + 1, times_slow)
        try:
            call = self._reserved(request, key)
        except OverBudget:
            if self._calls:
                return False  # calls under way will settle for less than is reserved for them
            raise
        self._calls[key] = call
        self._begin(call)
        return True

    def _begin(self, call: DirectCall) -> None:
        # The interpreter does not wait for a daemon thread, so a second Ctrl-C ends at once.
        threading.Thread(target=self._carry_out, args=(call,), name="call", daemon=True).start()

    def receive(self) -> Iterator[tuple[str, CallEnding]]:
        """Wait for the first answer. Yield the key of each call that has ended, and its ending.

        A call that was refused for an unknown reason waits for the smallest request, sent after it.
        Raises OverBudget where that request would pass a cap.
        """
        under_way = dict.fromkeys(self._calls.values())
        ended = self._first(call.future for call in under_way)
        for call in [call for call in under_way if call.future in ended]:
            for waiting in call.refused or [call]:
                del self._calls[waiting.sent.request]
            ending = self._ending(call)
            if self._needs_trial(call, ending):
                self._try(call)
            elif not call.refused or isinstance(ending, Reply):
                yield call.sent.request, ending
            for refused in call.refused:
                yield refused.sent.request, self._explained(refused, ending)

    def _first(self, futures: Iterable[Future[Completion]]) -> Collection[Future[Completion]]:
        """Return the calls that end first, and post a sign of life every second until then.

        None is posted once all calls have exceeded their time: then they hang.
        """
        under_way = tuple(futures)
        while not (ended := wait(under_way, _TELL_SECONDS, FIRST_COMPLETED).done):
            if not self._is_closed and monotonic() < max(self._until.values(), default=0.0):
                self._context.tell(Alive(0.0))
        return ended

    def close(self) -> Iterator[tuple[str, CallEnding]]:
        """Send nothing more, and wait for all calls under way. Yields as `receive` does."""
        self._is_closed = True
        while self._calls:
            yield from self.receive()

    def _reserved(self, request: Request, key: str) -> DirectCall:
        now = self._context.clock()
        return DirectCall(
            request, reserve_call(self._context, request, key, self._chat_id, now), now
        )

    def _once(self, call: DirectCall) -> Completion:
        if self._is_closed:
            raise Unsent
        self._tries[call.sent.request] += 1
        self._until[call.sent.request] = monotonic() + 2 * timeout_of(call.request)
        return self._context.complete(call.request)

    def _tell_once(self, event: Event) -> None:
        """Tell why calls wait for a provider: once for all of them, until one is answered."""
        if isinstance(event, TriesAgain) and (event.reason, event.attempt) not in self._told:
            self._told.add((event.reason, event.attempt))
            self._context.tell(event)

    def _carry_out(self, call: DirectCall) -> None:
        try:
            if times_lost := self._lost[call.sent.request]:
                self._context.pause(_pause(times_lost))
            ask = partial(self._once, call)
            # A call whose answer gets lost may have been billed, so it is reserved anew by the
            # caller.
            answer = persistently(ask, self._context.pause, self._tell_once, may_be_billed=True)
            call.future.set_result(answer)
        except BaseException as fault:  # the thread ends; it is raised in the dialogue that asked
            call.future.set_exception(fault)

    def _ending(self, call: DirectCall) -> CallEnding:
        """Return the ending of a call.

        A call that was cut off may have been billed, so its money stays reserved. So does that of
        one whose answer was too large or too slow, which is repeated at most once.
        """
        fault = call.future.exception()
        if fault is None:
            self._told.clear()
            self._context.refusing.discard(call.sent.model)
            answer, tries = call.future.result(), self._tries[call.sent.request]
            return keep_reply(
                self._context, call.sent, call.request.model, answer, call.at, tries=tries
            )
        if _is_slow(fault, call.request.model):
            return self._after_slowness(call, fault)
        if isinstance(fault, CutOff):
            asked, *_ = call.refused or [call]
            return self._after_loss(asked.sent.request, fault)
        may_be_billed = isinstance(fault, (AnswerTooLarge, AnswerTooSlow))
        if isinstance(fault, (MemprocError, Unsent)) and not may_be_billed:
            release_call(self._context.archive, call.sent)
        return fault

    def _needs_trial(self, call: DirectCall, ending: CallEnding) -> bool:
        """Return whether to send the smallest request, to see why a call was refused or slow."""
        is_unknown = not call.refused and (
            isinstance(ending, Unexplained | Forbidden) or _is_slow(ending, call.request.model)
        )
        return is_unknown and not self._is_closed and call.sent.model not in self._context.refusing

    def _try(self, refused: DirectCall) -> None:
        """Send the smallest request after a refused one, or wait for one that is under way."""
        step = EMBEDDING if refused.request.step == EMBEDDING else TRIAL
        asked = refused.request
        request = replace(smallest_request(asked.model, step), thinking=asked.thinking)
        for trial in self._calls.values():
            if trial.request == request and refused.at <= trial.at:
                break
        else:
            trial = self._reserved(request, secrets.token_hex(32))
            # Tokens 0: nothing is learned of the model's factor from so few words.
            trial = replace(trial, sent=replace(trial.sent, tokens=0))
            self._begin(trial)
        trial.refused.append(refused)
        self._calls[refused.sent.request] = trial

    def _explained(self, refused: DirectCall, trial: CallEnding) -> CallEnding:
        """Return the ending of a refused call, given that of the smallest request after it.

        answered       the passage is refused, or takes too long; that is kept as an answer
        refused too    the call's own fault
        neither        the ending of the smallest request: a busy provider, no money, a lost answer
        """
        fault = refused.future.exception()
        is_answered = isinstance(trial, Reply) and trial.finish != REFUSED
        is_slow = isinstance(fault, TimedOut | AnswerTooSlow)
        if is_answered and isinstance(fault, MemprocError):
            text = fault.message + (_TOO_SLOW if is_slow else _ABOUT_PASSAGE)
            self._context.tell_once(text)
            unbilled = replace(refused.sent, spending=None)
            answer = Completion("", TOO_SLOW if is_slow else UNKNOWN_REFUSAL)
            tries = self._tries[refused.sent.request]
            return keep_reply(
                self._context, unbilled, refused.request.model, answer, refused.at, tries=tries
            )
        is_known = isinstance(trial, OutOfReach | ProviderRefuses | Unsent | None)
        if is_known and not isinstance(trial, Forbidden):
            return trial
        self._context.refusing.add(refused.sent.model)
        return fault

    def _after_slowness(self, call: DirectCall, fault: TimedOut | AnswerTooSlow) -> CallEnding:
        """Return None to ask once more, with a longer time-out; then the fault for `_explained`.

        Where the smallest request is too slow itself, or may not be sent any more, the server is
        out of reach.
        """
        key = call.sent.request
        self._too_slow[key] += 1
        times = self._too_slow[key]
        if call.refused or (self._is_closed and times >= _SLOW_TRIES):
            return OutOfReach(fault.message, fault.next_step)
        if times < _SLOW_TRIES:
            self._context.tell(TriesAgain(fault.message, times, _SLOW_TRIES, _pause(times)))
            return None
        return fault

    def _after_loss(self, key: str, fault: CutOff) -> OutOfReach | None:
        """Count one more lost answer.

        Return None to send the request again, or why it is not sent.
        """
        self._lost[key] += 1
        times = self._lost[key]
        if times < MOST_CUT_OFF:
            self._tell_once(TriesAgain(fault.message, times, MOST_CUT_OFF, _pause(times)))
            return None
        given_up = _out_of_reach(fault, f"Its answer got lost {counted(times, 'time')}.")
        given_up.__cause__ = fault
        return given_up


def _is_slow(fault: CallEnding, model: Model) -> TypeGuard[TimedOut | AnswerTooSlow]:
    """Return whether a call failed because a server of one's own did not answer in time."""
    return isinstance(fault, TimedOut | AnswerTooSlow) and is_local(model)
