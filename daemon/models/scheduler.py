"""Calls of a model that are under way, each in a thread of its own. Nothing but the call itself happens there."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from daemon.archive.batches import is_under_way
from daemon.archive.journal import Reply, recall
from daemon.config.providers import WhenToBatch
from daemon.context import House
from daemon.events import ModelAnswered, Note, Noted
from daemon.models.ask import Asked, Complete, begin, fail, keep
from daemon.models.batch import time_for_batches
from daemon.models.completion import Completion
from daemon.models.purse import above_step
from primer.models import takes_batches
from primer.request import ENGINE, Request
from rules.errors import OverBudget


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A request that has been sent; `key` is its own."""

    key: str
    asked: Asked
    future: Future[Completion] = field(default_factory=Future)


class Calls:
    """The calls that are under way, or have ended and are not put away."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self._calls: dict[str, Call] = {}

    def send(self, call: Call) -> None:
        """Ask the request's model; returns at once."""
        self._calls[call.key] = call
        # The interpreter does not wait for such a thread: who interrupts twice need not wait for an answer.
        threading.Thread(target=_carry_out, args=(self._complete, call), name="call", daemon=True).start()

    def ended(self) -> Sequence[Call]:
        """Those that have ended, in the order in which they were sent; waits for the first of them."""
        ended, _ = wait([call.future for call in self._calls.values()], return_when=FIRST_COMPLETED)
        return [call for call in self._calls.values() if call.future in ended]

    def put_away(self, call: Call) -> None:
        """Forget a call that has ended."""
        del self._calls[call.key]

    def __contains__(self, key: str) -> bool:
        return key in self._calls

    def __len__(self) -> int:
        return len(self._calls)


def _carry_out(complete: Complete, call: Call) -> None:
    try:
        call.future.set_result(complete(call.asked.request))
    except BaseException as fault:  # raised again where the answer was asked for
        call.future.set_exception(fault)


T = TypeVar("T")


class NotYet(Exception):
    """The answer to this request is not there yet: the dialogue is held again when it is."""

    def __init__(self, key: str, request: Request) -> None:
        super().__init__(key)
        self.key = key
        self.request = request


class Blocked(Exception):
    """What the dialogue begins with is not there yet: it is held again whenever the others have gone on."""


@dataclass(slots=True, eq=False)
class Talk(Generic[T]):
    """A dialogue of which one memory, edition or fold will come."""

    hold: Callable[[], T]
    """Holds it, from its beginning, as far as its answers are known, and then raises NotYet, or Blocked."""
    rank: int = 0
    """Lower ones are asked first."""
    behind: "Talk[Any] | None" = None
    """One whose requests begin as this one's do: they find that in the provider's cache when it has led."""
    ahead: Request | None = None
    """A request that it will come to, and that needs no answer before it."""
    awaits: NotYet | None = None
    opened: str = ""
    """Key of the first request that was sent for it, but for what goes ahead."""
    result: T | None = None
    """There once the dialogue is finished."""


