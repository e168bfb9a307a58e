"""The ledger: money reserved before a call leaves, and settled with its answer, exact to the picodollar.

And tokens: those of texts, which are counted once, and what models make of one of ours.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.jobs import set_sign, sign
from daemon.files.clock import Periods
from rules.money.price import NAMES, Allowed, Amounts, Reached, Which, decide

_COUNTS = "coalesce(settled, reserved, 0)"


@dataclass(frozen=True, slots=True)
class LedgerCall:
    """A call that is about to leave."""

    request: str
    """The request's hash."""
    chat_id: str
    model: str
    run: str
    tokens: int
    """Of the prompt, as we count them."""
    at: str


@dataclass(frozen=True, slots=True)
class OfModel:
    """What was spent on one model since some day, in picodollars."""

    model: str
    calls: int
    settled: int
    open: int
    """Reserved for calls that are under way, or were cut off and may have been billed."""
    unpriced: int
    """Calls whose price nobody knows; nothing of them is in the sums."""


def reserve(archive: Archive, call: LedgerCall, most: int | None, caps: Amounts, periods: Periods) -> int | Reached:
    """Reserve what a call may cost `most`, in picodollars; its number in the ledger, or the cap that says no.

    None: nobody knows the price, and the person has said that such calls may be made. Durable when this returns.
    """
    with archive.transaction():
        verdict = Allowed() if most is None else decide(caps, spent(archive, call.run, periods), most)
        if isinstance(verdict, Reached):
            return verdict
        number = archive.value(
            "INSERT INTO spending (request, chat_id, model, run, tokens, reserved, at) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "RETURNING id",
            (call.request, call.chat_id, call.model, call.run, call.tokens, most, call.at),
        )
    return int(number)


def settle(archive: Archive, number: int, amount: int | None) -> int | None:
    """Settle what a call has cost, in picodollars; the amount that counts from now on, or None where it is not known.

    None: the provider did not say, so what was reserved stays.
    """
    settled = "UPDATE spending SET settled = coalesce(?, reserved) WHERE id = ? RETURNING settled"
    counts: int | None = archive.value(settled, (amount, number))
    return counts


def spent(archive: Archive, run: str, periods: Periods) -> Amounts:
    """What is spent and reserved in this run, today and this month, in picodollars."""
    (row,) = archive.run(
        f"""
        SELECT (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE run = ?1 AND run <> ''),
               (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE at >= ?2),
               (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE at >= ?3)
        """,  # noqa: S608
        (run, periods.day_began, periods.month_began),
    )
    return Amounts(*row)


def unpriced_since(archive: Archive, since: str) -> int:
    """How many calls since then have no known price."""
    unpriced = "SELECT count(*) FROM spending WHERE at >= ? AND reserved IS NULL AND settled IS NULL"
    return int(archive.value(unpriced, (since,)))


def last_run(archive: Archive) -> str:
    """The run in which money was reserved last; empty where there was none."""
    return str(archive.value("SELECT run FROM spending WHERE run <> '' ORDER BY id DESC LIMIT 1") or "")


def by_model(archive: Archive, since: str) -> tuple[OfModel, ...]:
    """What was spent since then, model by model, the dearest first."""
    rows = archive.run(
        """
        SELECT model, count(*), coalesce(sum(settled), 0),
               coalesce(sum(CASE WHEN settled IS NULL THEN reserved END), 0),
               sum(reserved IS NULL AND settled IS NULL)
        FROM spending WHERE at >= ? AND (settled IS NULL OR settled > 0) GROUP BY model ORDER BY 3 DESC, 1
        """,
        (since,),
    )
    return tuple(OfModel(*row) for row in rows)


def learn_factor(archive: Archive, model: str, factor: float) -> None:
    """Take a reply's factor into a model's: the mean of the first ten replies, then a moving one."""
    archive.run(
        """
        INSERT INTO calibration VALUES (?1, ?2, 1) ON CONFLICT (model) DO UPDATE SET
            factor = factor + (excluded.factor - factor) / min(replies + 1, 10), replies = replies + 1
        """,
        (model, factor),
    )


def learned_factors(archive: Archive) -> Mapping[str, tuple[float, int]]:
    """How many tokens each model counts for one of ours, and how many replies have shown it."""
    return {model: (factor, replies) for model, factor, replies in archive.run("SELECT * FROM calibration")}


def raise_cap(archive: Archive, which: Which, amount: int, until: str, now: str) -> None:
    """Let a cap be `amount` picodollars until `until` (UTC). Durable when this returns."""
    set_sign(archive, _name(which), json.dumps({"amount": amount, "until": until}), now)


def raised_caps(archive: Archive, caps: Amounts, now: str) -> Amounts:
    """The caps that count at `now`: those of memproc.toml, or those that they were raised to."""
    return Amounts(*(max(caps.of(which), _raised(archive, which, now)) for which in NAMES))


def _raised(archive: Archive, which: Which, now: str) -> int:
    raised = sign(archive, _name(which))
    cap = json.loads(raised.value) if raised else None
    return int(cap["amount"]) if cap and now < cap["until"] else 0


def _name(which: Which) -> str:
    return f"budget_{which}"


def known_counts(archive: Archive, encoding: str, digests: Sequence[str]) -> dict[str, int]:
    """The counts that the archive has of these texts, in tokens of the encoding."""
    counts = archive.run(
        "SELECT digest, tokens FROM token_count WHERE encoding = ? AND digest IN (SELECT value FROM json_each(?))",
        (encoding, json.dumps(digests)),
    )
    return dict(counts)


def keep_counts(archive: Archive, encoding: str, counts: Mapping[str, int]) -> None:
    """Remember counts; what is known stays."""
    with archive.transaction():
        archive.run_many(
            "INSERT OR IGNORE INTO token_count (encoding, digest, tokens) VALUES (?, ?, ?)",
            [(encoding, digest, tokens) for digest, tokens in counts.items()],
        )
