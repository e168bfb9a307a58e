"""Tell what the persona still knows: `memproc eval`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

import click

from daemon.cli.printing import in_width, moment, print_json, print_table
from daemon.cli.settings import Settings, json_option, pass_settings
from daemon.status.printable import visible
from rules.conversation.memory_title import short_name
from rules.money.price import PICO, in_words
from rules.wording import counted

if TYPE_CHECKING:
    from daemon.archive.archive import Archive
    from daemon.evaluate.plan import EvaluationPlan
    from daemon.evaluate.subject import ArmName, EvaluatedChat
    from daemon.models.context import Context
    from rules.evaluate.report import Group, PastEvaluation, Report
    from rules.evaluate.scoring import Score

_ASKED_ABOVE = PICO
"""One dollar, in picodollars."""
_AGAINST = ("tail", "full", "recall")
_ARMS = {
    "memories": "the finished chat",
    "tail": "its live tail alone",
    "full": "the full conversation",
    "recall": "the finished chat, with recall",
}
_FLOOR = (
    "This is a floor and no proof: no model was asked. Sentences of the person, with a number or a "
    "name left out, were looked for in the chat as it is now."
)
_MOST_MISSED = 10


@click.command
@click.argument("chat")
@click.option(
    "--against",
    multiple=True,
    type=click.Choice(_AGAINST),
    help="Ask the same with other contexts: the live tail alone, the full conversation, recall.",
)
@click.option("--again", is_flag=True, help="Ask once more, in another order: a replicate.")
@click.option("--history", is_flag=True, help="Show all evaluations of CHAT; asks nothing.")
@click.option(
    "--free", is_flag=True, help="Only the form that needs no key; say what asking costs."
)
@click.option("--yes", is_flag=True, help="Ask nothing before more than a dollar is spent.")
@json_option
@pass_settings
def eval_command(
    settings: Settings,
    chat: str,
    against: tuple[str, ...],
    again: bool,
    history: bool,
    free: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Ask the persona of CHAT what it still knows of what is under memories.

    It says first what that costs. Without a key it looks for the person's own sentences instead,
    which is free.
    """
    from daemon.evaluate.reporting import past_evaluations

    arms = cast("tuple[ArmName, ...]", ("memories", *dict.fromkeys(against)))
    with settings.archive() as archive:
        context = _reading(settings, archive)
        subject = _subject(context, chat)
        if history:
            _tell_history(past_evaluations(archive, subject), as_json=as_json)
            return
        plan = _plan(context, subject, arms, again=again)
        if plan is None or free:
            _tell_free(settings, context, subject, arms, plan, as_json=as_json)
            return
    asks = not (yes or as_json or settings.quiet)
    usd = _ask_if_due(settings, chat, arms, plan, again=again, asks=asks, as_json=as_json)
    if usd is not None:
        _tell_asked(settings, chat, usd, as_json=as_json)


def _ask_if_due(
    settings: Settings,
    chat: str,
    arms: Sequence["ArmName"],
    plan: "EvaluationPlan",
    *,
    again: bool,
    asks: bool,
    as_json: bool,
) -> float | None:
    """Say what the evaluation costs, and carry it out. Return the dollars, or None for a no."""
    if not plan.arms:
        if not as_json:
            settings.say("All this was asked before, and the chat is as it was. Again: --again")
        return 0.0
    if not as_json:
        settings.say(_price_sentence(plan))
    if not _is_agreed(plan, asks=asks):
        settings.say("Stopped. Nothing was sent.")
        return None
    return _ask(settings, chat, arms, again=again, as_json=as_json)


def _reading(settings: Settings, archive: "Archive") -> "Context":
    from daemon.models.context import context_to_read

    return context_to_read(settings.config, settings.folders, archive)


def _subject(context: "Context", chat: str) -> "EvaluatedChat":
    from daemon.archive.chats import find_chat
    from daemon.evaluate.subject import find_subject

    return find_subject(context, find_chat(context.archive, chat).chat_id)


def _plan(
    context: "Context", subject: "EvaluatedChat", arms: Sequence["ArmName"], *, again: bool
) -> "EvaluationPlan | None":
    """Plan the evaluation; None where no model can be asked."""
    from daemon.evaluate.plan import plan_evaluation
    from primer.models import ENGINE

    if subject.survey.roles.agent == ENGINE:
        return None
    return plan_evaluation(context, subject, arms, again=again)


