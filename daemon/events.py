"""The events of memproc's work: one type for the terminal, the log, notices and the daemon.

As a line of JSON (`memproc run --events`, the log), an event is an object in which `is` names its
class.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from rules.conversation.memory import name_in_chat
from rules.wording import counted

if TYPE_CHECKING:
    from rules.plan.chat_plan import ChatPlan  # a daemon at rest does not load planning


OutcomeKind = Literal["written", "unchanged", "skipped"]
"""
written     a chat's updated export is in its place, for the person to import
unchanged   there was nothing to do for the chat, or the person wants nothing done; no next step
skipped     the chat, or the whole file, cannot be processed as it is, and was left untouched. There
            is a next step, except in an outage that the daemon waits out. The daemon tries again by
            itself if the trouble may pass, or once its nightly check finds the model answering

A file in the inbox that will be tried again is `waiting` (`rules.arrival`). Only an attempt is said
to fail (a call, the work on a file, a timed job), never a chat: what failed is tried again or
skipped.
"""


@dataclass(frozen=True, slots=True)
class Planned:
    """The work on a chat begins: its numbers of chunks and calls, and the whole plan in `words`."""

    chat_id: str
    title: str
    chunks: int
    """Chunks whose memories are written, rewritten, or written with hindsight."""
    calls: int
    words: str = ""
    warnings: tuple[str, ...] = ()
    limited: str = ""
    """Why a model is asked for the analysis alone; empty where it also writes."""
    arrival: int = 0
    """The row of the dropped file that the chat came in; 0 where no daemon is running."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the person should know, once: a retired model, a missing key."""

    text: str
    is_remedy: bool = False
    """Whether it tells of an unusable answer or its remedy; such notes are counted by text."""


@dataclass(frozen=True, slots=True)
class UserEdits:
    """What was edited or is missing since the chat was last seen, in numbers; told once.

    The archive stores events under their class names, so the name stays, although some of these
    changes are not the person's.
    """

    chat_id: str
    title: str
    text: str
    by_person: bool = True
    """False where messages are missing that the person is not known to have deleted."""

    def sentence_on(self, chat: str) -> str:
        """Return the sentence to print; it begins with `chat`, the chat as the reader knows it."""
        return f"{chat}{', edited in TypingMind' if self.by_person else ''}: {self.text}"


@dataclass(frozen=True, slots=True)
class ModelAnswered:
    """A model was asked, and its reply is in the journal. Replies found there post no event."""

    chat_id: str
    step: str
    model: str
    tokens_in: int
    tokens_cached: int
    tokens_cache_written: int
    tokens_out: int
    usd: float | None
    """None where the price is unknown."""
    thinks: bool = False
    """Whether the model was recently seen to think without being asked to."""


@dataclass(frozen=True, slots=True)
class TriesAgain:
    """A provider could not answer attempt `attempt` of `of`; it is asked again in `seconds`."""

    reason: str
    attempt: int
    of: int
    seconds: float

    @property
    def sentence(self) -> str:
        """Return the sentence to print."""
        seconds = max(1, round(self.seconds))
        reason = self.reason.rstrip(".")
        return f"{reason} (try {self.attempt} of {self.of}, next in {seconds} s)"


@dataclass(frozen=True, slots=True)
class MemoryMade:
    """A chunk has become memory `number`: `done` of the `of` planned chunks are finished.

    For a fold, `folded` memories have become one of `level`, and `done` and `of` are 0.
    """

    chat_id: str
    title: str
    number: int = 0
    done: int = 0
    of: int = 0
    folded: int = 0
    level: int = 1

    @property
    def folding(self) -> str:
        """Return a phrase on what was folded into which memory; empty for a chunk's memory."""
        name = name_in_chat(self.level, self.number)
        return f"{self.folded} memories folded into {name}" if self.folded else ""


@dataclass(frozen=True, slots=True)
class BatchSent:
    """Requests were sent together as a batch, whose end is waited for."""

    requests: int
    since: str


@dataclass(frozen=True, slots=True)
class ChatIs:
    """The outcome of a chat, or of a file in which no chat could be read."""

    chat_id: str
    """Empty for a file, and for a chat without an id."""
    title: str
    """The chat's, or the file's name."""
    kind: OutcomeKind
    detail: str = ""
    """Why it is unchanged or skipped; for a written one, why its memories take too much room."""
    next_step: str = ""
    path: str = ""
    """The updated export made from this state of the chat; empty where there is none."""
    later: bool = False
    """Whether the trouble may pass by itself: a disk was full, or a provider out of reach."""
    retry_after: float | None = None
    """Seconds that an unreachable provider asks to wait, 0 if it names none; else None."""
    arrival: int = 0
    file: str = ""
    """The name of the dropped file that the chat came in."""
    tokens_before: int = 0
    tokens_after: int = 0
    memories: int = 0
    extracted: int = 0
    """How many of the memories were extracted, not written by a model."""
    is_kept: bool = False
    """Whether the export replaced an earlier version, which is kept."""
    when: str = ""
    """When the event was stored; empty before that."""


