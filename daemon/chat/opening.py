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
from rules.conversation.history import Place
from rules.conversation.marker import OPENING, Canned, text_digest
from rules.errors import ChatSkipped
from rules.layers.core import CoreMemory, OverLimit, Section, Value, core_after
from rules.layers.core_layout import Layout
from rules.layers.facts import Fact, FactEvent, facts_within, live
from rules.layers.opening import FactLine, KeptLine, Opening, fact_line, read_opening, write_opening
from rules.typingmind.chat import Chat


@dataclass(frozen=True, slots=True)
class ShownChat:
    """The chat, its messages as they were recognised, and the settings that count for it."""

    chat_id: str
    title: str
    places: Sequence[Place]
    config: Config
    texts: Texts
    layout: Layout
    """The core memory's, with the sections that memproc.toml names."""

    @property
    def preface(self) -> str:
        """Return the words that the opening begins with where the person has not reworded them."""
        texts = self.texts
        return f"{texts.opening}\n\n{texts.recall}" if self.config.recall.mention else texts.opening


def shown_chat(chat: Chat, places: Sequence[Place], config: Config) -> ShownChat:
    """Describe a chat with the texts and settings that count for it. Raises ConfigurationError."""
    texts, layout = load_texts(config.texts.path), core_layout(config.core)
    return ShownChat(chat.chat_id, chat.title, places, config, texts, layout)


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


def facts_now(archive: Archive, chat_id: str) -> tuple[Fact, ...]:
    """Return the facts that are true now, by their numbers."""
    return live(fact_events(archive, chat_id))


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


def opening_text(archive: Archive, chat: ShownChat, kept: Sequence[KeptLine] = ()) -> str:
    """Return the opening with its tag, and with the passages that are kept.

    Where the export's opening says the same, with the facts in any order, it stays as it is there.
    """
    sections, facts = _layers(archive, chat)
    preface, introduction = _preface(archive, chat), chat.texts.layers
    text = wrap("system", write_opening(preface, introduction, sections, facts, kept))
    place = opening_place(chat)
    if place is not None and _says(chat, place.message.text) == _says(chat, text):
        return place.message.text
    return text


def _layers(archive: Archive, chat: ShownChat) -> tuple[list[Section], list[FactLine]]:
    """Return the filled sections and the facts as they may occur in a message."""
    config, chat_id = chat.config, chat.chat_id
    sections = core_now(archive, chat_id, chat.layout).sections if config.core.enabled else ()
    facts = facts_shown(archive, chat_id, config.facts) if config.facts.enabled else ()
    inert = []
    for section in sections:
        if section.rendered:
            # No live tag of ours stays in it.
            value = section.value
            shown: Value = (
                keep_inert(value) if isinstance(value, str) else tuple(map(keep_inert, value))
            )
            inert.append(replace(section, value=shown, limit=section.limit * 2))
    return inert, [as_line(fact) for fact in facts]


def _preface(archive: Archive, chat: ShownChat) -> str:
    """Return the person's own preface where they have reworded it, else that of the texts."""
    kept, place = openings(archive, chat.chat_id), opening_place(chat)
    if place is not None and place.ours is not None:
        shown = text_digest(place.message.text)
        is_known = any(written.goes_back_to(shown) for written in kept)
        if place.is_edited and not is_known:
            # It was edited where it shows neither sections nor facts.
            return read_shown(chat, place.message.text).preface or chat.preface
    return reworded(kept) or chat.preface


def _says(chat: ShownChat, text: str) -> tuple[object, ...]:
    """Return what makes a difference in openings: preface, filled sections, unordered facts."""
    said = read_shown(chat, text)
    filled = {name: words for name, words in said.sections.items() if words}
    return said.preface, filled, Counter(said.facts), said.kept


def keep_written(archive: Archive, chat: ShownChat, text: str, now: str) -> None:
    """Store an opening that is about to be written, so that it and edits of it are known."""
    written = read_shown(chat, text)
    if written.headed:
        keep_opening(archive, chat.chat_id, KeptOpening(text, written.preface, "memproc"), now)
        keep(archive, _counts_of(archive, facts_now(archive, chat.chat_id)))


def opening_place(chat: ShownChat) -> Place | None:
    """Return the opening that the export has, or None."""
    ours = (place for place in chat.places if place.ours and place.ours.kind == OPENING)
    return next(ours, None)


def read_shown(chat: ShownChat, text: str) -> Opening:
    """Read an opening, with or without its tag."""
    return read_opening(text, {section.name for section in chat.layout.sections}, chat.texts.layers)