class Front:
    """The talks about one chat that are under way, and their calls: at most `most` at once, or batches of all."""

    def __init__(self, house: House, chat_id: str, most: int, batch: WhenToBatch = "never") -> None:
        self.house = house
        self._chat_id = chat_id
        self._most = most
        self._batch = batch
        self._wave: dict[str, Request] = {}
        self._alone: set[str] = set()
        self._refused = False
        self._talks: list[Talk[Any]] = []
        self._calls = Calls(house.complete)
        self._sent: set[str] = set()
        self._lost = Counter[str]()
        self._faults: dict[str, BaseException] = {}
        self._fresh: set[str] = set()
        self._used: set[str] = set()
        self._noted: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._calls and isinstance(fault, KeyboardInterrupt):
            told = f"{len(self._calls)} calls are under way and are waited for; interrupt once more to end at once"
            self.house.tell(Note(told))
        self._drain()

    @property
    def has_room(self) -> bool:
        """Whether one more talk would find a call free now and then: of twice as many, some wait for others.

        A batch has room for all.
        """
        return len(self._talks) < 2 * self._most or self._is_time_for_batches

    def answer(self, request: Request) -> Reply:
        """The reply to a request, for the dialogue that is being held. The built-in engine is asked at once.

        Raises NotYet where there is none yet, what its call has raised where that has failed, and ContextTooLong where
        it would cost more than is agreed because it is so long.
        """
        key = request.key
        self._used.add(key)
        if key in self._faults:
            raise self._faults[key]
        known = recall(self.house.archive, key)
        if known is not None:
            return known
        if request.model != ENGINE:
            if too_dear := above_step(self.house.purse, request):
                raise too_dear
            raise NotYet(key, request)
        return self._at_once(request)

    def is_fresh(self, reply: Reply) -> bool:
        """Whether a reply has come in this run, and no talk that is over has used it."""
        return reply.request in self._fresh

    def note(self, said: str) -> None:
        """Have told what the dialogue notes, once it is over."""
        self._noted.append(said)

    def begin(self, talk: Talk[Any]) -> None:
        """Let a talk go on beside the others."""
        self._talks.append(talk)
        self._talks.sort(key=lambda one: one.rank)

    def go_on(self) -> None:
        """Take every talk as far as it comes; where none is finished by that, wait for an answer.

        Raises what a dialogue raises, what a call has raised, and ArchiveError where a reply cannot be kept.
        """
        for talk in self._talks:
            if talk.awaits is None or self._is_over(talk.awaits.key):
                self._hold(talk)
        unfinished = [talk for talk in self._talks if talk.result is None]
        self._send(unfinished)
        if len(unfinished) == len(self._talks):
            self._listen()
        self._talks = unfinished

    def finish(self, talk: Talk[T]) -> T:
        """What comes of a talk, taken to its end. Raises what `go_on` raises."""
        self.begin(talk)
        while talk.result is None:
            self.go_on()
        return talk.result

    def _at_once(self, request: Request) -> Reply:
        house = self.house
        asked = begin(house.purse, request, self._chat_id, house.clock())
        reply = keep(house.archive, house.purse, asked, self._chat_id, house.complete(request), house.clock())
        self._hear(reply)
        return reply

    def _hold(self, talk: Talk[Any]) -> None:
        self._used, self._noted = set(), []
        is_over = True
        try:
            talk.result = talk.hold()
        except NotYet as missing:
            talk.awaits, is_over = missing, False
        except Blocked:
            is_over = False
        finally:
            if is_over:  # be it by a fault
                self._fresh -= self._used
                for said in self._noted:
                    self.house.tell(Noted(said))

    def _is_over(self, key: str) -> bool:
        return key in self._sent and key not in self._calls

    def _send(self, talks: list[Talk[Any]]) -> None:
        for talk in talks:
            if talk.awaits and not self._must_wait(talk) and self._call(talk.awaits.key, talk.awaits.request):
                talk.opened = talk.opened or talk.awaits.key
        for talk in talks:
            if talk.ahead and (len(self._calls) < self._most or self._takes_batches(talk.ahead)):
                if not above_step(self.house.purse, talk.ahead):
                    self._call(talk.ahead.key, talk.ahead)
                talk.ahead = None

    def _must_wait(self, talk: Talk[Any]) -> bool:
        """Whether the one that leads has not been answered yet."""
        leader = talk.behind
        if talk.awaits and self._takes_batches(talk.awaits.request):
            return False  # in a batch nobody is first
        return leader is not None and leader.result is None and (not leader.opened or leader.opened in self._calls)

    def _call(self, key: str, request: Request) -> bool:
        """Send a request, unless it was sent before, or as many as may be are under way; whether that was done.

        Raises OverBudget where it must not leave even when all that is under way is settled, and UnknownPrice.
        """
        if key in self._sent or key in self._wave or recall(self.house.archive, key):
            return False
        if is_under_way(self.house.archive, key) or (self._takes_batches(request) and key not in self._alone):
            self._wave[key] = request
            return True
        if len(self._calls) >= self._most:
            return False
        try:
            asked = begin(self.house.purse, request, self._chat_id, self.house.clock(), self._lost[key] + 1)
        except OverBudget:
            if self._calls:
                return False  # those that are under way will have cost less than is reserved for them
            raise
        self._sent.add(key)
        self._calls.send(Call(key, asked))
        return True

    def _listen(self) -> None:
        if not self._calls:
            self._send_wave()
            return
        for call in self._calls.ended():
            self._take(call)

    @property
    def _is_time_for_batches(self) -> bool:
        if self._batch == "never" or self._refused:
            return False
        return time_for_batches(self._batch, self.house.config.schedule.night, self.house.clock())

    def _takes_batches(self, request: Request) -> bool:
        return self._is_time_for_batches and takes_batches(request.model.name)

    def _send_wave(self) -> None:
        """Have all that waits answered together. What was in vain has its fault, or is asked by itself."""
        from daemon.models.batch import carry_out
        from daemon.models.batch_client import NoBatches

        if not self._wave:
            raise AssertionError("every talk waits for a call, or for another talk that does")
        wave, self._wave = self._wave, {}
        create, cancel = self._is_time_for_batches, self._batch == "never"
        try:
            in_vain = carry_out(self.house, self._chat_id, wave, self._hear, create=create, cancel=cancel)
        except NoBatches as refused:
            self._refused = True
            told = f"The provider takes no batch of these requests ({refused}): they are asked directly, at full price."
            self.house.tell(Note(told))
            return
        self._faults |= {key: fault for key, fault in in_vain.items() if fault}
        self._alone |= {key for key, fault in in_vain.items() if fault is None}
        self._sent |= {key for key in wave if key in self._faults or recall(self.house.archive, key)}

    def _take(self, call: Call) -> None:
        """Put the answer into the journal, and tell of it; a fault is there for the dialogue that asks for it."""
        reply = self._kept(call)
        if reply is not None:
            self._hear(reply)

    def _kept(self, call: Call) -> Reply | None:
        house, asked, fault = self.house, call.asked, call.future.exception()
        self._calls.put_away(call)
        if fault is None:
            return keep(house.archive, house.purse, asked, self._chat_id, call.future.result(), house.clock())
        final = fail(house.purse, asked, fault)
        if final is None:
            self._lost[call.key] += 1
            self._sent.discard(call.key)
        else:
            self._faults[call.key] = final
        return None

    def _hear(self, reply: Reply) -> None:
        self._fresh.add(reply.request)
        if reply.model == ENGINE.name:
            return  # the built-in engine is no model: its answers are quick, and cost nothing
        used = (reply.tokens_in, reply.tokens_cached, reply.tokens_cache_written, reply.tokens_out, reply.usd)
        self.house.tell(ModelAnswered(self._chat_id, reply.step, reply.model, *used))

    def _drain(self) -> None:
        """Wait for all calls that are under way; their answers are in the journal before any of them is told.

        Those that still wait for their turn do not leave any more.
        """
        with ExitStack() as telling, self.house.pace.closed():
            while self._calls:
                for call in self._calls.ended():
                    reply = self._kept(call)
                    if reply is not None:
                        telling.callback(self._hear, reply)
