"""Print what an evaluation has found, in 80 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from daemon.cli.printing import in_width, moment, print_table
from daemon.evaluate.subject import EvaluatedChat
from daemon.status.printable import visible
from rules.conversation.memory_title import short_name
from rules.evaluate.report import CONTEXTS, PastEvaluation, Report, Row
from rules.evaluate.scoring import Score
from rules.wording import counted, cut_title

_MOST_MISSED = 10
_KNOWN = ("Known", "95 %", "Asked")
_MADE_UP = ("Made up", "95 %", "Asked")
_SAME_NAMES: Mapping[str, str] = {}


def print_report(subject: EvaluatedChat, report: Report, usd: float = 0.0) -> None:
    """Print a report; `usd` is what it has cost just now, in dollars."""
    everything = subject.survey.reading.memories
    names = {memory.memory_id: short_name(memory) for memory in everything}
    click.echo("")
    _print_lines(_head(report))
    click.echo("")
    _print_rows("In the context", report.arms, CONTEXTS)
    _print_lines(_unread_lines(report))
    _print_lines(_tail_lines(report))
    click.echo("")
    _print_rows("By age", report.groups.ages)
    click.echo("")
    _print_rows("By fold level", report.groups.levels)
    click.echo("")
    _print_rows("By memory", report.groups.memories, names)
    _print_lines(_missed_lines(report, names))
    click.echo("")
    _print_lines(_voice_lines(report))
    click.echo("")
    now = f"This evaluation cost ${usd:,.4f}; all" if usd else "All"
    click.echo(f"{now} evaluations of this chat together ${report.usd:,.4f}.")


def _print_lines(lines: Iterable[str]) -> None:
    """Print lines in the width of the terminal, though `--quiet` was given."""
    for line in lines:
        click.echo(in_width(visible(line)))


def _head(report: Report) -> Iterator[str]:
    """Yield what was evaluated, when, and of whom it was asked."""
    memories = counted(report.memories, "memory", "memories")
    if report.form == "cloze":
        yield f"{cut_title(report.title)}: {memories}, now"
        return
    times = f", {report.replicates} times" if report.replicates > 1 else ""
    yield (
        f"{cut_title(report.title)}: evaluation {report.evaluation}{times}, {moment(report.at)}, "
        f"{memories}, asked of {report.model}"
    )
    if not report.is_present:
        yield "The chat, its memories or their settings have changed since: memproc eval asks again."


def _print_rows(title: str, rows: Sequence[Row], names: Mapping[str, str] = _SAME_NAMES) -> None:
    """Print rows under a title; what was made up only where that was asked."""
    has_made_up = any(row.made_up for row in rows)
    has_flags = any(row.stands_out for row in rows)
    headings = [title, *_KNOWN]
    if has_made_up:
        headings += _MADE_UP
    if has_flags:
        headings.append("")
    cells = []
    for row in rows:
        line = [names.get(row.name, row.name), *_cells(row.known)]
        if has_made_up:
            line += _cells(row.made_up)
        if has_flags:
            line.append("fewer than by chance" if row.stands_out else "")
        cells.append(line)
    print_table(headings, cells, right=(1, 2, 3, 4, 5, 6), prose=(0,))


def _cells(score: Score | None) -> tuple[str, str, str]:
    """Return a score as cells: its share, its interval of 95 %, and of how many questions."""
    if score is None:
        return "-", "-", "0"
    share = f"{score.share:.0%}"
    interval = f"{100 * score.low:.0f} to {score.high:.0%}"
    return share, interval, f"{score.questions:,}"


def _unread_lines(report: Report) -> Iterator[str]:
    """Yield how many answers could not be read, if there were any."""
    unread = sum(row.unread for row in report.arms)
    if unread:
        yield f"{counted(unread, 'answer')} had no letter that could be read, and count nowhere."


def _tail_lines(report: Report) -> Iterator[str]:
    """Yield how much of the live tail the chat has, which is compared and not asked."""
    messages = counted(report.tail.messages, "message")
    lacking = len(report.tail.lacking)
    if not lacking:
        yield f"The live tail has {messages}, and none is missing."
        return
    yield (
        f"The live tail lacks {lacking:,} of its {messages}, which you have not "
        f"deleted: they are in the archive alone. To have them: memproc expand {report.chat_id}"
    )


def _missed_lines(report: Report, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the questions that were missed, each with the memory that should have known."""
    missed = report.missed
    if not missed:
        return
    yield ""
    yield f"Missed: {counted(len(missed), 'question')}"
    for question in missed[:_MOST_MISSED]:
        memory = names[question.memory]
        yield f"  {question.question} (memory {memory}: {question.answer})"
    more = len(missed) - _MOST_MISSED
    if more > 0:
        yield f"  and {more} more: --json has all"
    if report.form == "asked":
        first = names[missed[0].memory]
        yield f"To have a memory written again with them: memproc retry {report.chat_id} {first} --missed"


def _voice_lines(report: Report) -> Iterator[str]:
    """Yield how near each text is to the persona's own voice, the nearest first."""
    voice = report.voice
    if voice.why_not:
        yield f"Voice: not told, since {voice.why_not}."
        return
    yield "Distance from the persona's own voice (Burrows' Delta; smaller is nearer):"
    nearest_first = sorted(voice.distances.items(), key=lambda item: item[1])
    for name, distance in nearest_first:
        yield f"  {distance:.2f}  {name}"


def print_history(chat_id: str, past: Sequence[PastEvaluation]) -> None:
    """Print a line for each evaluation of a chat, oldest first."""
    if not past:
        click.echo(f"It was never evaluated. To do it: memproc eval {chat_id}")
        return
    headings = ("No.", "Day", "Memories", *_KNOWN, *_MADE_UP, "Model")
    rows = [_history_row(evaluation) for evaluation in past]
    print_table(headings, rows, right=(0, 2, 3, 4, 5, 6, 7, 8), prose=(), drop=(9,))


def _history_row(evaluation: PastEvaluation) -> tuple[str, ...]:
    """Return the cells of an evaluation in the order of the headings."""
    return (
        str(evaluation.evaluation),
        moment(evaluation.at)[:10],
        f"{evaluation.memories:,}",
        *_cells(evaluation.row.known),
        *_cells(evaluation.row.made_up),
        evaluation.model,
    )
