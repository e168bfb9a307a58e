"""The budgets of the memory section: a fixed number, or one that grows with the conversation.

    auto    a tenth of the raw tokens under memories, at least 16,000;
            at most a fifth of the agent's window

If a model costs more above some length, that length counts as its window, as it does for all plans.
It is a function of the messages and of the window alone, so ten rounds come to what one comes to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.wording import counted

LEAST = 16_000
"""The smallest budget of a window that is large enough, and the only one before it could grow."""
_PART_OF_RAW = 10
_PART_OF_WINDOW = 5


@dataclass(frozen=True, slots=True)
class Bounds:
    """The numbers of `[fold]` in memproc.toml, for one chat."""

    budget: int | None
    """Tokens of the section without quotes and wishes; None: it grows."""
    group: int
    """How many items become a fold."""
    quotes: int = 8_000
    """Tokens of all quotes."""
    wishes: int = 1_500
    """Tokens of all standing wishes."""
    window: int | None = None
    """The agent's window in tokens as memories are counted; None if not known.

    Where its price rises before, that counts.
    """

    def at(self, raw_tokens: int) -> int:
        """Return the budget, in tokens, of a section that replaces `raw_tokens` of messages."""
        if self.budget is not None:
            return self.budget
        growing = max(LEAST, raw_tokens // _PART_OF_RAW)
        return min(growing, self.window // _PART_OF_WINDOW) if self.window else growing


def growing(bounds: Bounds) -> Bounds:
    """Return the same bounds with a budget that grows."""
    return Bounds(None, bounds.group, bounds.quotes, bounds.wishes, bounds.window)


def what_growing_takes(bounds: Bounds, source_tokens: Sequence[int]) -> str:
    """Return a clause on what each message would take with a growing budget, and how to have it.

    `bounds` are those that the chat keeps; empty where growing makes no difference yet.
    """
    raw = sum(source_tokens)
    more = growing(bounds).at(raw)
    if bounds.budget is None or more <= bounds.budget:
        return ""
    return (
        f"its {counted(len(source_tokens), 'memory keeps', 'memories keep')} to "
        f'{bounds.budget:,} tokens as before; with budget = "auto" under [fold] in memproc.toml '
        f"they take up to {more:,}, which each message sends too, and remember more. "
        f"budget = {bounds.budget} leaves it so, and ends this note"
    )
