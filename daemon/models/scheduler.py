"""The scheduler: several dialogues with models go on at once, and what comes of them does not depend on how many.

A dialogue is a generator that yields a Request and is sent its Reply. The journal answers first, so that a dialogue
that was cut off by a kill goes on where it stopped. Any other request goes to a transport, in the order that the
provider's cache wants. All but the calls themselves happens in one thread.

Of dialogues whose requests begin alike one leads: when its first request is answered, the others find the beginning
in the provider's cache. Meanwhile they send ahead what needs no answer before it. After an error, an interruption or a
wish to end, nothing more is sent; what is under way is waited for and kept.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Self, TypeAlias, TypeVar, cast

from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, open_batches, recall
from daemon.config.settings import WhenToBatch
from daemon.events import ModelAnswered, Note, Noted
from daemon.models.ask import Outcome, Transport, above_step
from daemon.models.context import Context
from daemon.models.direct import Direct
from primer.models import ENGINE
from primer.reply import KINDS, Request
from rules.wording import counted

T = TypeVar("T")


Steps: TypeAlias = Generator[Request | Noted | None, Reply, T]
"""A dialogue from its beginning to its end. It yields None where it waits for what another dialogue brings."""


@dataclass(slots=True, eq=False)
class RunningDialogue(Generic[T]):
    """A dialogue in progress, of which one memory, edition or fold will come."""

    steps: Steps[T]
    rank: int = 0
    """Lower ones are asked first."""
    behind: "RunningDialogue[Any] | None" = None
    """One whose requests begin as this one's do: they find that in the provider's cache once it has led."""
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
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Its notes, each with the key of the reply before; empty where that reply had been used before."""

    def take(self, answer: Reply | BaseException) -> Request | Noted | None:
        """Send in the answer that it awaits; what it yields next."""
        self.awaits = None
        if not isinstance(answer, Reply):
            return self.steps.throw(answer)
        self.used.append(answer.request)
        return self.steps.send(answer)


