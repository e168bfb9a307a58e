"""A fold: several memories that have become one of a higher level. What it is called, and how large it may be."""

import hashlib
from collections.abc import Sequence

from rules.memory.memory import Memory

MOST_QUOTES = 6
"""So many direct quotes a fold carries; of more than these the agent chooses, and the archive keeps the others."""

_FULL = 1000
_QUESTIONS = 200
_TOKENS_A_WORD = 1.35
_ROOM = 400


def fold_id(chat_id: str, members: Sequence[Memory]) -> str:
    """A name that depends on the chat, the members and their told editions alone: the same fold on any day."""
    told = [f"{member.memory_id} {member.told.number}" for member in members]
    return "f" + hashlib.sha256("\n".join([chat_id, *told]).encode()).hexdigest()[:15]


def expected_fold_tokens(member_tokens: int) -> int:
    """About how large a fold becomes, quotes included: 1,000 tokens, or half of its members' where that is less."""
    return min(_FULL, member_tokens // 2)


def fold_words(member_tokens: int, quote_tokens: int) -> int:
    """About how many words the perspective, the analysis and the refinement of a fold may each have.

    That is what the quotes and the questions (about 200 tokens) leave, in three parts of 1.35 tokens a word.
    """
    left = expected_fold_tokens(member_tokens) - quote_tokens - _QUESTIONS
    return max(25, int(left / 3 / _TOKENS_A_WORD))


def most_fold_tokens(member_tokens: int, quote_tokens: int) -> int:
    """No fold that a model writes is larger: half of its members' tokens, or 400 more than its quotes.

    The second counts where the quotes alone, which are permanent, leave no room under the first.
    """
    return max(member_tokens // 2, quote_tokens + _ROOM)
