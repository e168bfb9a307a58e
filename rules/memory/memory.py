"""A memory: what a chunk became. Six messages in three pairs (requirement 9.5), in editions (D12)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

EXTRACTED, WRITTEN = "extracted", "model"


@dataclass(frozen=True, slots=True)
class Quote:
    """The permanent part of a memory: characters of one raw message, and which message that is."""

    text: str
    source: str
    """Key of the raw message within its chat."""
    chosen: str
    """`agent`, or `engine` where the agent's quote was not verbatim."""


@dataclass(frozen=True, slots=True)
class Edition:
    """One version of a memory. None is ever overwritten."""

    number: int
    kind: str
    """`as-of`, written with nothing later in sight; later also `hindsight`."""
    texts: tuple[str, str, str, str, str, str]
    """The six messages' texts: user, assistant, user, assistant, user, assistant."""
    quote: Quote
    made: str
    """`model`, or `extracted` by the built-in engine."""
    agent: str
    context_manager: str
    requests: tuple[str, ...]
    """Hashes of the requests that it was made from: where it comes from, to the byte."""
    tokens: int
    written_at: str


@dataclass(frozen=True, slots=True)
class Memory:
    """A chunk's memory in the edition that is shown."""

    memory_id: str
    number: int
    """1 for the oldest chunk of the chat, and so on."""
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


def memory_id(chat_id: str, number: int, digests: Sequence[str]) -> str:
    """A name that depends on the chat, the chunk and what was said alone, so that it is the same on any day."""
    return "m" + hashlib.sha256("\n".join([chat_id, str(number), *digests]).encode()).hexdigest()[:15]


def is_clearly_smaller(memory_tokens: int, chunk_tokens: int) -> bool:
    """A memory is worth its place only at half of its chunk or less (D8, ratio guard)."""
    return memory_tokens * 2 <= chunk_tokens


def allowance(chunk_tokens: int) -> int:
    """About how many words the perspective, the analysis and the refinement may each have.

    Without the questions (about 200 tokens) and the quote (about 80), in three parts of 1.35 tokens a word.
    """
    return max(25, int((expected_tokens(chunk_tokens) - 280) / 3 / 1.35))


def expected_tokens(chunk_tokens: int) -> int:
    """About how large a memory becomes: 1,000 tokens for a full chunk, two fifths of a smaller one."""
    return min(1000, chunk_tokens * 2 // 5)
