"""The journal of requests, replies, open batches and money, and what replies taught of a model.

Of money it has what is reserved and spent. All is durable before a reply is used.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from daemon.archive.archive import Archive
from daemon.archive.records import list_columns, row_of
from daemon.archive.seals import is_sound
from daemon.archive.signs import remove_signs, set_sign, sign, signs_of
from daemon.archive.trouble import damaged_chat
from daemon.files.clock import Periods, at, periods
from primer.thinking import Thinking
from rules.money.price import Amounts, Reached, Which, find_reached_cap

THINKS = "thinks "
"""The beginning of the signs that say how a model thinks; the model's name follows."""
LONGEST_SECONDS = 25 * 3600.0
"""The longest that a batch is waited for: it ends after 24 hours, done or not."""
_COUNTS = "coalesce(settled, reserved, 0)"

if TYPE_CHECKING:
    from primer.prompt import ToolCall


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer to one request, with the tokens that the provider counted."""

    request: str
    """The request's hash."""
    model: str
    step: str
    text: str
    finish: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    tokens_cache_written: int
    usd: float | None
    """Dollars by our own price, else by LiteLLM's account; None where neither is known."""
    asked_at: str
    answered_at: str
    litellm_usd: float | None = None
    """The cost by LiteLLM's account."""
    batch: str = ""
    """The provider's name of its batch; empty for a direct call."""
    calls: "tuple[ToolCall, ...]" = ()
    """The tools that the model calls."""
    tries: int = 1
    """How often it was asked for in the run that got it."""


def find_reply(archive: Archive, request: str) -> Reply | None:
    """Return the stored reply to a request, or None."""
    return next(iter(_replies(archive, "request = ?", request)), None)


def replies(archive: Archive, chat_id: str | None) -> tuple[Reply, ...]:
    """Return every reply in the journal, oldest first; with `chat_id` those of one chat."""
    return _replies(archive, "?1 IS NULL OR chat_id = ?1", chat_id)


def record(archive: Archive, reply: Reply, chat_id: str, parameters: Mapping[str, object]) -> Reply:
    """Store a reply. Of two replies to one request the first stays, and is returned.

    A stored reply without an answer is replaced: the person had it asked again.
    """
    from primer.reply import ASKED_AGAIN  # late, for a fast `memproc status`

    again = "DELETE FROM reply WHERE request = ? AND finish IN (?, ?)"
    archive.run(again, (reply.request, *ASKED_AGAIN))
    calls = json.dumps([list(asdict(call).values()) for call in reply.calls], ensure_ascii=False)
    in_json = json.dumps(dict(parameters), sort_keys=True)
    columns = {"calls": calls, "chat_id": chat_id, "parameters": in_json}
    archive.insert("reply", {**asdict(reply), **columns}, "OR IGNORE")
    return find_reply(archive, reply.request) or reply


def _replies(archive: Archive, where: str, value: str | None) -> tuple[Reply, ...]:
    from primer.prompt import ToolCall  # late, for a fast `memproc status`

    def reply(number: int, is_as_stored: int, *columns: Any) -> Reply:
        if not is_as_stored:
            raise damaged_chat(f"row {number} of reply is not what was stored")
        stored = Reply(*columns)
        return replace(
            stored, calls=tuple(ToolCall(*call) for call in json.loads(str(stored.calls)))
        )

    sql = f"""
        SELECT rowid, {is_sound("reply")}, {list_columns(Reply)} FROM reply
        WHERE {where} ORDER BY rowid
    """  # noqa: S608
    return archive.rows(reply, sql, (value,))


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was sent, directly or in a batch, with all that its reply's row needs."""

    request: str
    """Its hash."""
    chat_id: str
    model: str
    step: str
    parameters: Mapping[str, Any]
    tokens: int
    """The tokens of the prompt, as we count them."""
    spending: int | None
    """The number of its reservation in the ledger; None where it is free."""


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch whose results are not all stored yet."""

    number: int
    name: str
    """The provider's name; empty where it is not known whether the batch was created."""
    since: str
    """When the provider's newest batch before it was created, by its clock; empty if none was."""
    began_at: str
    items: Sequence[SentRequest]


def begin_batch(archive: Archive, items: Iterable[SentRequest], since: str, now: str) -> int:
    """Record that these requests are about to be sent together. Return the batch's number."""
    with archive.transaction():
        number = archive.insert("batch", {"since": since, "began_at": now})
        for item in items:
            archive.insert("batch_request", {**row_of(item), "batch": number})
    return number


def name_batch(archive: Archive, number: int, name: str) -> None:
    """Record the name that the provider has given to a batch."""
    archive.run("UPDATE batch SET name = ? WHERE id = ?", (name, number))