@dataclass(frozen=True, slots=True)
class Alive:
    """A sign of life before a call or a pause, during which silence may last for `seconds`.

    While calls are under way it is posted repeatedly, with 0.
    """

    seconds: float
    model: str = ""
    """The model that is being asked; empty where none is."""


@dataclass(frozen=True, slots=True)
class RunDone:
    """All files were processed, or a timed job is done; without this event, it was cut off."""

    job: str = ""
    error: str = ""
    """What the job found wrong, or why it failed."""
    arrivals: tuple[int, ...] = ()
    """Rows of the dropped files that the job found worth another attempt."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What was read of memproc.toml, by the job that reads it (`inbox/watch_plan`)."""


@dataclass(frozen=True, slots=True)
class RunFailed:
    """A run or a timed job could not go on.

    blocked     until the person has done the next step, or until `until` (UTC)
    passing     the trouble may pass by itself
    busy        another memproc works with this archive
    mistake     an unforeseen fault
    """

    message: str
    next_step: str
    kind: Literal["blocked", "passing", "busy", "mistake"]
    until: str = ""


@dataclass(frozen=True, slots=True)
class DaemonIs:
    """The daemon has changed state.

    started     it watches the inbox `detail`
    stopped     it ends, as `detail` says
    watching    the inbox is watched by `mode`: `native`, `poll` or `none`; `detail` says why
    paused      it starts no work until `detail`; empty: until it is told to go on
    resumed     it goes on
    configured  memproc.toml was read again and applies; `detail` names keys that need a restart
    """

    state: Literal["started", "stopped", "watching", "paused", "resumed", "configured"]
    detail: str = ""
    mode: str = ""
    version: str = ""
    pid: int = 0


@dataclass(frozen=True, slots=True)
class FileIs:
    """A file of the inbox has changed state."""

    arrival: int
    file: str
    """The file's name, without its folder."""
    state: str
    reason: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something else went wrong with `what`: the settings, the archive, a child process."""

    what: str
    reason: str
    next_step: str = ""


Event = (
    Planned | Note | UserEdits | ModelAnswered | TriesAgain | MemoryMade | BatchSent | ChatIs
    | Alive | RunDone | RunFailed | DaemonIs | FileIs | Trouble
)  # fmt: skip
KINDS: Mapping[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}
Tell = Callable[[Event], None]


class NoEvent(ValueError):
    """A line is no event of ours. The error does not quote it, since it may hold anything."""


def ignore_event(event: Event) -> None:
    """Do nothing with an event, for work whose progress is not shown."""


def format_event(event: Event, **more: object) -> str:
    """Return the event as a line of JSON in ASCII, so that lone surrogates survive."""
    return json.dumps({**more, "is": type(event).__name__, **asdict(event)}) + "\n"


def parse_event(line: str | bytes) -> tuple[Event, dict[str, Any]]:
    """Return the event in a line, and the fields that `format_event` added. Raises NoEvent."""
    try:
        entry = json.loads(line)
        kind: Any = KINDS[entry.pop("is")]
        names = {event_field.name for event_field in fields(kind)}
        values = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in entry.items()
            if name in names
        }
        event: Event = kind(**values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise NoEvent from fault
    return event, {name: value for name, value in entry.items() if name not in names}


def describe_plan(plan: "ChatPlan", asks_models: bool, limited: str) -> Planned:
    """Return the event with which the work on a chat begins; calls are counted if `asks_models`."""
    clauses = []
    if plan.chunks:
        become = counted(len(plan.chunks), "chunk becomes a memory", "chunks become memories")
        tokens = sum(chunk.tokens for chunk in plan.chunks)
        clauses.append(f"{become}: {tokens:,} tokens")
    if plan.again:
        clauses.append(f"{counted(len(plan.again), 'memory is', 'memories are')} written again")
    if plan.hindsight:
        clauses.append(f"{len(plan.hindsight)} get a hindsight edition")
    layers = plan.layers.core + plan.layers.facts
    if after := {chunk.number for chunk in layers}:
        clauses.append(f"core memory and facts are updated after {len(after)} of them")
    work, ending = ", ".join(clauses), ""
    calls = plan.calls if asks_models else 0
    if asks_models:
        ending = counted(calls, "call")
    elif not work:
        ending = "older memories become one" if plan.folds else "no model is asked"
    words = "; ".join(filter(None, (work, ending)))
    return Planned(plan.chat_id, plan.title, len(plan.work), calls, words, plan.warnings, limited)
