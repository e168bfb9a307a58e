"""How long memories and folds are: what is expected, what is allowed, and the words to ask for."""

from math import ceil

FULL_MEMORY = 900
"""About how many tokens the memory of a full chunk has."""
SHIPPED_QUESTIONS = 60
"""Most tokens that the questions of a memory take, as memproc words them."""
_ABOUT_AS_SHIPPED = 80
QUOTE = 80
"""About how many tokens of a memory are its quote."""
TOKENS_A_WORD = 1.35
_ANALYSIS_SHARE = 0.6
"""The words of the analysis by those of each of the agent's two answers.

It is a quarter of a memory whose answers have three quarters of their words.
"""
_ANALYSIS_ROOM = 0.75
"""The room that is kept free for it: one that is a fifth too long is kept whole."""
_LEAST_WORDS = 25
_LEAST_ANSWERS = 180
"""Tokens of the shortest answers that models are asked for: the quote, and three times 25 words."""
_ROOM = 200
_EXTRACTED_WORDS = 0.195
"""The words of the engine's three answers together, for each token of their chunk."""
_EXTRACTED_SHARE = 30
"""Raw tokens for each token of a fold by the engine: a longer one only has folds folded sooner."""


def is_clearly_smaller(written: int, tokens: int, chunk_tokens: int) -> bool:
    """Return whether a memory is small enough for its chunk.

    Its `written` tokens are at most half of the chunk's, all its `tokens` at most four fifths.

    Our questions, which each memory has, do not count in the first: they are a large part of a
    small memory.
    """
    return written * 2 <= chunk_tokens and tokens * 5 <= chunk_tokens * 4


def questions_of_memories(counted: int) -> int:
    """Return the tokens to plan with for the questions in a memory.

    The loaded texts have `counted`.

    The person may replace our questions by longer ones. What has about the length of ours counts as
    ours, so that no memory is asked for in other words because of a few tokens.
    """
    return counted if counted > _ABOUT_AS_SHIPPED else SHIPPED_QUESTIONS


def is_enough_for_a_model(chunk_tokens: int, questions: int) -> bool:
    """Return whether a model's memory of such a chunk can be clearly smaller.

    `questions` of its tokens are ours.
    """
    return chunk_tokens * 4 >= (questions + _LEAST_ANSWERS) * 5


def least_for_a_model(questions: int) -> int:
    """Return the smallest `chunk.tokens` at which all chunks are large enough for a model.

    It is a multiple of a hundred.
    """
    least = (questions + _LEAST_ANSWERS) * 5 / 4
    return ceil(least * 1.05 / 100) * 100


def allowance(chunk_tokens: int, questions: int) -> int:
    """Return about how many words the perspective and the refinement may each have.

    That is 200 of a full chunk.

    That is what the questions and the quote (about 80 tokens) leave, with room for three quarters
    as much analysis.
    """
    return _words_each(expected_tokens(chunk_tokens, questions) - questions - QUOTE)


def extracted_words(chunk_tokens: int) -> int:
    """Return about how many words the engine's three answers have together: they grow with their chunk.

    The engine keeps its view and its analysis short for the sake of the refinement, and says less
    where little was said.
    """
    return max(_LEAST_WORDS, int(chunk_tokens * _EXTRACTED_WORDS))


def analysis_words(words: int) -> int:
    """Return about how many words an analysis may have with answers of `words`.

    It is at most a quarter of the memory.
    """
    return max(_LEAST_WORDS, int(words * _ANALYSIS_SHARE))


def _words_each(tokens: int) -> int:
    """Return the words of each of two answers that share `tokens` with the analysis.

    They are round numbers.
    """
    return max(_LEAST_WORDS, int(tokens / (2 + _ANALYSIS_ROOM) / TOKENS_A_WORD) // 5 * 5)


def expected_tokens(chunk_tokens: int, questions: int) -> int:
    """Return about how many tokens a memory has: 900 for a full chunk, two fifths of a smaller one.

    Of a very small one it is as large as the questions and the shortest answers, but never more
    than four fifths.
    """
    return max(
        min(FULL_MEMORY, chunk_tokens * 2 // 5),
        min(questions + _LEAST_ANSWERS, chunk_tokens * 4 // 5),
    )


def most_tokens(chunk_tokens: int, questions: int) -> int:
    """Return the most tokens of a memory.

    Larger ones are refused, and the engine's are shortened until they fit.
    """
    return max(questions + QUOTE, min(questions + chunk_tokens // 2, chunk_tokens * 4 // 5))


def expected_fold_tokens(member_tokens: int) -> int:
    """Return about how many tokens a fold has without its quotes.

    That is 820, or half of its members' if that is less.

    Here and below, `member_tokens` are those of its members without their quotes, all of which it
    carries.
    """
    return min(FULL_MEMORY - QUOTE, member_tokens // 2)


def fold_words(member_tokens: int, questions: int) -> int:
    """Return about how many words the perspective and the refinement of a fold may each have."""
    return _words_each(expected_fold_tokens(member_tokens) - questions)


def extracted_fold_words(member_tokens: int, source_tokens: int, questions: int) -> int:
    """Return the words of a fold by the engine, which grows with its raw messages."""
    tokens = min(member_tokens // 2, max(FULL_MEMORY, source_tokens // _EXTRACTED_SHARE))
    return max(_LEAST_WORDS, int((tokens - questions) / TOKENS_A_WORD))


def most_fold_tokens(member_tokens: int, questions: int) -> int:
    """Return the most tokens of a model's fold without its quotes.

    That is half of its members', or those of its questions and 200.
    """
    return max(member_tokens // 2, questions + _ROOM)
