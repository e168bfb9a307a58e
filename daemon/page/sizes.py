"""How large a chat is, part by part, as the strip on the page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from daemon.archive.archive import Archive
from daemon.archive.journal import known_counts
from daemon.archive.messages import live_messages
from daemon.chat.holding import Holding
from daemon.models.tokens import ENCODING


@dataclass(frozen=True, slots=True)
class ChatSizes:
    """Tokens of a chat's parts as its updated export has them, and of all that was ever said in it."""

    folds: int
    memories: int
    waiting: int
    """Said before the live tail, and not yet under a memory."""
    live: int
    """The newest messages, word for word."""
    spoken: int

    @property
    def parts(self) -> Mapping[str, int]:
        """The parts that are not empty, by their names, in the order of the conversation."""
        parts = {
            "folds": self.folds,
            "memories": self.memories,
            "waiting": self.waiting,
            "word for word": self.live,
        }
        return {name: tokens for name, tokens in parts.items() if tokens}

    @property
    def total(self) -> int:
        """The tokens that the chat has now."""
        return sum(self.parts.values())


def chat_sizes(archive: Archive, held: Holding, tail_tokens: int) -> ChatSizes:
    """The sizes of a chat; `tail_tokens` is how many of the newest stay word for word.

    Messages that were never counted, since no run has come to them yet, count as nothing.
    """
    standing = [memory for memory in held.memories if held.states[memory.memory_id].word == "shown"]
    digests = [message.digest for message in live_messages(archive, held.chat_id)]
    counts = known_counts(archive, ENCODING, list(set(digests)))
    sizes = [counts.get(digest, 0) for digest in digests]
    live = sum(size for size, sum_before in _from_the_end(sizes) if sum_before < tail_tokens)
    return ChatSizes(
        folds=sum(memory.edition.tokens for memory in standing if memory.is_fold),
        memories=sum(memory.edition.tokens for memory in standing if not memory.is_fold),
        waiting=sum(sizes) - live,
        live=live,
        spoken=sum(sizes)
        + sum(memory.source_tokens for memory in held.memories if not memory.is_fold),
    )


def _from_the_end(sizes: list[int]) -> list[tuple[int, int]]:
    """Each size, newest first, with the sum of those that are newer."""
    newest_first = sizes[::-1]
    return list(zip(newest_first, accumulate(newest_first, initial=0), strict=False))
