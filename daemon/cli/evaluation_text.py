"""Print what an evaluation has found, in 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

import click

from daemon.cli.printing import in_width, moment, print_table
from daemon.evaluate.subject import EvaluatedChat
from daemon.status.printable import visible
from rules.conversation.memory_title import short_name
from rules.evaluate.report import Group, PastEvaluation, Report
from rules.evaluate.scoring import Score
from rules.wording import counted

_ARMS = {
    "memories": "the finished chat",
    "tail": "its live tail alone",
    "full": "the full conversation",
    "recall": "the finished chat, with recall",
}
_MOST_MISSED = 10


def print_report(subject: EvaluatedChat, report: Report, usd: float = 0.0) -> None:
    """Print a report, in 80 columns."""
    click.echo("")
    for line in (*_head(report), ""):
        click.echo(in_width(visible(line)))
    arms = [
        (_ARMS[arm.name], *_cells(arm.known), _share(arm.made_up), _bounds(arm.made_up))
        for arm in report.arms
    ]
    print_table(
        ("In the context", "Known", "95 %", "Questions", "Made up", "95 %"),
        arms, right=(1, 2, 3, 4, 5), prose=(0,),
    )  # fmt: skip
    if unread := sum(arm.unread for arm in report.arms):
        click.echo(
            f"{counted(unread, 'answer')} had no letter that could be read, and count nowhere."
        )
    for title, groups in (("By age", report.groups.ages), ("By fold level", report.groups.levels)):
        _print_groups(title, groups)
    names = {memory.memory_id: _name(subject, memory.memory_id) for memory in subject.shown}
    _print_groups("By memory", report.groups.memories, names)
    for line in (*_missed_lines(subject, report), "", *_voice_lines(report), ""):
        click.echo(in_width(visible(line)))
    now = f"This evaluation cost ${usd:,.4f}; all" if usd else "All"
    click.echo(f"{now} evaluations of this chat together ${report.usd:,.4f}.")


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


def _print_groups(
    title: str, groups: Sequence[Group], names: Mapping[str, str] | None = None
) -> None:
    rows = [
        (
            (names or {}).get(group.name, group.name),
            *_cells(group.score),
            "fewer than by chance" if group.stands_out else "",
        )
        for group in groups
    ]
    click.echo("")
    headings = (title, "Known", "95 %", "Questions", "")
    print_table(headings, rows, right=(1, 2, 3), prose=(0,), drop=(4,))


def _cells(score: Score | None) -> tuple[str, str, str]:
    return _share(score), _bounds(score), f"{score.questions:,}" if score else "0"


def _share(score: Score | None) -> str:
    return f"{score.share:.0%}" if score else "-"


def _bounds(score: Score | None) -> str:
    return f"{score.low:.0%} to {score.high:.0%}" if score else "-"


def _name(subject: EvaluatedChat, memory_id: str) -> str:
    everything = subject.survey.reading.memories
    memory = next(memory for memory in everything if memory.memory_id == memory_id)
    return short_name(memory)


def _missed_lines(subject: EvaluatedChat, report: Report) -> Iterator[str]:
    """Yield the questions that were missed, each with the memory that should have known."""
    if not report.missed:
        return
    yield ""
    yield f"Missed: {counted(len(report.missed), 'question')}"
    for missed in report.missed[:_MOST_MISSED]:
        name = _name(subject, missed.memory)
        yield f"  {missed.question} ({missed.answer}; memory {name})"
    if len(report.missed) > _MOST_MISSED:
        yield f"  and {len(report.missed) - _MOST_MISSED} more: --json has all"
    if report.form == "asked":
        first = _name(subject, report.missed[0].memory)
        yield f"To have a memory written again with them: memproc retry {report.chat_id} {first} --missed"


def _voice_lines(report: Report) -> Iterator[str]:
    voice = report.voice
    if voice.why_not:
        yield f"Voice: not told, since {voice.why_not}."
        return
    yield "Distance from the persona's own voice (Burrows' Delta; smaller is nearer):"
    for name, distance in sorted(voice.distances.items(), key=lambda item: item[1]):
        yield f"  {distance:.2f}  {name}"


def print_history(past: Sequence[PastEvaluation]) -> None:
    """Print a line for each evaluation, oldest first."""
    rows = [
        (
            str(evaluation.evaluation),
            moment(evaluation.at)[:16],
            f"{evaluation.memories:,}",
            *_cells(evaluation.arm.known),
            _share(evaluation.arm.made_up),
            evaluation.model,
        )
        for evaluation in past
    ]
    if not rows:
        click.echo("It was never evaluated. To do it: memproc eval CHAT")
        return
    headings = ("No.", "Asked", "Memories", "Known", "95 %", "Questions", "Made up", "Model")
    print_table(headings, rows, right=(0, 2, 3, 4, 5, 6), prose=(), drop=(7, 5))
