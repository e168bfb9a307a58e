"""Find direct quotes in the raw messages: character for character, else the nearest passage.

A model may write another space, quotation mark or dash than the message has. The search ignores
these differences, and the quote keeps the raw message's own characters. Where these open a fence of
code that does not close, the quote is the longest part without it.

Where nothing is verbatim, the nearest passage is the quote:

    answer     The sea breathes, I said, "and no one had ever heard it..."
    message    It is true. The sea breathes, and no one ever heard it. Not even I.
    passage                The sea breathes, and no one ever heard it.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.conversation.history import Entry
from rules.extract.languages import find_tongue_of
from rules.extract.sentences import split_sentences, without_open_fence
from rules.extract.words import CROWDED, has_words, length, shorten, split_terms

QUOTE_WORDS = 60
"""About how many words a quote may have."""
MOST_QUOTE_WORDS = 2 * QUOTE_WORDS
"""A longer quote is cut to its best sentences."""
_TO_ASCII = str.maketrans("‘’‚‛“”„‟«»‹›「」『』–—―−‐‑", '\'\'\'\'""""""\'\'""""------')
_GAP = re.compile(r"\s+")
_MARKS = "\"'"

# Measured on long English conversations: this accepts 99 of 100 sentences with a word changed,
# added or dropped, 94 with two changed, and of sentences from elsewhere only set phrases that
# nearly occur there, too.
_LEAST_SCORE = 0.78
_LEAST_PIECE_SCORE = 0.88
_LEAST_ALIGNMENT = 65.0
"""Below this rough score, in percent, a place is not compared further."""
_NEARLY_VERBATIM = 0.93
"""A whole answer with this score is not compared piece by piece."""
_FEWEST_WORDS = 5.0
_MOST_CHARACTERS = 400
_MOST_SENTENCES = 12
_SLACK = 20
"""Bounds are looked for this many characters, and a quarter of the piece, around a place."""
_CHARACTER_COST = 0.5
"""A character at the edge of a place must have at least an even chance of being in the piece."""
_SENTENCE_REACH = 20
"""The most characters by which a passage is extended to the bound of a sentence."""
_BREAK = re.compile(r"\[?(?:\.{3,}|…)\]?|[\"“”„‟«»「」『』]")
_TOKEN = re.compile(rf"[{CROWDED}]|[^\s{CROWDED}]+")
_CROWDED = re.compile(rf"[{CROWDED}]")
_AROUND = " \"'"
_WORD_CATEGORIES = "LMN"
"""The Unicode categories of letters, of marks on them, and of digits."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A quote in the raw message's own characters, and the key of that message."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class NotVerbatim:
    """Why an answer is no quote, as a sentence for the agent."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A part of a message that was said in words."""

    key: str
    """The key of the message."""
    text: str
    compared: str
    """The text in the form in which answers are compared with it."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that nearly equals a piece of the answer: [start, stop) in `said.compared`."""

    said: _Said
    start: int
    stop: int
    score: float
    """0 for nothing in common, 1 for the same characters."""
    gain: float
    """By how much the score exceeds the least one, times the piece's length."""


def find_quote(answer: str, chunk: Sequence[Entry]) -> Verbatim | NotVerbatim:
    """Return the passage of one message that the answer repeats, or why there is none."""
    plain_answer = plain_text(answer).strip()
    if not has_words(plain_answer):
        return NotVerbatim("The answer holds no words.")
    # Models tend to add quotation marks around a quote.
    is_marked = len(plain_answer) > 2 and plain_answer[0] in _MARKS and plain_answer[-1] in _MARKS
    quote = _find_verbatim(plain_answer, chunk)
    if quote is None and is_marked:
        quote = _find_verbatim(plain_answer[1:-1].strip(), chunk)
    reason = "It stands in no single message of the passage, character for character."
    return quote or NotVerbatim(reason)


def _find_verbatim(words: str, chunk: Sequence[Entry]) -> Verbatim | None:
    """Return the first passage that equals these words in the form of `plain_text`; else None."""
    if not words:
        return None
    for key, text in _spoken(chunk):
        at = plain_text(text).find(words)
        if at >= 0:
            own_words = text[find_offset(text, at) : find_offset(text, at + len(words))]
            quote = without_open_fence(own_words)
            if has_words(quote):
                return Verbatim(quote, key)
    return None


def cut_best_run(quote: str, words: float) -> str:
    """Cut a quote to at most `words` words: the best run of its whole sentences, as one substring.

    The best run has most words about the speaker and their states; of equal ones the longest is
    taken, then the first. Where every sentence is longer than `words`, return the beginning of the
    quote.
    """
    if length(quote) <= words:
        return quote
    pieces = split_sentences(quote)
    tongue = find_tongue_of([quote])
    worths: list[int] = []
    for piece in pieces:
        distinct = set(split_terms(quote[piece.start : piece.stop]))
        worths.append(sum(word in tongue.states or word in tongue.me for word in distinct))
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
    """Return whether anything in the chunk was said in words; else no model is asked about it."""
    return any(has_words(text) for _, text in _spoken(chunk))


