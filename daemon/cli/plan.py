"""Show what a run would do with each chat, who is asked, and what it costs: `memproc plan`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from daemon.archive.chats import is_known
from daemon.archive.journal import spent
from daemon.chat.finish import is_in_place
from daemon.chat.outcome import Skipped
from daemon.chat.rest import AtRest
from daemon.chat.survey import Survey
from daemon.cli.printing import sign_of_life
from daemon.cli.settings import Settings, other_files, pass_settings, paths_argument, wanted_exports
from daemon.config.keys import as_if_kept
from daemon.config.loading import core_layout, load_texts
from daemon.config.settings import SAMPLE
from daemon.files.clock import at, now, periods
from daemon.files.read import Export
from daemon.models.ask import caps_now
from daemon.models.context import Context, context_to_read
from daemon.models.prices import PlanCost, no_work, plan_cost
from daemon.models.roles import CHAT, who
from daemon.models.splitting import splitter
from daemon.remember.endings import ending_chat
from daemon.reports.plan import PlannedRow, plan_report
from daemon.trip import chats_of, go_round, look, ready_without_calls, refuse_too_large
from rules.errors import MemprocError
from rules.money.estimate import CostEstimate
from rules.money.price import Amounts
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.typingmind.chat import Chat
from rules.wording import counted

_WITHOUT_CALL = "A run writes its updated export, without a call: what it should say has changed."

_SAMPLE_TAIL = (
    "The sample is short: {live:,} of its tokens stay word for word; of your chats {usual:,} do."
)
_SAMPLE_ALONE = (
    "The built-in engine writes for the sample conversation alone, so that it costs nothing; every "
    "other chat has {agent}"
)


def planned_rows(settings: Settings, exports: Sequence[Path]) -> list[PlannedRow]:
    """Return the plan of each chat of these exports, or why it has none. Sends and writes nothing.

    Mistakes in texts, sections or bounds are raised first, so that they are not told for each chat.
    """
    config, folders = settings.config, settings.folders
    with settings.archive() as archive:
        context = context_to_read(config, folders, archive)
        with sign_of_life(f"Reading {counted(len(exports), 'export')}"):
            load_texts(config.texts.path)
            core_layout(config.core)
            splitter(config.chunk.bounds)
            return [
                row if isinstance(row, PlannedRow) else PlannedRow(path.name, row)
                for path in exports
                for row in go_round(context, path, _plan_export)
            ]


def caps_and_spent(settings: Settings) -> tuple[Amounts, Amounts]:
    """Return the caps, and what is spent; a new run has not spent anything of its own cap."""
    when = now()
    with settings.archive() as archive:
        caps = caps_now(archive, settings.config.budget, when)
        return caps, spent(archive, "", periods(at(when)))


def _plan_export(context: Context, export: Export) -> Iterator[PlannedRow | Skipped]:
    """Plan each chat; if the archive knows it, note if its model ends soon."""
    archive, config = context.archive, context.config

    def plan_chat(chat: Chat) -> Iterator[PlannedRow]:
        row = _row(context, export, chat)
        if isinstance(row.outcome, ChatPlan) and is_known(archive, chat.chat_id):
            with suppress(MemprocError):  # the plan itself could be made, and says what is wrong
                ending = ending_chat(archive, chat.chat_id, config, context.key, context.clock())
                row = replace(row, ending=ending)
        yield row

    return chats_of(context, export, plan_chat)


def _row(context: Context, export: Export, chat: Chat) -> PlannedRow:
    """Survey a chat as a run does, and return its plan, or why it has none."""
    file = export.path.name
    looked = look(context, export, chat)
    if isinstance(looked, AtRest):
        money = no_work(context.archive, looked.who.agent, context.clock())
        return PlannedRow(file, looked.plan, looked.who, money, is_ready=bool(looked.path))
    if isinstance(looked, Unchanged):
        return PlannedRow(file, Unchanged(looked.chat_id, looked.title, looked.reason))
    refuse_too_large(looked)
    plan, ready = looked.plan, ready_without_calls(context, looked)
    is_anew = ready is not None and not is_in_place(context, ready)
    if is_anew:
        plan = replace(plan, reason=f"{plan.reason} {_WITHOUT_CALL}")
    plan = replace(plan, warnings=(*plan.warnings, *_about_sample(context, looked)))
    return PlannedRow(
        file,
        plan,
        who(looked.roles),
        _cost(context, looked),
        is_ready=ready is not None,
        is_anew=is_anew,
        with_key=_cost_with_key(context, export, looked),
    )


def _cost_with_key(context: Context, export: Export, survey: Survey) -> CostEstimate | None:
    """Return the cost if the key that is lacking were there; None where it is not known."""
    if survey.plan.calls and survey.roles.lacks_key:
        with suppress(MemprocError):
            as_if = look(replace(context, key=as_if_kept(context.key, [])), export, survey.chat)
            if isinstance(as_if, Survey):
                return _cost(context, as_if).cost
    return None


def _about_sample(context: Context, survey: Survey) -> Iterator[str]:
    """Yield sentences on how the sample conversation differs from the person's own chats."""
    if survey.plan.chat_id != SAMPLE.chat:
        return
    agent, live = context.config.models.agent, survey.config.tail.tokens
    if agent not in (CHAT, survey.roles.agent.name):
        yield _SAMPLE_ALONE.format(agent=agent)
    if live < (usual := context.config.tail.tokens):
        yield _SAMPLE_TAIL.format(live=live, usual=usual)


def _cost(context: Context, survey: Survey) -> PlanCost:
    """Return the cost of the work on a surveyed chat, if it begins now."""
    now = context.clock()
    return plan_cost(context.archive, survey.plan, survey.roles, survey.config, now)


@click.command
@paths_argument
@pass_settings
def plan_command(settings: Settings, paths: tuple[Path, ...]) -> int:
    """Show what `run` would do with the exports in the inbox, or those named.

    Sends and writes nothing. In the table, New is the memories to be made, by that many Calls.
    Waiting are the tokens that have left the live tail and are too few for a memory yet; Live are
    the newest, which stay word for word.
    """
    rows = planned_rows(settings, wanted_exports(settings, paths))
    rows += [PlannedRow(path.name, other) for path, other in other_files(settings, paths)]
    report = plan_report(rows, *caps_and_spent(settings))
    if not rows:
        where = ", ".join(str(path.absolute()) for path in paths) or str(settings.folders.inbox)
        report = replace(report, notes=(f"Nothing to plan: there are no chats in {where}.",))
    settings.say_what_counts(paths)
    settings.show(report)
    has_skipped = any(isinstance(row.outcome, Skipped) for row in rows)
    return 1 if has_skipped else 0
