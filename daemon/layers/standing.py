"""Core memory and facts of a chat as they stand now, by all that has happened to them."""

from daemon.archive.archive import Archive
from daemon.archive.core import core_events
from daemon.archive.facts import fact_events
from daemon.config.layers import FactSettings
from daemon.models.tokens import count_once, keep
from primer.prompt import keep_inert
from rules.conversation.marker import text_digest
from rules.errors import ChatSetAside
from rules.layers.core import CoreMemory, OverLimit, Section, Value, core_after
from rules.layers.facts import Fact, FactEvent, live, within
from rules.layers.layout import Layout
from rules.layers.opening import FactLine, fact_line


def core_now(archive: Archive, chat_id: str, layout: Layout) -> CoreMemory:
    """The sections with their values. Raises ChatSetAside where a value does not fit a limit that was lowered since."""
    try:
        return core_after(layout.sections, core_events(archive, chat_id))
    except OverLimit as fault:
        raise ChatSetAside(
            f"{fault} It was written when the limit was higher.",
            f"Raise its limit in [core.sections], or shorten it with: memproc core {chat_id} set SECTION TEXT",
        ) from fault


def facts_now(archive: Archive, chat_id: str) -> tuple[Fact, ...]:
    """The facts that are true now, by their numbers."""
    return live(fact_events(archive, chat_id))


def facts_shown(archive: Archive, chat_id: str, settings: FactSettings) -> tuple[Fact, ...]:
    """Those that stand in the export, within the budget of tokens, in the order of their dates."""
    facts = facts_now(archive, chat_id)
    lines = {fact.number: fact_line(as_line(fact)) for fact in facts}
    counts = count_once(archive, {text_digest(line): line for line in lines.values()})
    keep(archive, counts)
    sizes = [1 + counts.all[text_digest(lines[fact.number])] for fact in facts]  # and the break of its line
    return tuple(within(facts, sizes, settings.budget))


def as_line(fact: Fact | FactEvent) -> FactLine:
    """The fact, or what it said after an event, as the opening says it."""
    return FactLine(fact.said_at[:10], keep_inert(fact.text))


def as_value(section: Section, text: str) -> Value:
    """A text that stands in for a section's value: for a list, one entry a line."""
    if isinstance(section.value, str):
        return text
    return tuple(entry for line in text.split("\n") if (entry := line.strip().removeprefix("- ").strip()))
