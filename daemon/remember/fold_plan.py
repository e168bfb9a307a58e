"""The plan of a fold: which memories become one, what it carries, what it is written from."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.conversation.kept_wishes import drop_repeats
from rules.conversation.memory import (
    Memory,
    Quote,
    Wish,
    memories_by_id,
    memories_of_chunks,
    with_all_inside,
)
from rules.conversation.memory_subject import shared_subject
from rules.conversation.memory_title import (
    TitlePair,
    count_lead,
    numbers_of,
    subject_of,
    title_pair,
    write_title,
)
from rules.plan.fold_budget import members_reading, reading_for
from rules.typingmind.dates import day_of


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """The plan of a fold: its members, two or more, oldest first, and what it carries."""

    members: Sequence[Memory]
    level: int
    quotes: tuple[Quote, ...]
    """The quotes of all chunks' memories under it."""
    wishes: tuple[Wish, ...]
    """The person's standing wishes in `memories`."""
    numbers: tuple[int, int]
    """The first and the last number of the memories under it, as titles count them."""
    memories: Sequence[Memory]
    """The chunks' memories under it that are not forgotten, as far as they are known."""
    from_memories: bool
    """Whether a model writes it from the last answers of `memories`, and not from its members."""
    answers: Sequence[int]
    """About how many tokens the last answer of each of `memories` has."""

    @property
    def tokens(self) -> int:
        """Return the tokens of its members, without their quotes and wishes."""
        return sum(
            member.in_prompts.tokens - member.in_prompts.permanent_tokens for member in self.members
        )

    @property
    def source_tokens(self) -> int:
        """Return the tokens of the raw messages that the members were made of."""
        return sum(member.source_tokens for member in self.members)

    @property
    def sources(self) -> Sequence[Memory]:
        """Return what a model writes it from."""
        return self.memories if self.from_memories else self.members

    @property
    def titles(self) -> TitlePair:
        """Return the fold's title, first with its days in UTC, then with those that are shown."""
        return title_pair(*self.numbers, self._dates, map(day_of, self._dates))

    @property
    def _dates(self) -> list[str | None]:
        return [date for member in self.members for date in (member.began_at, member.ended_at)]

    def title(self, *, extracted: bool) -> str:
        """Return the title that begins the first question, with the fold's subject if extracted."""
        subjects = (subject_of(memory) for memory in self.memories)
        subject = shared_subject(subjects) if extracted else ""
        return write_title(*self.numbers, self._dates, extracted=extracted, subject=subject)


def fold_plan(memories: Sequence[Memory], names: Sequence[str], level: int) -> FoldPlan:
    """Plan the fold of the memories with these ids; `memories` are all of the chat."""
    by_id = memories_by_id(memories)
    members = [by_id[name] for name in names]
    ahead = count_lead(memories)
    first, _ = numbers_of(members[0], by_id, ahead)
    _, last = numbers_of(members[-1], by_id, ahead)
    memories_within = (
        memory_within for member in members for memory_within in with_all_inside(member, by_id)
    )
    of_chunks = memories_of_chunks(memories_within)
    remembered = [memory for memory in of_chunks if not memory.forgotten]
    return FoldPlan(
        members=members,
        level=level,
        quotes=tuple(quote for memory in of_chunks for quote in memory.in_prompts.quotes),
        wishes=drop_repeats(wish for memory in remembered for wish in memory.in_prompts.wishes),
        numbers=(first, last),
        memories=remembered,
        from_memories=members_reading(members, by_id).from_memories,
        answers=[reading_for(memory, by_id).answers or 0 for memory in remembered],
    )
