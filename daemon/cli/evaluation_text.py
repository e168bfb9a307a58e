"""Print what an evaluation has found, in 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

import click

from daemon.cli.printing import in_width, moment, print_table
from daemon.evaluate.subject import EvaluatedChat
from daemon.status.printable import visible
from rules.conversation.memory_title import short_name
from rules.evaluate.report import CONTEXTS, PastEvaluation, Report, Row
from rules.evaluate.scoring import Score
from rules.wording import counted

_MOST_MISSED = 10
_KNOWN, _MADE_UP = ("Known", "95 %", "Asked"), ("Made up", "95 %", "Asked")


def print_report(subject: EvaluatedChat, report: Report, usd: float = 0.0) -> None:
    """Print a report; `usd` is what it has cost just now, in dollars."""
    everything = subject.survey.reading.memories
    names = {memory.memory_id: short_name(memory) for memory in everything}
    _print_lines("", *_head(report), "")
    _print_rows("In the context", report.arms, CONTEXTS)
    _print_lines(*_unread_lines(report), *_tail_lines(report), "")
    _print_rows("By age", report.groups.ages)
    click.echo("")
    _print_rows("By fold level", report.groups.levels)
    click.echo("")
    _print_rows("By memory", report.groups.memories, names)
    _print_lines(*_missed_lines(report, names), "", *_voice_lines(report), "")
    now = f"This evaluation cost ${usd:,.4f}; all" if usd else "All"
    click.echo(f"{now} evaluations of this chat together ${report.usd:,.4f}.")


def _print_lines(*lines: str) -> None:
    for line in lines:
        click.echo(in_width(visible(line)))


def _head(report: Report) -> Iterator[str]:
    if report.form == "cloze":
        yield f"{report.title}: {counted(report.memories, 'memory', 'memories')}, now"
        return
    times = f", {report.replicates} times" if report.replicates > 1 else ""
    yield (
        f"{report.title}: evaluation {report.evaluation}{times}, {moment(report.at)}, "
        f"{counted(report.memories, 'memory', 'memories')}, asked of {report.model}"
    )
    if not report.is_present:
        yield "The chat, its memories or their settings have changed since: memproc eval asks again."


def _print_rows(title: str, rows: Sequence[Row], names: Mapping[str, str] | None = None) -> None:
    """Print rows under a title; what was made up only where that was asked."""
    headings = [title, *_KNOWN]
    cells = [[(names or {}).get(row.name, row.name), *_cells(row.known)] for row in rows]
    if any(row.made_up for row in rows):
        headings += _MADE_UP
        cells = [[*line, *_cells(row.made_up)] for line, row in zip(cells, rows, strict=True)]
    if any(row.stands_out for row in rows):
        headings.append("")
        flags = ["fewer than by chance" if row.stands_out else "" for row in rows]
        cells = [[*line, flag] for line, flag in zip(cells, flags, strict=True)]
    print_table(headings, cells, right=(1, 2, 3, 4, 5, 6), prose=(0,))


def _cells(score: Score | None) -> tuple[str, str, str]:
    if score is None:
        return "-", "-", "0"
    bounds = f"{100 * score.low:.0f} to {score.high:.0%}"
    return f"{score.share:.0%}", bounds, f"{score.questions:,}"


def _unread_lines(report: Report) -> Iterator[str]:
    if unread := sum(row.unread for row in report.arms):
        yield f"{counted(unread, 'answer')} had no letter that could be read, and count nowhere."


def _tail_lines(report: Report) -> Iterator[str]:
    """Yield how much of the live tail the chat has, which is compared and not asked."""
    messages, lacking = report.tail.messages, len(report.tail.lacking)
    if not lacking:
        yield f"The live tail has {counted(messages, 'message')}, and none is missing."
        return
    yield (
        f"The live tail lacks {lacking:,} of its {counted(messages, 'message')}, which you have not "
        f"deleted: they are in the archive alone. To have them: memproc expand {report.chat_id}"
    )


def _missed_lines(report: Report, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the questions that were missed, each with the memory that should have known."""
    if not report.missed:
        return
    yield ""
    yield f"Missed: {counted(len(report.missed), 'question')}"
    for missed in report.missed[:_MOST_MISSED]:
        yield f"  {missed.question} (memory {names[missed.memory]}: {missed.answer})"
    if len(report.missed) > _MOST_MISSED:
        yield f"  and {len(report.missed) - _MOST_MISSED} more: --json has all"
    if report.form == "asked":
        first = names[report.missed[0].memory]
        yield f"To have a memory written again with them: memproc retry {report.chat_id} {first} --missed"


def _voice_lines(report: Report) -> Iterator[str]:
    voice = report.voice
    if voice.why_not:
        yield f"Voice: not told, since {voice.why_not}."
        return
    yield "Distance from the persona's own voice (Burrows' Delta; smaller is nearer):"
    for name, distance in sorted(voice.distances.items(), key=lambda item: item[1]):
        yield f"  {distance:.2f}  {name}"


def print_history(chat_id: str, past: Sequence[PastEvaluation]) -> None:
    """Print a line for each evaluation of a chat, oldest first."""
    rows = [
        (
            str(evaluation.evaluation),
            moment(evaluation.at)[:10],
            f"{evaluation.memories:,}",
            *_cells(evaluation.row.known),
            *_cells(evaluation.row.made_up),
            evaluation.model,
        )
        for evaluation in past
    ]
    if not rows:
        click.echo(f"It was never evaluated. To do it: memproc eval {chat_id}")
        return
    headings = ("No.", "Day", "Memories", *_KNOWN, *_MADE_UP, "Model")
    print_table(headings, rows, right=(0, 2, 3, 4, 5, 6, 7, 8), prose=(), drop=(9,))
