"""Direct quotes: verbatim from one raw message, character for character; else the nearest passage.

A model may set another space, quotation mark or dash than the writer did. So the search looks past just
these, and what is kept are the raw message's own characters. Where a fence of code stays open in them, they are the
longest part without it.

Where nothing is verbatim, the nearest passage is taken:

    answer     The sea breathes, I said, "and no one had ever heard it..."
    message    It is true. The sea breathes, and no one ever heard it. Not even I.
    passage                The sea breathes, and no one ever heard it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.extract.blocks import without_open_fence
from rules.extract.languages import TONGUES, spoken
from rules.extract.sentences import TextPiece, sentences
from rules.extract.words import has_words, length, shorten, terms

_ALIKE = str.maketrans("‘’‚‛“”„‟«»‹›「」『』–—―−‐‑", '\'\'\'\'""""""\'\'""""------')
_GAP = re.compile(r"\s+")
_MARKS = "\"'"


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The raw message's own characters, and the key of that message."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class NotVerbatim:
    """Why an answer is no quote, as a sentence that can be said to the agent."""

    reason: str


def find_quote(answer: str, chunk: Sequence[Entry]) -> Verbatim | NotVerbatim:
    """Return the passage of one message of the chunk that the answer repeats, or why there is none."""
    plain_answer = plain_text(answer).strip()
    if not has_words(plain_answer):
        return NotVerbatim("The answer holds no words.")
    unmarked = plain_answer
    if len(plain_answer) > 2 and plain_answer[0] in _MARKS and plain_answer[-1] in _MARKS:
        unmarked = plain_answer[1:-1].strip()  # a model adds them by habit
    for candidate in (plain_answer, unmarked):
        for key, text in _spoken(chunk):
            at = plain_text(text).find(candidate) if candidate else -1
            quote = (
                without_open_fence(text[offset(text, at) : offset(text, at + len(candidate))])
                if at >= 0
                else ""
            )
            if has_words(quote):
                return Verbatim(quote, key)
    return NotVerbatim("It stands in no single message of the passage, character for character.")


def best_run(quote: str, words: float) -> str:
    """Return a quote cut to at most `words`: the best run of its whole sentences.

    The best one holds most of the speaker's own states; of those the longest, and the first of
    these. Where every sentence is longer, it is the beginning of one. It stays one substring.
    """
    if length(quote) <= words:
        return quote
    pieces = sentences(quote)
    runs = [
        (begin, end)
        for begin in range(len(pieces))
        for end in range(begin, len(pieces))
        if length(quote[pieces[begin].start : pieces[end].stop]) <= words
    ]
    if not runs:
        return shorten(quote, words)
    worths = _worths(quote, pieces)
    begin, end = max(
        runs,
        key=lambda run: (sum(worths[run[0] : run[1] + 1]), run[1] - run[0], -run[0]),
    )
    run = quote[pieces[begin].start : pieces[end].stop]
    whole = without_open_fence(run)
    return whole if has_words(whole) else shorten(quote, words)


def _worths(quote: str, pieces: Sequence[TextPiece]) -> list[int]:
    """Return for each piece how many words it has of the speaker's own states."""
    tongue = spoken(terms(quote), TONGUES)
    of_pieces = [set(terms(quote[piece.start : piece.stop])) for piece in pieces]
    return [
        sum(word in tongue.states or word in tongue.me for word in words) for words in of_pieces
    ]


def can_be_quoted(chunk: Sequence[Entry]) -> bool:
    """Return whether anything in it was said in words. Otherwise no model is asked about it."""
    return any(has_words(text) for _, text in _spoken(chunk))


def _spoken(chunk: Sequence[Entry]) -> list[tuple[str, str]]:
    """Each part that was said in words, with the key of its message."""
    return [
        (entry.key, part.text) for entry in chunk for part in entry.message.parts if part.spoken
    ]


def plain_text(text: str) -> str:
    """Normalize a text as quotes are compared: one space a gap, straight quotation marks, plain dashes."""
    return _GAP.sub(" ", text.translate(_ALIKE))


def offset(text: str, plain_at: int) -> int:
    """Return the place in `text` of the character at `plain_at` in `plain_text(text)`."""
    plain_length = raw_at = 0
    for gap in _GAP.finditer(text):
        before = gap.start() - raw_at
        if plain_at <= plain_length + before:
            break
        plain_length += before + 1
        raw_at = gap.end()
    return raw_at + plain_at - plain_length
