"""Calls to models: the money for each, what its answer settles and teaches, what a transport is.
reserve   the worst case: no prompt in the cache, an answer that fills its room; refused at a cap
settle    the provider's token counts at our price; else LiteLLM's cost; else the worst case stays
release   the call did not leave, or was plainly refused, so it is not billed

A reservation that is neither settled nor released belongs to a call that was cut off, by a kill or
a lost connection. It may have been billed, so it counts as reserved. Free models reserve nothing.

There are two transports: `direct.py` sends each request by itself, `batch.py` many together at half
the price.
"""

from collections.abc import Collection, Iterator
from dataclasses import astuple, replace
from typing import Protocol, TypeGuard

from daemon.archive import journal as ledger
from daemon.archive.archive import Archive
from daemon.archive.journal import Reply, SentRequest
from daemon.archive.signs import is_news
from daemon.config.model_tables import BudgetSettings
from daemon.events import Note
from daemon.files.clock import Periods, at, periods
from daemon.models.catalogue import read_facts
from daemon.models.completion import Completion
from daemon.models.context import Context
from daemon.models.prices import counts_now, expected, require_price, step_of
from daemon.models.tokens import count_of
from primer.models import Model, token_factor
from primer.reply import Request, is_starved
from primer.thinking import learned_thinking, may_think
from primer.wrappers import begins_with_thoughts
from rules.errors import ContextTooLong, OverBudget
from rules.money.price import (
    MOST_USD,
    NAMES,
    PICO,
    Amounts,
    Price,
    Reached,
    Usage,
    cost,
    dollars,
    in_words,
    prompt_bound,
    worst_case,
)
from rules.money.usage import (
    LARGEST_COUNT,
    LEARNED_TO,
    can_be_learned,
    why_not_believed,
)

CallEnding = Reply | BaseException | None
"""How a request ended: its reply, already in the journal; its fault; or None to send it again."""

_UNKNOWN = Usage(0, 0, 0, 0)
_FRAMES = 100_000
"""The most tokens that a provider may count around the words of a prompt."""
_ODD = (
    "{model} reports token counts that cannot be right (memproc calls shows them). Such calls "
    "count as they were reserved, and nothing is learned from them."
)

_OF = {"run": "this run", "day": "today", "month": "this month"}
_WAITING = {
    "run": "The next run has a budget of its own; the daemon goes on tomorrow.",
    "day": "The daemon goes on by itself when the day turns, at midnight.",
    "month": "The daemon goes on by itself on the first of the month.",
}


class Unsent(Exception):
    """The request was not sent, because the work is ending."""


def reserve_call(
    context: Context, request: Request, key: str, chat_id: str, now: str, *, batched: bool = False
) -> SentRequest:
    """Reserve the most that a call may cost, in a batch or by itself, before it leaves.

    Raises OverBudget where a cap forbids it, UnknownPrice where its price is not known.
    """
    archive, budget = context.archive, context.config.budget
    price = require_price(request.model, budget)
    is_free = price is not None and price.is_free
    tokens = 0 if is_free else sum(map(count_of, request.texts))
    call = SentRequest(
        key, chat_id, request.model.name, request.step, request.parameters, tokens, None
    )
    if is_free:
        return call
    most = (
        None
        if price is None
        else most_of(archive, price.batched if batched else price, request, tokens, now)
    )
    reserved = ledger.reserve(archive, call, context.run, most, caps_now(archive, budget, now), now)
    if isinstance(reserved, Reached):
        raise _over_budget(reserved, periods(at(now)), context.plan_at_most)
    return reserved


def as_learned(archive: Archive, request: Request) -> Request:
    """Return a request as it is sent: with room for thinking, if its model was seen to think."""
    thinking = ledger.thinking_of(archive, request.model.name)
    return replace(request, thinking=thinking) if thinking else request


