"""The wavefront: the dialogues about several chunks go on at the same time, and nothing depends on how many.

A dialogue is a plain function that asks one question after the other. Here it is held again and again, each time from
its beginning: the journal answers what has been asked before, and at the first question that it does not know the
dialogue is put away until the answer has come. So all of it stays on one thread, archive included, and only the call
itself leaves it. To hold a dialogue takes milliseconds, and its calls take seconds.

    hold every talk that has got what it waited for    it is finished, or has one more question
    send what the talks wait for                       at most so many calls at once, lower ranks first
    wait for an answer, and put it into the journal    then the same again

Where requests go by batch, all that wait are sent together when nothing else goes on, and waited for together.

Of talks whose requests begin alike one leads: when its first request is answered, the others find the beginning in
the provider's cache. Meanwhile they send ahead what needs no answer before it.

After a fault, an interruption or a wish to end, nothing more is sent; what is under way is waited for and kept.
"""

from collections import Counter
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from daemon.archive.batches import is_under_way
from daemon.archive.journal import Reply, recall
from daemon.batches.hours import time_for_batches
from daemon.config.models import Batch
from daemon.house import Answered, House, Noted, Notice
from daemon.models.ask import begin, fail, keep
from daemon.models.purse import above_step
from daemon.wavefront.calls import Call, Calls
from daemon.wavefront.talk import Blocked, NotYet, T, Talk
from primer.models import takes_batches
from primer.request import ENGINE, Request
from rules.errors import OverBudget


class Front:
    """The talks about one chat that are under way, and their calls: at most `most` at once, or batches of all."""

    def __init__(self, house: House, chat_id: str, most: int, batch: Batch = "never") -> None:
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
            self.house.tell(Notice(told))
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
        from daemon.batches.client import NoBatches
        from daemon.batches.wave import carry_out

        if not self._wave:
            raise AssertionError("every talk waits for a call, or for another talk that does")
        wave, self._wave = self._wave, {}
        create, cancel = self._is_time_for_batches, self._batch == "never"
        try:
            in_vain = carry_out(self.house, self._chat_id, wave, self._hear, create=create, cancel=cancel)
        except NoBatches as refused:
            self._refused = True
            told = f"The provider takes no batch of these requests ({refused}): they are asked directly, at full price."
            self.house.tell(Notice(told))
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
        self.house.tell(Answered(reply))

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