def close_batch(archive: Archive, number: int, now: str) -> None:
    """Record that all results of a batch are stored, or that it was never created."""
    archive.run("UPDATE batch SET ended_at = ? WHERE id = ?", (now, number))


def open_batches(archive: Archive) -> tuple[OpenBatch, ...]:
    """Return all batches that are not closed, oldest first."""

    sent = f"""
        SELECT {list_columns(SentRequest)} FROM batch_request WHERE batch = ? ORDER BY rowid
    """  # noqa: S608
    rows = archive.run(
        "SELECT id, name, since, began_at FROM batch WHERE ended_at IS NULL ORDER BY id"
    )
    return tuple(
        OpenBatch(number, name, since, began_at, archive.rows(SentRequest, sent, (number,)))
        for number, name, since, began_at in rows
    )


def batch_age(sent: OpenBatch, now: str) -> float:
    """Return the seconds since a batch was sent."""
    return (at(now) - at(sent.began_at)).total_seconds()


def is_under_way(archive: Archive, request: str) -> bool:
    """Return whether a request is in a batch that is not closed."""
    is_open = """
        SELECT 1 FROM batch_request JOIN batch ON batch.id = batch
        WHERE request = ? AND ended_at IS NULL
    """
    return archive.value(is_open, (request,)) is not None


def batch_names(archive: Archive) -> frozenset[str]:
    """Return the names of all batches, closed or not."""
    return frozenset(archive.column("SELECT name FROM batch WHERE name <> ''"))


@dataclass(frozen=True, slots=True)
class OfModel:
    """The money spent on one model since some day, in picodollars."""

    model: str
    calls: int
    settled: int
    open: int
    """Reserved for calls that are under way, or were cut off and may have been billed."""
    unpriced: int
    """The number of calls without a known price, which the sums leave out."""


def reserve(
    archive: Archive, call: SentRequest, run: str, most: int | None, caps: Amounts, now: str
) -> SentRequest | Reached:
    """Reserve `most` picodollars for a call.

    Return the call with its reservation, or the cap that forbids it.

    `most` is None where the price is unknown and the person allows such calls. The reservation is
    durable when this returns.
    """
    with archive.transaction():
        if most is not None:
            amounts = spent(archive, run, periods(at(now)))
            if reached := find_reached_cap(caps, amounts, most):
                return reached
        row = {
            "request": call.request, "chat_id": call.chat_id, "model": call.model, "run": run,
            "at": now, "tokens": call.tokens, "reserved": most,
        }  # fmt: skip
        return replace(call, spending=archive.insert("spending", row))


def settle(archive: Archive, number: int, amount: int | None) -> int | None:
    """Settle a call at `amount` picodollars. Return the amount that counts now; None where unknown.

    `amount` is None where the provider did not say what it counted; then the reserved amount stays.
    """
    settled = "UPDATE spending SET settled = coalesce(?, reserved) WHERE id = ? RETURNING settled"
    counts: int | None = archive.value(settled, (amount, number))
    return counts


def spent(archive: Archive, run: str, periods: Periods) -> Amounts:
    """Return the money spent and reserved in this run, today and this month, in picodollars."""
    sums = f"""
        SELECT (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE run = ?1 AND run <> ''),
               (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE at >= ?2),
               (SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE at >= ?3)
    """  # noqa: S608
    return archive.rows(Amounts, sums, (run, periods.day_began, periods.month_began))[0]


def spent_on(archive: Archive, chat_id: str, since: str) -> int:
    """Return the money spent and reserved for a chat since that time (UTC), in picodollars."""
    total = f"""
        SELECT coalesce(sum({_COUNTS}), 0) FROM spending WHERE chat_id = ? AND at >= ?
    """  # noqa: S608
    return int(archive.value(total, (chat_id, since)))


def unpriced_since(archive: Archive, since: str) -> int:
    """Return the number of calls since that time that have no known price."""
    unpriced = (
        "SELECT count(*) FROM spending WHERE at >= ? AND reserved IS NULL AND settled IS NULL"
    )
    return int(archive.value(unpriced, (since,)))


def last_run(archive: Archive) -> str:
    """Return the name of the run that reserved money last; empty where none has."""
    return str(
        archive.value("SELECT run FROM spending WHERE run <> '' ORDER BY id DESC LIMIT 1") or ""
    )


def by_model(archive: Archive, since: str) -> tuple[OfModel, ...]:
    """Return the money spent since that time on each model, the dearest first."""
    sums = """
        SELECT model, count(*), coalesce(sum(settled), 0),
               coalesce(sum(CASE WHEN settled IS NULL THEN reserved END), 0),
               sum(reserved IS NULL AND settled IS NULL)
        FROM spending WHERE at >= ? AND (settled IS NULL OR settled > 0)
        GROUP BY model ORDER BY 3 DESC, 1
    """
    return archive.rows(OfModel, sums, (since,))


