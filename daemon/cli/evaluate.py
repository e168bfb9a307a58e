"""Tell what the persona still knows: `memproc eval`."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

import click

from daemon.archive.archive import Archive
from daemon.cli.plan import caps_and_spent
from daemon.cli.progress import Progress
from daemon.cli.settings import Settings, pass_settings
from daemon.evaluate.asking import ask_persona
from daemon.evaluate.cloze_report import free_report
from daemon.evaluate.plan import EvaluationPlan, plan_evaluation
from daemon.evaluate.reporting import asked_report, past_evaluations
from daemon.evaluate.subject import ArmName, EvaluatedChat, find_subject
from daemon.models.context import Context, context_to_read
from daemon.reports.evaluation import evaluation_report, history_report
from daemon.reports.report import Step
from primer.evaluation_questions import read_own
from rules.conversation.memory import memories_by_id
from rules.errors import ConfigurationError, MemprocError
from rules.evaluate.questions import EvalQuestion
from rules.money.price import ASKED_ABOVE, cost_in_words
from rules.wording import counted

_AGAINST = ("tail", "full", "recall")
_NO_RECALL = "A search is only asked of a model: recall is left out."
_ASKED_BEFORE = "All this was asked before, and the chat is as it was; `--again` asks it again."


@click.command
@click.argument("chat")
@click.option(
    "--against",
    multiple=True,
    type=click.Choice(_AGAINST),
    help="Ask the same with other contexts: the live tail alone, the full conversation, recall.",
)
@click.option(
    "--questions",
    "own",
    type=click.Path(exists=True, dir_okay=False),
    help="Ask your own questions, from a JSON file, in the place of a model's.",
)
@click.option("--again", is_flag=True, help="Ask once more, in another order: a replicate.")
@click.option("--history", is_flag=True, help="Show all evaluations of CHAT; asks nothing.")
@click.option(
    "--free", is_flag=True, help="Only the form that needs no key; say what asking costs."
)
@click.option("--yes", is_flag=True, help="Ask nothing before more than a dollar is spent.")
@pass_settings
def eval_command(
    settings: Settings,
    chat: str,
    against: tuple[str, ...],
    own: str | None,
    again: bool,
    history: bool,
    free: bool,
    yes: bool,
) -> None:
    """Ask the persona of CHAT what it still knows of what is under memories.

    It says first what that costs. Without a key it looks for the person's own sentences instead,
    which is free.
    """
    arms = cast("tuple[ArmName, ...]", ("memories", *dict.fromkeys(against)))
    with settings.archive() as archive:
        context, subject = _subject(settings, archive, chat)
        if history:
            evaluation = free_report(archive, subject, ("memories",), context.clock())
            settings.show(
                history_report(subject.chat_id, past_evaluations(archive, subject), evaluation)
            )
            return
        if free or not subject.survey.roles.has_agent:
            _tell_free(settings, context, subject, arms, again=again)
            return
        questions = _own_questions(subject, own)
        plan = plan_evaluation(context, subject, arms, again=again, own=questions)
    if _is_agreed(settings, plan, yes=yes):
        _ask(settings, plan, arms, again=again)


def _subject(settings: Settings, archive: Archive, chat: str) -> tuple[Context, EvaluatedChat]:
    """Return a read-only context, and the chat to be evaluated."""
    context = context_to_read(settings.config, settings.folders, archive)
    return context, find_subject(context, chat)


def _own_questions(subject: EvaluatedChat, path: str | None) -> Sequence[EvalQuestion]:
    """Read the person's own questions from a file, if one is named.

    Raises ConfigurationError where they cannot be asked.
    """
    if path is None:
        return ()
    try:
        text = Path(path).read_text("utf-8")
    except ValueError:
        text = ""
    read = read_own(text, subject.entries)
    if isinstance(read, tuple):
        return read
    which = f"Question {read} of {path}" if read else path
    raise ConfigurationError(
        f"{which} cannot be asked.",
        'The file is a JSON list; each entry has "question", "right", "wrong" with three others, '
        'and "passage": words of one message under a memory, copied character for character.',
    )


def _price_sentence(settings: Settings, plan: EvaluationPlan) -> str:
    """Return a sentence on how much is asked, and what that costs."""
    if not plan.arms:
        return _ASKED_BEFORE
    amount = f"About {counted(plan.count, 'question')} in {counted(plan.calls, 'call')}"
    if plan.cost is None:
        return f"{amount}, at a price that is not known."
    how = ", in batches at half price" if plan.batched else ""
    cost_words = cost_in_words(plan.cost.likely, plan.cost.at_most, *caps_and_spent(settings))
    return f"{amount}{how}: {cost_words}"


def _is_agreed(settings: Settings, plan: EvaluationPlan, *, yes: bool) -> bool:
    """Show the price; return whether the person agrees, asked only if it may pass a dollar."""
    settings.say(_price_sentence(settings, plan))
    is_dear = plan.cost is not None and plan.cost.at_most > ASKED_ABOVE
    asks = settings.can_ask and not settings.quiet
    if yes or not plan.arms or not (is_dear and asks) or click.confirm("Go on?", err=True):
        return True
    settings.say("Stopped. Nothing was sent.")
    return False


def _ask(
    settings: Settings,
    plan: EvaluationPlan,
    arms: Sequence[ArmName],
    *,
    again: bool,
) -> None:
    """Ask what was not asked before, and show the evaluation."""
    chat_id, usd = plan.subject.chat_id, 0.0
    if plan.arms:
        progress = Progress(quiet=settings.quiet or settings.for_programs)
        with progress.bar, settings.context(progress.tell) as context:
            ask_persona(context, chat_id, arms, again=again, own=plan.own)
        for sentence in progress.tally.sentences():
            settings.say(sentence)
        usd = progress.tally.usd
    with settings.archive() as archive:
        _, subject = _subject(settings, archive, chat_id)
        evaluation = asked_report(archive, subject, plan.number)
    assert evaluation is not None  # noqa: S101  it was asked just now, or before
    report = evaluation_report(evaluation, memories_by_id(subject.survey.reading.memories), usd)
    settings.show(replace(report, values={**asdict(evaluation), "usd_now": usd}))


def _tell_free(
    settings: Settings,
    context: Context,
    subject: EvaluatedChat,
    arms: Sequence[ArmName],
    *,
    again: bool,
) -> None:
    """Show the cloze report and the cost of asking; in JSON also the newest report of one asked."""
    archive, price, provider = context.archive, "", subject.survey.roles.lacks_key
    if subject.survey.roles.has_agent:
        try:
            price = _price_sentence(settings, plan_evaluation(context, subject, arms, again=again))
        except MemprocError as fault:
            price = str(fault)
    free_evaluation = free_report(archive, subject, arms, context.clock())
    asked, past = asked_report(archive, subject), past_evaluations(archive, subject)
    values = {
        **asdict(free_evaluation),
        "asked": asked and asdict(asked),
        "past": [asdict(evaluation) for evaluation in past],
        "price": price,
    }
    report = evaluation_report(free_evaluation, memories_by_id(subject.survey.reading.memories))
    notes = [_NO_RECALL] if "recall" in arms else []
    notes += report.notes
    step = None
    if price:
        notes.append(price)
        step = Step("To ask the persona itself", f"eval {subject.chat_id}")
    elif provider:
        step = Step("To ask the persona itself, memproc needs a key", f"key set {provider}")
    steps = (step,) if step else report.next
    settings.show(replace(report, notes=tuple(notes), next=steps, values=values))
