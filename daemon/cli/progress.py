"""Show the progress of a run on the terminal, and its counts at the end."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from daemon import events
from daemon.archive.chats import KnownChat
from daemon.archive.progress import FileProgress, gone_on
from daemon.cli.printing import in_width, print_error
from daemon.files.clock import in_full, now
from daemon.status.printable import in_one_line, make_visible
from daemon.status.sentences import outcome_in_words, progress_line
from rules.wording import about_it, as_sentence, counted, cut_title, with_file

if TYPE_CHECKING:
    from rich.console import RenderableType

_ABOUT_A_CHAT = events.Planned | events.MemoryMade | events.UserEdits | events.ChatIs
_LEAST_BAR = 12  # columns
_LEAST_TITLE = 8
QUIET_SECONDS = 60.0
"""After this time without a line, one says how far the run is; a terminal has a bar instead."""


@dataclass(slots=True)
class Tally:
    """The counts of a run. Only calls that left the machine are counted."""

    calls: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_cache_written: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    """The number of calls whose price is not known."""
    noted: dict[str, int] = field(default_factory=dict)
    thinking: list[str] = field(default_factory=list)
    """Models that think without being asked to."""
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

    def sentences(self) -> Iterator[str]:
        """Yield the sentences for the end of a run."""
        if self.calls:
            costs = [f"${self.usd:,.4f}"] if self.usd else []
            if self.unpriced_calls:
                costs.append(f"{counted(self.unpriced_calls, 'call')} of unknown price")
            yield (
                f"{counted(self.calls, 'call')}: {self.tokens_in:,} tokens sent "
                f"({self.tokens_cached:,} read from the cache, "
                f"{self.tokens_cache_written:,} written to it), "
                f"{self.tokens_out:,} received, {' and '.join(costs) or 'free'}."
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
    """Shows the events of a run, and counts them; the context manager `bar` shows their progress.

    Skipped chats go to standard error. `answered` are notices that the person has answered already.
    `known` are the chats of the archive: those that share a title are shown with their ids.
    """

    def __init__(
        self,
        *,
        quiet: bool,
        answered: frozenset[str] = frozenset(),
        known: Sequence[KnownChat] = (),
    ) -> None:
        # Imported late: the daemon's child shows nothing.
        from rich.console import Console
        from rich.live import Live

        self.tally = Tally()
        self._answered = answered
        self._chat = FileProgress()
        self._console = Console(soft_wrap=True, highlight=False, quiet=quiet)
        self._has_bar = self._console.is_terminal and not quiet
        self.bar: AbstractContextManager[object] = nullcontext()
        if self._has_bar:
            self.bar = Live(
                get_renderable=self._bar,
                console=self._console,
                transient=True,
                refresh_per_second=10,
            )
        self._by_title: dict[str, list[str]] = {}
        """The ids of the chats with each title."""
        self._told: set[str] = set()
        """The titles that were shown without an id."""
        for chat in known:
            self._by_title.setdefault(chat.title, []).append(chat.chat_id)
        self._printed = monotonic()

    def tell(self, event: events.Event) -> None:
        """Show and count an event."""
        if isinstance(event, _ABOUT_A_CHAT) and event.chat_id:
            event = replace(event, title=self._told_apart(event.chat_id, event.title))
        self._chat = gone_on(self._chat, event, now())
        self.tally.add(event)
        if isinstance(event, events.ChatIs):
            self._chat = replace(self._chat, title="")  # hides its bar before the next line
        match event:
            case events.ChatIs(title=title, kind="skipped"):
                reason = as_sentence(about_it(event.detail, title))
                name = with_file(title, event.file)
                print_error(f"{name}: skipped. {reason} {event.next_step}")
            case events.Note(text) if text in self._answered:
                pass
            case _:
                self._line(_in_words(event))
        is_step = isinstance(event, events.MemoryMade) and not event.folded
        if not self._has_bar and (is_step or monotonic() - self._printed >= QUIET_SECONDS):
            self._line(progress_line(self._chat, now()))

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

    def _bar(self) -> "RenderableType":
        """Return the present chat's line, and its bar; a long title is cut to leave room."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Column, Table
        from rich.text import Text

        chat, when = self._chat, now()
        if not chat.title:
            return Group()
        title = Text(in_one_line(chat.title))
        room = self._console.width - len(progress_line(chat, when, "-")) - _LEAST_BAR
        title.truncate(max(room, _LEAST_TITLE), overflow="ellipsis")
        text = Text(progress_line(chat, when, title.plain), no_wrap=True)
        line = Table.grid(Column(no_wrap=True), Column(ratio=1), padding=(0, 1), expand=True)
        line.add_row(text, ProgressBar(total=chat.total or None, completed=chat.done))
        return line

    def _line(self, text: str) -> None:
        """Print a line above the bar, unless it is empty."""
        if text:
            self._printed = monotonic()
            self._console.print(in_width(make_visible(text)), markup=False)


def _in_words(event: events.Event) -> str:
    """Return an event in words; "" for events that are only counted, or only for programs."""
    match event:
        case events.Planned(title=title):
            warnings = (*filter(None, [event.limited]), *event.warnings)
            notes = [f"{title}: note: {warning}" for warning in warnings]
            return "\n".join([f"{title}: {event.words}", *notes])
        case events.Note(text, is_remedy=False):
            return f"note: {text}"
        case events.TriesAgain():
            return event.sentence
        case events.ChatIs(title=title, kind="unchanged"):
            name = with_file(title, event.file)
            return f"{name}: unchanged: {outcome_in_words(event)} {event.next_step}".rstrip()
        case events.ChatIs(title=title, path=path):
            return f"{title}: {outcome_in_words(event)}\n  {path}"
        case events.MemoryMade(title=title) if event.folding:
            return f"{title}: {event.folding}"
        case events.BatchSent(requests, since):
            return (
                f"waiting for a batch ({requests:,} requests, since {in_full(since)}), "
                "which takes minutes, or up to a day; "
                "interrupted, memproc goes on with it the next time"
            )
        case _:
            return ""
