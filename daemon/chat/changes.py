"""The changes of what a chat keeps in mind: core memory, facts, kept passages, by name and values.

Each is done at once, or at the end of the run that works with the archive (cli/mind.py). Nothing
that spends, erases, restores or accepts is among them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from daemon.archive.archive import Archive
from daemon.archive.chats import KnownChat, find_chat, known_chat
from daemon.archive.keeping import kept_passages, store_passages
from daemon.archive.layers import (
    core_events,
    fact_events,
    keep_core_events,
    keep_fact_events,
    next_fact,
)
from daemon.archive.pressed import Pressed, find_pressed, settle_pressed
from daemon.chat.holding import holding
from daemon.chat.kept import covered_by, mark
from daemon.chat.opening import as_value, facts_now
from daemon.chat.outcome import Skipped, until_fault
from daemon.config.loading import core_layout
from daemon.config.settings import Config
from daemon.events import Note
from daemon.files.clock import now
from daemon.models.context import Context
from rules.errors import NotFound, RefusedArguments
from rules.layers.core import CoreEvent, OverLimit, Section, undo_newest
from rules.layers.core_layout import Layout
from rules.layers.facts import FactEvent, normalize
from rules.layers.kept_passages import KeptPassage, admit_waiting, tokens_kept
from rules.typingmind.dates import in_zone
from rules.wording import cut_title


@dataclass(frozen=True, slots=True)
class ChangeDone:
    """What a change says once it is done."""

    says: str
    is_shown_later: bool = True
    """Whether the next export shows it, so that the person is told how to see it."""
    waits: bool = False
    """Whether it is not done yet, but at the end of a run."""


def do_what_waits(context: Context, waiting: Sequence[Pressed]) -> None:
    """Do the changes that wait, and tell what became of them."""
    archive = context.archive
    for pressed in waiting:
        done = _carried_out(context, pressed)
        for outcome in until_fault(archive, pressed.change, done, pressed.chat_id):
            if isinstance(outcome, Skipped):
                says = f"{outcome.reason} {outcome.next_step}".rstrip()
                settle_pressed(archive, pressed.id, says, now(), is_refused=True)
        if settled := find_pressed(archive, pressed.id):
            context.tell(Note(settled.sentence))


def _carried_out(context: Context, pressed: Pressed) -> Iterator[ChangeDone]:
    """Do a change, and note in the same transaction that it is done."""
    with context.archive.transaction():
        changed = CHANGES[pressed.change](context, pressed.chat_id, **pressed.asked)
        settle_pressed(context.archive, pressed.id, changed.says, now())
    yield changed


def set_section(context: Context, chat: str, section: str, words: str) -> ChangeDone:
    """Have a section say these words until it is released. Raises NotFound or RefusedArguments."""
    layout, _ = _known_core(context, chat)
    value = as_value(_section(layout, section), words)
    event = CoreEvent(section, value, held=True, by="person", function="set")
    _keep(context.archive, chat, layout, event)
    until = f"memproc core {chat} release {section}"
    return ChangeDone(f'"{section}" is set, and stays so until: {until}')


def release_section(context: Context, chat: str, section: str) -> ChangeDone:
    """Let the persona edit a section again. Raises NotFound."""
    layout, events = _known_core(context, chat)
    _section(layout, section)
    last = next((event for event in reversed(events) if event.section == section), None)
    if last is None or not (last.held or last.held_lines):
        return ChangeDone(f'"{section}" was not set by hand: nothing to do.', is_shown_later=False)
    event = CoreEvent(section, last.value, held=False, by="person", function="release")
    _keep(context.archive, chat, layout, event)
    return ChangeDone(f'"{section}" is released.', is_shown_later=False)


def take_back(context: Context, chat: str) -> ChangeDone:
    """Take back the newest edit."""
    layout, events = _known_core(context, chat)
    event = undo_newest(layout.sections, events)
    if event is None:
        return ChangeDone("Nothing to do: there is no edit to take back.", is_shown_later=False)
    _keep(context.archive, chat, layout, event)
    return ChangeDone(f'Taken back: "{event.section}" says again what it said before.')


def _known_core(context: Context, chat: str) -> tuple[Layout, tuple[CoreEvent, ...]]:
    """Return the layout of a chat's core memory, and all events. Raises NotFound."""
    archive = context.archive
    find_chat(archive, chat)
    own = context.config.of(known_chat(archive, chat))
    return core_layout(own.core), core_events(archive, chat)


def _section(layout: Layout, name: str) -> Section:
    """Return the section of that name with its first value. Raises NotFound."""
    sections = {section.name: section for section in layout.sections}
    if name not in sections:
        names = ", ".join(sections)
        raise NotFound(f'The core memory has no section "{name}".', f"It has {names}.")
    return sections[name]


def _keep(archive: Archive, chat: str, layout: Layout, event: CoreEvent) -> None:
    """Store the event.

    Raises RefusedArguments, and stores nothing, where the section gets too long.
    """
    try:
        _section(layout, event.section).with_value(event.value)
    except OverLimit as fault:
        raise RefusedArguments(f"Nothing was changed. {fault}", "Say it shorter.") from fault
    keep_core_events(archive, chat, [event], now())


