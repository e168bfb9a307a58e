"""Say which facts of a chat are true now, and all that ever happened to one."""

from collections.abc import Sequence

from daemon.archive.chats import KnownChat
from daemon.reports.report import Card, Column, Report, ReportTable, Step, unmarked
from rules.layers.facts import Fact, FactEvent
from rules.wording import counted, cut_title

_IS_OFF = "the chat does not show this: facts.enabled is false in memproc.toml"
_COLUMNS: tuple[Column[Fact], ...] = (
    Column("Id", lambda fact: fact.number, "number"),
    Column("Said on", lambda fact: fact.said_at[:10]),
    Column("Fact", lambda fact: fact.text, "prose"),
    Column("Confirmed", lambda fact: fact.confirmed, "number", drop=2),
    Column("By", lambda fact: "you" if fact.by == "person" else fact.by, drop=1),
)


def facts_report(
    chat: KnownChat, facts: Sequence[Fact], words: str = "", *, is_shown: bool = True
) -> Report:
    """Return the facts in their order; `words` are those that were looked for."""
    title = cut_title(chat.title)
    none = f'No fact of "{title}" has these words.' if words else f'"{title}" has no facts.'
    add = Step("To add one", f"facts {chat.chat_id} add TEXT")
    return Report(
        (ReportTable("facts", facts, _COLUMNS, none, fact_card),),
        notes=() if is_shown else (_IS_OFF,),
        next=() if facts else (add,),
    )


def fact_card(fact: Fact) -> Card:
    """Return a fact with its day, whose it is, and how often it was said again."""
    again = f"said again {counted(fact.confirmed, 'time')}" if fact.confirmed else ""
    marks = ("yours" if fact.by == "person" else "", again)
    who = f"fact {fact.number}"
    return Card(who, unmarked(fact.text), fact.said_at, marks=tuple(filter(None, marks)))


def fact_history(events: Sequence[FactEvent]) -> Report:
    """Return the events of a fact: what it said, from which message, and what took its place."""
    return Report((ReportTable("events", events, card=fact_event_card),))


def fact_event_card(event: FactEvent) -> Card:
    """Return when, by whom and why a fact changed, and what it said from then on."""
    by = "by you"
    if event.by != "person":
        by = f"by the context manager, from the chunk of memory {event.memory}"
    source = f", message {event.source}" if event.source else ""
    why = f": {event.why}" if event.why else ""
    day = f"{event.said_at[:10] or 'some day'}: " if event.text else ""
    return Card(
        who=f"{event.event.lower()} {by}{source}{why}",
        text=unmarked(f"{day}{event.text}"),
        at=event.at,
    )
