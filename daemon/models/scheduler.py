"""The scheduler: dialogues with models go on at once, and their number changes no result.

A dialogue is a generator that yields a Request and is sent its Reply. The journal answers first, so
that a dialogue that was cut off by a kill goes on where it stopped. Any other request goes to a
transport, in the order that suits the provider's cache. All but the calls themselves happens in one
thread.

Of several dialogues whose requests begin alike, one leads: once its first request is answered, the
others find the shared beginning in the provider's cache. Meanwhile they send ahead the requests
that depend on no earlier answer. After an error, an interruption or a wish to end, nothing more is
sent; calls under way are waited for, and their answers kept.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Self, TypeAlias, TypeVar, cast

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, find_reply, open_batches, thinking_of
from daemon.config.model_tables import WhenToBatch
from daemon.events import ModelAnswered, Note
from daemon.models.ask import CallEnding, Transport, above_step, as_learned
from daemon.models.context import Context
from daemon.models.direct import Direct
from daemon.models.limited import count_answer
from primer.reply import ASKED_AGAIN, KINDS, Request
from rules.wording import counted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Noted:
    """An unusable answer or its remedy, in a fixed phrase, so that equal ones can be counted."""

    what: str


Steps: TypeAlias = Generator[Request | Noted | None, Reply, T]
"""A dialogue from beginning to end. It yields None while it waits for another dialogue."""


@dataclass(slots=True, eq=False)
class RunningDialogue(Generic[T]):
    """A dialogue in progress, which will result in one memory, edition or fold."""

    steps: Steps[T]
    rank: int = 0
    """Dialogues of a lower rank are asked first."""
    behind: "RunningDialogue[Any] | None" = None
    """The dialogue that leads: after it, the cache has the beginning of this one's requests."""
    ahead: Request | None = None
    """A later request of this dialogue that depends on no earlier answer: it can be sent ahead."""
    awaits: Request | None = None
    """The request whose answer it awaits; None where it awaits none."""
    opened: str = ""
    """The key of the first request that was sent for it, not counting the one sent ahead."""
    is_over: bool = False
    result: T | None = None
    used: list[str] = field(default_factory=list)
    """The keys of the replies that it was sent, in order."""
    notes: list[tuple[str, str | None]] = field(default_factory=list)
    """Its notes, each with the key of the reply before it: empty if there was none, None if the
    dialogue had been sent that reply once before."""

    def take(self, answer: Reply | BaseException) -> Request | Noted | None:
        """Send the dialogue the answer that it awaits. Return what it yields next."""
        self.awaits = None
        if not isinstance(answer, Reply):
            return self.steps.throw(answer)
        self.used.append(answer.request)
        return self.steps.send(answer)


