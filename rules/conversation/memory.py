"""Memories and folds, and their editions: as-of, hindsight or the person's, all kept for good."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Literal

from rules.conversation.wish_frames import STILL

EXTRACTED, WRITTEN = "extracted", "model"

Kind = Literal["as-of", "hindsight", "person"]
Preferred = Literal["as-of", "hindsight"]
Six = tuple[str, str, str, str, str, str]
Count = Callable[[str], int]
"""Counts the tokens of a text."""
BETWEEN_QUOTES, BEFORE_WISH = "\n\n", "\n- "
BEFORE_OPEN = tuple(f"\n\n{frame}" for frame in STILL)
"""What separates a memory's wishes from what is open (promises and tasks), in each language."""
CHUNK_LEVEL = 1
"""The level of a chunk's memory; a fold has a higher one."""


def six_of(texts: Sequence[str]) -> Six:
    """Return texts as the six of a memory. Raises ValueError unless there are six."""
    first, second, third, fourth, fifth, sixth = texts
    return first, second, third, fourth, fifth, sixth


@dataclass(frozen=True, slots=True)
class Quote:
    """The permanent part of a memory: characters of one raw message, and that message's key."""

    text: str
    source: str
    """The key of the raw message within its chat; empty if it is no longer known."""
    chosen: str
    """Who chose it: `agent`; or, where the agent's quote was not verbatim, `aligned` (its nearest
    passage) or `engine`."""
    tokens: int = field(default=0, compare=False)
    """0 until they are counted."""
    lead: str = ""
    """The words before it where the person said it ("You said: "); empty where the persona did."""

    @property
    def size(self) -> int:
        """Return its tokens, or an estimate where they are not counted yet."""
        return self.tokens or len(self.framed.encode()) // 4

    @property
    def framed(self) -> str:
        """Return its words as a memory has them, after the lead."""
        return self.lead + self.text


