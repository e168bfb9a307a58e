"""The scheduler: several dialogues with models go on at once, with the same results however many.

A dialogue is a generator that yields a Request and is sent its Reply. The journal answers first, so
that a dialogue that was cut off by a kill goes on where it stopped. Any other request goes to a
transport, in the order that the provider's cache wants. All but the calls themselves happens in one
thread.

Of dialogues whose requests begin alike one leads: when its first request is answered, the others
find the beginning in the provider's cache. Meanwhile they send ahead what needs no answer before
it. After an error, an interruption or a wish to end, nothing more is sent; what is under way is
waited for and kept.
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
    """An answer that could not be used, or its remedy, in a few words that can be counted."""

    what: str


Steps: TypeAlias = Generator[Request | Noted | None, Reply, T]
"""A dialogue from beginning to end. It yields None while it waits for another dialogue."""


@dataclass(slots=True, eq=False)
class RunningDialogue(Generic[T]):
    """A dialogue in progress, of which one memory, edition or fold will come."""

    steps: Steps[T]
    rank: int = 0
    """Lower ones are asked first."""
    behind: "RunningDialogue[Any] | None" = None
    """One that leads: this one's requests find their beginning in the provider's cache after it."""
    ahead: Request | None = None
    """A request that it will come to, and that needs no answer before it."""
    awaits: Request | None = None
    key: str = ""
    """The key of the request that it awaits."""
    opened: str = ""
    """The key of the first request that was sent for it, except for what goes ahead."""
    is_over: bool = False
    result: T | None = None
    used: list[str] = field(default_factory=list)
    """The keys of the replies that it was sent, in order."""
    notes: list[tuple[str, str | None]] = field(default_factory=list)
    """Its notes, each with the key of the reply before: empty if there was none, None if that had
    been used before."""

    def take(self, answer: Reply | BaseException) -> Request | Noted | None:
        """Send in the answer that it awaits. Return what it yields next."""
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
        """Prepare to ask; with `asks_again` also what had no answer before.

        With `sizes`, those of the chunks, unusable answers are counted for each model.
        """
        self._asks_again = asks_again
        self._sizes = sizes
        self._context = context
        self._chat_id = chat_id
        self._direct = Direct(context, chat_id, most)
        self._transports: list[Transport] = [self._direct]
        """The first that takes a request gets it. The last is awaited first: a batch fills."""
        if batch != "never" or open_batches(context.archive):  # perhaps of another run
            from daemon.models.batch import Batches  # it loads an HTTP client

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
        """Wait for all calls under way; their answers are in the journal before one is told."""
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
        """Return whether one more dialogue would find a call free now and then."""
        return any(len(self._dialogues) < transport.room for transport in self._transports)

    def begin(self, dialogue: RunningDialogue[Any]) -> None:
        """Let a dialogue go on with the others."""
        self._dialogues.append(dialogue)
        self._dialogues.sort(key=lambda dialogue: dialogue.rank)

    def finish(self, dialogue: RunningDialogue[T]) -> T:
        """Take a dialogue to its end, and return its result. Raises what `go_on` raises."""
        self.begin(dialogue)
        while not dialogue.is_over:
            self.go_on()
        return cast("T", dialogue.result)

    def go_on(self) -> None:
        """Take every dialogue as far as it comes; where none ends by that, send, and wait for an answer.

        What follows on one that has ended is asked first: its beginning is still in the cache. Raises
        what a dialogue or a call raises, and ArchiveError where a reply cannot be kept.
        """
        for dialogue in self._dialogues:
            if dialogue.awaits is None or dialogue.key in self._back:
                self._advance(dialogue)
        unfinished = [dialogue for dialogue in self._dialogues if not dialogue.is_over]
        if len(unfinished) == len(self._dialogues):
            self._send_all(unfinished)
            busy = [transport for transport in self._transports if transport.under_way][-1]
            for key, ending in busy.receive():
                self._take(key, ending)
        self._dialogues = unfinished

    def _advance(self, dialogue: RunningDialogue[Any]) -> None:
        """Send in answers until one is not there, or it waits for another dialogue, or is over."""
        try:
            while True:
                if dialogue.awaits is None:
                    step = next(dialogue.steps)
                else:
                    answer = self._answer(dialogue.awaits, dialogue.key)
                    if answer is None:
                        return
                    step = dialogue.take(answer)
                if isinstance(step, Request):
                    dialogue.awaits, dialogue.key = step, step.key
                elif isinstance(step, Noted):
                    *before, last = dialogue.used or ("",)
                    dialogue.notes.append((step.what, None if last in before else last))
                else:
                    return
        except StopIteration as end:
            dialogue.result = end.value
            self._end(dialogue)
        except BaseException:  # raised again: a dialogue that has failed is over too
            self._end(dialogue)
            raise

    def _answer(self, request: Request, key: str) -> Reply | BaseException | None:
        """Return the reply to a request, or its fault; None where it is to be sent.

        ContextTooLong is the answer to a request that would cost more than agreed, because it is so
        long.
        """
        if key in self._faults:
            return self._faults[key]
        return self._reply(key) or above_step(self._context, request)

    def _end(self, dialogue: RunningDialogue[Any]) -> None:
        """Tell what a dialogue has noted; kinds of trouble once, when their answer came."""
        dialogue.is_over = True
        fresh = {"", *self._fresh}
        notes = [what for what, key in dialogue.notes if what not in KINDS or key in fresh]
        if self._sizes:
            archive = self._context.archive
            # What a provider refuses for its words says nothing of what the model can.
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
        """Send what the dialogues await, and while there is room what they will come to.

        A server with one slot is asked that first: between two of the others it would drive their
        beginning out of the server's cache.
        """
        for dialogue in dialogues:
            if dialogue.ahead and dialogue.ahead.model.slots == 1:
                self._send_ahead(dialogue)
            if not dialogue.awaits or self._must_wait(dialogue):
                continue
            if self._send(dialogue.awaits, dialogue.key):
                dialogue.opened = dialogue.opened or dialogue.key
        for dialogue in dialogues:
            self._send_ahead(dialogue)

    def _send_ahead(self, dialogue: RunningDialogue[Any]) -> None:
        """Send what a dialogue will come to, unless it is known by then or must not be sent."""
        if ahead := dialogue.ahead:
            key = ahead.key
            is_useless = self._is_known(key) or above_step(self._context, ahead) is not None
            if is_useless or self._send(ahead, key):
                dialogue.ahead = None

    def _must_wait(self, dialogue: RunningDialogue[Any]) -> bool:
        """Return whether the one that leads has yet to be answered. In a batch none is first."""
        leader = dialogue.behind
        if leader is None or leader.is_over or dialogue.awaits is None:
            return False
        if leader.opened and leader.opened not in self._direct.under_way:
            return False
        return self._transport(dialogue.awaits, dialogue.key) is self._direct

    def _send(self, request: Request, key: str) -> bool:
        """Give a request to a transport; False where that was done before, or there is no room yet.

        Raises UnknownPrice, and OverBudget where a cap is reached even when all others are settled.
        """
        if self._is_known(key):
            return False
        learned = as_learned(self._context.archive, request)
        return self._transport(request, key).send(learned.sent_in(self._context.archive.zone), key)

    def _is_known(self, key: str) -> bool:
        """Return whether a request is under way, or has come back."""
        is_under_way = any(key in transport.under_way for transport in self._transports)
        return key in self._back or is_under_way or self._reply(key) is not None

    def _reply(self, key: str) -> Reply | None:
        """Return the journal's reply, unless it is one without an answer, to be asked about again."""
        reply = find_reply(self._context.archive, key)
        is_of_before = self._asks_again and key not in self._back
        return None if reply and reply.finish in ASKED_AGAIN and is_of_before else reply

    def _transport(self, request: Request, key: str) -> Transport:
        return next(transport for transport in self._transports if transport.takes(request, key))

    def _take(self, key: str, ending: CallEnding) -> None:
        """Tell of a reply; keep a fault for dialogues that ask. What got lost is sent again."""
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
    """Return a dialogue's result with the journal's replies alone; None where one is missing."""
    reply: Reply | None = None
    try:
        while True:
            step = next(steps) if reply is None else steps.send(reply)
            reply = find_reply(archive, step.key) if isinstance(step, Request) else None
            if isinstance(step, Request) and reply is None:
                return None
    except StopIteration as end:
        return cast("T", end.value)
