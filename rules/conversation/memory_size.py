"""How long memories and folds are: what is expected, what is allowed, and the words to ask for."""

from math import ceil

FULL_MEMORY = 900
"""About how many tokens the memory of a full chunk has."""
SHIPPED_QUESTIONS = 60
"""At most so many tokens of a memory are the questions in it, as memproc words them."""
_ABOUT_AS_SHIPPED = 80
QUOTE = 80
"""About how many tokens of a memory are its quote."""
TOKENS_A_WORD = 1.35
_ANALYSIS_SHARE = 0.6
"""The words of the analysis by those of each of the agent's two answers: it is a quarter of a memory whose answers have
three quarters of their words."""
_ANALYSIS_ROOM = 0.75
"""The room that is kept free for it: one that is a fifth too long is kept whole."""
_EXTRACTED_ANSWERS = 1.7
"""So many times the words of its refinement are in the engine's three answers together."""
_FOLD_ANSWERS = 1.5
"""The same in a fold, where the persona has rarely spoken of itself, and its view leaves room."""
_LEAST_WORDS = 25
_LEAST_ANSWERS = 180
"""Tokens of the shortest answers that models are asked for: the quote, and three times 25 words."""
_ROOM = 200
_EXTRACTED_MOST = 0.50
"""The largest share of a chunk's tokens that the engine's answers may have."""
_EXTRACTED_SHARE = 12
"""So many raw tokens leave one in a fold of the engine's, where its members have as many."""


def is_clearly_smaller(written: int, tokens: int, chunk_tokens: int) -> bool:
    """Whether what was `written` for a memory is half of its chunk or less, and all of it at most four fifths.

    Our questions, which stand in each memory, have no part in the first: they are a large part of a small memory.
    """
    return written * 2 <= chunk_tokens and tokens * 5 <= chunk_tokens * 4


def questions_of_memories(counted: int) -> int:
    """The tokens to plan with for the questions in a memory, where those that are loaded have `counted`.

    The person may replace our questions by longer ones. What has about the length of ours counts as ours, so that no
    memory is asked for in other words because of a few tokens.
    """
    return counted if counted > _ABOUT_AS_SHIPPED else SHIPPED_QUESTIONS


def is_enough_for_a_model(chunk_tokens: int, questions: int) -> bool:
    """Whether a memory that a model writes of so much can be clearly smaller; `questions` of its tokens are ours."""
    return chunk_tokens * 4 >= (questions + _LEAST_ANSWERS) * 5


def least_for_a_model(questions: int) -> int:
    """The smallest `chunk.tokens`, in hundreds, whose chunks are large enough for a model, as they differ in size."""
    least = (questions + _LEAST_ANSWERS) * 5 / 4
    return ceil(least * 1.05 / 100) * 100


def allowance(chunk_tokens: int, questions: int) -> int:
    """About how many words the perspective and the refinement may each have: 200 of a full chunk.

    That is what the questions and the quote (about 80 tokens) leave, with room for three quarters as much analysis.
    """
    return _words_each(expected_tokens(chunk_tokens, questions) - questions - QUOTE)


def extracted_words(chunk_tokens: int, questions: int) -> int:
    """Return about how many words the refinement of the engine's may have: it grows with its chunk.

    The engine keeps its view and its analysis short for the sake of it, and says less where little was said.
    """
    tokens = chunk_tokens * _EXTRACTED_MOST - QUOTE
    return max(_LEAST_WORDS, int(tokens / _EXTRACTED_ANSWERS / TOKENS_A_WORD))


def analysis_words(words: int) -> int:
    """About how many words an analysis may have beside answers of so many: at most a quarter of the memory."""
    return max(_LEAST_WORDS, int(words * _ANALYSIS_SHARE))


def _words_each(tokens: int) -> int:
    """Words for each of two answers that share so many tokens with the analysis, in round numbers."""
    return max(_LEAST_WORDS, int(tokens / (2 + _ANALYSIS_ROOM) / TOKENS_A_WORD) // 5 * 5)


def expected_tokens(chunk_tokens: int, questions: int) -> int:
    """About how large a memory becomes: 900 tokens for a full chunk, two fifths of a smaller one.

    Of a very small one it is as large as the questions and the shortest answers, but never more than four fifths.
    """
    return max(
        min(FULL_MEMORY, chunk_tokens * 2 // 5),
        min(questions + _LEAST_ANSWERS, chunk_tokens * 4 // 5),
    )


def most_tokens(chunk_tokens: int, questions: int) -> int:
    """A memory is never larger: only such are kept, and the engine's are made shorter, down to questions and quote."""
    return max(questions + QUOTE, min(questions + chunk_tokens // 2, chunk_tokens * 4 // 5))


def expected_fold_tokens(member_tokens: int) -> int:
    """About how large a fold becomes beside its quotes: 820 tokens, or half of its members' where that is less.

    Here and below, `member_tokens` are those of its members without their quotes, all of which it carries.
    """
    return min(FULL_MEMORY - QUOTE, member_tokens // 2)


def fold_words(member_tokens: int, questions: int) -> int:
    """About how many words the perspective and the refinement of a fold may each have, as of a memory."""
    return _words_each(expected_fold_tokens(member_tokens) - questions)


def extracted_fold_words(member_tokens: int, source_tokens: int, questions: int) -> int:
    """The same for the engine's folds, which grow with the raw messages that they stand for."""
    tokens = min(member_tokens // 2, max(FULL_MEMORY, source_tokens // _EXTRACTED_SHARE))
    return max(_LEAST_WORDS, int((tokens - questions) / _FOLD_ANSWERS / TOKENS_A_WORD))


def most_fold_tokens(member_tokens: int, questions: int) -> int:
    """No fold that a model writes is larger beside its quotes: half of its members, or 200 more than its questions."""
    return max(member_tokens // 2, questions + _ROOM)
