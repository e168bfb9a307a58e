"""Size memories and folds: the tokens that are expected and allowed, and the words to ask for."""

from math import ceil

FULL_MEMORY = 900
"""The expected tokens of a full chunk's memory."""
SHIPPED_QUESTIONS = 60
"""The most tokens of a memory's questions, in memproc's own wording."""
_ABOUT_AS_SHIPPED = 80
QUOTE = 80
"""The expected tokens of a memory's quote."""
TOKENS_A_WORD = 1.35
_ANALYSIS_SHARE = 0.6
"""The words of the analysis, as a share of those of each of the agent's two answers.

The analysis is then a quarter of a memory whose answers use three quarters of their words.
"""
_ANALYSIS_ROOM = 0.75
"""The room for the analysis, as such a share: an analysis that is a fifth too long still fits."""
_LEAST_WORDS = 25
_LEAST_ANSWERS = 180
"""The tokens of the shortest answers that are asked for: a quote, and three times 25 words."""
_LEAST_FOLD_ROOM = 200
_EXTRACTED_WORDS = 0.195
"""The words of the engine's three answers together, for each token of their chunk."""
_EXTRACTED_PART = 30
"""The raw tokens for each token of the engine's fold; a longer fold would only be folded sooner."""


def is_clearly_smaller(written: int, tokens: int, chunk_tokens: int) -> bool:
    """Return whether a memory is small enough compared with its chunk.

    Its `written` tokens, without our questions, may be at most half of the chunk's, and all its
    `tokens` at most four fifths. The questions are the same in each memory, and so a large part of
    a small one.
    """
    return written * 2 <= chunk_tokens and tokens * 5 <= chunk_tokens * 4


def questions_of_memories(counted: int) -> int:
    """Return the tokens to plan with for the questions in a memory.

    The loaded texts have `counted` tokens. The person may replace our questions by longer ones.
    Questions of about the length of ours count as ours, so that requests do not change because of a
    few tokens.
    """
    return counted if counted > _ABOUT_AS_SHIPPED else SHIPPED_QUESTIONS


def is_enough_for_a_model(chunk_tokens: int, questions: int) -> bool:
    """Return whether a model's memory of a chunk can be clearly smaller than the chunk.

    `questions` are the tokens of its questions.
    """
    return chunk_tokens * 4 >= (questions + _LEAST_ANSWERS) * 5


def least_for_a_model(questions: int) -> int:
    """Return the smallest `chunk.tokens` that makes all chunks large enough for a model.

    It is a multiple of 100.
    """
    least = (questions + _LEAST_ANSWERS) * 5 / 4
    return ceil(least * 1.05 / 100) * 100


def allowance(chunk_tokens: int, questions: int) -> int:
    """Return about how many words perspective and refinement may each have: 200 for a full chunk.

    They share with the analysis what the questions and the quote leave.
    """
    return _words_each(expected_tokens(chunk_tokens, questions) - questions - QUOTE)


def extracted_words(chunk_tokens: int) -> int:
    """Return about how many words the engine's three answers have in all; they grow with the chunk.

    The engine keeps its view and its analysis short to leave room for the refinement, and says less
    where little was said.
    """
    return max(_LEAST_WORDS, int(chunk_tokens * _EXTRACTED_WORDS))


def analysis_words(words: int) -> int:
    """Return about how many words an analysis may have if the agent's answers have `words` each."""
    return max(_LEAST_WORDS, int(words * _ANALYSIS_SHARE))


def _words_each(tokens: int) -> int:
    """Return the words of each of two answers that share `tokens` with the analysis.

    It is a multiple of 5.
    """
    return max(_LEAST_WORDS, int(tokens / (2 + _ANALYSIS_ROOM) / TOKENS_A_WORD) // 5 * 5)


def expected_tokens(chunk_tokens: int, questions: int) -> int:
    """Return about how many tokens a memory has: 900 for a full chunk, two fifths of a smaller one.

    The memory of a very small chunk is as large as the questions and the shortest answers, but at
    most four fifths of the chunk.
    """
    return max(
        min(FULL_MEMORY, chunk_tokens * 2 // 5),
        min(questions + _LEAST_ANSWERS, chunk_tokens * 4 // 5),
    )


def most_tokens(chunk_tokens: int, questions: int) -> int:
    """Return the most tokens of a memory.

    A model's larger one is refused, the engine's is shortened until it fits.
    """
    return max(questions + QUOTE, min(questions + chunk_tokens // 2, chunk_tokens * 4 // 5))


def expected_fold_tokens(member_tokens: int) -> int:
    """Return about how many tokens a fold has without its quotes: 820, or half of its members'.

    The lower of these counts. Here and below, `member_tokens` are those of its members without
    their quotes, which the fold carries all.
    """
    return min(FULL_MEMORY - QUOTE, member_tokens // 2)


def fold_words(member_tokens: int, questions: int) -> int:
    """Return about how many words the perspective and the refinement of a fold may each have."""
    return _words_each(expected_fold_tokens(member_tokens) - questions)


def extracted_fold_words(member_tokens: int, source_tokens: int, questions: int) -> int:
    """Return about how many words a fold by the engine has; it grows with its raw messages."""
    tokens = min(member_tokens // 2, max(FULL_MEMORY, source_tokens // _EXTRACTED_PART))
    return max(_LEAST_WORDS, int((tokens - questions) / TOKENS_A_WORD))


def most_fold_tokens(member_tokens: int, questions: int) -> int:
    """Return the most tokens of a model's fold without its quotes.

    They are half of its members', or 200 beyond its questions.
    """
    return max(member_tokens // 2, questions + _LEAST_FOLD_ROOM)
