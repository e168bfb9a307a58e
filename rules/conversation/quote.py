"""Direct quotes: verbatim from one raw message, character for character; else the nearest passage.

A model may set another space, quotation mark or dash than the writer did. So the search looks past
just these, and what is kept are the raw message's own characters. Where a fence of code stays open
in them, they are the longest part without it.

Where nothing is verbatim, the nearest passage is taken:

    answer     The sea breathes, I said, "and no one had ever heard it..."
    message    It is true. The sea breathes, and no one ever heard it. Not even I.
    passage                The sea breathes, and no one ever heard it.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.extract.languages import TONGUES, spoken
from rules.extract.sentences import sentences, without_open_fence
from rules.extract.words import CROWDED, has_words, length, shorten, terms

QUOTE_WORDS = 60
"""About how long a quote may be."""
MOST_QUOTE_WORDS = 2 * QUOTE_WORDS
"""A longer one is cut to its best sentences."""
_ALIKE = str.maketrans("‘’‚‛“”„‟«»‹›「」『』–—―−‐‑", '\'\'\'\'""""""\'\'""""------')
_GAP = re.compile(r"\s+")
_MARKS = "\"'"

# Measured on long English conversations: this takes 99 in 100 sentences with a word changed, added
# or dropped, 94 with two changed, and of sentences from elsewhere only set phrases that nearly
# occur there, too.
_NEAR_ENOUGH = 0.78
_PIECE_NEAR_ENOUGH = 0.88
_WORTH_A_LOOK = 65.0
_ALL_BUT_SAID = 0.93
_AT_LEAST_WORDS = 5.0
_AT_MOST_CHARACTERS = 400
_PIECES = 12
_SLACK = 20
_WORTH_ITS_PLACE = 0.5
_CLOSE_BY = 20
_BREAK = re.compile(r"\[?(?:\.{3,}|…)\]?|[\"“”„‟«»「」『』]")
_TOKEN = re.compile(rf"[{CROWDED}]|[^\s{CROWDED}]+")
_CROWDED = re.compile(rf"[{CROWDED}]")
_AROUND = " \"'"
_OF_WORDS = "LMN"


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The raw message's own characters, and the key of that message."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class NotVerbatim:
    """Why an answer is no quote, as a sentence that can be said to the agent."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A part of a message that was said in words."""

    key: str
    """The key of the message."""
    text: str
    compared: str
    """The text as quotes are compared; each character is still one character."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that reads nearly as a piece of the answer: [start, stop) of what is compared."""

    said: _Said
    start: int
    stop: int
    score: float
    """0 for nothing in common, 1 for the same characters."""
    gain: float
    """Long pieces count for more, each as far as it is better than barely near enough."""


def find_quote(answer: str, chunk: Sequence[Entry]) -> Verbatim | NotVerbatim:
    """Return the passage of one message that the answer repeats, or why there is none."""
    plain_answer = plain_text(answer).strip()
    if not has_words(plain_answer):
        return NotVerbatim("The answer holds no words.")
    # A model adds quotation marks around it by habit.
    is_marked = len(plain_answer) > 2 and plain_answer[0] in _MARKS and plain_answer[-1] in _MARKS
    quote = _verbatim(plain_answer, chunk)
    if quote is None and is_marked:
        quote = _verbatim(plain_answer[1:-1].strip(), chunk)
    if quote is None:
        reason = "It stands in no single message of the passage, character for character."
        return NotVerbatim(reason)
    return quote


def _verbatim(words: str, chunk: Sequence[Entry]) -> Verbatim | None:
    """Return the first passage of a message that is the same as these words when compared."""
    if not words:
        return None
    for key, text in _spoken(chunk):
        at = plain_text(text).find(words)
        if at >= 0:
            own_words = text[offset(text, at) : offset(text, at + len(words))]
            quote = without_open_fence(own_words)
            if has_words(quote):
                return Verbatim(quote, key)
    return None


def best_run(quote: str, words: float) -> str:
    """Return a quote cut to at most `words`: the best run of its whole sentences.

    The best one holds most of the speaker's own states; of those the longest, and the first of
    these. Where every sentence is longer, it is the beginning of one. It stays one substring.
    """
    if length(quote) <= words:
        return quote
    pieces = sentences(quote)
    tongue = spoken(terms(quote), TONGUES)
    worths: list[int] = []
    for piece in pieces:
        said = set(terms(quote[piece.start : piece.stop]))
        worths.append(sum(word in tongue.states or word in tongue.me for word in said))
    runs: list[tuple[int, int, int, str]] = []
    for begin, piece in enumerate(pieces):
        for end in range(begin, len(pieces)):
            run = quote[piece.start : pieces[end].stop]
            if length(run) <= words:
                runs.append((sum(worths[begin : end + 1]), end - begin, -begin, run))
    if runs:
        *_, best = max(runs)
        whole = without_open_fence(best)
        if has_words(whole):
            return whole
    return shorten(quote, words)


def can_be_quoted(chunk: Sequence[Entry]) -> bool:
    """Return whether anything in it was said in words. Otherwise no model is asked about it."""
    return any(has_words(text) for _, text in _spoken(chunk))


def _spoken(chunk: Sequence[Entry]) -> list[tuple[str, str]]:
    """Yield each part that was said in words, with the key of its message."""
    return [(entry.key, text) for entry in chunk for text in entry.message.spoken]


def plain_text(text: str) -> str:
    """Normalize a text as quotes are compared.

    It has one space a gap, straight quotation marks and plain dashes.
    """
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


