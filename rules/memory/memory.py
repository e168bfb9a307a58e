"""A memory: what a chunk became, or a fold of memories. Six messages in three pairs, in editions."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from rules.memory.edition import Edition

FULL_MEMORY = 1000
"""About how many tokens the memory of a full chunk has."""

_QUESTIONS = 200
_QUOTE = 80
_LEAST_WORDS = 25
_LEAST_WRITTEN = 380
"""Tokens of a memory whose answers are as short as models are asked for: questions, quote, three times 25 words."""
_LEAST_EXTRACTED = 280
"""Tokens of the engine's shortest: questions and quote."""

CHUNK_LEVEL = 1
"""Of a memory that stands for a chunk; a fold has a higher one."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What stands for a chunk, or a fold that stands for the memories named in `members`."""

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
    """When the first and the last of them were written, as the export has it."""
    source_tokens: int
    edition: Edition
    """The one that is shown."""
    told: Edition
    """The one that later prompts see: the person's own text, else the newest as-of edition."""
    chosen: int | None = None
    """Number of the edition that the person wants shown; None: the newest that memory.editions prefers."""
    pinned: bool = False
    """Never rewritten or folded: the person has edited it, or has said so."""
    forgotten: bool = False
    """The person has deleted it in TypingMind: it is neither shown nor told, until it is recalled."""
    due: str = ""
    """Why it needs a new edition, where its raw messages have changed since; else empty."""
    recalled: bool = False
    """It was forgotten and then recalled, and no export has had it since: that it is missing means nothing."""
    origins: tuple[str, ...] = ()
    """Its ids in the chat that this one was forked from, in the one before that, and so on: exports may still call it
    so, message by message."""
    members: tuple[str, ...] = ()
    """Ids of the memories that a fold stands for, oldest first."""

    @property
    def is_fold(self) -> bool:
        """It stands for other memories, which the archive keeps."""
        return bool(self.members)


def aliases(memories: Sequence[Memory]) -> dict[str, str]:
    """The ids by which exports of forks may still call these memories, with those that they have."""
    return {name: memory.memory_id for memory in memories for name in memory.origins}


def memory_id(chat_id: str, number: int, digests: Sequence[str]) -> str:
    """A name that depends on the chat, the chunk and what was said alone, so that it is the same on any day."""
    return "m" + hashlib.sha256("\n".join([chat_id, str(number), *digests]).encode()).hexdigest()[:15]


def is_clearly_smaller(written: int, tokens: int, chunk_tokens: int) -> bool:
    """Whether a memory is worth its place: what was `written` for it is half of its chunk or less, and all of it is at
    most four fifths.

    Our questions, which stand in each memory, have no part in the first: they are a large part of a small memory.
    """
    return written * 2 <= chunk_tokens and tokens * 5 <= chunk_tokens * 4


def is_enough_for_a_model(chunk_tokens: int) -> bool:
    """Whether a memory that a model writes of so much can be clearly smaller."""
    return chunk_tokens * 4 >= _LEAST_WRITTEN * 5


def allowance(chunk_tokens: int) -> int:
    """About how many words the perspective, the analysis and the refinement may each have.

    Without the questions (about 200 tokens) and the quote (about 80), in three parts of 1.35 tokens a word.
    """
    return max(_LEAST_WORDS, int((expected_tokens(chunk_tokens) - _QUESTIONS - _QUOTE) / 3 / 1.35))


def expected_tokens(chunk_tokens: int) -> int:
    """About how large a memory becomes: 1,000 tokens for a full chunk, two fifths of a smaller one.

    Of a very small one it is as large as the questions and the shortest answers, but never more than four fifths.
    """
    return max(min(FULL_MEMORY, chunk_tokens * 2 // 5), min(_LEAST_WRITTEN, chunk_tokens * 4 // 5))


def most_tokens(chunk_tokens: int) -> int:
    """A memory is never larger: only such are kept, and the engine's are made shorter until they are."""
    return max(_LEAST_EXTRACTED, min(_QUESTIONS + chunk_tokens // 2, chunk_tokens * 4 // 5))
