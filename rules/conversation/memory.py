"""Memories and folds, and their editions: as-of, with hindsight, or by the person. None is ever overwritten."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from rules.typingmind.dates import parse_date

EXTRACTED, WRITTEN = "extracted", "model"

Kind = Literal["as-of", "hindsight", "person"]
Preferred = Literal["as-of", "hindsight"]
Six = tuple[str, str, str, str, str, str]


def six_of(texts: Sequence[str]) -> Six:
    """The texts as the six of a memory. Raises ValueError where they are more or fewer."""
    one, two, three, four, five, six = texts
    return one, two, three, four, five, six


@dataclass(frozen=True, slots=True)
class Quote:
    """The permanent part of a memory: characters of one raw message, and which message that is."""

    text: str
    source: str
    """Key of the raw message within its chat; empty where nobody knows it any more."""
    chosen: str
    """`agent`, `aligned` (the nearest passage), or `engine` where the agent's quote was not verbatim."""
    tokens: int = field(default=0, compare=False)
    """0 in memories of older versions of memproc, which did not count it."""

    @property
    def size(self) -> int:
        """Its tokens, or about as many."""
        return self.tokens or len(self.text.encode()) // 4


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a memory."""

    number: int
    kind: Kind
    """`as-of`: nothing later was in sight. `hindsight`: what came after was. `person`: edited in TypingMind."""
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
    is_short: bool = False
    """Whether each of its quotes is one sentence: a fold in an export that has too many. The archive has it whole."""

    @property
    def quote_tokens(self) -> int:
        """The tokens of its quotes, which are outside `fold.budget`. What the person has edited counts as theirs."""
        return 0 if self.kind == "person" else sum(quote.size for quote in self.quotes)


def shown(editions: Sequence[Edition], chosen: int | None, preferred: Preferred) -> Edition:
    """The edition that stands in the export: the person's choice, else the newest of the preferred kind.

    Where there is none of that kind it is the newest as-of edition. Raises ValueError without any edition.
    """
    if chosen is not None:
        return next(edition for edition in editions if edition.number == chosen)
    of_kind = [edition for edition in editions if edition.kind == preferred]
    return of_kind[-1] if of_kind else edition_in_prompts(editions, None)


def edition_in_prompts(editions: Sequence[Edition], chosen: int | None) -> Edition:
    """The edition that later prompts see, whenever rounds happened: the person's own text, else as-of."""
    for edition in editions:
        if edition.number == chosen and edition.kind == "person":
            return edition
    for edition in reversed(editions):
        if edition.kind == "as-of":
            return edition
    raise ValueError("a memory has an as-of edition")


FULL_MEMORY = 900
"""About how many tokens the memory of a full chunk has."""

SHIPPED_QUESTIONS = 60
"""At most so many tokens of a memory are the questions in it, as memproc words them."""
_ABOUT_AS_SHIPPED = 80
QUOTE = 80
"""About how many tokens of a memory are its quote."""
TOKENS_A_WORD = 1.35
_ANALYSIS_SHARE = 0.6
"""The words of the analysis by those of each of the agent's two answers: it is a quarter of a memory whose answers have
three quarters of their words."""
_ANALYSIS_ROOM = 0.75
"""The room that is kept free for it: one that is a fifth too long is kept whole."""
_EXTRACTED_ANSWERS = 1.7
"""So many times the words of its refinement are in the engine's three answers together."""
_FOLD_ANSWERS = 1.5
"""The same in a fold, where the persona has rarely spoken of itself, and its view leaves room."""
_LEAST_WORDS = 25
_LEAST_ANSWERS = 180
"""Tokens of the shortest answers that models are asked for: the quote, and three times 25 words."""

CHUNK_LEVEL = 1
"""The level of a memory that stands for a chunk; a fold has a higher one."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory of a chunk, or a fold that stands for the memories named in `members`."""

    memory_id: str
    number: int
    """1 for the oldest chunk of the chat, and so on; the folds of a level are counted by themselves."""
    level: int
    keys: tuple[str, ...]
    """Keys of the raw messages that it stands for, in order."""
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
    """Number of the edition that the person wants shown; None: the newest that memory.editions prefers."""
    pinned: bool = False
    """Never rewritten or folded: the person has edited it, or has said so."""
    forgotten: bool = False
    """The person has deleted it in TypingMind: it is neither shown nor in prompts, until it is recalled."""
    due: str = ""
    """Why it needs a new edition, where its raw messages have changed since; else empty."""
    recalled: bool = False
    """Whether it was forgotten and then recalled, and no export has had it since: that it is missing means nothing."""
    origins: tuple[str, ...] = ()
    """Its ids in the chat that this one was forked from, in the one before that, and so on: exports may still call it
    so, message by message."""
    members: tuple[str, ...] = ()
    """Ids of the memories that a fold stands for, oldest first."""

    @property
    def is_fold(self) -> bool:
        """Whether it stands for other memories, which the archive keeps."""
        return bool(self.members)