def forget_fact(context: Context, chat: str, number: int) -> ChangeDone:
    """Forget a fact. Raises NotFound."""
    archive = context.archive
    events_of(archive, find_chat(archive, chat), number)
    if number not in {fact.number for fact in facts_now(archive, chat)}:
        return ChangeDone(
            f"Nothing to do: fact {number} is not true any more.", is_shown_later=False
        )
    why = "forgotten at the command line"
    event = FactEvent(number, "FORGET", "", "", "", "person", why=why)
    keep_fact_events(archive, chat, [event], now())
    return ChangeDone(f"Fact {number} is forgotten.")


def add_fact(context: Context, chat: str, words: str) -> ChangeDone:
    """Add a fact of today."""
    archive = context.archive
    for fact in facts_now(archive, chat):
        if normalize(fact.text) == normalize(words):
            says = f"Nothing to do: fact {fact.number} says so already."
            return ChangeDone(says, is_shown_later=False)
    number, when = next_fact(archive, chat), now()
    said_at, why = in_zone(when, archive.zone), "added at the command line"
    event = FactEvent(number, "ADD", words, said_at, "", "person", why=why)
    keep_fact_events(archive, chat, [event], when)
    return ChangeDone(f"Added as fact {number}.")


def events_of(archive: Archive, chat: KnownChat, number: int) -> Sequence[FactEvent]:
    """Return the events of one fact, forgotten or not. Raises NotFound."""
    of_chat = fact_events(archive, chat.chat_id, forgotten=True)
    events = [event for event in of_chat if event.fact == number]
    if not events:
        raise NotFound(
            f'"{cut_title(chat.title)}" never had a fact {number}.',
            f"List its facts with: memproc facts {chat.chat_id}",
        )
    return events


def keep_passage(
    context: Context, chat: str, words: str, uuid: str, number: int | None
) -> ChangeDone:
    """Keep words of a chat, a message, or the passage of that number. Raises NotFound."""
    archive = context.archive
    known = find_chat(archive, chat)
    before = kept_passages(archive, chat)
    meant = _passage(before, known, number) if number else None
    new = meant.agreed() if meant else mark(archive, chat, words, uuid)
    # A passage that is there is kept already where it is as agreed.
    there = (new if new in before else None) if meant else covered_by(before, new)
    if there:
        says = f"Nothing to do: {there.called} is {there.state} already."
        return ChangeDone(says, is_shown_later=False)
    passages, budget = _store(context, chat, before, new)
    passage = passages[-1]
    if passage.state == "kept":
        return ChangeDone(f"Kept, word for word: {passage.called}.")
    return ChangeDone(
        f"{passage.called.capitalize()} waits: it has {passage.tokens:,} tokens, and of "
        f"{budget:,} (keep.budget) {tokens_kept(passages):,} are taken. "
        "Release another passage, or raise keep.budget in memproc.toml.",
        is_shown_later=False,
    )


def release_passage(context: Context, chat: str, number: int | None, words: str) -> ChangeDone:
    """Release the passage of that number, or else what a memory lists in these words.

    Raises NotFound.
    """
    archive, known = context.archive, find_chat(context.archive, chat)
    before = kept_passages(archive, chat)
    meant = (
        _passage(before, known, number)
        if number
        else _listed(archive, context.config, known, before, words)
    )
    if meant.state == "released":
        says = f"Nothing to do: {meant.called} is released already."
        return ChangeDone(says, is_shown_later=False)
    _store(context, chat, before, meant.released())
    return ChangeDone(f"Released: {meant.called}.")


def _listed(
    archive: Archive, config: Config, known: KnownChat, before: Sequence[KeptPassage], words: str
) -> KeptPassage:
    """Return the wish or the promise that a memory lists in these words, or one of `before`.

    Raises NotFound.
    """
    for passage in before:
        if passage.state == "released" and passage.text == words:
            return passage
    shown = holding(archive, config, known.chat_id).shown
    if not any(
        wish.is_listed and wish.text == words for memory in shown for wish in memory.edition.wishes
    ):
        raise NotFound(
            f'No memory of "{cut_title(known.title)}" lists these words as a wish or a promise.',
            f"See what is kept and open with: memproc keep {known.chat_id}",
        )
    return mark(archive, known.chat_id, words, by="wish")


def _store(
    context: Context, chat: str, before: Sequence[KeptPassage], changed: KeptPassage
) -> tuple[tuple[KeptPassage, ...], int]:
    """Store the passages with one that is new or changed, and let in what waits.

    Return them, that one last, and the tokens that they may take.
    """
    others = [passage for passage in before if passage.number != changed.number]
    budget = context.config.of(known_chat(context.archive, chat)).keep.budget
    admitted = admit_waiting([*others, changed], budget)
    return store_passages(context.archive, chat, admitted, now()), budget


def _passage(passages: Sequence[KeptPassage], known: KnownChat, number: int) -> KeptPassage:
    """Return the passage of this number. Raises NotFound."""
    for passage in passages:
        if passage.number == number:
            return passage
    raise NotFound(
        f'"{cut_title(known.title)}" has no passage {number}.',
        f"List what is kept with: memproc keep {known.chat_id}",
    )


CHANGES: Mapping[str, Callable[..., ChangeDone]] = {
    "core set": set_section,
    "core release": release_section,
    "core undo": take_back,
    "facts add": add_fact,
    "facts forget": forget_fact,
    "keep": keep_passage,
    "release": release_passage,
}
"""Each change, by what is typed for it."""
