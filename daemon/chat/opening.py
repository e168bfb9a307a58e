"""Core memory and facts of a chat as they are now, and the opening message that shows them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.layers import (
    KeptOpening,
    core_events,
    fact_events,
    keep_opening,
    openings,
    reworded,
)
from daemon.config.loading import core_layout, load_texts
from daemon.config.memory_tables import FactSettings
from daemon.config.settings import Config
from daemon.models.tokens import Counts, count_once, keep
from primer.prompt import closing, opening
from primer.wording import Texts, keep_inert, wrap
from rules.conversation.marker import OPENING, Canned, Marker, text_digest
from rules.errors import ChatSkipped
from rules.layers.core import (
    NO_CORE_MEMORY,
    CoreMemory,
    OverLimit,
    Section,
    Value,
    core_after,
)
from rules.layers.core_layout import Layout
from rules.layers.facts import Fact, FactEvent, facts_within, live_facts
from rules.layers.opening import FactLine, KeptLine, Opening, fact_line, read_opening, write_opening
from rules.recognize.chat_reading import ChatReading
from rules.typingmind.chat import Chat
from rules.typingmind.message import Message


@dataclass(frozen=True, slots=True)
class ShownChat:
    """A chat that an export shows, read against the archive, and the settings that count for it."""

    chat: Chat
    reading: ChatReading
    config: Config
    texts: Texts
    layout: Layout
    """The core memory's, with the sections that memproc.toml names."""

    @property
    def preface(self) -> str:
        """Return the words that the opening begins with where the person has not reworded them."""
        texts = self.texts
        return f"{texts.opening}\n\n{texts.recall}" if self.config.recall.mention else texts.opening


def shown_chat(chat: Chat, reading: ChatReading, config: Config) -> ShownChat:
    """Return a chat with the texts and the layout of its settings. Raises ConfigurationError."""
    return ShownChat(chat, reading, config, load_texts(config.texts.path), core_layout(config.core))


def canned(texts: Texts) -> Canned:
    """Return the two canned messages as they are in an export without core memory and facts."""
    return Canned(opening(texts), closing(texts))


def core_now(archive: Archive, chat_id: str, layout: Layout) -> CoreMemory:
    """Return the sections with their values. Raises ChatSkipped where one is over a new limit."""
    try:
        return core_after(layout.sections, core_events(archive, chat_id))
    except OverLimit as fault:
        raise ChatSkipped(
            f"{fault} It was written when the limit was higher.",
            "Raise its limit in [core.sections], or shorten it with: "
            f"memproc core {chat_id} set SECTION TEXT",
        ) from fault


def core_shown(archive: Archive, shown: ShownChat) -> CoreMemory:
    """Return the core memory as it is now, empty where it is off. Raises as `core_now` does."""
    if not shown.config.core.enabled:
        return NO_CORE_MEMORY
    return core_now(archive, shown.chat.chat_id, shown.layout)


def facts_now(archive: Archive, chat_id: str) -> tuple[Fact, ...]:
    """Return the facts that are true now, by their numbers."""
    return live_facts(fact_events(archive, chat_id))


def facts_shown(archive: Archive, chat_id: str, settings: FactSettings) -> tuple[Fact, ...]:
    """Return the facts that the export shows, by date, within the budget of tokens."""
    facts = facts_now(archive, chat_id)
    counts = _counts_of(archive, facts).all
    sizes = [1 + counts[text_digest(_line(fact))] for fact in facts]  # 1 for the line's end
    return tuple(facts_within(facts, sizes, settings.budget))


def as_line(fact: Fact | FactEvent) -> FactLine:
    """Return the fact, or what it said after an event, as a line of the opening."""
    return FactLine(fact.said_at[:10], keep_inert(fact.text))


def _line(fact: Fact) -> str:
    return fact_line(as_line(fact))


def _counts_of(archive: Archive, facts: Sequence[Fact]) -> Counts:
    return count_once(archive, {text_digest(line): line for line in map(_line, facts)})


def as_value(section: Section, text: str) -> Value:
    """Read the section's value from a text: for a list, one entry a line."""
    if isinstance(section.value, str):
        return text
    entries = (line.strip().removeprefix("- ").strip() for line in text.split("\n"))
    return tuple(entry for entry in entries if entry)


def opening_text(archive: Archive, shown: ShownChat, kept: Sequence[KeptLine] = ()) -> str:
    """Return the opening with its tag, and with the passages that are kept.

    Where the export's opening says the same, with the facts in any order, it stays as it is there.
    """
    sections = []
    for section in core_shown(archive, shown).sections:
        if section.rendered:
            # No live tag of ours stays in it.
            value = section.value
            inert: Value = (
                keep_inert(value) if isinstance(value, str) else tuple(map(keep_inert, value))
            )
            sections.append(replace(section, value=inert, limit=section.limit * 2))
    settings = shown.config.facts
    facts = facts_shown(archive, shown.chat.chat_id, settings) if settings.enabled else ()
    lines = [as_line(fact) for fact in facts]
    preface = reworded(openings(archive, shown.chat.chat_id)) or shown.preface
    introduction = shown.texts.layers
    text = wrap("system", write_opening(preface, introduction, sections, lines, kept))
    there = next((message.wording for message, _ in openings_in_export(shown)), text)
    return there if _says(shown, there) == _says(shown, text) else text


def _says(shown: ShownChat, text: str) -> tuple[object, ...]:
    """Return what makes a difference in openings: preface, filled sections, unordered facts."""
    said = read_shown(shown, text)
    filled = {name: words for name, words in said.sections.items() if words}
    return said.preface, filled, Counter(said.facts), said.kept


def keep_written(archive: Archive, shown: ShownChat, text: str, now: str) -> None:
    """Store an opening that is about to be written, so that it and edits of it are known."""
    preface, chat_id = read_shown(shown, text).preface, shown.chat.chat_id
    keep_opening(archive, chat_id, KeptOpening(text, preface, "memproc", at=now))
    keep(archive, _counts_of(archive, facts_now(archive, chat_id)))


def openings_in_export(shown: ShownChat) -> list[tuple[Message, Marker]]:
    """Return each opening that the export has, most often one, with its marker."""
    ours = ((place.message, place.ours) for place in shown.reading.places)
    return [(message, marker) for message, marker in ours if marker and marker.kind == OPENING]


def read_shown(shown: ShownChat, text: str) -> Opening:
    """Read an opening, with or without its tag."""
    names = {section.name for section in shown.layout.sections}
    return read_opening(text, names, shown.texts.layers)
