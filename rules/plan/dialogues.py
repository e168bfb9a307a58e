"""The questions of each dialogue that makes a memory, and how long their answers may be.

    memory      all four; what each answers is in view of the next
    hindsight   the two open ones: its quote is kept, and its analysis is in the journal
    fold        all but the quote: it carries those of its memories
    extracted   the analysis alone: the built-in engine writes the rest

A plan counts and prices these; `daemon/remember/dialogue.py` asks them, with the same words and room.
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
    """Return about how many words an answer may have, where the open ones have `words` each."""
    if step == "quote":
        return QUOTE_WORDS
    return analysis_words(words) if step == "analysis" else words


def answer_room(words: int) -> int:
    """Return the tokens that an answer of about so many words may have (max_tokens)."""
    return _ROOM + words * _TOKENS_A_WORD
