"""Take over the memories that a fork shows and the archive lacks for it.

    of a known chat    the fork gets memories of its own, with all editions, and with the raw
                       messages under them
    of no known chat   the memories stay as they are, frozen; what was under them is lost

Which messages of the fork are copies of the other chat's is said in `copies.py`.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import TypeVar

from rules.conversation.history import SLOTS, Group, Past, Place
from rules.conversation.kept_wishes import read_wishes_at_end
from rules.conversation.marker import (
    PERSPECTIVE_SLOT,
    QUOTE_SLOT,
    Marker,
    passages_shown,
)
from rules.conversation.memory import (
    BEFORE_WISH,
    BETWEEN_QUOTES,
    WRITTEN,
    Count,
    Edition,
    Memory,
    Preferred,
    Quote,
    Wish,
    edition_in_prompts,
    fold_id,
    folds_upwards,
    map_aliases,
    memories_by_id,
    memories_of_chunks,
    memory_id,
    own_edition,
    shown_edition,
    six_of,
    with_members,
)
from rules.extract.languages import lead_in
from rules.recognize.known import Known
from rules.typingmind.dates import in_zone

_Passage = TypeVar("_Passage", Quote, Wish)


@dataclass(frozen=True, slots=True)
class Adopted:
    """Memories and folds that a chat takes over under its own ids, and the messages under them."""

    memories: tuple[Memory, ...] = ()
    editions: Mapping[str, tuple[Edition, ...]] = field(default_factory=dict)
    past: tuple[Past, ...] = ()
    kin: str = ""
    """The id of the chat that it was forked from; "" if the archive does not know that chat."""
    keys_of_kin: Mapping[str, str] = field(default_factory=dict)
    """The keys that messages under these memories have there, by those that they have here.

    It has those that differ: of messages that the fork shows as well.
    """

    @property
    def had_hindsight(self) -> frozenset[str]:
        """Return the ids of those that have a hindsight edition, and so do not get another."""
        return frozenset(
            name
            for name, editions in self.editions.items()
            if any(edition.kind == "hindsight" for edition in editions)
        )


def with_adopted(known: Known, adopted: Adopted) -> Known:
    """Return what is known of a chat with what it takes over; folds come last."""
    return replace(
        known,
        memories=sorted((*known.memories, *adopted.memories), key=_in_order),
        editions={**known.editions, **adopted.editions},
        past=(*known.past, *adopted.past),
    )


def _in_order(memory: Memory) -> tuple[bool, int, int]:
    return memory.is_fold, memory.level if memory.is_fold else 0, memory.number


def inherit(known: Known, shown: Mapping[str, Group], kin: Known) -> Adopted:
    """Take over the other chat's memories up to the newest one that this export shows.

    Those that the export does not show, by themselves or in a fold, were forgotten before the fork.
    A chat with memories of its own takes over what comes after them if they are the other chat's
    first ones: a fork that went on in one branch may return to the branch that it left.
    """
    names = map_aliases(kin.memories)
    covered = with_members({names.get(name, name) for name in shown}, kin.memories)
    chunks = memories_of_chunks(kin.memories)
    taken_before = _find_taken_before(kin, chunks, known.memories)
    if taken_before is None:
        return Adopted()
    first = len(memories_of_chunks(known.memories))
    last = max((memory.number for memory in chunks if memory.memory_id in covered), default=0)
    inherited = [memory for memory in chunks if first < memory.number <= last]
    new = _make_own_memories(known.chat_id, kin, inherited, covered)
    mine = _make_own_folds(known.chat_id, kin, taken_before | new)
    mine = {name: memory for name, memory in mine.items() if name not in taken_before}
    return Adopted(
        memories=tuple(mine.values()),
        editions={memory.memory_id: tuple(kin.editions[name]) for name, memory in mine.items()},
        past=tuple(old for old in kin.past if first < old.memory <= last),
        kin=kin.chat_id,
    )


def with_keys_here(adopted: Adopted, keys: Mapping[str, str]) -> Adopted:
    """Return what is taken over with the keys that messages have in this chat, by those there."""
    memories = (
        replace(
            memory,
            keys=tuple(keys.get(key, key) for key in memory.keys),
            edition=_with_keys(memory.edition, keys),
            in_prompts=_with_keys(memory.in_prompts, keys),
        )
        for memory in adopted.memories
    )
    return replace(
        adopted,
        memories=tuple(memories),
        editions={
            name: tuple(_with_keys(edition, keys) for edition in editions)
            for name, editions in adopted.editions.items()
        },
        past=tuple(replace(old, key=keys.get(old.key, old.key)) for old in adopted.past),
        keys_of_kin={here: there for there, here in keys.items()},
    )


def _with_keys(edition: Edition, keys: Mapping[str, str]) -> Edition:
    quotes = (
        replace(quote, source=keys.get(quote.source, quote.source)) for quote in edition.quotes
    )
    wishes = (replace(wish, source=keys.get(wish.source, wish.source)) for wish in edition.wishes)
    return replace(edition, quotes=tuple(quotes), wishes=tuple(wishes))


def as_forked(kin: Known, shown: Mapping[str, Group], preferred: Preferred) -> Known:
    """Return the other chat without the edits and the hindsight that it got after the fork.

    These are the editions after the one in which this export shows a memory. `preferred` is the
    kind of edition to show.
    """
    names = map_aliases(kin.memories)
    shown = {names.get(name, name): group for name, group in shown.items()}
    memories, editions = list[Memory](), dict(kin.editions)
    for memory in kin.memories:
        name, last = memory.memory_id, memory.edition
        places = shown.get(name, {}).values()
        newest = max((place.ours.edition for place in places if place.ours), default=last.number)
        if last.kind != "as-of" and last.number > newest:
            had = [own for own in editions[name] if own.kind == "as-of" or own.number <= newest]
            chosen = own_edition(had)
            memory = replace(
                memory,
                edition=shown_edition(had, chosen, preferred),
                in_prompts=edition_in_prompts(had, chosen),
                chosen=chosen,
                pinned=chosen is not None,
            )
            editions[name] = had
        memories.append(memory)
    return replace(kin, memories=memories, editions=editions)


def _find_taken_before(
    kin: Known, chunks: Sequence[Memory], own: Sequence[Memory]
) -> dict[str, Memory] | None:
    """Return a chat's own memories by the ids that they have in the other chat.

    Return None if the memory of a chunk does not come from the other chat's chunk of that number.
    """
    theirs = {name: memory.memory_id for memory in kin.memories for name in memory.ids}
    taken: dict[str, Memory] = {}
    for memory in own:
        name = next((theirs[name] for name in memory.ids if name in theirs), "")
        if name:
            taken[name] = memory
    mine = [taken.get(memory.memory_id) for memory in chunks[: len(memories_of_chunks(own))]]
    return taken if mine == memories_of_chunks(own) else None


def _make_own_memories(
    chat_id: str, kin: Known, inherited: Sequence[Memory], covered: Set[str]
) -> dict[str, Memory]:
    """Return the other chat's memories with ids of this chat, by the ids that they have there."""
    digests: dict[int, list[str]] = {}
    for old in kin.past:
        digests.setdefault(old.memory, []).append(old.message.digest)
    own = {}
    for memory in inherited:
        name = memory.memory_id
        own[name] = replace(
            memory,
            memory_id=memory_id(chat_id, memory.number, digests.get(memory.number, [name])),
            origins=memory.ids,
            forgotten=memory.forgotten or name not in covered,
        )
    return own


