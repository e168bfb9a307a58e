"""Tell what the persona still knows: `memproc eval`."""

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

import click

from daemon.cli.printing import print_json
from daemon.cli.settings import Settings, json_option, pass_settings
from primer.models import ENGINE
from rules.errors import MemprocError
from rules.money.price import PICO, in_words
from rules.wording import counted

if TYPE_CHECKING:  # `memproc --help` loads none of it
    from daemon.evaluate.plan import EvaluationPlan
    from daemon.evaluate.subject import ArmName, EvaluatedChat
    from daemon.models.context import Context

_ASKED_ABOVE = PICO
"""One dollar, in picodollars."""
_AGAINST = ("tail", "full", "recall")
_FLOOR = (
    "This is a floor and no proof: no model was asked. Sentences of the person, with a number or a "
    "name left out, were looked for in the chat as it is now."
)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the person wants to know."""

    settings: Settings
    chat: str
    arms: "tuple[ArmName, ...]"
    again: bool
    as_json: bool

    def say(self, text: str) -> None:
        """Print a line, unless JSON is wanted."""
        if not self.as_json:
            self.settings.say(text)


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
    from daemon.models.context import context_to_read

    arms = cast("tuple[ArmName, ...]", ("memories", *dict.fromkeys(against)))
    wish = _Wish(settings, chat, arms, again, as_json)
    with settings.archive() as archive:
        context = context_to_read(settings.config, settings.folders, archive)
        subject = _find(context, chat)
        if history:
            _tell_history(wish, context, subject)
            return
        if free or subject.survey.roles.agent == ENGINE:
            _tell_free(wish, context, subject)
            return
        plan = _plan(wish, context, subject)
    if not plan.arms:
        wish.say("All this was asked before, and the chat is as it was. To ask again: --again")
        _tell_asked(wish, 0.0)
        return
    wish.say(_price_sentence(plan))
    if yes or _is_agreed(wish, plan):
        _tell_asked(wish, _ask(wish))
    else:
        settings.say("Stopped. Nothing was sent.")


def _find(context: "Context", chat: str) -> "EvaluatedChat":
    from daemon.archive.chats import find_chat
    from daemon.evaluate.subject import find_subject

    return find_subject(context, find_chat(context.archive, chat).chat_id)


def _plan(wish: _Wish, context: "Context", subject: "EvaluatedChat") -> "EvaluationPlan":
    from daemon.evaluate.plan import plan_evaluation

    return plan_evaluation(context, subject, wish.arms, again=wish.again)


def _price_sentence(plan: "EvaluationPlan") -> str:
    asked = f"About {counted(plan.count, 'question')} in {counted(plan.calls, 'call')}"
    if plan.cost is None:
        return f"{asked}, at a price that is not known."
    how = ", in batches at half price" if plan.batched else ""
    likely, most = in_words(plan.cost.likely), in_words(plan.cost.at_most)
    return f"{asked}{how}: likely {likely}, and at most {most}."


def _is_agreed(wish: _Wish, plan: "EvaluationPlan") -> bool:
    is_dear = plan.cost is not None and plan.cost.at_most > _ASKED_ABOVE
    asks = not (wish.as_json or wish.settings.quiet) and sys.stdin.isatty() and sys.stdout.isatty()
    return click.confirm("Go on?", err=True) if is_dear and asks else True


def _ask(wish: _Wish) -> float:
    """Carry out the evaluation. Return the dollars that it has cost."""
    from daemon.cli.progress import Progress
    from daemon.evaluate.asking import ask_persona

    progress = Progress(quiet=wish.settings.quiet or wish.as_json)
    with progress.bars, wish.settings.context(progress.tell) as context:
        ask_persona(context, _plan(wish, context, _find(context, wish.chat)))
    for sentence in progress.tally.sentences():
        wish.say(sentence)
    return progress.tally.usd


def _tell_asked(wish: _Wish, usd: float) -> None:
    """Tell the newest report; `usd` is what it has cost just now, in dollars."""
    from daemon.cli.evaluation_text import print_report
    from daemon.evaluate.reporting import asked_report
    from daemon.models.context import context_to_read

    settings = wish.settings
    with settings.archive() as archive:
        subject = _find(context_to_read(settings.config, settings.folders, archive), wish.chat)
        report = asked_report(archive, subject)
    assert report is not None  # noqa: S101  it was asked just now, or before
    if wish.as_json:
        print_json({**asdict(report), "usd_now": usd})
    else:
        print_report(subject, report, usd)


def _tell_free(wish: _Wish, context: "Context", subject: "EvaluatedChat") -> None:
    """Tell the cloze report; as JSON with the newest asked one, and what asking costs."""
    from daemon.cli.evaluation_text import print_report
    from daemon.evaluate.reporting import asked_report, free_report, past_evaluations

    archive = context.archive
    report = free_report(archive, subject, wish.arms, context.clock())
    price = _price(wish, context, subject)
    if wish.as_json:
        asked = asked_report(archive, subject)
        past = [asdict(evaluation) for evaluation in past_evaluations(archive, subject)]
        more = {"asked": asked and asdict(asked), "past": past, "price": price}
        print_json(asdict(report) | more)
        return
    wish.say(_FLOOR)
    if "recall" in wish.arms:
        wish.say("A search is only asked of a model: recall is left out.")
    for notice in () if price else subject.survey.roles.notices:
        wish.say(notice)
    if price:
        wish.say(f"To ask the persona itself: memproc eval. {price}")
    print_report(subject, report)


def _price(wish: _Wish, context: "Context", subject: "EvaluatedChat") -> str:
    """Say what asking costs, or why it cannot be asked; "" where there is no model to ask."""
    if subject.survey.roles.agent == ENGINE:
        return ""
    try:
        plan = _plan(wish, context, subject)
    except MemprocError as fault:
        return str(fault)
    return _price_sentence(plan) if plan.arms else "All this was asked before."


def _tell_history(wish: _Wish, context: "Context", subject: "EvaluatedChat") -> None:
    from daemon.cli.evaluation_text import print_history
    from daemon.evaluate.reporting import past_evaluations

    past = past_evaluations(context.archive, subject)
    if wish.as_json:
        print_json([asdict(evaluation) for evaluation in past])
    else:
        print_history(past)