def _spoken(chunk: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return each part that was said in words, with the key of its message."""
    return [(entry.key, text) for entry in chunk for text in entry.message.spoken]


def plain_text(text: str) -> str:
    """Return the text with single spaces, straight quotes and plain dashes, to compare quotes."""
    return _GAP.sub(" ", text.translate(_TO_ASCII))


def find_offset(text: str, plain_at: int) -> int:
    """Return the index in `text` of the character at `plain_at` in `plain_text(text)`."""
    plain_length = raw_at = 0
    for gap in _GAP.finditer(text):
        before = gap.start() - raw_at
        if plain_at <= plain_length + before:
            break
        plain_length += before + 1
        raw_at = gap.end()
    return raw_at + plain_at - plain_length


def nearest_passage(answer: str, chunk: Sequence[Entry]) -> Verbatim | None:
    """Return the passage of one message that the answer most nearly repeats, as written there.

    It consists of whole words, and is extended to the bounds of sentences nearby. Where an answer
    joins several passages, it is the one that is repeated best. Return None if nothing in the chunk
    is near enough.
    """
    said = [_Said(key, text, _plain_lower(text)) for key, text in _spoken(chunk)]
    places = _find_places([_as_piece(answer)], said, _LEAST_SCORE)
    if not any(place.score >= _NEARLY_VERBATIM for place in places):
        places += _find_places(_pieces(answer), said, _LEAST_PIECE_SCORE)
    if not places:
        return None
    best = max(places, key=lambda place: place.gain)
    return Verbatim(without_open_fence(_own_characters(best)), best.said.key)


def _plain_lower(text: str) -> str:
    """Return the plain text in small letters; each of its characters is still one character."""
    return plain_text(text).replace("İ", "i").lower()


def _as_piece(text: str) -> str:
    return _plain_lower(text).strip(_AROUND)[:_MOST_CHARACTERS]


def _pieces(answer: str) -> list[str]:
    """Return every run of the answer's first sentences, each once.

    A sentence also ends at an ellipsis or a quotation mark.
    """
    breaks = [match.span() for match in _BREAK.finditer(answer)]
    bounds: list[tuple[int, int]] = []
    start = 0
    for stop, next_start in (*breaks, (len(answer), len(answer))):
        for sentence in split_sentences(answer[start:stop]):
            if sentence.prose:
                bounds.append((start + sentence.start, start + sentence.stop))
        start = next_start
    bounds = bounds[:_MOST_SENTENCES]
    runs: list[str] = []
    for at, (begin, _) in enumerate(bounds):
        runs += [_as_piece(answer[begin:stop]) for _, stop in bounds[at:]]
    return list(dict.fromkeys(runs))


def _find_places(pieces: Iterable[str], said: Sequence[_Said], least: float) -> list[_Place]:
    """Return each piece's best place in each part of a message, if it scores at least `least`."""
    places: list[_Place] = []
    for piece in pieces:
        if length(piece) < _FEWEST_WORDS:
            continue
        for part in said:
            place = _find_place(piece, part, least)
            if place is not None:
                places.append(place)
    return places


def _find_place(piece: str, said: _Said, least: float) -> _Place | None:
    """Return the best place in a part of a message, or None where its score is below `least`."""
    from rapidfuzz import fuzz  # late: a run with nothing new compares nothing

    text = said.compared
    start, stop = 0, len(text)
    if len(text) > len(piece):
        match = fuzz.partial_ratio_alignment(piece, text, score_cutoff=_LEAST_ALIGNMENT)
        if match is None:
            return None
        start, stop = _to_whole_words(piece, text, match.dest_start, match.dest_end)
    score = fuzz.ratio(piece, text[start:stop]) / 100
    if score < least:
        return None
    return _Place(said, start, stop, score, gain=(score - least) * len(piece))


def _to_whole_words(piece: str, text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the bounds of the whole words around a place that match the piece best, or (0, 0)."""
    from rapidfuzz.distance import LCSseq

    slack = _SLACK + len(piece) // 4
    begins, ends = _word_bounds(text, max(0, start - slack), min(len(text), stop + slack))

    def worth(first: int, last: int) -> float:
        return LCSseq.similarity(piece, text[first:last]) - _CHARACTER_COST * (last - first)

    middle = (start + stop) // 2
    later = [at for at in ends if at > middle]
    last = max(later, key=lambda at: worth(start, at), default=0)
    earlier = [at for at in begins if at < last]
    first = max(earlier, key=lambda at: worth(at, last), default=last)
    return first, last


def _word_bounds(text: str, start: int, stop: int) -> tuple[list[int], list[int]]:
    """Return where the whole words between `start` and `stop` begin, and where they end.

    Each word has two beginnings and two ends: without and with the signs that touch it.
    """
    begins: list[int] = []
    ends: list[int] = []
    for token in _TOKEN.finditer(text, start, stop):
        inside = range(token.start(), token.end())
        letters = [at for at in inside if unicodedata.category(text[at])[0] in _WORD_CATEGORIES]
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
    is_crowded = _CROWDED.match(before) or _CROWDED.match(after)
    return before.isalnum() and after.isalnum() and not is_crowded


def _own_characters(place: _Place) -> str:
    """Return the raw message's characters at a place, extended to nearby bounds of sentences."""
    raw = place.said.text
    first = start = find_offset(raw, place.start)
    last = stop = find_offset(raw, place.stop)
    for sentence in split_sentences(raw):
        if sentence.start <= start < sentence.stop and start - sentence.start <= _SENTENCE_REACH:
            first = sentence.start
        if sentence.start < stop <= sentence.stop and sentence.stop - stop <= _SENTENCE_REACH:
            last = sentence.stop
    return raw[first:last].strip()