def aliases(memories: Sequence[Memory]) -> dict[str, str]:
    """The ids by which exports of forks may still call these memories, with those that they have."""
    return {name: memory.memory_id for memory in memories for name in memory.origins}


def with_members(names: Collection[str], memories: Sequence[Memory]) -> frozenset[str]:
    """These ids of memories and folds, with those of all that the folds among them stand for."""
    covered = set(names)
    for fold in sorted(
        (memory for memory in memories if memory.is_fold), key=lambda fold: -fold.level
    ):
        if fold.memory_id in covered:
            covered.update(fold.members)
    return frozenset(covered)


def memory_id(chat_id: str, number: int, digests: Sequence[str]) -> str:
    """A name that depends on the chat, the chunk and what was said alone, so that it is the same on any day."""
    return (
        "m" + hashlib.sha256("\n".join([chat_id, str(number), *digests]).encode()).hexdigest()[:15]
    )


def is_clearly_smaller(written: int, tokens: int, chunk_tokens: int) -> bool:
    """Whether what was `written` for a memory is half of its chunk or less, and all of it at most four fifths.

    Our questions, which stand in each memory, have no part in the first: they are a large part of a small memory.
    """
    return written * 2 <= chunk_tokens and tokens * 5 <= chunk_tokens * 4


def questions_of_memories(counted: int) -> int:
    """The tokens to plan with for the questions in a memory, where those that are loaded have `counted`.

    The person may replace our questions by longer ones. What has about the length of ours counts as ours, so that no
    memory is asked for in other words because of a few tokens.
    """
    return counted if counted > _ABOUT_AS_SHIPPED else SHIPPED_QUESTIONS


def is_enough_for_a_model(chunk_tokens: int, questions: int) -> bool:
    """Whether a memory that a model writes of so much can be clearly smaller; `questions` of its tokens are ours."""
    return chunk_tokens * 4 >= (questions + _LEAST_ANSWERS) * 5


def least_for_a_model(questions: int) -> int:
    """The smallest `chunk.tokens`, in hundreds, whose chunks are large enough for a model, as they differ in size."""
    least = (questions + _LEAST_ANSWERS) * 5 / 4
    return ceil(least * 1.05 / 100) * 100


def allowance(chunk_tokens: int, questions: int) -> int:
    """About how many words the perspective and the refinement may each have: 200 of a full chunk.

    That is what the questions and the quote (about 80 tokens) leave, with room for three quarters as much analysis.
    """
    return _words_each(expected_tokens(chunk_tokens, questions) - questions - QUOTE)


def extracted_words(chunk_tokens: int, questions: int) -> int:
    """The same for the engine's, which keeps its view and its analysis short for the sake of the refinement."""
    tokens = expected_tokens(chunk_tokens, questions) - questions - QUOTE
    return max(_LEAST_WORDS, int(tokens / _EXTRACTED_ANSWERS / TOKENS_A_WORD))


def analysis_words(words: int) -> int:
    """About how many words an analysis may have beside answers of so many: at most a quarter of the memory."""
    return max(_LEAST_WORDS, int(words * _ANALYSIS_SHARE))


