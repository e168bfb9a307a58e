"""Progress for a person: a bar on a terminal, plain lines elsewhere, and a sentence for every outcome."""

from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from daemon.house import Event, Planned, Written
from daemon.round import Outcome, SetAside
from rules.plan.chat_plan import LeftAlone


class Progress:
    """Tells what a round does, for as long as it goes on."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._console = Console(soft_wrap=True, highlight=False)
        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("memories"),
            TimeElapsedColumn(), TimeRemainingColumn(), console=self._console, transient=True,
            disable=quiet or not self._console.is_terminal,
        )  # fmt: skip
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def tell(self, event: Event) -> None:
        """Show how far the work on a chat is."""
        plan = event.plan
        if isinstance(event, Planned):
            self._tasks[plan.chat_id] = self._bars.add_task(plan.title, total=len(plan.chunks))
            tokens = sum(chunk.tokens for chunk in plan.chunks)
            self._line(
                f"{plan.title}: {len(plan.chunks)} chunks become memories: {tokens:,} tokens, {plan.calls} calls"
            )
            for warning in plan.warnings:
                self._line(f"{plan.title}: note: {warning}")
            return
        self._bars.update(self._tasks[plan.chat_id], completed=event.done)
        if not self._console.is_terminal:
            self._line(f"{plan.title}: memory {event.number}, {event.done} of {len(plan.chunks)}")

    def tell_outcome(self, outcome: Outcome) -> None:
        """Say what became of a chat or a file; what was set aside goes to the error output with its remedy."""
        if isinstance(outcome, SetAside):
            click.echo(f"{outcome.what}: set aside. {outcome.reason} {outcome.next_step}", err=True)
        elif isinstance(outcome, LeftAlone):
            self._line(f"{outcome.title}: left alone: {outcome.reason}")
        else:
            self._line(_written(outcome))

    def _line(self, text: str) -> None:
        if not self._quiet:
            self._console.print(text, markup=False)


def _written(outcome: Written) -> str:
    extracted = f", {outcome.extracted} of them extracted, not written by a model" if outcome.extracted else ""
    kept = f"; the version before is in {outcome.backup}" if outcome.backup else ""
    return (
        f"{outcome.plan.title}: {outcome.tokens_before:,} tokens are now {outcome.tokens_after:,}, "
        f"with {outcome.memories} memories{extracted}\n  {outcome.path}{kept}"
    )
