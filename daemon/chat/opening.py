"""Core memory and facts of a chat as they are now, how they stand in its opening, and what is due for them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.archive.archive import Archive
from daemon.archive.layers import Layer, core_events, due_steps, fact_events, has_step, last_step
from daemon.archive.outputs import KeptOpening, keep_opening, openings, reworded
from daemon.config.loading import core_layout, load_texts
from daemon.config.settings import Config
from daemon.config.tables import FactSettings
from daemon.models.roles import Roles
from daemon.models.tokens import count, count_once, keep
from primer.models import ENGINE
from primer.prompt import Texts, keep_inert, wrap
from rules.conversation.marker import OPENING, text_digest
from rules.conversation.memory import Memory
from rules.conversation.place import Place
from rules.errors import ChatSkipped
from rules.layers.core import CoreMemory, Layout, OverLimit, Section, Value, core_after
from rules.layers.facts import Fact, FactEvent, live, within
from rules.layers.opening import FactLine, Opening, fact_line, read_opening, write_opening
from rules.plan.chat_plan import ChatPlan
from rules.plan.work import NO_LAYERS, Layers, chosen
from rules.typingmind.chat import Chat


def core_now(archive: Archive, chat_id: str, layout: Layout) -> CoreMemory:
    """The sections with their values. Raises ChatSkipped where a value does not fit a limit that was lowered since."""
    try:
        return core_after(layout.sections, core_events(archive, chat_id))
    except OverLimit as fault:
        raise ChatSkipped(
            f"{fault} It was written when the limit was higher.",
            f"Raise its limit in [core.sections], or shorten it with: memproc core {chat_id} set SECTION TEXT",
        ) from fault


def facts_now(archive: Archive, chat_id: str) -> tuple[Fact, ...]:
    """The facts that are true now, by their numbers."""
    return live(fact_events(archive, chat_id))


def facts_shown(archive: Archive, chat_id: str, settings: FactSettings) -> tuple[Fact, ...]:
    """The facts that the export shows: within the budget of tokens, in the order of their dates."""
    facts = facts_now(archive, chat_id)
    lines = {fact.number: fact_line(as_line(fact)) for fact in facts}
    counts = count_once(archive, {text_digest(line): line for line in lines.values()})
    keep(archive, counts)
    sizes = [
        1 + counts.all[text_digest(lines[fact.number])] for fact in facts
    ]  # and the break of its line
    return tuple(within(facts, sizes, settings.budget))


def as_line(fact: Fact | FactEvent) -> FactLine:
    """The fact, or what it said after an event, as the opening says it."""
    return FactLine(fact.said_at[:10], keep_inert(fact.text))


def as_value(section: Section, text: str) -> Value:
    """The section's value from a text: for a list, one entry a line."""
    if isinstance(section.value, str):
        return text
    return tuple(
        entry for line in text.split("\n") if (entry := line.strip().removeprefix("- ").strip())
    )


_TOKENS_A_FACT = 40
"""The tokens of a fact as it is shown for comparison, with its number and day."""


def layers_planned(
    archive: Archive,
    plan: ChatPlan,
    roles: Roles,
    layout: Layout,
    config: Config,
    texts: Texts,
    adopted: Sequence[Memory] = (),
) -> Layers:
    """Plan core memory and facts after the memories that are made now, and what an interrupted run has left of them.

    The engine has neither. Memories that were made before a layer was switched on, or by the engine before ones that a
    model wrote, get none: the agent edits its core memory in the order of what has happened. Nor do those that a fork
    has `adopted` and writes once more, where the chat it came from has had these steps.
    """
    chat_id, facts = plan.chat_id, config.facts

    def due(layer: Layer) -> frozenset[int]:
        """Numbers of the memories after which the layer has a step."""
        kin = (memory for memory in adopted if not memory.is_fold)
        followed = (memory.number for memory in kin if has_step(archive, memory.origins, layer))
        last = max([last_step(archive, chat_id, layer), *followed])
        made = [chunk.number for chunk in plan.again + plan.chunks if chunk.number > last]
        return frozenset([*due_steps(archive, chat_id, layer), *made])

    has_core = config.core.enabled and layout.sections and roles.agent != ENGINE
    has_facts = facts.enabled and roles.context_manager != ENGINE
    edits, taken = (
        due("core") if has_core else frozenset(),
        due("facts") if has_facts else frozenset(),
    )
    if not edits and not taken:
        return NO_LAYERS
    rows = plan.made + plan.chunks
    sections = core_now(archive, chat_id, layout) if edits else ()
    core_tokens = sum(count(section.description) + count(section.rendered) for section in sections)
    shown = min(facts.compare, len(facts_now(archive, chat_id)) + len(plan.chunks)) * _TOKENS_A_FACT
    return Layers(
        core=chosen(rows, edits),
        facts=chosen(rows, taken),
        core_tokens=count(texts.core) + core_tokens if edits else 0,
        facts_tokens=count(texts.facts) + count(texts.fact_keeper) + shown,
        shown_tokens=shown,
        embeds=roles.embedding is not None,
    )


