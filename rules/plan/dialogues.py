"""The questions of each dialogue that makes a memory, and how long their answers may be.

    memory      all four; each question comes after the answers to those before it
    hindsight   the two open ones: the quote is kept, and the analysis is in the journal
    fold        all but the quote: a fold carries those of its memories
    extracted   only the analysis: the built-in engine writes the rest

A plan counts and prices them; `daemon/remember/dialogue.py` asks them, with the same limits.
"""

from typing import Literal

from rules.conversation.memory_size import analysis_words
from rules.conversation.quote import QUOTE_WORDS

Step = Literal["quote", "perspective", "analysis", "refinement"]
MEMORY: tuple[Step, ...] = ("quote", "perspective", "analysis", "refinement")
HINDSIGHT: tuple[Step, ...] = ("perspective", "refinement")
FOLD = MEMORY[1:]
EXTRACTED: tuple[Step, ...] = ("analysis",)
_ROOM, _TOKENS_A_WORD = 200, 4


def words_of(step: Step, words: int) -> int:
    """Return about how many words an answer may have; the open questions allow `words` each."""
    if step == "quote":
        return QUOTE_WORDS
    return analysis_words(words) if step == "analysis" else words


def answer_room(words: int) -> int:
    """Return the most tokens (max_tokens) of an answer that should have about `words` words."""
    return _ROOM + words * _TOKENS_A_WORD
