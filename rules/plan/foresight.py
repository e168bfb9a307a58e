"""How large the memory section will be while a plan is carried out: memories as they are, and those to come."""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.memory.memory import Memory, expected_tokens
from rules.plan.fold import Standing, View, Wanted, expected_fold
from rules.plan.section import Bounds, over_budget, section, told_tokens


@dataclass(frozen=True, slots=True)
class Foresight:
    """What is known of a chat's memories, and what is expected of those to come."""

    chat_id: str
    memories: Sequence[Memory]
    coming: Sequence[int]
    """Tokens of the chunks that become memories now."""
    bounds: Bounds
    longest: int = 1
    """So many times as large as expected the coming ones are taken to be."""

    def before(self, upto: int) -> int:
        """About how many tokens stand for the first `upto` memories."""
        return self._view(upto, []).tokens

    def folds_to_make(self) -> tuple[int, ...]:
        """The folds that are missing until all is done, each with about how many tokens its members have."""
        missing: list[Wanted] = []
        self._view(len(self.memories) + len(self.coming), missing)
        return tuple(sum(member.tokens for member in wanted.members) for wanted in missing)

    def over_budget(self) -> str:
        """That what the person has edited or pinned leaves the section too large, when all is done; empty if not."""
        return over_budget(self._view(len(self.memories) + len(self.coming), []).standing, self.bounds)

    def _view(self, upto: int, missing: list[Wanted]) -> View:
        def expect(wanted: Wanted) -> Standing:
            missing.append(wanted)
            return Standing(" ".join(wanted.covers), wanted.level, expected_fold(wanted), wanted.covers)

        coming = [(str(at), self.longest * expected_tokens(tokens)) for at, tokens in enumerate(self.coming)]
        return section(self.chat_id, self.memories, upto, self.bounds, told_tokens, expect, coming)