def nearest_passage(answer: str, chunk: Sequence[Entry]) -> Verbatim | None:
    """Find the passage of one message that the answer most nearly repeats.

    It is in that message's own characters.

    It consists of whole words, and begins and ends with a sentence where one begins or ends close
    by. An answer that joins several passages gives the one that it repeats best. Return None if
    nothing in the chunk is near enough.
    """
    said = [_Said(key, text, _compared(text)) for key, text in _spoken(chunk)]
    places = _places([_as_piece(answer)], said, _NEAR_ENOUGH)
    if not any(place.score >= _ALL_BUT_SAID for place in places):
        places += _places(_pieces(answer), said, _PIECE_NEAR_ENOUGH)
    if not places:
        return None
    best = max(places, key=lambda place: place.gain)
    return Verbatim(without_open_fence(_own_characters(best)), best.said.key)


def _compared(text: str) -> str:
    """Return the text as quotes are compared, in small letters.

    Each character stays one character.
    """
    return plain_text(text).replace("İ", "i").lower()


def _as_piece(text: str) -> str:
    return _compared(text).strip(_AROUND)[:_AT_MOST_CHARACTERS]


def _pieces(answer: str) -> list[str]:
    """List every run of the answer's first sentences, without repetitions.

    A sentence also ends at an ellipsis and a quotation mark.
    """
    breaks = [match.span() for match in _BREAK.finditer(answer)]
    bounds: list[tuple[int, int]] = []
    start = 0
    for stop, next_start in (*breaks, (len(answer), len(answer))):
        for sentence in sentences(answer[start:stop]):
            if sentence.prose:
                bounds.append((start + sentence.start, start + sentence.stop))
        start = next_start
    bounds = bounds[:_PIECES]
    runs: list[str] = []
    for at, (begin, _) in enumerate(bounds):
        runs += [_as_piece(answer[begin:stop]) for _, stop in bounds[at:]]
    return list(dict.fromkeys(runs))


def _places(pieces: Iterable[str], said: Sequence[_Said], near_enough: float) -> list[_Place]:
    """List the best place in each part of a message that reads nearly as one of the pieces."""
    places: list[_Place] = []
    for piece in pieces:
        if length(piece) < _AT_LEAST_WORDS:
            continue
        for part in said:
            place = _place(piece, part, near_enough)
            if place is not None:
                places.append(place)
    return places


def _place(piece: str, said: _Said, near_enough: float) -> _Place | None:
    """Return the best place in a part of a message, if it reads nearly as the piece."""
    from rapidfuzz import fuzz  # late: a run with nothing new compares nothing

    text = said.compared
    start, stop = 0, len(text)
    if len(text) > len(piece):
        match = fuzz.partial_ratio_alignment(piece, text, score_cutoff=_WORTH_A_LOOK)
        if match is None:
            return None
        start, stop = _edges(piece, text, match.dest_start, match.dest_end)
    score = fuzz.ratio(piece, text[start:stop]) / 100
    if score < near_enough:
        return None
    return _Place(said, start, stop, score, gain=(score - near_enough) * len(piece))


def _edges(piece: str, text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the bounds of whole words about the place, as many as are worth their characters.

    (0, 0) where there are none.
    """
    from rapidfuzz.distance import LCSseq

    slack = _SLACK + len(piece) // 4
    begins, ends = _word_bounds(text, max(0, start - slack), min(len(text), stop + slack))

    def worth(first: int, last: int) -> float:
        return LCSseq.similarity(piece, text[first:last]) - _WORTH_ITS_PLACE * (last - first)

    middle = (start + stop) // 2
    later = [at for at in ends if at > middle]
    last = max(later, key=lambda at: worth(start, at), default=0)
    earlier = [at for at in begins if at < last]
    first = max(earlier, key=lambda at: worth(at, last), default=last)
    return first, last


def _word_bounds(text: str, start: int, stop: int) -> tuple[list[int], list[int]]:
    """Return where the whole words between begin, and where they end.

    Each has two such places: without and with the signs that touch it.
    """
    begins: list[int] = []
    ends: list[int] = []
    for token in _TOKEN.finditer(text, start, stop):
        # Letters, digits, and marks that are set on them.
        places = range(token.start(), token.end())
        letters = [at for at in places if unicodedata.category(text[at])[0] in _OF_WORDS]
        if letters:
            begins += [at for at in (letters[0], token.start()) if not _goes_on(text, at)]
            ends += [at for at in (letters[-1] + 1, token.end()) if not _goes_on(text, at)]
    return begins, ends


def _goes_on(text: str, at: int) -> bool:
    """Return whether a word continues across `at`: letters on both sides, or a combining mark."""
    if not 0 < at < len(text):
        return False
    before = text[at - 1]
    after = text[at]
    if unicodedata.category(after)[0] == "M":
        return True
    parted = _CROWDED.match(before) or _CROWDED.match(after)
    return before.isalnum() and after.isalnum() and not parted


def _own_characters(place: _Place) -> str:
    """Return the raw message's characters at this place.

    They are extended to bounds of sentences close by.
    """
    raw = place.said.text
    first = start = offset(raw, place.start)
    last = stop = offset(raw, place.stop)
    for sentence in sentences(raw):
        if sentence.start <= start < sentence.stop and start - sentence.start <= _CLOSE_BY:
            first = sentence.start
        if sentence.start < stop <= sentence.stop and sentence.stop - stop <= _CLOSE_BY:
            last = sentence.stop
    return raw[first:last].strip()