@dataclass(frozen=True, slots=True)
class ShownChat:
    """The chat, its messages as they were recognised, and the settings that count for it."""

    chat_id: str
    title: str
    places: Sequence[Place]
    config: Config
    texts: Texts
    layout: Layout
    """The core memory's, with the sections that memproc.toml says."""

    @property
    def preface(self) -> str:
        """The words with which the opening begins, where the person has not reworded them."""
        texts = self.texts
        return f"{texts.opening}\n\n{texts.recall}" if self.config.recall.mention else texts.opening


def shown_chat(chat: Chat, places: Sequence[Place], config: Config) -> ShownChat:
    """A chat whose messages are recognised; `config` is the one that counts for it. Raises ConfigurationError."""
    texts, layout = load_texts(config.texts.path), core_layout(config.core)
    return ShownChat(chat.chat_id, chat.title, places, config, texts, layout)


def opening_text(archive: Archive, chat: ShownChat) -> str:
    """The opening with its tag: as the export has it, where that says the same, with the facts in whatever order.

    The person's own preface stands in it, where they have reworded it; else that of the texts, which may have changed.
    """
    chat_id, config, place = chat.chat_id, chat.config, opening_place(chat)
    sections = core_now(archive, chat_id, chat.layout).sections if config.core.enabled else ()
    facts = facts_shown(archive, chat_id, config.facts) if config.facts.enabled else ()
    lines = [as_line(fact) for fact in facts]
    inert = [_shown(section) for section in sections if section.rendered]
    kept = openings(archive, chat_id)
    preface = reworded(kept)
    if place is not None and place.ours is not None:
        shown = text_digest(place.message.text)
        if place.ours.text != shown and not any(opening.goes_back_to(shown) for opening in kept):
            preface = read(
                chat, place.message.text
            ).preface  # edited where it shows neither sections nor facts
    text = wrap("system", write_opening(preface or chat.preface, chat.texts.layers, inert, lines))
    stands = place is not None and _says(read(chat, place.message.text)) == _says(read(chat, text))
    return place.message.text if place is not None and stands else text


def _says(opening: Opening) -> tuple[str, Mapping[str, str], Counter[FactLine]]:
    """The parts of an opening that make a difference: preface, filled sections, facts in any order."""
    return (
        opening.preface,
        {name: text for name, text in opening.sections.items() if text},
        Counter(opening.facts),
    )


def keep_written(archive: Archive, chat: ShownChat, text: str, now: str) -> None:
    """Remember an opening that is about to be written, so that it is known again, and an edit of it shows."""
    opening = read(chat, text)
    if opening.headed:
        keep_opening(archive, chat.chat_id, KeptOpening(text, opening.preface, "memproc"), now)


def opening_place(chat: ShownChat) -> Place | None:
    """The opening that the export has, or None."""
    places = chat.places
    return next(
        (place for place in places if place.ours is not None and place.ours.kind == OPENING), None
    )


def read(chat: ShownChat, text: str) -> Opening:
    """Read an opening, with or without its tag."""
    return read_opening(text, {section.name for section in chat.layout.sections}, chat.texts.layers)


def _shown(section: Section) -> Section:
    """The section with its value as it may stand in a message: no tag of ours is alive in it."""
    value = section.value
    shown: Value = keep_inert(value) if isinstance(value, str) else tuple(map(keep_inert, value))
    return replace(section, value=shown, limit=section.limit * 2)
