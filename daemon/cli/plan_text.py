"""Print plans for a person: a table of numbers, notes on each chat, and what all of it costs."""

from collections.abc import Iterator, Mapping, Sequence

from daemon.chat.outcome import Skipped
from daemon.cli.planned import PlannedRow, PlannedTotal
from daemon.cli.printing import print_table, print_text
from daemon.models.prices import PlanCost
from daemon.models.roles import Who
from daemon.status.printable import told_apart
from rules.money.estimate import NO_COST
from rules.money.price import cost_in_words, in_words
from rules.plan.chat_plan import ChatPlan, Unchanged
from rules.wording import about_it, counted

_HEADINGS = (
    "Chat",
    "Messages",
    "Tokens",
    "Memories",
    "New",
    "Calls",
    "To send",
    "Waiting",
    "Live",
)


def print_plans(rows: Sequence[PlannedRow], last: str) -> None:
    """Print a table of the plans, notes on each chat, and a last line, which may be empty."""
    titles = _titles(rows)
    cells = []
    for row in rows:
        if isinstance(row.outcome, ChatPlan):
            cells.append([titles[row.outcome.chat_id], *_numbers(row.outcome, row)])
    if cells:
        print_table(_HEADINGS, cells, right=range(1, len(_HEADINGS)))
    for row in rows:
        for line in _lines_on(row, titles):
            print_text(line)
    if last:
        print_text(last)


def _titles(rows: Sequence[PlannedRow]) -> Mapping[str, str]:
    """Map chats' ids to what each is called here: its title, with its id where two share one."""
    outcomes = [row.outcome for row in rows]
    return told_apart(
        (outcome.chat_id, outcome.title) for outcome in outcomes if not isinstance(outcome, Skipped)
    )


def _numbers(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Format a plan's numbers in the order of the table's headings."""
    is_by_engine = row.who is not None and row.who.asks_no_model
    numbers = (
        plan.messages,
        plan.tokens,
        plan.memories,
        len(plan.chunks),
        0 if is_by_engine else plan.calls,
        row.money.traffic.prompt if row.money else 0,
        plan.waiting_tokens,
        plan.live_tokens,
    )
    return (f"{number:,}" for number in numbers)


def _lines_on(row: PlannedRow, titles: Mapping[str, str]) -> Iterator[str]:
    """Yield what there is to say of a row below the table."""
    plan = row.outcome
    if isinstance(plan, Skipped):
        reason = about_it(plan.reason, plan.what)
        yield f"{plan.what}: would be skipped. {reason} {plan.next_step}"
        return
    title = titles[plan.chat_id]
    if isinstance(plan, Unchanged):
        yield f"{title}: unchanged: {plan.reason} {plan.next_step}".rstrip()
        return
    for note in _notes_on(plan, row):
        if note:
            yield f"{title}: {note}"


def _notes_on(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield notes on a plan; some may be empty."""
    yield plan.reason
    yield plan.over_budget
    yield from plan.kept
    if row.who and plan.work:
        yield who_works(row.who)
    if row.money and plan.calls:
        yield from _notes_on_money(row.money)
    if row.with_key and row.who:
        likely = in_words(row.with_key.likely)
        yield f"with a key for {row.who.lacks_key}, its own model writes: likely {likely}, never past a cap"
    yield from _notes_on_work(plan)
    for why, number in plan.left_out.items():
        messages = counted(number, "message stays as it is", "messages stay as they are")
        yield f"{messages}: {why}"
    if plan.attached:
        stay = "messages with attachments stay"
        stay = counted(plan.attached, "message with attachments stays", stay)
        yield f"{stay} in the chat, shown and no longer sent"
    yield from _warnings_on(plan, row)


def _warnings_on(plan: ChatPlan, row: PlannedRow) -> Iterator[str]:
    """Yield warnings as notes; of a model's end only the one that says what it means here."""
    ending = row.ending
    for notice in row.who.notices if row.who and plan.work else ():
        if ending is None or notice.model != ending.model:
            yield f"note: {notice.sentence}"
    for warning in plan.warnings:
        yield f"note: {warning}"
    if ending:
        yield f"note: {ending.reason} {ending.next_step}"


def who_works(who: Who) -> str:
    """Say which models write and analyse."""
    window = f", whose window holds {who.window:,} tokens" if who.window else ""
    fallback = f"; where it refuses, {who.fallback}" if who.fallback else ""
    if who.asks_no_model:
        return "no model: sentences are extracted, free"
    return f"{who.agent} writes{window}; {who.context_manager} analyses{fallback}"


def _notes_on_work(plan: ChatPlan) -> Iterator[str]:
    """Yield how much there is of each kind of work besides new memories."""
    numbers = {
        "memories that are written again:": len(plan.again),
        "memories that get a hindsight edition:": len(plan.hindsight),
        "memories after which the persona may edit its core memory:": len(plan.layers.core),
        "chunks of which facts are taken:": len(plan.layers.facts),
        "folds of older memories that are made: about": len(plan.folds),
    }
    for what, number in numbers.items():
        if number:
            yield f"{what} {number}"


def _notes_on_money(money: PlanCost) -> Iterator[str]:
    """Say what a chat will send, receive and cost, and how sure that is."""
    traffic = money.traffic
    if traffic.prompt:
        share = f"{traffic.cached_share:.0%} of them read from the provider's cache"
        yield f"sends about {traffic.prompt:,} tokens, {share}, and gets {traffic.answer:,}"
        sure = "is an estimate until there are replies"
        if money.replies:
            sure = f"is known from {counted(money.replies, 'reply', 'replies')}"
        yield f"how many tokens the model counts {sure}"
    if money.cost is None:
        yield "the price of its models is not known, so no cap limits what they cost"
    elif money.cost == NO_COST:
        yield "costs nothing"
    else:
        how = ", in batches at half price" if money.batched else ""
        further = "what has to be asked again is extra, within the caps"
        yield f"costs likely {in_words(money.cost.likely)}{how}; {further}"


def cost_of_all(total: PlannedTotal) -> str:
    """Say what all chats cost, and which cap stops them first; "" for no cost."""
    if total.cost == NO_COST:
        return ""
    said = cost_in_words(total.cost.likely, total.cost.at_most, total.caps, total.spent)
    return f"In all: {said}"
