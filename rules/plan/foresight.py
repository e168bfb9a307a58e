"""The memory section as it will be: with memories to come, and with the folds that they need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.conversation.memory import CHUNK_LEVEL, Memory, memories_by_id, memories_of_chunks
from rules.conversation.memory_size import QUOTE, expected_fold_tokens
from rules.conversation.short_quotes import MOST_QUOTES
from rules.plan.fold_budget import (
    Bounds,
    FoldMember,
    FoldReading,
    Reading,
    read_for_fold,
    reading_of,
    reading_to_come,
)
from rules.plan.folds import MissingFold, Standing, View, as_told, over_budget, section

OF_THE_MOST = 0.8
"""Models are told how many words an answer has at most, and mostly stay a little below."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A memory that is made now: its expected tokens, and the raw ones that it is made of."""

    tokens: int
    source: int


@dataclass(frozen=True, slots=True)
class Foresight:
    """The known memories of a chat, and what is expected of those to come."""

    chat_id: str
    memories: Sequence[Memory]
    coming: Sequence[Coming]
    """The memories that are made now."""
    bounds: Bounds
    longest: int = 1
    """How many times their expected size the coming ones are taken to have."""

    def before(self, upto: int) -> int:
        """Return about how many tokens the first `upto` memories take."""
        return self._view(upto)[0].tokens

    def folds_to_make(self) -> tuple[int, ...]:
        """Return about how many tokens each fold reads that is missing until all is done."""
        return tuple(reading.tokens for reading in self._view_of_all()[1])

    def folds_beyond(self) -> int:
        """Count the missing folds that read folds: the memories under them would be too much."""
        return sum(reading.is_beyond for reading in self._view_of_all()[1])

    def over_budget(self) -> str:
        """Return a clause saying that what is never folded leaves the section too large in the end.

        It is empty where it does not.
        """
        view, _ = self._view_of_all()
        return over_budget(view.standing, self.bounds.at(self.raw_tokens))

    @property
    def raw_tokens(self) -> int:
        """Return the raw tokens of all memories in the end."""
        made = sum(memory.source_tokens for memory in memories_of_chunks(self.memories))
        return made + sum(memory.source for memory in self.coming)

    def _view_of_all(self) -> tuple[View, list[FoldReading]]:
        return self._view(len(self.memories) + len(self.coming))

    def _view(self, upto: int) -> tuple[View, list[FoldReading]]:
        """Return the section with folds of the expected sizes.

        With it comes what each fold reads that is missing.
        """
        by_id = memories_by_id(self.memories)
        to_come: dict[str, Reading] = {}
        coming: list[Standing] = []
        for at, memory in enumerate(self.coming):
            to_come[str(at)] = reading_to_come(memory.tokens)
            tokens = max(1, int(OF_THE_MOST * (self.longest * memory.tokens - QUOTE)))
            coming.append(
                Standing(
                    str(at), CHUNK_LEVEL, tokens, (str(at),), quotes=QUOTE, source=memory.source
                )
            )
        folds = _ExpectedFolds(by_id, to_come, [])
        view = section(
            self.chat_id, self.memories, upto, self.bounds, as_told, folds.stand_in, coming
        )
        return view, folds.missing


@dataclass(frozen=True, slots=True)
class _ExpectedFolds:
    """The folds that are missing in a section, as they are expected to become."""

    by_id: Mapping[str, Memory]
    to_come: dict[str, Reading]
    """What is read for memories and folds to come, by their names in the section."""
    missing: list[FoldReading]

    def stand_in(self, fold: MissingFold) -> Standing:
        """Return a fold of the expected size, and note what it reads."""
        read = read_for_fold([self._member(item) for item in fold.members])
        self.missing.append(read)
        name = " ".join(fold.covers)
        self.to_come[name] = read.whole
        quotes = min(MOST_QUOTES * QUOTE, sum(member.quotes for member in fold.members))
        tokens = int(OF_THE_MOST * expected_fold_tokens(fold.tokens))
        return Standing(name, fold.level, tokens, fold.covers, quotes=quotes)

    def _member(self, item: Standing) -> FoldMember:
        memory = self.by_id.get(item.name)
        reading = reading_of(memory, self.by_id) if memory else self.to_come[item.name]
        return FoldMember(item.tokens, item.is_fold, reading)