def above_step(context: Context, request: Request) -> ContextTooLong | None:
    """Refuse a prompt that is expected to pass the step above which the model's price rises.

    Plans stay below it; this is for prompts that became larger than planned. The matter is money
    and not the window, but the remedy is the same.
    """
    name = request.model.name
    step = step_of(request.model, context.config.budget)
    if step is None:
        return None
    tokens = round(
        sum(map(count_of, request.texts)) * expected(context.archive, name, context.clock()).factor
    )
    if tokens <= step:
        return None
    return ContextTooLong(
        f"The request has about {tokens:,} tokens, and above {step:,} all of it costs more with "
        f"{name}, so it was not sent.",
        "Lower tail.tokens, chunk.tokens or fold.budget in memproc.toml; or allow the higher price "
        "with budget.above_step = true, or choose another model.",
    )


def most_of(archive: Archive, price: Price, request: Request, tokens: int, now: str) -> int:
    """Return the most that a call may cost, in picodollars; `tokens` is our count of its prompt."""
    name = request.model.name
    estimate, learned = token_factor(name), ledger.learned_factors(archive).get(name)
    factor = (
        max(estimate, learned.factor)
        if learned and counts_now(learned, estimate, now)
        else estimate
    )
    bound = prompt_bound(tokens, len(request.turns), factor)
    return worst_case(price, bound, request.most_tokens)


def release_call(archive: Archive, sent: SentRequest) -> None:
    """Note in the ledger that a call has cost nothing."""
    if sent.spending is not None:
        ledger.settle(archive, sent.spending, 0)


def caps_now(archive: Archive, budget: BudgetSettings, now: str) -> Amounts:
    """Return the caps in picodollars: those of memproc.toml, or as the person raised them."""
    return Amounts(
        *(max(budget.caps.of(which), ledger.raised_cap(archive, which, now)) for which in NAMES)
    )


def _over_budget(reached: Reached, when: Periods, plan_at_most: int) -> OverBudget:
    """Return the error that says which cap is reached, when it resets, and how to go on before.

    The cap that it advises covers the chat's whole plan, of at most `plan_at_most` picodollars, so
    that raising it once is enough.
    """
    spent, cap, needed = (
        in_words(amount) for amount in (reached.spent, reached.cap, reached.needed)
    )
    enough = max(2 * reached.cap, 2 * reached.needed, reached.spent + plan_at_most)
    raised = in_words(enough).strip("$").replace(",", "")
    turn = {"run": when.day_ends, "day": when.day_ends, "month": when.month_ends}[reached.which]
    by_itself = _WAITING[reached.which] if reached.helps_to_wait else "By itself it will not go on."
    return OverBudget(
        f"The budget of {_OF[reached.which]} is {cap}; {spent} of it is spent or reserved, and the "
        f"next call may cost up to {needed}, so it was not made.",
        f"{by_itself} To go on now: memproc budget raise --{reached.which} {raised}",
        turn,
    )


class Transport(Protocol):
    """A way for requests to reach a model. A reply is in the journal before it is returned."""

    @property
    def room(self) -> int:
        """Return how many dialogues may go on at once without any of them waiting for long."""

    @property
    def under_way(self) -> Collection[str]:
        """Return the keys of the requests that were sent and have not come back."""

    def takes(self, request: Request) -> bool:
        """Return whether this transport takes the request now."""

    def send(self, request: Request, key: str) -> bool:
        """Take the request; False where it must wait until others have come back.

        Raises UnknownPrice, and OverBudget where a cap is reached even when all others are settled.
        """

    def receive(self) -> Iterator[tuple[str, CallEnding]]:
        """Wait until at least one request comes back. Yield the key and the ending of each."""