@dataclass(frozen=True, slots=True)
class Wish:
    """What a message asks for, promises or ends, character for character, and the message's key."""

    text: str
    source: str
    """The key of the raw message within its chat; empty if it is no longer known."""
    tokens: int = field(default=0, compare=False)
    kind: str = "wish"
    """A `wish` holds for good, an `end` takes one back, a `task` is to be done once, a `promise` is
    the persona's, and `done` says that a task or promise is done."""
    day: str = ""
    """For a promise or a task, the day when it was said (ISO)."""

    @property
    def is_listed(self) -> bool:
        """Return whether its memory lists it."""
        return self.kind != "done"

    @property
    def is_open(self) -> bool:
        """Return whether it is a promise or a task."""
        return self.kind in ("promise", "task")

    @property
    def line(self) -> str:
        """Return its words as a memory lists them."""
        return f"{self.day}: {self.text}" if self.day else self.text

    @property
    def size(self) -> int:
        """Return its tokens, an estimate if they are not counted yet, or 0 if it is not listed."""
        return (self.tokens or len(self.line.encode()) // 4) if self.is_listed else 0


def quotes_answer(quotes: Iterable[Quote]) -> str:
    """Return the answer of a memory with these quotes; tags in it are not made inert."""
    return BETWEEN_QUOTES.join(quote.framed for quote in quotes)


def listed_wishes(wishes: Iterable[Wish]) -> list[Wish]:
    """Return the wishes that a memory lists: first what holds for good, then what is open."""
    return sorted((wish for wish in wishes if wish.is_listed), key=lambda wish: wish.is_open)


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a memory."""

    number: int
    kind: Kind
    """How the edition came to be.

    `as-of`: written without knowledge of what came later. `hindsight`: with it. `person`: edited in
    TypingMind.
    """
    texts: Six
    """The six messages' texts: user, assistant, user, assistant, user, assistant."""
    quotes: tuple[Quote, ...]
    """One in a chunk's memory; a fold has those of its members, word for word."""
    made: str
    """`model`, or `extracted` by the built-in engine."""
    agent: str
    context_manager: str
    requests: tuple[str, ...]
    """The hashes of the requests that it was made from."""
    tokens: int
    written_at: str
    form: str = ""
    """Why its answers do not have the form that was asked for; empty where they do."""
    wishes: tuple[Wish, ...] = ()
    """The wishes, promises and tasks that end its last text; a fold has those of its members."""
    is_short: bool = False
    """Whether it is a fold whose quotes are cut to one sentence each, in an export with too many
    quotes; the archive has it whole."""
    lacks_wishes: bool = False
    """Whether it is a fold that leaves out some of too many wishes; the archive has it whole."""

    @property
    def sources(self) -> frozenset[str]:
        """Return the known keys of the raw messages that its quotes and wishes are from."""
        passages: Sequence[Quote | Wish] = (*self.quotes, *self.wishes)
        return frozenset(passage.source for passage in passages if passage.source)

    @property
    def is_extracted(self) -> bool:
        """Return whether the built-in engine wrote it, and the person has not edited it since."""
        return self.made == EXTRACTED and self.kind != "person"

    @property
    def permanent_tokens(self) -> int:
        """Return the tokens of its quotes and wishes, which are outside `fold.budget`."""
        return self.quote_tokens + sum(wish.size for wish in self.wishes)

    @property
    def quote_tokens(self) -> int:
        """Return the tokens of its quotes; 0 for the person's, all of which is their own text."""
        return 0 if self.kind == "person" else sum(quote.size for quote in self.quotes)


def shown_edition(editions: Sequence[Edition], chosen: int | None, preferred: Preferred) -> Edition:
    """Return the edition to show: the person's choice, else the newest of the preferred kind.

    Where there is none of that kind, or none since the newest as-of edition, return that one: it
    was written again after an edit, and earlier hindsight would say what the person has corrected.
    Raises ValueError without any edition.
    """
    if chosen is not None:
        return next(edition for edition in editions if edition.number == chosen)
    as_of = edition_in_prompts(editions, None)
    of_kind = [edition for edition in editions if edition.kind == preferred]
    return max((*of_kind[-1:], as_of), key=lambda edition: edition.number)


def edition_in_prompts(editions: Sequence[Edition], chosen: int | None) -> Edition:
    """Return the edition that later prompts see: the person's choice, else the newest as-of one.

    It does not depend on when rounds happened.
    """
    for edition in editions:
        if edition.number == chosen and edition.kind == "person":
            return edition
    for edition in reversed(editions):
        if edition.kind == "as-of":
            return edition
    raise ValueError("a memory has an as-of edition")


def own_edition(editions: Sequence[Edition]) -> int | None:
    """Return the number of the person's newest edition; None if an as-of one was written since."""
    newest = [edition for edition in editions if edition.kind != "hindsight"][-1]
    return newest.number if newest.kind == "person" else None


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory of a chunk, or a fold of the memories named in `members`."""

    memory_id: str
    number: int
    """From 1, for the oldest chunk of the chat; the folds of each level are numbered separately."""
    level: int
    keys: tuple[str, ...]
    """The keys of its raw messages, in order."""
    first: str
    last: str
    """The uuids of its first and last raw message (empty where a message has none)."""
    began_at: str | None
    ended_at: str | None
    """The dates of its first and last raw message, as the export has them."""
    source_tokens: int
    """The tokens of its raw messages."""
    edition: Edition
    """The edition that is shown."""
    in_prompts: Edition
    """The edition that later prompts see: the person's own text, else the newest as-of edition."""
    chosen: int | None = None
    """The number of the edition that the person wants shown.

    None for the newest one that memory.editions prefers.
    """
    pinned: bool = False
    """Whether the person pinned it by `memproc pin` or edited it in TypingMind; see
    `keeps_its_words`. A pin on one of its messages in TypingMind does not count."""
    forgotten: bool = False
    """Whether the person deleted it in TypingMind.

    It is neither shown nor in prompts until it is recalled.
    """
    due: str = ""
    """Why it needs a new edition, where its raw messages have changed; empty once it has one."""
    recalled: bool = False
    """Whether it was recalled after it was forgotten, and no export has had it since: that it is
    missing is no deletion."""
    origins: tuple[str, ...] = ()
    """Its ids in the chat that this one was forked from, in the one before that, and so on.

    Markers of single messages in exports may still have these ids.
    """
    members: tuple[str, ...] = ()
    """The ids of the memories in a fold, oldest first."""

    @property
    def is_fold(self) -> bool:
        """Return whether it replaces other memories, which the archive keeps."""
        return bool(self.members)

    @property
    def ids(self) -> tuple[str, ...]:
        """Return its id, then those that exports of a fork may still have for it."""
        return self.memory_id, *self.origins

    @property
    def quote(self) -> str:
        """Return its first quote, on one line; empty where it has none."""
        quotes = self.edition.quotes
        return " ".join(quotes[0].framed.split()) if quotes else ""

    @property
    def keeps_its_words(self) -> bool:
        """Return whether it is never rewritten or folded.

        So it is once the person has pinned it, or chosen their own edition.
        """
        return self.pinned or self.in_prompts.kind == "person"

    @property
    def may_be_rewritten(self) -> bool:
        """Return whether a model may write it again, provided that its raw messages are known.

        It may not where the person keeps its words or has deleted it, or where it is a fold whose
        memories are lost.
        """
        is_lone_fold = self.level > CHUNK_LEVEL and not self.is_fold
        return not (self.keeps_its_words or self.forgotten or is_lone_fold)


def name_in_chat(level: int, number: int) -> str:
    """Return a memory's name within its chat, which no other memory ever gets.

    Such are `6`, `f2` for a fold, and `ff1` for one a level above.
    """
    return "f" * (level - CHUNK_LEVEL) + str(number)


def memories_by_id(memories: Iterable[Memory]) -> dict[str, Memory]:
    """Return memories and folds by their ids."""
    return {memory.memory_id: memory for memory in memories}


def memories_of_chunks(memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that are no folds, in their order."""
    return [memory for memory in memories if not memory.is_fold]


def map_aliases(memories: Sequence[Memory]) -> dict[str, str]:
    """Map the ids that exports of forks may still have for these memories to the present ids."""
    return {name: memory.memory_id for memory in memories for name in memory.origins}


def with_all_inside(memory: Memory, by_id: Mapping[str, Memory]) -> Iterator[Memory]:
    """Yield a memory and everything in it, each fold before its members, oldest first."""
    yield memory
    for name in memory.members:
        yield from with_all_inside(by_id[name], by_id)


def shown_in(shown: Collection[str], memories: Sequence[Memory]) -> dict[str, str]:
    """Map each id that an export shows, by itself or in a fold, to that of the outermost item.

    `shown` are the ids of the export's memories and folds, `memories` all of the chat.
    """
    outermost = {name: name for name in shown}
    for fold in folds_upwards(memories):
        if fold.memory_id in shown:
            inside = with_members([fold.memory_id], memories)
            outermost |= dict.fromkeys(inside, fold.memory_id)
    return outermost


def with_members(names: Collection[str], memories: Sequence[Memory]) -> frozenset[str]:
    """Return these ids of memories and folds, and those of everything in the folds."""
    by_id = memories_by_id(memories)
    known = (by_id[name] for name in names if name in by_id)
    inside = (part.memory_id for memory in known for part in with_all_inside(memory, by_id))
    return frozenset({*names, *inside})


def folds_upwards(memories: Sequence[Memory]) -> list[Memory]:
    """Return the folds, each after the folds that are its members.

    Levels do not give this order: a fold keeps the level at which it was made, and with another
    budget it may be a member of a fold of a lower level.
    """
    folds = {memory.memory_id: memory for memory in memories if memory.is_fold}
    members = {name: fold.members for name, fold in folds.items()}
    return [folds[name] for name in TopologicalSorter(members).static_order() if name in folds]


def memory_id(chat_id: str, number: int, digests: Sequence[str]) -> str:
    """Derive a memory's id from the chat, the chunk's number and what was said; nothing else."""
    return (
        "m" + hashlib.sha256("\n".join([chat_id, str(number), *digests]).encode()).hexdigest()[:15]
    )


def fold_id(chat_id: str, members: Sequence[Memory]) -> str:
    """Derive a fold's id from the chat, its members and their editions in prompts; nothing else."""
    editions = [f"{member.memory_id} {member.in_prompts.number}" for member in members]
    return "f" + hashlib.sha256("\n".join([chat_id, *editions]).encode()).hexdigest()[:15]