@dataclass(frozen=True, slots=True)
class LearnedFactor:
    """How many tokens a model counts for one of ours, as its replies have shown."""

    factor: float
    replies: int
    newest: str
    """The time of the newest of the replies (UTC)."""


def learn_factor(archive: Archive, model: str, factor: float, now: str) -> None:
    """Average a reply's factor into the model's: a mean over ten replies, then a moving one."""
    archive.run(
        """
        INSERT INTO calibration (model, factor, replies, newest) VALUES (?1, ?2, 1, ?3)
        ON CONFLICT (model) DO UPDATE SET newest = excluded.newest, replies = replies + 1,
            factor = factor + (excluded.factor - factor) / min(replies + 1, 10)
        """,
        (model, factor, now),
    )


def learned_factors(archive: Archive) -> Mapping[str, LearnedFactor]:
    """Return the learned factor of each model, by its name."""
    rows = archive.run("SELECT model, factor, replies, newest FROM calibration ORDER BY model")
    return {model: LearnedFactor(*learned) for model, *learned in rows}


def keep_thinking(archive: Archive, model: str, thinking: Thinking, now: str) -> None:
    """Store what a model's answers have shown of its thinking."""
    set_sign(archive, f"{THINKS}{model}", json.dumps(asdict(thinking)), now)


def thinking_models(archive: Archive) -> Mapping[str, Thinking]:
    """Return what is known of the models that think unasked, by their names."""
    stored = {model: _thinking_in(value) for model, value in signs_of(archive, THINKS).items()}
    return {model: thinking for model, thinking in stored.items() if thinking}


def thinking_of(archive: Archive, model: str) -> Thinking | None:
    """Return what is known of a model's thinking, if it thinks unasked; else None."""
    stored = sign(archive, f"{THINKS}{model}")
    return _thinking_in(stored.value) if stored else None


def _thinking_in(value: str) -> Thinking | None:
    """Return the thinking in a sign's value; None for a value that memproc cannot have stored."""
    try:
        thinking = Thinking(**json.loads(value))
    except (TypeError, ValueError, RecursionError):
        return None
    numbers = all(type(number) is int for number in asdict(thinking).values())
    return thinking if numbers and thinking.can_be else None


def forget_learned(archive: Archive, model: str) -> bool:
    """Forget what was learned of a model. Return whether anything was."""
    with archive.transaction():
        forgot = archive.value("DELETE FROM calibration WHERE model = ? RETURNING 1", (model,))
        thinks = sign(archive, f"{THINKS}{model}")
        remove_signs(archive, f"{THINKS}{model}")
    return (forgot or thinks) is not None


def keep_odd_usage(archive: Archive, request: str, said: str) -> None:
    """Store an impossible count of tokens that a provider gave for a reply."""
    archive.insert("odd_usage", {"request": request, "said": said}, "OR IGNORE")


def odd_usages(archive: Archive) -> Mapping[str, str]:
    """Return the impossible counts of tokens that providers gave, by the request's hash."""
    return dict(archive.run("SELECT request, said FROM odd_usage"))


def raise_cap(archive: Archive, which: Which, amount: int, until: str, now: str) -> None:
    """Raise a cap to `amount` picodollars until `until` (UTC). Durable when this returns."""
    set_sign(archive, f"budget_{which}", json.dumps({"amount": amount, "until": until}), now)


def raised_cap(archive: Archive, which: Which, now: str) -> int:
    """Return the picodollars that a cap is raised to at the time `now`; 0 where it is not."""
    raised = sign(archive, f"budget_{which}")
    cap = json.loads(raised.value) if raised else None
    return int(cap["amount"]) if cap and now < cap["until"] else 0


@dataclass(frozen=True, slots=True)
class DaysCost:
    """The cost of the calls of one kind for one chat on one day."""

    day: str
    chat_id: str
    step: str
    calls: int
    usd: float
    """Dollars, without the calls that have no known price."""


def costs_since(archive: Archive, since: str) -> tuple[DaysCost, ...]:
    """Return the costs of calls answered since then (UTC) by local day, chat and step, in order."""
    costs = """
        SELECT date(answered_at, 'localtime') AS day, chat_id, step, count(*), total(usd)
        FROM reply WHERE answered_at >= ? GROUP BY day, chat_id, step ORDER BY day, chat_id, step
    """
    return archive.rows(DaysCost, costs, (since,))


def cost_of(archive: Archive, requests: Sequence[str]) -> float | None:
    """Return the dollars for the answers to these requests; None where no price is known."""
    marks = ", ".join("?" * len(requests))
    total: float | None = archive.value(
        f"SELECT sum(usd) FROM reply WHERE request IN ({marks})",  # noqa: S608
        requests,
    )
    return total