class Scheduler:
    """The dialogues about one chat in progress: at most `most` direct calls at once, or batches."""

    def __init__(
        self,
        context: Context,
        chat_id: str,
        most: int,
        batch: WhenToBatch = "never",
        *,
        asks_again: bool = False,
        sizes: str = "",
    ) -> None:
        """Open the transports.

        With `asks_again`, requests whose stored reply is no answer (an unexplained refusal, a
        time-out) are asked once more. With `sizes` (of chunk, tail and window), unusable answers
        are counted for each model.
        """
        self._asks_again = asks_again
        self._sizes = sizes
        self._context = context
        self._chat_id = chat_id
        self._direct = Direct(context, chat_id, most)
        self._transports: list[Transport] = [self._direct]
        """The first that takes a request gets it. The last is awaited first: batches can fill."""
        if batch != "never" or open_batches(context.archive):  # another run may have left some
            from daemon.models.batch import Batches  # late: it loads an HTTP client

            self._transports.insert(0, Batches(context, chat_id, batch))
        self._dialogues: list[RunningDialogue[Any]] = []
        self._back: set[str] = set()
        self._faults: dict[str, BaseException] = {}
        self._fresh: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for all calls under way. All answers are in the journal before any is told."""
        number = len(self._direct.under_way)
        if number and isinstance(fault, KeyboardInterrupt):
            under_way = counted(number, "call is under way and is", "calls are under way and are")
            text = f"{under_way} waited for; interrupt once more to end at once"
            self._context.tell(Note(text))
        with ExitStack() as telling:
            for key, ending in self._direct.close():
                telling.callback(self._take, key, ending)

    @property
    def has_room(self) -> bool:
        """Return whether one more dialogue would find a free call now and then."""
        return any(len(self._dialogues) < transport.room for transport in self._transports)

    def begin(self, dialogue: RunningDialogue[Any]) -> None:
        """Add a dialogue to those in progress."""
        self._dialogues.append(dialogue)
        self._dialogues.sort(key=lambda dialogue: dialogue.rank)

    def finish(self, dialogue: RunningDialogue[T]) -> T:
        """Run a dialogue to its end, and return its result. Raises what `go_on` raises."""
        self.begin(dialogue)
        while not dialogue.is_over:
            self.go_on()
        return cast("T", dialogue.result)

    def go_on(self) -> None:
        """Advance every dialogue as far as it can go.

        If none has ended, send requests and wait for an answer. If one has ended, return without
        waiting, so that the caller can begin what follows on it while the provider's cache still
        has its beginning. Raises what a dialogue or a call raises, and ArchiveError where a reply
        cannot be stored.
        """
        for dialogue in self._dialogues:
            if dialogue.awaits is None or dialogue.awaits.key in self._back:
                self._advance(dialogue)
        unfinished = [dialogue for dialogue in self._dialogues if not dialogue.is_over]
        if len(unfinished) == len(self._dialogues):
            self._send_all(unfinished)
            busy = [transport for transport in self._transports if transport.under_way][-1]
            for key, ending in busy.receive():
                self._take(key, ending)
        self._dialogues = unfinished

    def _advance(self, dialogue: RunningDialogue[Any]) -> None:
        """Send answers to a dialogue until one is missing, it waits for another, or it ends.

        A request above the model's price step is answered with ContextTooLong.
        """
        try:
            while True:
                if dialogue.awaits is None:
                    step = next(dialogue.steps)
                else:
                    request = dialogue.awaits
                    answer = self._faults.get(request.key) or self._reply(request.key)
                    answer = answer or above_step(self._context, request)
                    if answer is None:
                        return
                    step = dialogue.take(answer)
                if isinstance(step, Request):
                    dialogue.awaits = step
                elif isinstance(step, Noted):
                    *before, last = dialogue.used or ("",)
                    dialogue.notes.append((step.what, None if last in before else last))
                else:
                    return
        except StopIteration as end:
            dialogue.result = end.value
            self._end(dialogue)
        except BaseException:  # a dialogue that fails is over, too
            self._end(dialogue)
            raise

    def _end(self, dialogue: RunningDialogue[Any]) -> None:
        """Tell a dialogue's notes; those on an unusable answer only in the run that got it."""
        dialogue.is_over = True
        fresh = {"", *self._fresh}
        notes = [what for what, key in dialogue.notes if what not in KINDS or key in fresh]
        if self._sizes:
            archive = self._context.archive
            # A provider's refusal of the words says nothing about the model's ability.
            unusable = {key for what, key in dialogue.notes if what in KINDS and what != "refused"}
            for key in self._fresh.intersection(dialogue.used):
                if reply := find_reply(archive, key):
                    count_answer(
                        archive,
                        reply.model,
                        reply.step,
                        self._sizes,
                        self._context.clock(),
                        is_unusable=key in unusable,
                    )
        self._fresh.difference_update(dialogue.used)
        for what in notes:
            self._context.tell(Note(what, is_remedy=True))

    def _send_all(self, dialogues: Sequence[RunningDialogue[Any]]) -> None:
        """Send the requests that the dialogues await, then, while there is room, those sent ahead.

        A server with one slot gets the latter first: between two of the others they would drive the
        shared beginning out of its cache.
        """
        for dialogue in dialogues:
            if dialogue.ahead and dialogue.ahead.model.slots == 1:
                self._send_ahead(dialogue)
            if not dialogue.awaits or self._must_wait(dialogue):
                continue
            if self._send(dialogue.awaits):
                dialogue.opened = dialogue.opened or dialogue.awaits.key
        for dialogue in dialogues:
            self._send_ahead(dialogue)

    def _send_ahead(self, dialogue: RunningDialogue[Any]) -> None:
        """Send a dialogue's request ahead, unless its answer is known or it must not be sent."""
        if ahead := dialogue.ahead:
            is_useless = self._is_known(ahead.key) or above_step(self._context, ahead) is not None
            if is_useless or self._send(ahead):
                dialogue.ahead = None

    def _must_wait(self, dialogue: RunningDialogue[Any]) -> bool:
        """Return whether the leading dialogue has yet to be answered. In a batch, none leads."""
        leader = dialogue.behind
        if leader is None or leader.is_over or dialogue.awaits is None:
            return False
        if leader.opened and leader.opened not in self._direct.under_way:
            return False
        return self._transport(dialogue.awaits) is self._direct

    def _send(self, request: Request) -> bool:
        """Give a request to a transport; False where it was sent before, or there is no room yet.

        Raises UnknownPrice, and OverBudget where a cap is reached even when all others are settled.
        """
        if self._is_known(request.key):
            return False
        archive = self._context.archive
        learned = as_learned(archive, request).sent_in(archive.zone)
        return self._transport(request).send(learned, request.key)

    def _is_known(self, key: str) -> bool:
        """Return whether a request is under way or answered."""
        is_under_way = any(key in transport.under_way for transport in self._transports)
        return key in self._back or is_under_way or self._reply(key) is not None

    def _reply(self, key: str) -> Reply | None:
        """Return the journal's reply; None where that is no answer, and to be asked once more."""
        reply = find_reply(self._context.archive, key)
        is_of_before = self._asks_again and key not in self._back
        return None if reply and reply.finish in ASKED_AGAIN and is_of_before else reply

    def _transport(self, request: Request) -> Transport:
        return next(transport for transport in self._transports if transport.takes(request))

    def _take(self, key: str, ending: CallEnding) -> None:
        """Tell of a reply; keep a fault for the dialogues that await it.

        A lost request is sent again.
        """
        if ending is not None:
            self._back.add(key)
        if isinstance(ending, Reply):
            self._fresh.add(key)
            counts = (
                ending.tokens_in,
                ending.tokens_cached,
                ending.tokens_cache_written,
                ending.tokens_out,
            )
            thinking = thinking_of(self._context.archive, ending.model)
            thinks = thinking is not None and thinking.is_noticed
            self._context.tell(
                ModelAnswered(self._chat_id, ending.step, ending.model, *counts, ending.usd, thinks)
            )
        elif ending is not None:
            self._faults[key] = ending


def rehearse(archive: Archive, steps: Steps[T]) -> T | None:
    """Return a dialogue's result by the journal's replies alone; None where one is missing."""
    reply: Reply | None = None
    try:
        while True:
            step = next(steps) if reply is None else steps.send(reply)
            reply = find_reply(archive, step.key) if isinstance(step, Request) else None
            if isinstance(step, Request) and reply is None:
                return None
    except StopIteration as end:
        return cast("T", end.value)