def _make_own_folds(chat_id: str, kin: Known, own: Mapping[str, Memory]) -> dict[str, Memory]:
    """Return `own` with those folds of the other chat whose members it all has."""
    by_id = memories_by_id(kin.memories)
    all_own = dict(own)
    for fold in folds_upwards(kin.memories):
        if not all_own.keys() >= set(fold.members):
            continue
        name = fold.memory_id
        mine = [all_own[member] for member in fold.members]
        # A fold of memories that were edited later is not the fold of the edited ones.
        is_of_today = name == fold_id(kin.chat_id, [by_id[member] for member in fold.members])
        all_own[name] = replace(
            fold,
            memory_id=fold_id(chat_id if is_of_today else f"{chat_id}/{name}", mine),
            origins=fold.ids,
            members=tuple(memory.memory_id for memory in mine),
        )
    return all_own


def freeze(
    shown: Mapping[str, Group],
    first_number: int,
    count: Count,
    own_ids: Mapping[str, str] = MappingProxyType({}),
    zone: tzinfo = UTC,
) -> Adopted:
    """Return the memories of the export as they are, oldest first.

    A memory that has lost a message is left out, and just stays in the export. `own_ids` has new
    ids for those whose ids are taken, since another chat of the archive has them.
    """
    whole = [(name, group) for name, group in shown.items() if len(group) == len(SLOTS)]
    memories: list[Memory] = []
    for number, (name, group) in enumerate(whole, first_number):
        memory = _freeze_memory(name, group, number, count, zone)
        if name in own_ids:
            memory = replace(memory, memory_id=own_ids[name], origins=(name,))
        memories.append(memory)
    return Adopted(tuple(memories), {memory.memory_id: (memory.edition,) for memory in memories})


