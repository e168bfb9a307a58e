"""Show what a run would do, what it costs, and whether the caps allow it: `memproc plan`."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from daemon.chat.outcome import OUTCOME_KINDS, Skipped
from daemon.cli.plan_text import cost_of_all, print_plans
from daemon.cli.planned import PlannedRow, PlannedTotal, planned_rows, total_of
from daemon.cli.printing import print_json
from daemon.cli.settings import Settings, json_option, other_files, pass_settings, wanted_exports
from daemon.remember.endings import EndingChat
from rules.money.estimate import NO_COST, CostEstimate
from rules.money.price import Usage, cost_in_words, dollars, first_reached
from rules.plan.chat_plan import ChatPlan


@click.command
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@json_option
@pass_settings
def plan_command(settings: Settings, paths: tuple[Path, ...], as_json: bool) -> int:
    """Show what `run` would do with the exports in the inbox, or those named.

    Sends and writes nothing. In the table, New is the memories to be made, by that many Calls, which
    send that many tokens (To send). Waiting are the tokens that have left the live tail and are too
    few for a memory yet; Live are the newest, which stay word for word.
    """
    rows = planned_rows(settings, wanted_exports(settings, paths))
    rows += [PlannedRow(other.what, other) for _, other in other_files(settings, paths)]
    if as_json:
        print_json(plans_as_json(settings, rows))
    else:
        last = cost_of_all(total_of(settings, rows)) if rows else _nothing(settings, paths)
        settings.say_what_counts(paths)
        print_plans(rows, last)
    has_skipped = any(isinstance(row.outcome, Skipped) for row in rows)
    return 1 if has_skipped else 0


def _nothing(settings: Settings, paths: Sequence[Path]) -> str:
    """Say that there is nothing to plan, and where it was looked for."""
    where = ", ".join(map(str, paths)) or str(settings.folders.inbox)
    return f"Nothing to plan: there are no chats in {where}."


def plans_as_json(settings: Settings, rows: Sequence[PlannedRow]) -> dict[str, object]:
    """Return plans and what they cost together, for programs."""
    total = total_of(settings, rows)
    chats = [_as_json(row, total) for row in rows]
    return {"chats": chats, "totals": _totals_as_json(rows, total)}


def _totals_as_json(rows: Sequence[PlannedRow], total: PlannedTotal) -> dict[str, object]:
    """Return the sums over all plans, and the caps at which they pause, or None."""
    plans = [row.outcome for row in rows if isinstance(row.outcome, ChatPlan)]
    reached = partial(first_reached, total.caps, total.spent)
    likely, at_most = reached(total.cost.likely), reached(total.cost.at_most)
    unpriced = [row for row in rows if row.money and row.money.cost is None]
    return {
        "chats": len(plans),
        "chunks": sum(len(chat.chunks) for chat in plans),
        "calls": sum(chat.calls for chat in plans),
        **_money(total.traffic, total.cost, total),
        "unpriced_chats": len(unpriced),
        "pauses_at": {
            "likely": likely and likely.which,
            "at_most": at_most and at_most.which,
        },
    }


def _as_json(row: PlannedRow, total: PlannedTotal) -> dict[str, object]:
    """Return a row with what is known of it, and no keys for the rest."""
    plan, money = row.outcome, row.money
    kind = "plan" if isinstance(plan, ChatPlan) else OUTCOME_KINDS[type(plan)]
    report: dict[str, object] = {"file": row.file, "outcome": kind, **asdict(plan)}
    if isinstance(plan, ChatPlan):
        report["calls"] = plan.calls
        report["ready"] = row.is_ready
        report["anew"] = row.is_anew
    if row.ending:
        report["ending"] = _ending_as_json(row.ending)
    if row.who:
        notices = [notice.sentence for notice in row.who.notices]
        report["models"] = {**asdict(row.who), "notices": notices}
    if money:
        report["money"] = {
            **_money(money.traffic, money.cost, total),
            "replies": money.replies,
            "batched": money.batched,
        }
    if row.with_key:
        report["with_key"] = _estimate(row.with_key)
    return report


def _ending_as_json(chat: EndingChat) -> dict[str, object]:
    """Return what it costs to write a chat's memories while its model lasts, for programs."""
    return {
        "model": chat.model,
        "end": chat.end,
        "memories": chat.memories,
        "by_others": chat.by_others,
        "to_write": chat.to_write,
        **_estimate(chat.direct),
        **_estimate(chat.batched, "batched_"),
    }


def _money(traffic: Usage, cost: CostEstimate | None, total: PlannedTotal) -> dict[str, object]:
    """Return tokens, as models are likely to count them, dollars, and in words where it pauses."""
    tokens = {
        "sent": traffic.prompt,
        "cached": traffic.cached,
        "cache_written": traffic.cache_written,
        "answered": traffic.answer,
        "cached_share": round(traffic.cached_share, 4),
    }
    return {"tokens": tokens, **_estimate(cost), "says": _says(cost, total)}


def _says(cost: CostEstimate | None, total: PlannedTotal) -> str:
    """Say what the work costs, as the page and the pill show it."""
    if cost is None:
        return "The price of its models is not known."
    if cost == NO_COST:
        return "It costs nothing."
    said = cost_in_words(cost.likely, cost.at_most, total.caps, total.spent)
    return f"{said[0].upper()}{said[1:]}"


def _estimate(cost: CostEstimate | None, prefix: str = "") -> dict[str, object]:
    """Return the dollars of an estimate, None where prices are not known."""
    likely = dollars(cost.likely) if cost else None
    at_most = dollars(cost.at_most) if cost else None
    return {f"{prefix}likely_usd": likely, f"{prefix}at_most_usd": at_most}
