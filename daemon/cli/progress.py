"""Show a run on the terminal while it goes on, and its counts at the end."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from daemon import events
from daemon.archive.chats import KnownChat
from daemon.archive.progress import FileProgress, gone_on, seconds_left
from daemon.cli.printing import in_width, print_error
from daemon.files.clock import about, in_full, now
from daemon.status.printable import in_one_line, visible
from daemon.status.sentences import outcome_in_words, progress_line
from rules.wording import about_it, as_sentence, counted, cut_title

if TYPE_CHECKING:
    from rich.progress import TaskID
    from rich.text import Text

_ABOUT_A_CHAT = events.Planned | events.MemoryMade | events.UserEdits | events.ChatIs
_LEAST_BAR = 12  # columns
_LEAST_TITLE = 8
QUIET_SECONDS = 60.0
"""After so long without a line, one says how far the run is; a terminal has a bar instead."""


@dataclass(slots=True)
class Tally:
    """The counts of a run. Only calls that left the machine count."""

    calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    """Calls of unknown price."""
    noted: dict[str, int] = field(default_factory=dict)
    thinking: list[str] = field(default_factory=list)
    """Models that were asked, and think though nothing asks them to."""
    user_edits: list[events.UserEdits] = field(default_factory=list)

    def add(self, event: events.Event) -> None:
        """Count a fresh reply, a remedy for an unusable answer, or what was edited or missing."""
        match event:
            case events.ModelAnswered():
                self.calls += 1
                if event.thinks and event.model not in self.thinking:
                    self.thinking.append(event.model)
                self.tokens_in += event.tokens_in
                self.tokens_cached += event.tokens_cached
                self.tokens_cache_written += event.tokens_cache_written
                self.tokens_out += event.tokens_out
                if event.usd is None:
                    self.unpriced_calls += 1
                else:
                    self.usd += event.usd
            case events.UserEdits():
                self.user_edits.append(event)
            case events.Note(what, is_remedy=True):
                self.noted[what] = self.noted.get(what, 0) + 1

    def as_json(self) -> dict[str, object]:
        """Return the counts for programs."""
        return {**asdict(self), "usd": round(self.usd, 6)}

    def so_far(self) -> str:
        """Say calls, cached tokens and money in a few words; "" before the first call."""
        if not self.calls:
            return ""
        cache = f"cache {self.tokens_cached:,} read and {self.tokens_cache_written:,} written"
        return f"{counted(self.calls, 'call')}, {cache}, {self.money()}"

    def money(self) -> str:
        """Say the dollars so far, and how many calls have no known price; "free" where all were."""
        parts = [f"${self.usd:,.4f}"] if self.usd else []
        if self.unpriced_calls:
            parts.append(f"{counted(self.unpriced_calls, 'call')} of unknown price")
        return " and ".join(parts) or "free"

    def sentences(self) -> Iterator[str]:
        """Yield the report for the end of a run."""
        if self.calls:
            yield (
                f"{counted(self.calls, 'call')}: {self.tokens_in:,} tokens sent "
                f"({self.tokens_cached:,} read from the cache, "
                f"{self.tokens_cache_written:,} written to it), "
                f"{self.tokens_out:,} received, {self.money()}."
            )
        for edits in self.user_edits:
            yield edits.sentence_on(edits.title)
        if self.noted:
            remedies = [f"{what} {times:,}" for what, times in sorted(self.noted.items())]
            helped = ", ".join(remedies)
            yield f"Answers that could not be used at once, and what helped: {helped}."
        for model in self.thinking:
            yield (
                f"{model} thinks before it answers, and that is paid for: its answers have room "
                "for it now, memproc plan counts with it, and where that is known to help, it is "
                "told not to."
            )


class Progress:
    """Shows the events of a run, and counts them; `bars` move while they are entered.

    Skipped chats go to the error output. `answered` are notices that the person has answered
    already. `known` are the chats of the archive: those that share a title are told with their ids.
    """

    def __init__(
        self,
        *,
        quiet: bool,
        answered: frozenset[str] = frozenset(),
        known: Sequence[KnownChat] = (),
    ) -> None:
        # Loaded here: the daemon's child shows nothing.
        from rich.console import Console
        from rich.progress import BarColumn, RenderableColumn
        from rich.progress import Progress as Bars
        from rich.table import Column

        self.tally = Tally()
        self._quiet = quiet
        self._answered = {_in_words(events.Note(notice)) for notice in answered}
        self._console = Console(soft_wrap=True, highlight=False)
        text = RenderableColumn(self, table_column=Column(no_wrap=True))
        bar = BarColumn(bar_width=None, table_column=Column(ratio=1))
        is_hidden = quiet or not self._console.is_terminal
        self.bars = Bars(
            text,
            bar,
            console=self._console,
            expand=True,
            transient=True,
            disable=is_hidden,
        )
        self._task: TaskID | None = None
        self._by_title: dict[str, list[str]] = {}
        """The ids of the chats of each title."""
        self._told: set[str] = set()
        """Titles that were shown without an id."""
        for chat in known:
            self._by_title.setdefault(chat.title, []).append(chat.chat_id)
        self._chat = FileProgress()
        self._printed = monotonic()

    def tell(self, event: events.Event) -> None:
        """Show and count an event."""
        if isinstance(event, _ABOUT_A_CHAT) and event.chat_id:
            event = replace(event, title=self._told_apart(event.chat_id, event.title))
        self._chat = gone_on(self._chat, event, now())
        self.tally.add(event)
        match event:
            case events.Planned():
                self._begin_chat(event)
            case events.MemoryMade(folded=0):
                self._move_on(event)
            case events.ChatIs(kind="skipped"):
                self._end_bar()
                reason = as_sentence(about_it(event.detail, event.title))
                print_error(f"{event.title}: skipped. {reason} {event.next_step}")
            case events.ChatIs():
                self._end_bar()
                self._line(_in_words(event))
            case _:
                self._line(_in_words(event))
        if not self._console.is_terminal and monotonic() - self._printed >= QUIET_SECONDS:
            self._line(progress_line(self._chat, now()))

    def _begin_chat(self, event: events.Planned) -> None:
        """Show what is planned for a chat, and a bar for its memories."""
        self._end_bar()
        self._task = self.bars.add_task("", total=event.chunks or None)
        lines = [f"{event.title}: {event.words}"]
        for warning in (*filter(None, [event.limited]), *event.warnings):
            lines.append(f"{event.title}: note: {warning}")
        self._line("\n".join(lines))

    def _told_apart(self, chat_id: str, title: str) -> str:
        """Return the title as it is shown, with the id if another chat has the same title."""
        ids = self._by_title.setdefault(title, [])
        if chat_id not in ids:
            ids.append(chat_id)
        if len(ids) == 1:
            self._told.add(title)
            return cut_title(title)
        if title in self._told:
            self._told.remove(title)
            self._line(f'note: "{cut_title(title)}" above is the chat {ids[0]}.')
        return f"{cut_title(title)} ({chat_id})"

    def _end_bar(self) -> None:
        """Remove the bar at once: what is printed next goes in its place."""
        if self._task is not None:
            self.bars.remove_task(self._task)
            self.bars.refresh()
            self._task = None

    def _move_on(self, event: events.MemoryMade) -> None:
        """Move the bar on, or print a line with an estimate of the time left."""
        if self._task is not None:
            self.bars.update(self._task, completed=event.done)
        if self._console.is_terminal:
            return
        parts = [f"{event.title}: memory {event.number}, {event.done} of {event.of}"]
        if so_far := self.tally.so_far():
            parts.append(so_far)
        seconds = seconds_left(self._chat, now())
        if seconds is not None and event.done < event.of:
            parts.append(f"{about(seconds)} left")
        self._line("; ".join(parts))

    def __rich__(self) -> "Text":
        """Return the bar's text; a long title leaves room for count and time."""
        from rich.text import Text

        title, when = Text(in_one_line(self._chat.title)), now()
        room = self._console.width - len(progress_line(self._chat, when, "-")) - _LEAST_BAR
        title.truncate(max(room, _LEAST_TITLE), overflow="ellipsis")
        return Text(progress_line(self._chat, when, title.plain), no_wrap=True)

    def _line(self, text: str) -> None:
        """Print a line above the bar, unless it says nothing, or what was answered already."""
        if text and not self._quiet and text not in self._answered:
            self._printed = monotonic()
            self._console.print(in_width(visible(text)), markup=False)


def _in_words(event: events.Event) -> str:
    """Word an event that is not counted; "" where only programs are told."""
    match event:
        case events.Note(text, is_remedy=False):
            return f"note: {text}"
        case events.TriesAgain():
            return event.sentence
        case events.ChatIs(title=title, kind="unchanged"):
            where = f" ({event.file})" if event.file else ""
            return (
                f"{title}: unchanged: {outcome_in_words(event)}{where} {event.next_step}".rstrip()
            )
        case events.ChatIs(title=title, path=path):
            return f"{title}: {outcome_in_words(event)}\n  {path}"
        case events.MemoryMade(title=title, folded=folded):
            return f"{title}: {folded} memories folded into {event.fold}"
        case events.BatchSent(requests, since):
            return (
                f"waiting for a batch ({requests:,} requests, since {in_full(since)}), "
                "which takes minutes, or up to a day; "
                "interrupted, memproc goes on with it the next time"
            )
        case _:
            return ""
