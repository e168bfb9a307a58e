"""Report the present facts of a chat, and the history of one of them."""

from collections.abc import Sequence
from functools import partial

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, known_chat
from daemon.archive.layers import rank_texts
from daemon.archive.pressed import pressed_lines
from daemon.chat.opening import facts_now
from daemon.config.settings import Config
from daemon.reports.report import (
    Card,
    Column,
    Report,
    ReportTable,
    Step,
    unmarked,
    where_said,
)
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


def facts_report(archive: Archive, config: Config, chat: KnownChat, words: str = "") -> Report:
    """Return a chat's facts by date; with `words`, those that match, the best first."""
    facts = facts_now(archive, chat.chat_id)
    if words:
        listed = [facts[at] for at in rank_texts([fact.text for fact in facts], words)]
    else:
        listed = sorted(facts, key=lambda fact: (fact.said_at, fact.number))
    title = cut_title(chat.title)
    none = f'No fact of "{title}" has these words.' if words else f'"{title}" has no facts.'
    add = Step("To add one", f"facts {chat.chat_id} add TEXT")
    is_off = not (words or config.of(known_chat(archive, chat.chat_id)).facts.enabled)
    table = ReportTable(
        "facts", listed, _COLUMNS, none, partial(_card, chat), partial(_steps, chat)
    )
    return Report(
        (table,),
        notes=(_IS_OFF,) if is_off else (),
        pressed=() if words else tuple(pressed_lines(archive, chat.chat_id, "facts")),
        next=() if listed else (add,),
    )


def _card(chat: KnownChat, fact: Fact) -> Card:
    """Return a fact with its day, its owner, and how often it was said again."""
    again = f"said again {counted(fact.confirmed, 'time')}" if fact.confirmed else ""
    return Card(
        f"fact {fact.number}",
        unmarked(fact.text),
        fact.said_at,
        marks=tuple(filter(None, ("yours" if fact.by == "person" else "", again))),
        sources=tuple(where_said(chat, key) for key in fact.sources),
        name=f"fact-{fact.number}",
    )


def _steps(chat: KnownChat, fact: Fact) -> tuple[Step, ...]:
    address = f"/chat/{chat.chat_id}/facts/{fact.number}/forget"
    return (Step("Forget", f"facts {chat.chat_id} forget {fact.number}", address),)


def fact_history(events: Sequence[FactEvent]) -> Report:
    """Return the events of a fact: its text, the message that it is from, and what replaced it."""
    return Report((ReportTable("events", events, card=_event_card),))


def _event_card(event: FactEvent) -> Card:
    """Return when, by whom and why a fact changed, and its text from then on."""
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
