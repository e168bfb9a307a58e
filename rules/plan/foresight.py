"""Estimate the memory section as it will be: with memories to come, and the folds they need."""

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
    reading_for,
)
from rules.plan.folds import (
    MissingFold,
    SectionItem,
    View,
    describe_over_budget,
    version_in_prompts,
    view_section,
)

SHARE_OF_MOST = 0.8
"""The share of an answer's most words that models are expected to use.

They mostly stay a little below the most.
"""
_LAST_ANSWER_PART = 3
"""The last answer of a memory to come is about a third of it."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A memory to come: its expected tokens, and the raw tokens that it is made of."""

    tokens: int
    source: int


@dataclass(frozen=True, slots=True)
class Foresight:
    """The known memories of a chat, and what is expected of those to come."""

    chat_id: str
    memories: Sequence[Memory]
    coming: Sequence[Coming]
    bounds: Bounds
    longest: int = 1
    """A multiple of their expected size that the coming ones are assumed to have."""

    def before(self, upto: int) -> int:
        """Return about how many tokens the section of the first `upto` memories takes."""
        return self._view(upto)[0].tokens

    def folds_to_make(self) -> tuple[int, ...]:
        """Return about how many tokens each fold reads that is to be made until all is done."""
        return tuple(reading.tokens for reading in self._view_of_all()[1])

    def folds_beyond(self) -> int:
        """Count the folds to be made from folds, as the memories under those would be too much."""
        return sum(reading.is_beyond for reading in self._view_of_all()[1])

    def over_budget(self) -> str:
        """Return a clause saying that what is never folded makes the section too large; else ""."""
        view, _ = self._view_of_all()
        return describe_over_budget(view.items, self.bounds.at(self.raw_tokens))

    @property
    def raw_tokens(self) -> int:
        """Return the raw tokens under all memories, including those to come."""
        made = sum(memory.source_tokens for memory in memories_of_chunks(self.memories))
        return made + sum(memory.source for memory in self.coming)

    def _view_of_all(self) -> tuple[View, list[FoldReading]]:
        return self._view(len(self.memories) + len(self.coming))

    def _view(self, upto: int) -> tuple[View, list[FoldReading]]:
        """Return the section with folds of expected sizes, and what each fold to be made reads."""
        by_id = memories_by_id(self.memories)
        to_come: dict[str, Reading] = {}
        coming: list[SectionItem] = []
        for at, memory in enumerate(self.coming):
            to_come[str(at)] = Reading(answers=memory.tokens // _LAST_ANSWER_PART)
            tokens = max(1, int(SHARE_OF_MOST * (self.longest * memory.tokens - QUOTE)))
            coming.append(
                SectionItem(
                    str(at), CHUNK_LEVEL, tokens, (str(at),), quotes=QUOTE, source=memory.source
                )
            )
        folds = _ExpectedFolds(by_id, to_come, [])
        view = view_section(
            self.chat_id,
            self.memories,
            upto,
            self.bounds,
            version_in_prompts,
            folds.stand_in,
            coming,
        )
        return view, folds.missing


@dataclass(frozen=True, slots=True)
class _ExpectedFolds:
    """Stand-ins for the folds that are to be made."""

    by_id: Mapping[str, Memory]
    to_come: dict[str, Reading]
    """What is read to make the memories and folds to come, by their names in the section."""
    missing: list[FoldReading]

    def stand_in(self, fold: MissingFold) -> SectionItem:
        """Return a fold of the expected size, and note what it reads."""
        reading = read_for_fold([self._member(item) for item in fold.members])
        self.missing.append(reading)
        name = " ".join(fold.covers)
        self.to_come[name] = reading.whole
        quotes = min(MOST_QUOTES * QUOTE, sum(member.quotes for member in fold.members))
        tokens = int(SHARE_OF_MOST * expected_fold_tokens(fold.tokens))
        return SectionItem(name, fold.level, tokens, fold.covers, quotes=quotes)

    def _member(self, item: SectionItem) -> FoldMember:
        memory = self.by_id.get(item.name)
        reading = reading_for(memory, self.by_id) if memory else self.to_come[item.name]
        return FoldMember(item.tokens, item.is_fold, reading)