def _price_sentence(plan: "EvaluationPlan") -> str:
    asked = f"About {counted(plan.count, 'question')} in {counted(plan.calls, 'call')}"
    if plan.cost is None:
        return f"{asked}, at a price that is not known."
    how = ", in batches at half price" if plan.batched else ""
    likely, most = in_words(plan.cost.likely), in_words(plan.cost.at_most)
    return f"{asked}{how}: likely {likely}, and at most {most}."


def _is_agreed(plan: "EvaluationPlan", *, asks: bool) -> bool:
    is_dear = plan.cost is not None and plan.cost.at_most > _ASKED_ABOVE
    if not (is_dear and asks and sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return click.confirm("Go on?", err=True)


def _ask(
    settings: Settings, chat: str, arms: Sequence["ArmName"], *, again: bool, as_json: bool
) -> float:
    """Carry out the evaluation. Return the dollars that it has cost."""
    from daemon.cli.progress import Progress
    from daemon.evaluate.asking import ask_persona

    progress = Progress(quiet=settings.quiet or as_json)
    with progress.bars, settings.context(progress.tell) as context:
        plan = _plan(context, _subject(context, chat), arms, again=again)
        if plan is not None:
            ask_persona(context, plan)
    for sentence in () if as_json else progress.tally.sentences():
        settings.say(sentence)
    return progress.tally.usd


def _tell_free(
    settings: Settings,
    context: "Context",
    subject: "EvaluatedChat",
    arms: Sequence["ArmName"],
    plan: "EvaluationPlan | None",
    *,
    as_json: bool,
) -> None:
    from daemon.evaluate.reporting import free_report

    report = free_report(context.archive, subject, arms, context.clock())
    if as_json:
        print_json(asdict(report))
        return
    settings.say(_FLOOR)
    if "recall" in arms:
        settings.say("A search is only asked of a model: recall is left out.")
    for notice in subject.survey.roles.notices if plan is None else ():
        settings.say(notice)
    if plan is not None and plan.arms:
        settings.say(f"To ask the persona itself: memproc eval. {_price_sentence(plan)}")
    _print_report(subject, report)


def _tell_asked(settings: Settings, chat: str, usd: float, *, as_json: bool) -> None:
    from daemon.evaluate.reporting import asked_report

    with settings.archive() as archive:
        subject = _subject(_reading(settings, archive), chat)
        report = asked_report(archive, subject)
    assert report is not None  # noqa: S101  it was asked just now, or before
    if as_json:
        print_json({**asdict(report), "usd_now": usd})
    else:
        _print_report(subject, report, usd)


def _print_report(subject: "EvaluatedChat", report: "Report", usd: float = 0.0) -> None:
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


def _head(report: "Report") -> Iterator[str]:
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
    title: str, groups: Sequence["Group"], names: "dict[str, str] | None" = None
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


def _cells(score: "Score | None") -> tuple[str, str, str]:
    return _share(score), _bounds(score), f"{score.questions:,}" if score else "0"


def _share(score: "Score | None") -> str:
    return f"{score.share:.0%}" if score else "-"


def _bounds(score: "Score | None") -> str:
    return f"{score.low:.0%} to {score.high:.0%}" if score else "-"


def _name(subject: "EvaluatedChat", memory_id: str) -> str:
    everything = subject.survey.reading.memories
    memory = next(memory for memory in everything if memory.memory_id == memory_id)
    return short_name(memory)


def _missed_lines(subject: "EvaluatedChat", report: "Report") -> Iterator[str]:
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


def _voice_lines(report: "Report") -> Iterator[str]:
    voice = report.voice
    if voice.why_not:
        yield f"Voice: not told, since {voice.why_not}."
        return
    yield "Distance from the persona's own voice (Burrows' Delta; smaller is nearer):"
    for name, distance in sorted(voice.distances.items(), key=lambda item: item[1]):
        yield f"  {distance:.2f}  {name}"


def _tell_history(past: Sequence["PastEvaluation"], *, as_json: bool) -> None:
    if as_json:
        print_json([asdict(evaluation) for evaluation in past])
        return
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