def _freeze_memory(name: str, group: Group, number: int, count: Count, zone: tzinfo) -> Memory:
    places = [group[slot] for slot in SLOTS]
    marker = places[0].ours or Marker("", "")
    asked = group[PERSPECTIVE_SLOT].ours or marker
    edition = _freeze_edition(places, marker, count)
    return Memory(
        memory_id=name,
        number=number,
        level=max(1, marker.level),
        keys=(),
        first=marker.first,
        last=marker.last,
        began_at=in_zone(places[0].message.created_at, zone) or None,
        ended_at=in_zone(places[-1].message.created_at, zone) or None,
        source_tokens=0,
        edition=edition,
        in_prompts=edition,
        pinned=any(place.is_edited for place in places) or asked.edition_kind == "person",
    )


def _freeze_edition(places: Sequence[Place], marker: Marker, count: Count) -> Edition:
    """Return a frozen memory's only edition: the export's texts, with their quotes and wishes."""
    texts = six_of([place.message.wording for place in places])
    is_framed = any(place.ours is not None and place.ours.said_by for place in places)
    quotes = []
    for text, _ in _read_quotes(places[QUOTE_SLOT - 1]):
        lead = lead_in(text) if is_framed else ""
        quotes.append(Quote(text.removeprefix(lead), "", "unknown", lead=lead))
    return Edition(
        number=marker.edition or 1,
        kind="as-of",
        texts=texts,
        quotes=tuple(quotes),
        made=marker.made or WRITTEN,
        agent="unknown",
        context_manager="unknown",
        requests=(),
        tokens=sum(count(text) for text in texts),
        written_at=places[0].message.created_at or "",
        wishes=read_wishes_at_end(texts[-1], [line for line, _ in _read_wishes(places[-1])], count),
    )


def with_cited_sources(
    edition: Edition, group: Group, said: Mapping[str, Sequence[str]]
) -> Edition:
    """Return a frozen edition with the sources that the markers name.

    A source counts if it is a message under the memory, and one of its parts says the words; `said`
    has the parts of those messages that were said in words, by key.
    """
    if len(group) < len(SLOTS):
        return edition
    quotes = _read_quotes(group[QUOTE_SLOT])
    wishes = _read_wishes(group[SLOTS[-1]])
    if (len(quotes), len(wishes)) != (len(edition.quotes), len(edition.wishes)):
        return edition
    return replace(
        edition,
        quotes=_with_sources(edition.quotes, quotes, said),
        wishes=_with_sources(edition.wishes, wishes, said),
    )


def _with_sources(
    passages: Sequence[_Passage],
    shown: Sequence[tuple[str, str]],
    said: Mapping[str, Sequence[str]],
) -> tuple[_Passage, ...]:
    sourced: list[_Passage] = []
    for passage, (_, source) in zip(passages, shown, strict=True):
        is_said = any(passage.text in part for part in said.get(source, ()))
        sourced.append(replace(passage, source=source) if is_said else passage)
    return tuple(sourced)


def _read_quotes(answer: Place) -> Sequence[tuple[str, str]]:
    """Return the quotes that a memory's answer is made of, each with the source that it names.

    If its marker does not tell them, a fold's quotes are split at blank lines, without sources.
    """
    text, marker = answer.message.wording, answer.ours
    level = marker.level if marker else 1
    cited = marker.cited if marker and (level > 1 or len(marker.cited) == 1) else ()
    shown = passages_shown(BETWEEN_QUOTES + text, cited, BETWEEN_QUOTES) or ()
    if BETWEEN_QUOTES.join(words for words, _ in shown) == text:
        return shown
    return [(words, "") for words in (text.split(BETWEEN_QUOTES) if level > 1 else [text])]


def _read_wishes(last: Place) -> Sequence[tuple[str, str]]:
    """Return the wishes that end a memory's last message, each with the source that it names.

    There are none in a message that the person has edited: those are theirs. An older marker does
    not tell the wishes, only how many there are; they are then without sources.
    """
    text, marker = last.message.wording, last.ours
    if marker is None or not marker.wishes or last.is_edited:
        return ()
    cited = marker.cited if len(marker.cited) == marker.wishes else ()
    shown = passages_shown(text, cited, BEFORE_WISH) if cited else None
    items = text.rsplit(BEFORE_WISH, marker.wishes)[1:]
    return shown or [(item.partition("\n\n")[0], "") for item in items]