def _words_each(tokens: int) -> int:
    """Words for each of two answers that share so many tokens with the analysis, in round numbers."""
    return max(_LEAST_WORDS, int(tokens / (2 + _ANALYSIS_ROOM) / TOKENS_A_WORD) // 5 * 5)


def expected_tokens(chunk_tokens: int, questions: int) -> int:
    """About how large a memory becomes: 900 tokens for a full chunk, two fifths of a smaller one.

    Of a very small one it is as large as the questions and the shortest answers, but never more than four fifths.
    """
    return max(
        min(FULL_MEMORY, chunk_tokens * 2 // 5),
        min(questions + _LEAST_ANSWERS, chunk_tokens * 4 // 5),
    )


def most_tokens(chunk_tokens: int, questions: int) -> int:
    """A memory is never larger: only such are kept, and the engine's are made shorter, down to questions and quote."""
    return max(questions + QUOTE, min(questions + chunk_tokens // 2, chunk_tokens * 4 // 5))


_ROOM = 200
_EXTRACTED_SHARE = 12
"""So many raw tokens leave one in a fold of the engine's, where its members have as many."""


def fold_id(chat_id: str, members: Sequence[Memory]) -> str:
    """A name that depends on the chat, the members and their editions in prompts alone: the same fold on any day."""
    editions = [f"{member.memory_id} {member.in_prompts.number}" for member in members]
    return "f" + hashlib.sha256("\n".join([chat_id, *editions]).encode()).hexdigest()[:15]


def expected_fold_tokens(member_tokens: int) -> int:
    """About how large a fold becomes beside its quotes: 820 tokens, or half of its members' where that is less.

    Here and below, `member_tokens` are those of its members without their quotes, all of which it carries.
    """
    return min(FULL_MEMORY - QUOTE, member_tokens // 2)


def fold_words(member_tokens: int, questions: int) -> int:
    """About how many words the perspective and the refinement of a fold may each have, as of a memory."""
    return _words_each(expected_fold_tokens(member_tokens) - questions)


def extracted_fold_words(member_tokens: int, source_tokens: int, questions: int) -> int:
    """The same for the engine's folds, which grow with the raw messages that they stand for."""
    tokens = min(member_tokens // 2, max(FULL_MEMORY, source_tokens // _EXTRACTED_SHARE))
    return max(_LEAST_WORDS, int((tokens - questions) / _FOLD_ANSWERS / TOKENS_A_WORD))


def most_fold_tokens(member_tokens: int, questions: int) -> int:
    """No fold that a model writes is larger beside its quotes: half of its members, or 200 more than its questions."""
    return max(member_tokens // 2, questions + _ROOM)


def called(memory: Memory) -> str:
    """The name in sentences: `memory 3 (m1f0c...)`, or `fold 1 of level 2 (f03b...)`; each level counts from 1."""
    if memory.is_fold:
        return f"fold {memory.number} of level {memory.level} ({memory.memory_id})"
    return f"memory {memory.number} ({memory.memory_id})"


def short_name(memory: Memory) -> str:
    """The name that a person gives it within its chat: `6`, or `f2` for a fold, `ff1` for one of the next level.

    It is never given to another memory of the chat.
    """
    return "f" * (memory.level - CHUNK_LEVEL) + str(memory.number)


def dates(memory: Memory) -> str:
    """The days of the first and the last message that it stands for; one day where they are the same."""
    first, last = day(memory.began_at), day(memory.ended_at)
    return first if first == last else f"{first} to {last}"


def day(date: str | None) -> str:
    """The day of an export's date."""
    return (date or "no date")[:10]


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TITLE = re.compile(
    r"<context_manager>\n(?:Memory ([1-9]\d{0,5})|Memories ([1-9]\d{0,5}) to ([1-9]\d{0,5}))[,.]"
)


def write_title(
    first: int, last: int, dates: Iterable[str | None], *, extracted: bool = False
) -> str:
    """The title of a memory, or of a fold of those from `first` to `last`; `dates` are those of its messages."""
    name = f"Memory {first}" if first == last else f"Memories {first} to {last}"
    return ", ".join([name, *_days(dates), *(["extracted"] if extracted else [])]) + "."


def numbers_in(question: str) -> tuple[int, int] | None:
    """The first and the last number in a memory's first question; None where it bears no title, as older ones."""
    titled = _TITLE.match(question)
    if titled is None:
        return None
    first, last = titled[1] or titled[2], titled[1] or titled[3]
    return int(first), int(last)


def counted_on(memories: Sequence[Memory]) -> int:
    """The distance between the numbers in titles to come and those in the archive; 0 unless an archive was lost."""
    frozen = [memory for memory in memories if not memory.keys and not memory.is_fold]
    titles = ((memory.number, numbers_in(memory.in_prompts.texts[0])) for memory in frozen)
    return max((titled[1] - number for number, titled in titles if titled), default=0)


def numbers_of(memory: Memory, by_id: Mapping[str, Memory], ahead: int) -> tuple[int, int]:
    """The first and the last of the memories that it stands for, as titles count them; `ahead` is `counted_on`."""
    if titled := numbers_in(memory.in_prompts.texts[0]):
        return titled
    if not memory.is_fold:
        return memory.number + ahead, memory.number + ahead
    each = [numbers_of(by_id[name], by_id, ahead) for name in memory.members]
    return each[0][0], each[-1][1]


def _days(dates: Iterable[str | None]) -> list[str]:
    """The first and the last day in words, each part of a date named once; empty where no day is known."""
    days = sorted(date.date() for text in dates if (date := parse_date(text)))
    if not days:
        return []
    begin, end = days[0], days[-1]
    until = f"{end.day} {_MONTHS[end.month - 1]} {end.year}"
    if begin == end:
        return [until]
    month = (
        f" {_MONTHS[begin.month - 1]}" if (begin.month, begin.year) != (end.month, end.year) else ""
    )
    year = f" {begin.year}" if begin.year != end.year else ""
    return [f"{begin.day}{month}{year} to {until}"]
