"""Memories and folds, and their editions: as-of, with hindsight, or by the person.

None is ever overwritten.
"""

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
"""What parts the wishes of a memory from what is open, in each language."""
CHUNK_LEVEL = 1
"""The level of a chunk's memory; a fold has a higher one."""


def six_of(texts: Sequence[str]) -> Six:
    """Return the texts as the six of a memory. Raises ValueError unless they are six."""
    one, two, three, four, five, six = texts
    return one, two, three, four, five, six


@dataclass(frozen=True, slots=True)
class Quote:
    """The permanent part of a memory: characters of one raw message, and which message that is."""

    text: str
    source: str
    """Key of the raw message within its chat; empty if it is no longer known."""
    chosen: str
    """`agent`, `aligned` (the nearest passage), or `engine` where the agent's quote was not
    verbatim."""
    tokens: int = field(default=0, compare=False)
    """0 where it is not counted yet."""
    lead: str = ""
    """The words before it where the person said it ("You said: "); empty where the persona did."""

    @property
    def size(self) -> int:
        """Return its tokens, or about as many."""
        return self.tokens or len(self.framed.encode()) // 4

    @property
    def framed(self) -> str:
        """Return its words as a memory has them: those of the person say whose they are."""
        return self.lead + self.text


@dataclass(frozen=True, slots=True)
class Wish:
    """What a message asks, promises or ends, character for character, and which message that is."""

    text: str
    source: str
    """Key of the raw message within its chat; empty if it is no longer known."""
    tokens: int = field(default=0, compare=False)
    kind: str = "wish"
    """`wish` holds for good, `end` takes one back, `task` is to be done once, `promise` is the
    persona's, and `done` says that one of these two is done."""
    day: str = ""
    """When it was said (ISO), of a promise and a task."""

    @property
    def is_listed(self) -> bool:
        """Return whether it is in the text of its memory."""
        return self.kind != "done"

    @property
    def is_open(self) -> bool:
        """Return whether it is something that is promised or to be done."""
        return self.kind in ("promise", "task")

    @property
    def line(self) -> str:
        """Return its words as a memory lists them."""
        return f"{self.day}: {self.text}" if self.day else self.text

    @property
    def size(self) -> int:
        """Return its tokens, or about as many; 0 where it is not listed."""
        return (self.tokens or len(self.line.encode()) // 4) if self.is_listed else 0


def quotes_answer(quotes: Iterable[Quote]) -> str:
    """Return the answer of a memory that has these quotes, with no tag made inert."""
    return BETWEEN_QUOTES.join(quote.framed for quote in quotes)


def listed_wishes(wishes: Iterable[Wish]) -> list[Wish]:
    """Return the wishes that a memory lists: what holds for good, then what is open."""
    return sorted((wish for wish in wishes if wish.is_listed), key=lambda wish: wish.is_open)


def wish_lines(wishes: Iterable[Wish]) -> str:
    """Return the lines of these wishes in a memory's last answer."""
    return "".join(BEFORE_WISH + wish.line for wish in wishes)


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a memory."""

    number: int
    kind: Kind
    """`as-of`: nothing later was in sight. `hindsight`: what came after was. `person`: edited in
    TypingMind."""
    texts: Six
    """The six messages' texts: user, assistant, user, assistant, user, assistant."""
    quotes: tuple[Quote, ...]
    """One in a chunk's memory; a fold carries those of its members, word for word."""
    made: str
    """`model`, or `extracted` by the built-in engine."""
    agent: str
    context_manager: str
    requests: tuple[str, ...]
    """Hashes of the requests that it was made from: where it comes from, to the byte."""
    tokens: int
    written_at: str
    form: str = ""
    """Why its answers have not the form that was asked for; empty where they have."""
    wishes: tuple[Wish, ...] = ()
    """The person's standing wishes, which end its last text.

    A fold carries those of its members.
    """
    is_short: bool = False
    """Whether each of its quotes is one sentence: a fold in an export that has too many. The
    archive has it whole."""
    lacks_wishes: bool = False
    """Whether a fold leaves out some of its wishes, being too many. The archive has it whole."""

    @property
    def sources(self) -> frozenset[str]:
        """Return the keys of the raw messages that its quotes and wishes are from, if known."""
        passages: Sequence[Quote | Wish] = (*self.quotes, *self.wishes)
        return frozenset(passage.source for passage in passages if passage.source)

    @property
    def is_extracted(self) -> bool:
        """Return whether the built-in engine has written it, and not the person since."""
        return self.made == EXTRACTED and self.kind != "person"

    @property
    def permanent_tokens(self) -> int:
        """Return the tokens of its quotes and wishes, which are outside `fold.budget`."""
        return self.quote_tokens + sum(wish.size for wish in self.wishes)

    @property
    def quote_tokens(self) -> int:
        """Return the tokens of its quotes. What the person has edited counts as theirs."""
        return 0 if self.kind == "person" else sum(quote.size for quote in self.quotes)


def shown_edition(editions: Sequence[Edition], chosen: int | None, preferred: Preferred) -> Edition:
    """Return the edition to show: the person's choice, else the newest of the preferred kind.

    It is the newest as-of edition if there is none of that kind, or none since the as-of one: that
    was written again after an edit, and hindsight from before it tells what the person has
    corrected. Raises ValueError without any edition.
    """
    if chosen is not None:
        return next(edition for edition in editions if edition.number == chosen)
    as_of = edition_in_prompts(editions, None)
    of_kind = [edition for edition in editions if edition.kind == preferred]
    return max((*of_kind[-1:], as_of), key=lambda edition: edition.number)


def edition_in_prompts(editions: Sequence[Edition], chosen: int | None) -> Edition:
    """Return the edition that later prompts see: the person's text, else as-of.

    It is the same whenever rounds happened.
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
    """1 for the oldest chunk of the chat, and so on; the folds of a level are counted by
    themselves."""
    level: int
    keys: tuple[str, ...]
    """Keys of its raw messages, in order."""
    first: str
    last: str
    """uuids of the first and the last of them (empty where a message has none)."""
    began_at: str | None
    ended_at: str | None
    """The dates of the first and the last of them, as the export has them."""
    source_tokens: int
    edition: Edition
    """The one that is shown."""
    in_prompts: Edition
    """The one that later prompts see: the person's own text, else the newest as-of edition."""
    chosen: int | None = None
    """Number of the edition that the person wants shown; None: the newest that memory.editions
    prefers."""
    pinned: bool = False
    """The person has pinned it by `memproc pin`, or edited it in TypingMind; see `keeps_its_words`.
    A pin on one of its messages in TypingMind does not do it."""
    forgotten: bool = False
    """The person has deleted it in TypingMind: it is neither shown nor in prompts, until it is
    recalled."""
    due: str = ""
    """Why it needs a new edition, where its raw messages have changed; empty once it has one."""
    recalled: bool = False
    """Whether it was forgotten and then recalled, and no export has had it since: that it is
    missing means nothing."""
    origins: tuple[str, ...] = ()
    """Its ids in the chat that this one was forked from, in the one before that, and so on.

    Exports may still call it so, message by message.
    """
    members: tuple[str, ...] = ()
    """Ids of the memories in a fold, oldest first."""

    @property
    def is_fold(self) -> bool:
        """Return whether it replaces other memories, which the archive keeps."""
        return bool(self.members)

    @property
    def ids(self) -> tuple[str, ...]:
        """Return its id, then those that exports of a fork may still use for it."""
        return self.memory_id, *self.origins

    @property
    def quote(self) -> str:
        """Return its first quote, on one line; empty where it has none."""
        quotes = self.edition.quotes
        return " ".join(quotes[0].framed.split()) if quotes else ""

    @property
    def keeps_its_words(self) -> bool:
        """Return whether it is never rewritten or folded.

        The person has pinned it, or has chosen their own edition, which holds without a pin.
        """
        return self.pinned or self.in_prompts.kind == "person"

    @property
    def may_be_rewritten(self) -> bool:
        """Return whether a model may write it again, if its raw messages are known.

        The person has neither kept its words nor deleted it, and it is no fold whose memories are lost.
        """
        is_lone_fold = self.level > CHUNK_LEVEL and not self.is_fold
        return not (self.keeps_its_words or self.forgotten or is_lone_fold)


def name_in_chat(level: int, number: int) -> str:
    """Return a memory's name within its chat: `6`, or `f2` for a fold, `ff1` for one of the next level.

    It is never given to another memory of the chat.
    """
    return "f" * (level - CHUNK_LEVEL) + str(number)


def memories_by_id(memories: Iterable[Memory]) -> dict[str, Memory]:
    """Return memories and folds by their ids."""
    return {memory.memory_id: memory for memory in memories}


def memories_of_chunks(memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that are no folds, in their order."""
    return [memory for memory in memories if not memory.is_fold]


def aliases(memories: Sequence[Memory]) -> dict[str, str]:
    """Map the ids that exports of forks may still use for these memories to their own."""
    return {name: memory.memory_id for memory in memories for name in memory.origins}


def with_all_inside(memory: Memory, by_id: Mapping[str, Memory]) -> Iterator[Memory]:
    """Yield a memory and all that is in it: each fold before its members, the oldest first."""
    yield memory
    for name in memory.members:
        yield from with_all_inside(by_id[name], by_id)


def shown_in(shown: Collection[str], memories: Sequence[Memory]) -> dict[str, str]:
    """Map all that is shown, by itself or in a fold, to the outermost memory or fold that shows it.

    `shown` are the ids of what an export shows, `memories` all of the chat.
    """
    outermost = {name: name for name in shown}
    for fold in folds_upwards(memories):
        if fold.memory_id in shown:
            inside = with_members([fold.memory_id], memories)
            outermost |= dict.fromkeys(inside, fold.memory_id)
    return outermost


def with_members(names: Collection[str], memories: Sequence[Memory]) -> frozenset[str]:
    """Return these ids of memories and folds, with those of all that is inside the folds."""
    by_id = memories_by_id(memories)
    known = (by_id[name] for name in names if name in by_id)
    inside = (part.memory_id for memory in known for part in with_all_inside(memory, by_id))
    return frozenset({*names, *inside})


def folds_upwards(memories: Sequence[Memory]) -> list[Memory]:
    """Return the folds, each after the folds that are its members.

    Levels do not tell: a fold keeps the one at which it was made, and at another budget the same
    fold is a member of one of a lower level.
    """
    folds = {memory.memory_id: memory for memory in memories if memory.is_fold}
    members = {name: fold.members for name, fold in folds.items()}
    return [folds[name] for name in TopologicalSorter(members).static_order() if name in folds]


def memory_id(chat_id: str, number: int, digests: Sequence[str]) -> str:
    """Derive a memory's id from the chat, the chunk and what was said alone.

    It is the same on any day.
    """
    return (
        "m" + hashlib.sha256("\n".join([chat_id, str(number), *digests]).encode()).hexdigest()[:15]
    )


def fold_id(chat_id: str, members: Sequence[Memory]) -> str:
    """Derive a fold's id from the chat, its members and their editions in prompts alone.

    It is the same on any day.
    """
    editions = [f"{member.memory_id} {member.in_prompts.number}" for member in members]
    return "f" + hashlib.sha256("\n".join([chat_id, *editions]).encode()).hexdigest()[:15]