def keep_reply(
    context: Context,
    sent: SentRequest,
    model: Model,
    answer: Completion,
    asked_at: str,
    batch: str = "",
    tries: int = 1,
) -> Reply:
    """Settle the cost of an answer and store it in the journal, in one transaction.

    `batch` names the batch that brought it, `tries` is how often it was asked for. Raises
    ArchiveError where it cannot be stored.
    """
    archive, now = context.archive, context.clock()
    usage, odd = _check_usage(sent, model, answer)
    with archive.transaction():
        usd = _settle(archive, sent, model.price, answer.usd, usage, in_batch=bool(batch))
        if odd:
            ledger.keep_odd_usage(archive, sent.request, odd)
        elif usage.prompt and sent.tokens:
            _learn(archive, sent, usage.prompt, now)
        _learn_thinking(archive, sent, model, answer, usage.answer, now)
        reply = Reply(
            request=sent.request,
            model=sent.model,
            step=sent.step,
            text=answer.text,
            finish=answer.finish,
            tokens_in=usage.prompt,
            tokens_out=usage.answer,
            tokens_cached=usage.cached,
            tokens_cache_written=usage.cache_written,
            usd=usd,
            asked_at=asked_at,
            answered_at=now,
            litellm_usd=answer.usd if _is_price(answer.usd) else None,
            batch=batch,
            calls=answer.calls,
            tries=tries,
        )
        kept_reply = ledger.record(archive, reply, sent.chat_id, sent.parameters)
    if odd and is_news(archive, text := _ODD.format(model=sent.model)):
        context.tell(Note(text))
    return kept_reply


def _check_usage(sent: SentRequest, model: Model, answer: Completion) -> tuple[Usage, str]:
    """Return the token counts to use, and why they are not the provider's own, if they are not."""
    usage = Usage(
        answer.tokens_in, answer.tokens_cached, answer.tokens_cache_written, answer.tokens_out
    )
    if answer.odd_usage:
        return _UNKNOWN, answer.odd_usage
    if sent.spending is None or usage == _UNKNOWN:
        can_be_kept = all(0 <= count <= LARGEST_COUNT for count in astuple(usage))
        return (usage, "") if can_be_kept else (_UNKNOWN, "counts that cannot be")
    # The most that a prompt of ours can come to, at the largest factor that memproc would learn.
    largest = prompt_bound(sent.tokens, 0, LEARNED_TO * token_factor(sent.model)) + _FRAMES
    thinking = sent.parameters.get("thinking")
    budget = thinking.get("budget_tokens", 0) if isinstance(thinking, dict) else 0
    room = int(sent.parameters.get("max_tokens", 0)) + int(budget)
    window = model.window or largest
    odd = why_not_believed(usage, window, room, prompt_has_words=sent.tokens > 0)
    return (_UNKNOWN, odd) if odd else (usage, "")


def _learn(archive: Archive, sent: SentRequest, counted: int, now: str) -> None:
    """Learn how many tokens a model counts for one of ours, if that is plausible for the model."""
    factor = counted / sent.tokens
    if can_be_learned(factor, token_factor(sent.model)):
        ledger.learn_factor(archive, sent.model, factor, now)


def _learn_thinking(
    archive: Archive, sent: SentRequest, model: Model, answer: Completion, tokens: int, now: str
) -> None:
    """Learn from an answer of `tokens` whether its model thinks unasked, or lacked room to."""
    known = ledger.thinking_of(archive, model.name)
    starved = is_starved(answer.text, answer.finish) and not answer.calls
    has_thought = answer.thought or begins_with_thoughts(answer.text)
    if not (known or starved or (has_thought and not may_think(model))):
        return
    of_text = round(count_of(answer.text) * token_factor(model.name))
    room = int(sent.parameters["max_tokens"]) if starved else 0
    written = tokens or room  # some providers count nothing
    spent = known.spent if known and not written else max(0, written - of_text)
    most = read_facts(model.name).most_answer
    thinking = learned_thinking(known, spent, room, answer.switches_refused, most)
    ledger.keep_thinking(archive, model.name, thinking, now)


def _settle(
    archive: Archive,
    sent: SentRequest,
    price: Price | None,
    litellm_usd: float | None,
    usage: Usage,
    *,
    in_batch: bool,
) -> float | None:
    """Settle a call in the ledger. Return its cost in dollars, or None where it is not known."""
    if sent.spending is None:
        return 0.0
    amount = None
    if price is None and _is_price(litellm_usd):
        amount = round(litellm_usd * PICO)
    elif price is not None and usage != _UNKNOWN:  # the provider gave its counts
        amount = cost(price.batched if in_batch else price, usage)
    settled = ledger.settle(archive, sent.spending, amount)
    return None if settled is None else dollars(settled)


def _is_price(usd: float | None) -> TypeGuard[float]:
    return usd is not None and 0 <= usd <= MOST_USD  # NaN fails both comparisons