class Scheduler:
    """The dialogues about one chat that are in progress: at most `most` direct calls at once, or batches of all."""

    def __init__(
        self, context: Context, chat_id: str, most: int, batch: WhenToBatch = "never"
    ) -> None:
        self._context = context
        self._chat_id = chat_id
        self._direct = Direct(context, chat_id, most)
        self._transports: list[Transport] = [self._direct]
        """What the first takes goes there. Replies are awaited from the last, so that meanwhile a batch fills."""
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
        """Wait for all calls that are under way; their answers are in the journal before any of them is told."""
        number = len(self._direct.under_way)
        if number and isinstance(fault, KeyboardInterrupt):
            under_way = counted(number, "call is under way and is", "calls are under way and are")
            text = f"{under_way} waited for; interrupt once more to end at once"
            self._context.tell(Note(text))
        with ExitStack() as telling:
            for key, outcome in self._direct.close():
                telling.callback(self._take, key, outcome)

    @property
    def has_room(self) -> bool:
        """Whether one more dialogue would find a call free now and then."""
        return any(len(self._dialogues) < transport.room for transport in self._transports)

    def begin(self, dialogue: RunningDialogue[Any]) -> None:
        """Let a dialogue go on beside the others."""
        self._dialogues.append(dialogue)
        self._dialogues.sort(key=lambda dialogue: dialogue.rank)

    def finish(self, dialogue: RunningDialogue[T]) -> T:
        """Take a dialogue to its end, and return its result. Raises what `go_on` raises."""
        self.begin(dialogue)
        while not dialogue.is_over:
            self.go_on()
        return cast("T", dialogue.result)

    def go_on(self) -> None:
        """Take every dialogue as far as it comes; where none ends by that, wait for an answer.

        Raises what a dialogue raises, what a call has raised, and ArchiveError where a reply cannot be kept.
        """
        for dialogue in self._dialogues:
            if dialogue.awaits is None or dialogue.key in self._back:
                self._advance(dialogue)
        unfinished = [dialogue for dialogue in self._dialogues if not dialogue.is_over]
        self._send_all(unfinished)
        if len(unfinished) == len(self._dialogues):
            transport = next(
                (transport for transport in reversed(self._transports) if transport.under_way), None
            )
            if transport is None:
                raise AssertionError(
                    "every dialogue waits for a call, or for another dialogue that does"
                )
            for key, outcome in transport.receive():
                self._take(key, outcome)
        self._dialogues = unfinished

    def _advance(self, dialogue: RunningDialogue[Any]) -> None:
        """Send in each answer that is there, until one is not, or the dialogue waits for another, or it is over."""
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
                    is_new = dialogue.used and dialogue.used[-1] not in dialogue.used[:-1]
                    dialogue.notes.append((step.what, dialogue.used[-1] if is_new else ""))
                else:
                    return
        except StopIteration as end:
            dialogue.result = end.value
            self._end(dialogue)
        except BaseException:  # raised again: a dialogue that has failed is over too
            self._end(dialogue)
            raise

    def _answer(self, request: Request, key: str) -> Reply | BaseException | None:
        """The reply to a request, or why there is none; None where it is to be sent. The built-in engine is asked here.

        ContextTooLong is the answer to a request that would cost more than was agreed because it is so long.
        """
        if key in self._faults:
            return self._faults[key]
        if reply := recall(self._context.archive, key):
            return reply
        if request.model != ENGINE:
            return above_step(self._context, request)
        self._fresh.add(key)  # it is no model, and quick: nobody is told of its answers
        return self._direct.ask_now(request, key)

    def _end(self, dialogue: RunningDialogue[Any]) -> None:
        """Tell what a dialogue has noted. Kinds of trouble count once, in the run in which their answer came."""
        dialogue.is_over = True
        notes = [what for what, key in dialogue.notes if what not in KINDS or key in self._fresh]
        self._fresh.difference_update(dialogue.used)
        for what in notes:
            self._context.tell(Noted(what))

    def _send_all(self, dialogues: Sequence[RunningDialogue[Any]]) -> None:
        """Send what the dialogues await, and as far as there is room left what they will come to."""
        for dialogue in dialogues:
            if (
                dialogue.awaits
                and not self._must_wait(dialogue)
                and self._send(dialogue.awaits, dialogue.key)
            ):
                dialogue.opened = dialogue.opened or dialogue.key
        for dialogue in dialogues:
            if ahead := dialogue.ahead:
                key = ahead.key
                if (
                    self._is_known(key)
                    or above_step(self._context, ahead)
                    or self._send(ahead, key)
                ):
                    dialogue.ahead = None

    def _must_wait(self, dialogue: RunningDialogue[Any]) -> bool:
        """Whether the one that leads has not been answered yet. In a batch nobody is first."""
        leader = dialogue.behind
        if (
            leader is None
            or leader.is_over
            or (leader.opened and leader.opened not in self._direct.under_way)
        ):
            return False
        return (
            dialogue.awaits is not None
            and self._transport(dialogue.awaits, dialogue.key) is self._direct
        )

    def _send(self, request: Request, key: str) -> bool:
        """Give a request to a transport; False where that was done before, or must wait until there is room.

        Raises OverBudget where it must not leave even when all that is under way is settled, and UnknownPrice.
        """
        return not self._is_known(key) and self._transport(request, key).send(request, key)

    def _is_known(self, key: str) -> bool:
        """Whether a request is under way, or has come back."""
        is_under_way = any(key in transport.under_way for transport in self._transports)
        return key in self._back or is_under_way or recall(self._context.archive, key) is not None

    def _transport(self, request: Request, key: str) -> Transport:
        return next(transport for transport in self._transports if transport.takes(request, key))

    def _take(self, key: str, outcome: Outcome) -> None:
        """Tell of a reply; a fault is kept for the dialogues that ask for it. What got lost is sent once more."""
        if outcome is not None:
            self._back.add(key)
        if isinstance(outcome, Reply):
            self._fresh.add(key)
            counts = (
                outcome.tokens_in,
                outcome.tokens_cached,
                outcome.tokens_cache_written,
                outcome.tokens_out,
            )
            self._context.tell(
                ModelAnswered(self._chat_id, outcome.step, outcome.model, *counts, outcome.usd)
            )
        elif outcome is not None:
            self._faults[key] = outcome


def rehearse(archive: Archive, steps: Steps[T]) -> T | None:
    """The result of a dialogue with nothing but the journal's replies; None where one of them is missing."""
    reply: Reply | None = None
    try:
        while True:
            step = next(steps) if reply is None else steps.send(reply)
            reply = recall(archive, step.key) if isinstance(step, Request) else None
            if isinstance(step, Request) and reply is None:
                return None
    except StopIteration as end:
        return cast("T", end.value)
